import { z } from 'zod';
import { textOf } from '../../../kernel/contract/label.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { fileValue } from '../../../kernel/server/files/files.ts';
import { Refusal, notFound } from '../../../kernel/server/http/errors.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint, type Call, type Endpoint } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import { projectsInReach, requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { consequencesOf, planOf, type Rearrangement } from '../../../domain/places/consequences.server.ts';
import { NODE_SCOPE, nodesInScope } from '../../../domain/places/node-scope.server.ts';
import { checkRearrangement } from '../../../domain/places/organisation-commands.server.ts';
import { placeFigures } from '../../../domain/places/place-figures.server.ts';
import { isFound } from '../../../domain/places/spelling.server.ts';
import { proposedCode } from './organisation-write.server.ts';
import { organisation } from './organisation.contract.ts';

const ROOT = '/jinmao/web/organisation';
const MENU = organisation.menu;
const idText = z.string().regex(/^\d{1,15}$/);

/** A node of the tree panel: an organisation, or a project as a leaf. */
interface ForestNode {
  readonly id: string;
  readonly parentId: string | null;
  readonly kind: 'company' | 'centre_city' | 'management_unit' | 'project';
  readonly code: string;
  readonly name: string;
  readonly state: string;
  readonly projects: number;
  readonly houses: number;
}

/** What the screen asks beside its rows: the whole tree, consequences, history, staff of a node, a free code. */
export function organisationEndpoints(bound: () => BoundResource): Endpoint[] {
  const find = (call: Call) => bound().find(call, idOf(call.params.id));
  return [
    endpoint({
      method: 'GET',
      path: `${ROOT}/forest`,
      title: ['机构与项目树', 'Tree of organisations and projects'],
      access: { code: MENU },
      query: z.strictObject({
        searchVal: z.string().max(100).default(''),
        includeStopped: z.enum(['0', '1']).default('0'),
      }),
      handle: async (call) => ({
        rows: await forest(call, call.query.searchVal, call.query.includeStopped === '1'),
      }),
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/consequences`,
      title: ['机构调整的影响', 'Consequences of a rearrangement'],
      access: {
        anyOf: ['btn_move', 'btn_merge', 'btn_stop', 'btn_project', 'btn_add'].map((one) => `${MENU}:${one}`),
      },
      body: z.strictObject({
        kind: z.enum(['move', 'merge', 'stop', 'hang', 'start']),
        id: idText,
        parent: idText.nullable().optional(),
        into: idText.optional(),
        projects: z.array(idText).max(500).optional(),
      }),
      handle: consequences(bound),
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/proposal`,
      title: ['编码建议', 'Proposed code'],
      access: { code: `${MENU}:btn_add` },
      query: z.strictObject({ parent: idText.optional() }),
      handle: async (call) => {
        const { db } = call.platform.database;
        if (!call.query.parent) return { code: await proposedCode(db, undefined) };
        const parent = (await nodesInScope(db, call.caller, { menu: MENU, includeStopped: true })).find(
          (node) => String(node.id) === call.query.parent,
        );
        if (!parent) throw notFound();
        return {
          code: await proposedCode(db, parent),
          parent: { id: String(parent.id), title: parent.name, kind: parent.kind },
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/changes`,
      title: ['机构变更历史', 'History of an organisation'],
      access: { code: `${MENU}:btn_history` },
      handle: async (call) => {
        const row = await find(call);
        return { rows: await changes(call, row.id as number) };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/staff`,
      title: ['机构员工', 'Staff of an organisation'],
      access: { code: MENU },
      handle: async (call) => {
        const row = await find(call);
        return { rows: await staffOf(call, row.id as number) };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/licence`,
      title: ['执照文件', 'Licence file'],
      access: { code: MENU },
      handle: async (call) => {
        const { id } = await find(call);
        const stored = await runOne<StoredLicence>(
          call.platform.database.db,
          'SELECT f.id, f.name, f.type, f.size, f.access FROM organisation o JOIN stored_file f ON f.id = o.licence_file_id WHERE o.id = $1',
          [id],
        );
        if (!stored) throw notFound();
        return fileValue(call.platform, call.caller, stored);
      },
    }),
  ];
}

/** What `fileValue` reads of a stored file. */
interface StoredLicence {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly access: 'picture' | 'private';
}

function consequences(bound: () => BoundResource) {
  return async (
    call: Call<
      unknown,
      {
        kind: 'move' | 'merge' | 'stop' | 'hang' | 'start';
        id: string;
        parent?: string | null | undefined;
        into?: string | undefined;
        projects?: string[] | undefined;
      }
    >,
  ) => {
    const { db } = call.platform.database;
    const { kind } = call.body;
    const node = await bound().find(call, Number(call.body.id));
    const target = call.body.parent ?? call.body.into;
    if (target) {
      const known = await nodesInScope(db, call.caller, { menu: MENU, includeStopped: true });
      if (!known.some((one) => String(one.id) === target)) throw notFound();
    }
    const projects = (call.body.projects ?? []).map(Number);
    requireProjectsInReach(call.caller, projects);
    const id = Number(node.id);
    const change: Rearrangement =
      kind === 'move'
        ? { kind, node: id, parent: call.body.parent ? Number(call.body.parent) : null }
        : kind === 'merge'
          ? { kind, node: id, into: Number(call.body.into ?? 0) }
          : kind === 'stop'
            ? { kind, node: id }
            : { kind: 'hang', node: id, projects };
    // A unit that is just being filled in starts below this node: it has no rules of its own yet.
    const refusal =
      kind === 'start'
        ? null
        : await checkRearrangement(db, change).then(
            () => null,
            (error: unknown) => {
              if (error instanceof Refusal && error.http !== 404)
                return textOf(firstLabel(error), call.facts.language);
              throw error;
            },
          );
    const plan = await planOf(db, change);
    const found = await consequencesOf(db, call.platform, plan);
    return {
      ...found,
      name: plan.node.name,
      refusal,
      projects: projectsInReach(call.caller, found.projects),
      others: found.others.map((one) => ({
        title: textOf(one.title, call.facts.language),
        lines: one.lines.map((line) => textOf(line, call.facts.language)),
      })),
    };
  };
}

function firstLabel(refusal: Refusal) {
  const fields = (refusal as { fields?: Readonly<Record<string, readonly [string, string]>> }).fields;
  return Object.values(fields ?? {})[0] ?? refusal.label;
}

async function forest(call: Call, searchVal: string, includeStopped: boolean): Promise<ForestNode[]> {
  const { db } = call.platform.database;
  const parameters = new Parameters();
  const rows = await run<{
    id: number;
    parent: number | null;
    kind: ForestNode['kind'];
    code: string;
    name: string;
    short_name: string;
    state: string;
  }>(
    db,
    `SELECT t.id, t.parent_id AS parent, t.kind, t.code, t.name, t.short_name, t.state FROM organisation t
      WHERE ${scopeCondition(call.caller, MENU, NODE_SCOPE, parameters)}${includeStopped ? '' : ` AND t.state = 'enabled'`}
      ORDER BY cardinality(t.path), t.position, t.id`,
    parameters.values,
  );
  const figures = await placeFigures(db, call.caller.projectIds);
  const projects = await run<{
    id: number;
    unit: number;
    code: string;
    name: string;
    enabled: boolean;
    houses: number;
  }>(
    db,
    `SELECT p.id, p.unit_id AS unit, p.code, p.name, p.enabled, (SELECT count(*)::int FROM house h WHERE h.project_id = p.id AND h.merged_into_id IS NULL) AS houses
       FROM project p WHERE ($1::bigint[] IS NULL OR p.id = ANY($1)) AND (p.enabled OR $2) ORDER BY p.code, p.id`,
    [call.caller.projectIds, includeStopped],
  );
  const seen = new Set(rows.map((row) => row.id));
  const all: ForestNode[] = [
    ...rows.map((row) => ({
      id: String(row.id),
      parentId: row.parent !== null && seen.has(row.parent) ? String(row.parent) : null,
      kind: row.kind,
      code: row.code,
      name: row.name,
      state: row.state,
      projects: figures.of(row.id).projects,
      houses: figures.of(row.id).houses,
    })),
    ...projects
      .filter((one) => seen.has(one.unit))
      .map((one) => ({
        id: `p${one.id}`,
        parentId: String(one.unit),
        kind: 'project' as const,
        code: one.code,
        name: one.name,
        state: one.enabled ? 'enabled' : 'stopped',
        projects: 1,
        houses: one.houses,
      })),
  ];
  if (searchVal.trim() === '') return all;
  const short = new Map(rows.map((row) => [String(row.id), row.short_name]));
  const byId = new Map(all.map((node) => [node.id, node]));
  const kept = new Set<string>();
  for (const node of all)
    if (isFound([node.name, node.code, short.get(node.id)], searchVal))
      for (
        let at: ForestNode | undefined = node;
        at && !kept.has(at.id);
        at = at.parentId ? byId.get(at.parentId) : undefined
      )
        kept.add(at.id);
  return all.filter((node) => kept.has(node.id));
}

async function changes(call: Call, id: number) {
  const { db } = call.platform.database;
  const rows = await run<{
    id: number;
    kind: string;
    node: string;
    from: string | null;
    to: string | null;
    reason: string;
    at: Date;
    by: string | null;
    consequences: { projects?: { id: string; name: string }[]; lose?: unknown[]; gain?: unknown[] };
  }>(
    db,
    `SELECT c.id, c.kind, o.name AS node, f.name AS from, g.name AS to, c.reason, c.at, s.name AS by, c.consequences
       FROM organisation_change c JOIN organisation o ON o.id = c.organisation_id LEFT JOIN organisation f ON f.id = c.from_id
       LEFT JOIN organisation g ON g.id = c.to_id LEFT JOIN staff s ON s.id = c.by
      WHERE $1 IN (c.organisation_id, c.from_id, c.to_id) ORDER BY c.at DESC, c.id DESC LIMIT 200`,
    [id],
  );
  return rows.map(({ consequences: meant, ...row }) => ({
    ...row,
    id: String(row.id),
    at: row.at.toISOString(),
    projects: projectsInReach(call.caller, meant.projects ?? []).map((one) => one.name),
    lose: meant.lose?.length ?? 0,
    gain: meant.gain?.length ?? 0,
  }));
}

async function staffOf(call: Call, id: number) {
  const { db } = call.platform.database;
  const figures = await placeFigures(db, call.caller.projectIds);
  const below = await run<{ id: number; name: string }>(
    db,
    'SELECT id, name FROM organisation WHERE path @> ARRAY[$1::bigint]',
    [id],
  );
  const placeOf = new Map<number, string>();
  for (const node of below)
    for (const staff of figures.staffAt.get(node.id) ?? []) placeOf.set(staff, node.name);
  const rows = await run<{ id: number; name: string; tenant: string; department: string | null }>(
    db,
    `SELECT s.id, s.name, n.name AS tenant, d.name AS department FROM staff s JOIN tenant n ON n.id = s.tenant_id LEFT JOIN department d ON d.id = s.department_id
      WHERE s.id = ANY($1::bigint[]) ORDER BY n.id, s.id LIMIT 500`,
    [[...placeOf.keys()]],
  );
  return rows.map((row) => ({ ...row, id: String(row.id), place: placeOf.get(row.id) ?? '' }));
}
