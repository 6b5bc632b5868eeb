import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import type { SettingsReader } from '../../kernel/server/settings/settings-store.ts';
import type { EventEffect } from '../member-event/member-event.server.ts';
import { LINE_KINDS, lockMembers } from '../points-ledger/ledger-book.server.ts';
import { grantPoints } from '../points-ledger/points-grant.server.ts';
import { grantActivityToMany, lockedAccounts } from '../points-ledger/points-many.server.ts';
import { bonusesReached, cycleOf, streakOf, type SignInCycle, type SignInRule } from './sign-in.rules.ts';

/** What a sign-in brought. */
export interface SignedIn {
  readonly day: string;
  readonly streak: number;
  /** Points of the day and of all bonuses. */
  readonly points: number;
  readonly effects: readonly EventEffect[];
}

/** Today by the database's clock, in Shanghai. */
export async function databaseDay(tx: Tx): Promise<string> {
  return (await runOne<{ day: string }>(
    tx,
    `SELECT (clock_timestamp() AT TIME ZONE 'Asia/Shanghai')::date::text AS day`,
  ))!.day;
}

/** Rules as they hold on a day. */
export async function rulesOn(tx: Tx, day: string): Promise<readonly SignInRule[]> {
  return run<SignInRule>(
    tx,
    `SELECT rule_id AS id, type, days, points FROM (
       SELECT DISTINCT ON (rule_id) * FROM sign_in_rule_version WHERE from_day <= $1::date ORDER BY rule_id, from_day DESC) v
      WHERE enabled ORDER BY days, rule_id`,
    [day],
  );
}

/** All a sign-in is decided by, in one reading behind the member's lock. */
interface Standing {
  readonly memberId: number;
  readonly official: boolean;
  /** The points rule whose caps hold. */
  readonly caps: number | null;
  readonly days: readonly string[];
  /** Bonuses given in the cycle. */
  readonly given: readonly number[];
}

/** How members stand who sign in on a day, each in one project; in the order given, without members who are not there. */
async function standingsOf(
  tx: Tx,
  day: string,
  signs: readonly { readonly memberId: number; readonly projectId: number }[],
  cycle: { readonly key: string; readonly from: string },
): Promise<Standing[]> {
  return run<Standing>(
    tx,
    `SELECT m.id AS "memberId", m.official,
            (SELECT r.id FROM points_rule r WHERE r.state = 'enabled' AND r.direction = 'earn' AND r.event = 'sign_in' AND r.dimension = 'person'
                AND (r.project_ids = '{}' OR x.project_id = ANY(r.project_ids))
                AND coalesce(r.starts_on <= $3::date, true) AND coalesce(r.ends_on >= $3::date, true) ORDER BY r.id LIMIT 1) AS caps,
            ARRAY(SELECT s.day::text FROM sign_in s WHERE s.member_id = m.id AND s.day >= $4::date ORDER BY s.day) AS days,
            ARRAY(SELECT b.rule_id FROM sign_in_bonus b WHERE b.member_id = m.id AND b.cycle = $5) AS given
       FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS x(member_id, project_id, nr) JOIN member m ON m.id = x.member_id ORDER BY x.nr`,
    [signs.map((sign) => sign.memberId), signs.map((sign) => sign.projectId), day, cycle.from, cycle.key],
  );
}

/** Days of a member's cycle that were signed already. */
const signedIn = (standing: Standing, cycle: SignInCycle, key: string): Set<string> =>
  new Set(standing.days.filter((day) => cycleOf(cycle, day).key === key));

/**
 * Signs a member in on a day, once: the points of the day, then every bonus its cycle reaches now and was not given yet.
 * Throws 30101 (今日已签到) for a second time. A made-up day gives no points of its own unless `daily`. Source: group 01,
 * os_userSign, Rules.
 */
export async function signIn(
  tx: Tx,
  settings: SettingsReader,
  sign: {
    readonly memberId: number;
    readonly projectId: number;
    readonly day: string;
    readonly madeUp?: boolean;
    readonly daily?: boolean;
    /** When its points are booked; absent: the database's clock. */
    readonly at?: Date;
  },
): Promise<SignedIn> {
  await lockMembers(tx, [sign.memberId]);
  const cycle = (await settings.textIn(tx, 'signin.cycle')) as SignInCycle;
  const { key, from } = cycleOf(cycle, sign.day);
  const [standing] = await standingsOf(tx, sign.day, [sign], { key, from });
  const { official, caps, given } = standing!;
  const rules = await rulesOn(tx, sign.day);
  const days = signedIn(standing!, cycle, key);
  if (days.has(sign.day))
    throw ruleBroken(
      sign.madeUp ? ['该日已签到', 'Already signed in that day'] : ['今日已签到', 'Signed in today already'],
    );
  days.add(sign.day);
  const streak = streakOf(cycle, days, sign.day);
  const { id } = (await runOne<{ id: number }>(
    tx,
    'INSERT INTO sign_in (member_id, project_id, day, made_up, streak) VALUES ($1, $2, $3, $4, $5) RETURNING id',
    [sign.memberId, sign.projectId, sign.day, sign.madeUp === true, streak],
  ))!;
  const effects: EventEffect[] = [];
  const give = async (rule: SignInRule, purpose: string, ruleId: number | undefined): Promise<number> => {
    const granted = await grantPoints(tx, settings, {
      memberId: sign.memberId,
      amount: rule.points,
      source: { type: 'sign_in', id: String(id), purpose },
      kind: LINE_KINDS.signIn,
      activity: true,
      ...(ruleId !== undefined && { ruleId }),
      ...(sign.at && { at: sign.at }),
    });
    effects.push({ kind: 'sign_in', rule: purpose, points: granted.amount });
    return granted.amount;
  };
  let points = 0;
  if (!official) {
    const daily = rules.find((rule) => rule.type === 'daily');
    if (daily && (sign.madeUp !== true || sign.daily === true))
      points += await give(daily, 'daily', caps ?? undefined);
    for (const bonus of bonusesReached(rules, cycle, days, new Set(given))) {
      const got = await give(bonus, `bonus:${bonus.id}`, undefined);
      await run(
        tx,
        'INSERT INTO sign_in_bonus (member_id, cycle, rule_id, sign_in_id, points) VALUES ($1, $2, $3, $4, $5)',
        [sign.memberId, key, bonus.id, id, got],
      );
      points += got;
    }
  }
  await run(tx, 'UPDATE sign_in SET points = $2 WHERE id = $1', [id, points]);
  return { day: sign.day, streak, points, effects };
}

/**
 * Signs in members who each stand in the list once, today, as {@link signIn} does for one, by one statement for each table. Only
 * those are signed in who get the points of the day and nothing else; what comes of the others is undefined.
 */
export async function signInMany(
  tx: Tx,
  settings: SettingsReader,
  day: string,
  signs: readonly { readonly memberId: number; readonly projectId: number }[],
): Promise<(SignedIn | undefined)[]> {
  const accounts = await lockedAccounts(tx, signs);
  const cycle = (await settings.textIn(tx, 'signin.cycle')) as SignInCycle;
  const { key, from } = cycleOf(cycle, day);
  const rules = await rulesOn(tx, day);
  const daily = rules.find((rule) => rule.type === 'daily');
  if (!daily) return signs.map(() => undefined);
  const projects = new Map(signs.map((sign) => [sign.memberId, sign.projectId]));
  const plain = (await standingsOf(tx, day, signs, { key, from })).flatMap((standing) => {
    const days = signedIn(standing, cycle, key);
    if (standing.official || days.has(day)) return [];
    days.add(day);
    if (bonusesReached(rules, cycle, days, new Set(standing.given)).length > 0) return [];
    const { memberId, caps } = standing;
    return [{ memberId, caps, streak: streakOf(cycle, days, day) }];
  });
  const rows = new Map(
    (
      await run<{ id: number; memberId: number }>(
        tx,
        `INSERT INTO sign_in (member_id, project_id, day, streak, points) SELECT x.member, x.project, $4::date, x.streak, $5
           FROM unnest($1::bigint[], $2::bigint[], $3::int[]) AS x(member, project, streak) ORDER BY x.member
         RETURNING id, member_id AS "memberId"`,
        [
          plain.map((one) => one.memberId),
          plain.map((one) => projects.get(one.memberId)!),
          plain.map((one) => one.streak),
          day,
          daily.points,
        ],
      )
    ).map((row) => [row.memberId, row.id]),
  );
  const given = new Set<number>();
  for (const caps of new Set(plain.map((one) => one.caps))) {
    const got = await grantActivityToMany(
      tx,
      settings,
      { amount: daily.points, kind: LINE_KINDS.signIn, ruleId: caps ?? undefined },
      plain
        .filter((one) => one.caps === caps)
        .map(({ memberId }) => ({
          account: accounts.get(memberId)!,
          source: { type: 'sign_in', id: String(rows.get(memberId)!), purpose: 'daily' },
        })),
    );
    for (const memberId of got) given.add(memberId);
  }
  const cut = plain.filter(({ memberId }) => !given.has(memberId));
  if (cut.length > 0)
    await run(tx, 'DELETE FROM sign_in WHERE id = ANY($1::bigint[])', [
      cut.map(({ memberId }) => rows.get(memberId)!),
    ]);
  const streaks = new Map(plain.map((one) => [one.memberId, one.streak]));
  return signs.map(({ memberId }) =>
    given.has(memberId)
      ? {
          day,
          streak: streaks.get(memberId)!,
          points: daily.points,
          effects: [{ kind: 'sign_in', rule: 'daily', points: daily.points }],
        }
      : undefined,
  );
}
