import type { Label, Language } from '../../../kernel/contract/label.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Registration } from '../../../kernel/server/registration.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { COUNT_CAP } from '../../../kernel/server/resource/list-query.ts';
import { CENTRE_MENU } from '../../../domain/approval/approve.server.ts';
import { counterText, type NodeProgress } from '../../../domain/approval/node-progress.server.ts';
import { businessMinutesTo } from '../../../domain/business-calendar/business-hours.server.ts';

/** What a task row may be of: decided by its assignee. */
export const DECIDED = `('approved', 'refused', 'returned', 'transferred')`;

/** SQL: tasks of a caller — asked, decided in person or by a stand-in, copied. What was closed without it is nobody's. */
export function ownTasks(caller: Caller, parameters: Parameters): string {
  const me = parameters.bind(caller.staffId);
  return `((t.assignee_id = ${me} AND (t.state = 'pending' OR t.kind = 'copy')) OR (${doneBy(me)}))`;
}

/**
 * SQL: what a caller may read of its own tasks. Where the business type has a rule of its own about who decides, an open
 * task of somebody without that right is known by type and number only, so nothing may be searched in it.
 */
export function readable(caller: Caller, parameters: Parameters, platform: Platform): string {
  const kinds = platform.registrations
    .flatMap((one) => one.approvals ?? [])
    .filter((kind) => kind.decidable !== undefined);
  if (kinds.length === 0) return 'TRUE';
  const cases = kinds.map(({ kind, sights: { toDecide } }) => {
    const seen = caller.menus.has(toDecide.menu)
      ? toDecide.condition(caller, 'i.biz_id', parameters)
      : 'FALSE';
    return `WHEN i.biz_type = ${parameters.bind(kind)} THEN ${seen}`;
  });
  return `(t.state <> 'pending' OR CASE ${cases.join(' ')} ELSE TRUE END)`;
}

/** Whether the caller looks after approvals of others: it may end or reassign them. */
export function administers(caller: Caller): boolean {
  return (
    caller.elements.has(`${CENTRE_MENU}:btn_cancel`) || caller.elements.has(`${CENTRE_MENU}:btn_reassign`)
  );
}

/** SQL: approvals a caller started, administers by name, or looks after within the data scope of the menu. */
export function seenInstances(caller: Caller, parameters: Parameters): string {
  const me = parameters.bind(caller.staffId);
  const parts = [
    `t.starter_id = ${me}`,
    `EXISTS (SELECT FROM approval_process a WHERE a.id = t.process_id AND a.admin_id = ${me})`,
  ];
  if (administers(caller))
    parts.push(`(${scopeCondition(caller, CENTRE_MENU, instancePlace(caller), parameters)})`);
  return `(${parts.join(' OR ')})`;
}

/** Where an approval (alias `t`) stands for data scopes. */
export function instancePlace(caller: Caller): ScopeColumns {
  return {
    tenant: 't.tenant_id',
    // Without a project an approval stands in its company.
    project: (ids, tenant) =>
      `(t.project_id = ANY(${ids}::bigint[]) OR (t.project_id IS NULL${caller.tenantKind === 3 ? '' : ` AND t.tenant_id = ${tenant()}`}))`,
    owner: 't.starter_id',
  };
}

/** Puts the business minutes that are left until `dueAt` into `timeLeft`; null without a deadline or where all is decided. */
export async function showTimeLeft(rows: readonly DbRow[], db: Executor): Promise<void> {
  const due = rows.filter((row) => row.dueAt instanceof Date && row.open === true);
  const minutes = await businessMinutesTo(
    db,
    new Date(),
    due.map((row) => row.dueAt as Date),
  );
  for (const row of rows) row.timeLeft = null;
  due.forEach((row, index) => (row.timeLeft = minutes[index]));
}

/** A node with its counter in one text, for files. */
export function nodeText(node: NodeProgress, language: Language): string {
  const counter = counterText(node);
  return counter ? `${node.name}（${counter[language === 'zh' ? 0 : 1]}）` : node.name;
}

/** Facts of a summary in one text, for files. */
export function summaryText(value: unknown, language: Language): string {
  const at = language === 'zh' ? 0 : 1;
  const facts = (value ?? []) as readonly { readonly label: Label; readonly value: Label }[];
  return facts.map((fact) => `${fact.label[at]}${at === 0 ? '：' : ': '}${fact.value[at]}`).join('; ');
}

/** Names of staff who are asked at this moment, by approval. */
export async function waitingFor(
  db: Executor,
  instanceIds: readonly number[],
): Promise<ReadonlyMap<number, readonly { readonly id: string; readonly name: string }[]>> {
  const rows = await run<{ id: number; people: { id: string; name: string }[] }>(
    db,
    `SELECT k.instance_id AS id, jsonb_agg(DISTINCT jsonb_build_object('id', s.id::text, 'name', s.name)) AS people FROM approval_task k JOIN staff s ON s.id = k.assignee_id
      WHERE k.instance_id = ANY($1::bigint[]) AND k.state = 'pending' AND k.kind <> 'copy' GROUP BY k.instance_id`,
    [instanceIds],
  );
  return new Map(rows.map((row) => [row.id, row.people]));
}

/** Counts of every tab of the approval centre, so that one answer fills the whole line of tabs. */
export async function tabCounts(db: Executor, caller: Caller): Promise<Record<string, number>> {
  const parameters = new Parameters();
  const me = parameters.bind(caller.staffId);
  const all = seenInstances(caller, parameters);
  const count = (table: string, condition: string) =>
    `(SELECT count(*) FROM (SELECT 1 FROM ${table} t WHERE ${condition} LIMIT ${COUNT_CAP + 1}) c)`;
  const [row] = await run<Record<string, number>>(
    db,
    `SELECT ${count('approval_task', `t.assignee_id = ${me} AND t.state = 'pending' AND t.kind <> 'copy'`)} AS todo,
            ${count('approval_task', doneBy(me))} AS done,
            ${count('approval_task', `t.kind = 'copy' AND t.assignee_id = ${me}`)} AS copied,
            ${count('approval_instance', `t.starter_id = ${me}`)} AS started,
            ${count('approval_instance', all)} AS all`,
    parameters.values,
  );
  return row!;
}

/** SQL: what somebody decided, in person or through a stand-in. */
export function doneBy(me: string): string {
  return `t.state IN ${DECIDED} AND (t.decided_by = ${me} OR (t.first_assignee_id = ${me} AND t.via = 'standin'))`;
}

/** A registration whose counts tell of every tab: the other tabs' lists are not narrowed by this one's filters. */
export function withAllTabs(registration: Registration, root: string): Registration {
  return {
    ...registration,
    endpoints: registration.endpoints.map((one) =>
      one.path === `${root}/counts`
        ? {
            ...one,
            handle: async (call) => ({
              ...(await tabCounts(call.platform.database.db, call.caller)),
              ...((await one.handle(call)) as Record<string, number>),
            }),
          }
        : one,
    ),
  };
}
