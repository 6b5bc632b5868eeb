import { businessDayOf } from '../../kernel/contract/time.rules.ts';
import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import type { SettingsReader } from '../../kernel/server/settings/settings-store.ts';
import { now } from './points-lots.server.ts';

/** Which cap cut a grant. */
export type CapName = 'day' | 'month' | 'total' | 'activity_daily';

/** One cap as it stands for a member at a moment. */
export interface CapState {
  readonly cap: CapName;
  readonly subject: string;
  readonly key: string;
  readonly period: string;
  readonly limit: number;
  readonly used: number;
}

/** A points rule with what its caps need. */
export interface CappedRule {
  readonly id: number;
  readonly dayLimit: number;
  readonly monthLimit: number;
  readonly totalLimit: number;
  readonly dimension: 'person' | 'group';
  readonly lotDays: number | null;
}

/** The rule of an id. */
export async function cappedRule(tx: Tx, ruleId: number): Promise<CappedRule> {
  return (await runOne<CappedRule>(
    tx,
    `SELECT id, day_limit AS "dayLimit", month_limit AS "monthLimit", total_limit AS "totalLimit", dimension, lot_days AS "lotDays"
       FROM points_rule WHERE id = $1`,
    [ruleId],
  ))!;
}

const subjectOf = (memberId: number): string => `member:${memberId}`;
/** SQL: the counters that placesOf names. */
const PLACES = 'unnest($1::text[], $2::text[], $3::text[]) AS p (subject, cap, period)';

/** The caps that hold for a grant on a business day, in the order they are looked at. */
function capsWanted(grant: {
  readonly memberId: number;
  readonly rule?: CappedRule | undefined;
  readonly groupId?: number | undefined;
  readonly day: string;
  readonly activityLimit: number | undefined;
}): Omit<CapState, 'used'>[] {
  const wanted: Omit<CapState, 'used'>[] = [];
  const member = subjectOf(grant.memberId);
  if (grant.rule) {
    const { rule } = grant;
    const subject = rule.dimension === 'group' && grant.groupId ? `group:${grant.groupId}` : member;
    const key = `rule:${rule.id}`;
    for (const [cap, limit, period] of [
      ['day', rule.dayLimit, `day:${grant.day}`],
      ['month', rule.monthLimit, `month:${grant.day.slice(0, 7)}`],
      ['total', rule.totalLimit, 'total'],
    ] as const)
      if (limit >= 0) wanted.push({ cap, subject, key, period, limit });
  }
  if (grant.activityLimit !== undefined)
    wanted.push({
      cap: 'activity_daily',
      subject: member,
      key: 'activity',
      period: `day:${grant.day}`,
      limit: grant.activityLimit,
    });
  return wanted;
}

/**
 * Raises every cap of an activity of a person for the members it leaves as much, and returns those; behind the locks of their
 * accounts, so that nothing passes between looking and raising.
 */
export async function raiseUncut(
  tx: Tx,
  settings: SettingsReader,
  activity: { readonly points: number; readonly rule: CappedRule | undefined; readonly at: Date },
  memberIds: readonly number[],
): Promise<readonly number[]> {
  const facts = {
    rule: activity.rule,
    day: businessDayOf(activity.at),
    activityLimit: await settings.numberIn(tx, 'points.cap.activity_daily'),
  };
  const caps = await statesOf(
    tx,
    memberIds.flatMap((memberId) => capsWanted({ ...facts, memberId })),
    false,
  );
  const cut = new Set(
    caps.filter((cap) => cap.used + activity.points > cap.limit).map(({ subject }) => subject),
  );
  await run(
    tx,
    `INSERT INTO points_counter AS c (subject, cap, period, used) SELECT p.subject, p.cap, p.period, $4 FROM ${PLACES}
     ON CONFLICT (subject, cap, period) DO UPDATE SET used = c.used + excluded.used`,
    [...placesOf(caps.filter(({ subject }) => !cut.has(subject))), activity.points],
  );
  return memberIds.filter((memberId) => !cut.has(subjectOf(memberId)));
}

/**
 * Every cap of a grant, in the order they are looked at; with `lock` the counters are made and locked, so that nothing passes
 * between looking and raising. Days and months are those of Shanghai. Source: group 22, rule 8.
 */
export async function capsOf(
  tx: Tx,
  settings: SettingsReader,
  grant: {
    readonly memberId: number;
    readonly rule?: CappedRule | undefined;
    readonly groupId?: number | undefined;
    readonly activity: boolean;
    readonly at?: Date | undefined;
    readonly lock: boolean;
  },
): Promise<CapState[]> {
  const wanted = capsWanted({
    ...grant,
    day: businessDayOf(grant.at ?? (await now(tx))),
    activityLimit: grant.activity ? await settings.numberIn(tx, 'points.cap.activity_daily') : undefined,
  });
  return statesOf(tx, wanted, grant.lock);
}

/** Caps with what was given under them so far; with `lock` their counters are made and locked. */
async function statesOf(
  tx: Tx,
  wanted: readonly Omit<CapState, 'used'>[],
  lock: boolean,
): Promise<CapState[]> {
  if (wanted.length === 0) return [];
  const counters = await run<{ subject: string; cap: string; period: string; used: number }>(
    tx,
    lock
      ? `INSERT INTO points_counter AS c (subject, cap, period) SELECT p.subject, p.cap, p.period FROM ${PLACES}
         ON CONFLICT (subject, cap, period) DO UPDATE SET used = c.used RETURNING c.subject, c.cap, c.period, c.used`
      : `SELECT c.subject, c.cap, c.period, c.used FROM ${PLACES} JOIN points_counter c USING (subject, cap, period)`,
    placesOf(wanted),
  );
  const used = new Map(counters.map((one) => [`${one.subject} ${one.cap} ${one.period}`, one.used]));
  return wanted.map((one) => ({ ...one, used: used.get(`${one.subject} ${one.key} ${one.period}`) ?? 0 }));
}

/** What the caps leave of some points, and the tightest one where it cuts. */
export function cutByCaps(
  points: number,
  caps: readonly CapState[],
): { readonly granted: number; readonly cut: CapName | undefined } {
  let granted = points;
  let cut: CapName | undefined;
  for (const cap of caps) {
    const left = Math.max(cap.limit - cap.used, 0);
    if (left < granted) {
      granted = left;
      cut = cap.cap;
    }
  }
  return { granted, cut };
}

/** Raises locked counters; none passes its limit. A later take-back lowers nothing. */
export async function raiseCaps(tx: Tx, caps: readonly CapState[], granted: number): Promise<void> {
  if (caps.length === 0) return;
  const raised = await run(
    tx,
    `UPDATE points_counter c SET used = c.used + $4
       FROM unnest($1::text[], $2::text[], $3::text[], $5::bigint[]) AS p (subject, cap, period, most)
      WHERE c.subject = p.subject AND c.cap = p.cap AND c.period = p.period AND c.used + $4 <= p.most RETURNING c.id`,
    [...placesOf(caps), granted, caps.map((cap) => cap.limit)],
  );
  if (raised.length < caps.length) throw new Error(`a cap of ${caps[0]!.subject} moved behind its lock`);
}

const placesOf = (caps: readonly Omit<CapState, 'used'>[]) => [
  caps.map((cap) => cap.subject),
  caps.map((cap) => cap.key),
  caps.map((cap) => cap.period),
];
