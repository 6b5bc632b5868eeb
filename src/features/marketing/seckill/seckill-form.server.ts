import type { Label } from '../../../kernel/contract/label.ts';
import { run, type Tx } from '../../../kernel/server/database.ts';
import { invalid, notFound } from '../../../kernel/server/http/errors.ts';
import { checkAttachable } from '../../../kernel/server/files/files.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, placeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { insertRow, type ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';

/** A product `t` stands where its merchant and its projects are. */
export const PRODUCT_PLACE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: (ids) =>
    `EXISTS (SELECT FROM product_project pp WHERE pp.product_id = t.id AND pp.project_id = ANY(${ids}::bigint[]))`,
  owner: 't.created_by',
};

/** SQL: goods a seckill may sell; those of group-buy businesses have their price in a group-buy only. */
export const SELLABLE = `t.kind = 'goods' AND t.recycled_at IS NULL AND b.type IN (1, 4) AND b.enabled`;

/** A session of the form. */
export interface SessionInput {
  readonly startsAt: string | Date;
  readonly endsAt: string | Date;
}

/** A row of goods of the form; price in fen. */
export interface EntryInput {
  readonly spec: number;
  readonly sessionNo?: number | null;
  readonly price: number;
  readonly reserved: number;
  readonly perOrderLimit: number;
  readonly perMemberLimit: number;
}

const MINUTE = 60_000;

/** Looks at the form before it is written: audience, sessions, goods among themselves and within reach. */
export async function checkForm(context: ActionContext): Promise<void> {
  const { action, input, row, columns, caller, tx } = context;
  if (action !== 'create' && action !== 'update') return;
  const problems: Record<string, Label> = {};
  const value = (field: string, column: string) => (field in input ? input[field] : row[column]);
  const audience = value('audience', 'audience');
  if (audience === 'grade' && !value('audienceGrade', 'audience_grade_id'))
    problems.audienceGrade = ['请选择等级', 'Choose a grade'];
  if (audience === 'new' && !value('audienceDays', 'audience_days'))
    problems.audienceDays = ['请填写天数', 'Say the days'];
  const sessions = input.sessions as readonly SessionInput[] | undefined;
  if (sessions) {
    const problem = sessionProblem(sessions);
    if (problem) problems.sessions = problem;
  }
  const entries = input.entries as readonly EntryInput[] | undefined;
  if (entries) {
    const count = sessions?.length ?? (await sessionsOf(tx, context.id)).length;
    const problem = entryProblem(entries, count);
    if (problem) problems.entries = problem;
  }
  if (Object.keys(problems).length > 0) throw invalid(problems);
  if (audience !== 'grade') columns.audience_grade_id = null;
  if (audience !== 'new') columns.audience_days = null;
  if (Array.isArray(input.projects)) requireProjectsInReach(caller, input.projects as number[]);
  if (entries)
    await specsFor(
      tx,
      caller,
      entries.map((entry) => entry.spec),
    );
  if (input.cover)
    await checkAttachable(tx, caller, 'cover', [String(input.cover)], [String(row.cover_id ?? '')]);
}

/** What is wrong with sessions: their length, or two that overlap. */
export function sessionProblem(sessions: readonly SessionInput[]): Label | undefined {
  const times = sessions.map(
    (one) => [new Date(one.startsAt).getTime(), new Date(one.endsAt).getTime()] as const,
  );
  for (const [index, [from, to]] of times.entries()) {
    const length = (to - from) / MINUTE;
    if (!(length >= 10 && length <= 1_440))
      return [
        `第 ${index + 1} 场须为 10 分钟至 24 小时`,
        `Session ${index + 1} must last 10 minutes to 24 hours`,
      ];
    const other = times.findIndex(([start, end], at) => at !== index && start < to && end > from);
    if (other >= 0)
      return [
        `第 ${index + 1} 场与第 ${other + 1} 场时间重叠`,
        `Sessions ${index + 1} and ${other + 1} overlap`,
      ];
  }
  return undefined;
}

function entryProblem(entries: readonly EntryInput[], sessions: number): Label | undefined {
  for (const [index, entry] of entries.entries()) {
    const at = index + 1;
    if (entry.sessionNo && entry.sessionNo > sessions)
      return [`第 ${at} 行的场次不存在`, `Row ${at}: there is no such session`];
    const twice = entries.findIndex(
      (other, n) =>
        n !== index &&
        other.spec === entry.spec &&
        (!other.sessionNo || !entry.sessionNo || other.sessionNo === entry.sessionNo),
    );
    if (twice >= 0)
      return [
        `第 ${at} 行与第 ${twice + 1} 行：同一场次内规格重复`,
        `Rows ${at} and ${twice + 1}: one spec twice in a session`,
      ];
    if (entry.perOrderLimit > entry.perMemberLimit)
      return [
        `第 ${at} 行：单笔限购不能超过每人限购`,
        `Row ${at}: the limit per order is above the one per member`,
      ];
    if (entry.perMemberLimit > entry.reserved)
      return [`第 ${at} 行：每人限购不能超过数量`, `Row ${at}: the limit per member is above the copies`];
  }
  return undefined;
}

async function sessionsOf(tx: Tx, activityId: number): Promise<SessionInput[]> {
  return run<SessionInput>(
    tx,
    'SELECT starts_at AS "startsAt", ends_at AS "endsAt" FROM seckill_session WHERE activity_id = $1 ORDER BY position',
    [activityId],
  );
}

async function entriesOf(tx: Tx, activityId: number): Promise<EntryInput[]> {
  return run<EntryInput>(
    tx,
    `SELECT spec_id AS spec, session_no AS "sessionNo", price, reserved, per_order_limit AS "perOrderLimit", per_member_limit AS "perMemberLimit"
       FROM seckill_entry WHERE activity_id = $1 ORDER BY position`,
    [activityId],
  );
}

interface SpecFacts {
  readonly id: number;
  readonly product_id: number;
  readonly price: number;
}

/** Specs the caller may sell. Throws 404 for one that is not. */
async function specsFor(
  tx: Tx,
  caller: Caller,
  ids: readonly number[],
): Promise<ReadonlyMap<number, SpecFacts>> {
  const parameters = new Parameters();
  const rows = await run<SpecFacts>(
    tx,
    `SELECT s.id, s.product_id, s.price FROM product_spec s JOIN product t ON t.id = s.product_id JOIN business b ON b.id = t.business_id
      WHERE s.id = ANY(${parameters.bind(ids)}::bigint[]) AND ${SELLABLE} AND ${placeCondition(caller, PRODUCT_PLACE, parameters)}`,
    parameters.values,
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  if (ids.some((id) => !found.has(id)))
    throw notFound(['商品规格不存在或不能秒杀', 'The spec does not exist or cannot be sold in a seckill']);
  return found;
}

/** Writes sessions and goods of a draft; what the form leaves out stays. Every session gets its items anew. */
export async function writeGoods(context: ActionContext, id: number): Promise<readonly []> {
  const { action, input, tx, caller } = context;
  if (action !== 'create' && action !== 'update') return [];
  const sessions = input.sessions as readonly SessionInput[] | undefined;
  const entries = input.entries as readonly EntryInput[] | undefined;
  if (!sessions && !entries) return [];
  await replaceGoods(
    tx,
    caller,
    id,
    sessions ?? (await sessionsOf(tx, id)),
    entries ?? (await entriesOf(tx, id)),
  );
  return [];
}

/** Replaces sessions, goods and items of an activity that was not published. */
export async function replaceGoods(
  tx: Tx,
  caller: Caller,
  id: number,
  sessions: readonly SessionInput[],
  entries: readonly EntryInput[],
): Promise<void> {
  const specs = await specsFor(
    tx,
    caller,
    entries.map((entry) => entry.spec),
  );
  await run(tx, 'DELETE FROM seckill_session WHERE activity_id = $1', [id]);
  await run(tx, 'DELETE FROM seckill_entry WHERE activity_id = $1', [id]);
  for (const [index, entry] of entries.entries())
    await insertRow(tx, 'seckill_entry', {
      activity_id: id,
      position: index + 1,
      session_no: entry.sessionNo ?? null,
      spec_id: entry.spec,
      price: entry.price,
      reserved: entry.reserved,
      per_order_limit: entry.perOrderLimit,
      per_member_limit: entry.perMemberLimit,
    });
  for (const [index, session] of sessions.entries()) {
    const startsAt = new Date(session.startsAt);
    const endsAt = new Date(session.endsAt);
    const sessionId = await insertRow(tx, 'seckill_session', {
      activity_id: id,
      position: index + 1,
      starts_at: startsAt,
      ends_at: endsAt,
    });
    for (const [at, entry] of entries.entries()) {
      if (entry.sessionNo && entry.sessionNo !== index + 1) continue;
      const spec = specs.get(entry.spec)!;
      await insertRow(tx, 'seckill_item', {
        activity_id: id,
        session_id: sessionId,
        position: at + 1,
        product_id: spec.product_id,
        spec_id: spec.id,
        base_price: spec.price,
        price: entry.price,
        reserved: entry.reserved,
        remaining: entry.reserved,
        per_order_limit: entry.perOrderLimit,
        per_member_limit: entry.perMemberLimit,
        starts_at: startsAt,
        ends_at: endsAt,
      });
    }
  }
  // An item is entered as a draft; a rejected activity keeps its word until it is handed in again.
  await run(
    tx,
    'UPDATE seckill_item i SET state = a.state FROM seckill_activity a WHERE a.id = $1 AND i.activity_id = $1 AND i.state <> a.state',
    [id],
  );
}
