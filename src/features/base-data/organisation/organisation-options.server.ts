import { run } from '../../../kernel/server/database.ts';
import { nameOrder } from '../../../kernel/server/resource/name-order.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { nodesInScope } from '../../../domain/places/node-scope.server.ts';
import { isFound } from '../../../domain/places/spelling.server.ts';
import { organisation } from './organisation.contract.ts';

/** Nodes of the caller's places by name, code and pinyin, below each other; stopped and merged ones by id only. */
const nodes: OptionSource = {
  target: organisation.name,
  anyOf: [organisation.menu],
  find: async ({ caller, platform }, query) => {
    const asked = query.ids.length > 0;
    const found = await nodesInScope(platform.database.db, caller, {
      menu: organisation.menu,
      includeStopped: asked,
      merged: asked,
    });
    return found
      .filter((node) =>
        asked ? query.ids.includes(String(node.id)) : isFound([node.name, node.code], query.searchVal),
      )
      .slice(query.offset, query.offset + query.limit)
      .map((node) => ({
        id: String(node.id),
        title: node.name,
        note: node.code,
        parentId: node.parentId === null ? null : String(node.parentId),
      }));
  },
};

/** Who may lead an organisation: staff at work, of the own company unless the platform asks; merchants' staff lead none. */
const leaders: OptionSource = {
  target: 'organisationLeader',
  anyOf: [organisation.menu],
  find: async ({ caller, platform }, query) => {
    const parameters = new Parameters();
    const parts = ['n.kind <> 2'];
    if (caller.tenantKind !== 3) parts.push(`t.tenant_id = ${parameters.bind(caller.tenantId)}`);
    if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
    else parts.push(`t.state = 'normal'`);
    if (query.searchVal) {
      const like = parameters.bind(containing(query.searchVal));
      parts.push(`(t.name ILIKE ${like} OR t.staff_no ILIKE ${like})`);
    }
    const rows = await run<{ id: number; title: string; note: string }>(
      platform.database.db,
      `SELECT t.id, t.name AS title, coalesce(t.staff_no, n.name) AS note FROM staff t JOIN tenant n ON n.id = t.tenant_id
        WHERE ${parts.join(' AND ')} ORDER BY ${nameOrder('t.name')}, t.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
      parameters.values,
    );
    return rows.map((row) => ({ ...row, id: String(row.id) }));
  },
};

/** Regions of China by name and code; provinces and cities first. */
const regions: OptionSource = {
  target: 'regionPlace',
  find: async ({ platform }, query) => {
    const parameters = new Parameters();
    const parts = [
      query.ids.length > 0 ? `t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])` : 't.enabled',
    ];
    if (query.searchVal) {
      const like = parameters.bind(containing(query.searchVal));
      parts.push(`(t.name ILIKE ${like} OR t.code ILIKE ${like})`);
    }
    const rows = await run<{ id: number; title: string; note: string; parent: number | null }>(
      platform.database.db,
      `SELECT t.id, t.name AS title, t.code AS note, t.parent_id AS parent FROM region t WHERE ${parts.join(' AND ')}
        ORDER BY t.level, t.sort, t.code LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
      parameters.values,
    );
    return rows.map(({ id, parent, ...row }) => ({
      ...row,
      id: String(id),
      parentId: parent === null ? null : String(parent),
    }));
  },
};

/** Pickers of organisations, their leaders and regions. */
export const organisationOptions: readonly OptionSource[] = [nodes, leaders, regions];
