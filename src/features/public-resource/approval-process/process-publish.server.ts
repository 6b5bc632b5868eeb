import type { Label } from '../../../kernel/contract/label.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { invalid, InvalidInput, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import type { ApprovalKind } from '../../../domain/approval/approval-kind.server.ts';
import {
  processProblems,
  staffNamed,
  type ProcessNode,
  type ProcessProblem,
} from '../../../domain/approval/process.rules.ts';
import { approvalProcess } from './approval-process.contract.ts';

/** Source: group 17, approvalProcess. */
export const COVERED: Label = ['该范围已有已发布流程', 'A published process already covers this scope'];
const NOT_DECLARED: Label = ['该业务类型尚未接入审批', 'This business type is not approved yet'];
const HAS_DRAFT: Label = [
  '该流程有未发布的草稿，请先发布或删除草稿',
  'The process has a draft: publish or delete it first',
];

/** A business type that is declared; undefined for one whose group is not there yet. */
export function declaredKind(
  platform: Pick<Platform, 'registrations'>,
  bizType: string,
): ApprovalKind | undefined {
  return platform.registrations.flatMap((one) => one.approvals ?? []).find((one) => one.kind === bizType);
}

/** Refuses (422) a business type nobody declares. */
export function requireDeclared(platform: Pick<Platform, 'registrations'>, bizType: string): ApprovalKind {
  const kind = declaredKind(platform, bizType);
  if (!kind) throw invalid({ bizType: NOT_DECLARED });
  return kind;
}

/** What keeps a process from being published. */
export async function problemsOf(
  db: Executor,
  kind: ApprovalKind,
  nodes: readonly ProcessNode[],
  adminId: number | null,
): Promise<readonly ProcessProblem[]> {
  const named = [...staffNamed(nodes), ...(adminId === null ? [] : [adminId])];
  const rows = await run<{ id: number; name: string }>(
    db,
    `SELECT id, name FROM staff WHERE id = ANY($1::bigint[]) AND state <> 'normal'`,
    [named],
  );
  const resting = new Map(rows.map((row) => [row.id, row.name]));
  const problems: ProcessProblem[] = processProblems(nodes, {
    fields: kind.fields ?? [],
    moves: kind.moves ?? false,
    resting,
  });
  if (adminId !== null && resting.has(adminId))
    problems.unshift({
      node: '',
      text: [
        `流程管理员 ${resting.get(adminId)} 已停用`,
        `The administrator ${resting.get(adminId)} is not enabled`,
      ],
    });
  return problems;
}

/** The problems as a refused call names them: one field each, in their order. */
function refusal(problems: readonly ProcessProblem[]): InvalidInput {
  return new InvalidInput(
    Object.fromEntries(problems.map((one, index) => [`nodes.${index}.${one.node || '-'}`, one.text])),
    [
      `流程有 ${problems.length} 处问题，不能发布：${problems[0]!.text[0]}`,
      `The process has ${problems.length} ${problems.length === 1 ? 'problem' : 'problems'} and cannot be published: ${problems[0]!.text[1]}`,
    ],
  );
}

/** Where a version holds, as `approval_process_place` names it. */
async function placesOf(tx: Tx, row: Readonly<Record<string, unknown>>): Promise<string[]> {
  switch (row.scope_kind) {
    case 'tenant':
      return [`tenant:${String(row.tenant_id)}`];
    case 'unit':
      return [`unit:${String(row.unit_id)}`];
    case 'project': {
      const projects = await run<{ project_id: number }>(
        tx,
        'SELECT project_id FROM approval_process_project WHERE process_id = $1 ORDER BY project_id',
        [row.id],
      );
      return projects.map((one) => `project:${one.project_id}`);
    }
    default:
      return ['platform'];
  }
}

/** Checks a draft, takes its places and lets it take over from the version before. */
export async function publish({ tx, platform, caller, row }: ActionContext): Promise<ActionResult> {
  const kind = requireDeclared(platform, String(row.biz_type));
  const problems = await problemsOf(
    tx,
    kind,
    row.nodes as readonly ProcessNode[],
    row.admin_id as number | null,
  );
  if (problems.length > 0) throw refusal(problems);
  // Versions of a family are published one after the other.
  await run(tx, `SELECT pg_advisory_xact_lock(hashtext('approval_process'), $1::int)`, [row.family_id]);
  const before = await run<{ id: number; state: string }>(
    tx,
    `SELECT id, state FROM approval_process WHERE family_id = $1 AND id <> $2 AND superseded_by IS NULL AND state <> 'draft' FOR UPDATE`,
    [row.family_id, row.id],
  );
  for (const old of before) {
    await run(tx, 'DELETE FROM approval_process_place WHERE process_id = $1', [old.id]);
    await run(
      tx,
      `UPDATE approval_process SET state = 'stopped', superseded_by = $2, version = version + 1, updated_at = now(), updated_by = $3 WHERE id = $1`,
      [old.id, row.id, staffIdOf(caller)],
    );
    await writeTimeline(tx, {
      entity: approvalProcess.name,
      entityId: old.id,
      caller,
      action: 'supersede',
      label: ['被新版本取代', 'Replaced by a newer version'],
      from: old.state,
      to: 'stopped',
    });
  }
  const places = await placesOf(tx, row);
  // Who publishes for the same place at the same time waits here for the other's end.
  const taken = await run(
    tx,
    `INSERT INTO approval_process_place (biz_type, place, process_id) SELECT $1, unnest($2::text[]), $3 ON CONFLICT DO NOTHING RETURNING place`,
    [row.biz_type, [...places].sort(), row.id],
  );
  if (taken.length < places.length) throw ruleBroken(COVERED);
  return { set: { published_at: new Date(), published_by: staffIdOf(caller) } };
}

/** Gives up the places of a version; what runs by it goes on. */
export async function stop({ tx, id }: ActionContext): Promise<void> {
  await run(tx, 'DELETE FROM approval_process_place WHERE process_id = $1', [id]);
}

type Maker = Pick<ActionContext, 'tx' | 'caller' | 'facts'>;

/** A draft with everything of a version: the next one of its family, or the first of a new one under another name. */
export async function draftOf(
  { tx, caller, facts }: Maker,
  fromId: number,
  as: { readonly name: string; readonly nameEn: string } | 'version',
): Promise<{ readonly id: number; readonly number: number }> {
  const isVersion = as === 'version';
  const made = (await runOne<{ id: number; number: number; from: number }>(
    tx,
    `INSERT INTO approval_process (family_id, process_version, biz_type, name_zh, name_en, tenant_id, scope_kind, unit_id, admin_id, title_zh, title_en,
                                   summary_fields, withdraw_policy, repeat_policy, nodes, state, created_by, updated_by)
     SELECT CASE WHEN $2 THEN p.family_id END, CASE WHEN $2 THEN (SELECT max(process_version) + 1 FROM approval_process f WHERE f.family_id = p.family_id) ELSE 1 END,
            p.biz_type, CASE WHEN $2 THEN p.name_zh ELSE $3 END, CASE WHEN $2 THEN p.name_en ELSE $5 END, p.tenant_id, p.scope_kind, p.unit_id, p.admin_id, p.title_zh, p.title_en,
            p.summary_fields, p.withdraw_policy, p.repeat_policy, p.nodes, 'draft', $4, $4
       FROM approval_process p WHERE p.id = $1
     RETURNING id, process_version AS number, (SELECT process_version FROM approval_process WHERE id = $1) AS from`,
    [fromId, isVersion, isVersion ? '' : as.name, staffIdOf(caller), isVersion ? '' : as.nameEn],
  ))!;
  await run(
    tx,
    'INSERT INTO approval_process_project (process_id, project_id) SELECT $1, project_id FROM approval_process_project WHERE process_id = $2',
    [made.id, fromId],
  );
  await writeTimeline(tx, {
    entity: approvalProcess.name,
    entityId: made.id,
    caller,
    action: 'create',
    label: isVersion
      ? [`由第 ${made.from} 版生成`, `Made from version ${made.from}`]
      : ['由其他流程复制', 'Copied from another process'],
    to: 'draft',
  });
  await writeAudit(tx, {
    caller,
    facts,
    menu: approvalProcess.menu,
    action: 'create',
    entity: approvalProcess.name,
    entityId: made.id,
    after: { from: fromId, ...(isVersion ? { version: made.number } : as) },
  });
  return made;
}

/** The draft of a family; undefined when there is none. */
export async function openDraft(db: Executor, familyId: unknown): Promise<number | undefined> {
  const row = await runOne<{ id: number }>(
    db,
    `SELECT id FROM approval_process WHERE family_id = $1 AND state = 'draft'`,
    [familyId],
  );
  return row?.id;
}

/** Refuses (30101) while the family of a process has a draft. */
export async function requireNoDraft(db: Executor, familyId: unknown): Promise<void> {
  if ((await openDraft(db, familyId)) !== undefined) throw ruleBroken(HAS_DRAFT);
}
