import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import type { SettingsReader } from '../../kernel/server/settings/settings-store.ts';
import { lockMembers } from '../points-ledger/ledger-book.server.ts';
import { cycleOf, longestOf, type SignInCycle } from '../sign-in/sign-in.rules.ts';
import { databaseDay, signIn, type SignedIn } from '../sign-in/sign-in.server.ts';

/** Cards a member can use now. */
async function heldCards(tx: Tx, memberId: number): Promise<number> {
  const row = await runOne<{ n: number }>(
    tx,
    'SELECT coalesce(sum(remaining), 0)::int AS n FROM resign_card WHERE member_id = $1 AND remaining > 0',
    [memberId],
  );
  return row!.n;
}

/**
 * Gives a member cards. Throws 30101 when more would be held than `signin.card.max_held`; cards lapse after
 * `signin.card.valid_days`. Source: group 01, os_resignCard.
 */
export async function giveCards(
  tx: Tx,
  settings: SettingsReader,
  given: {
    readonly memberId: number;
    readonly projectId: number;
    readonly qty: number;
    readonly source: 'shop' | 'given' | 'task';
    readonly reason: string;
    readonly points?: number;
    readonly staffId?: number | undefined;
  },
): Promise<number> {
  await lockMembers(tx, [given.memberId]);
  const most = await settings.numberIn(tx, 'signin.card.max_held');
  if ((await heldCards(tx, given.memberId)) + given.qty > most)
    throw ruleBroken([`最多持有${most}张补签卡`, `At most ${most} make-up cards are held`]);
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO resign_card (member_id, project_id, source, qty, remaining, points, reason, lapses_on, created_by, updated_by)
     VALUES ($1, $2, $3, $4, $4, $5, $6, $7::date + $8::int, $9, $9) RETURNING id`,
    [
      given.memberId,
      given.projectId,
      given.source,
      given.qty,
      given.points ?? 0,
      given.reason,
      await databaseDay(tx),
      await settings.numberIn(tx, 'signin.card.valid_days'),
      given.staffId ?? null,
    ],
  );
  return row!.id;
}

/**
 * Makes up for a missed day with the card that lapses first: the streak is built anew and bonuses reached now are given. Throws
 * 30101 with the reason. `today` is the database's day unless a test says otherwise. Source: group 01, os_resignCard, Rules.
 */
export async function useCard(
  tx: Tx,
  settings: SettingsReader,
  use: {
    readonly memberId: number;
    readonly projectId: number;
    readonly day: string;
    readonly today?: string;
  },
): Promise<SignedIn & { readonly streakBefore: number; readonly streakAfter: number }> {
  await lockMembers(tx, [use.memberId]);
  const today = use.today ?? (await databaseDay(tx));
  const cycle = (await settings.textIn(tx, 'signin.cycle')) as SignInCycle;
  const [back, perMonth, daily] = [
    await settings.numberIn(tx, 'signin.card.max_days_back'),
    await settings.numberIn(tx, 'signin.card.use_per_month'),
    await settings.flagIn(tx, 'signin.card.grant_daily'),
  ];
  const facts = (await runOne<{ signed: boolean; age: number; before: boolean; used: number }>(
    tx,
    `SELECT EXISTS (SELECT FROM sign_in s WHERE s.member_id = m.id AND s.day = $2::date) AS signed, $3::date - $2::date AS age,
            $2::date < (m.registered_at AT TIME ZONE 'Asia/Shanghai')::date AS before,
            (SELECT count(*)::int FROM resign_card_use u WHERE u.member_id = m.id
                AND date_trunc('month', u.used_at AT TIME ZONE 'Asia/Shanghai') = date_trunc('month', clock_timestamp() AT TIME ZONE 'Asia/Shanghai')) AS used
       FROM member m WHERE m.id = $1`,
    [use.memberId, use.day, today],
  ))!;
  if (facts.signed) throw ruleBroken(['该日已签到', 'Already signed in that day']);
  if (
    facts.age < 1 ||
    facts.age > back ||
    facts.before ||
    cycleOf(cycle, use.day).key !== cycleOf(cycle, today).key
  )
    throw ruleBroken(['超出可补签范围', 'Outside the days that can be repaired']);
  if (facts.used >= perMonth) throw ruleBroken(['本月补签次数已用完', 'No repairs left this month']);
  const card = await runOne<{ id: number }>(
    tx,
    `UPDATE resign_card SET remaining = remaining - 1, state = CASE WHEN remaining = 1 THEN 'used' ELSE state END, updated_at = now(), version = version + 1
      WHERE id = (SELECT id FROM resign_card WHERE member_id = $1 AND remaining > 0 AND lapses_on >= $2::date ORDER BY lapses_on, id LIMIT 1 FOR UPDATE)
      RETURNING id`,
    [use.memberId, today],
  );
  if (!card) throw ruleBroken(['补签卡不足', 'No make-up card']);
  const days = async () =>
    new Set(
      (
        await run<{ day: string }>(
          tx,
          'SELECT day::text AS day FROM sign_in WHERE member_id = $1 AND day >= $2::date',
          [use.memberId, cycleOf(cycle, today).from],
        )
      ).map((row) => row.day),
    );
  const streakBefore = longestOf(cycle, await days());
  const signed = await signIn(tx, settings, {
    memberId: use.memberId,
    projectId: use.projectId,
    day: use.day,
    madeUp: true,
    daily,
  });
  const streakAfter = longestOf(cycle, await days());
  await run(
    tx,
    `INSERT INTO resign_card_use (card_id, member_id, project_id, sign_in_id, day, streak_before, streak_after, bonus)
     SELECT $1, $2, $3, s.id, s.day, $5, $6, $7 FROM sign_in s WHERE s.member_id = $2 AND s.day = $4::date`,
    [card.id, use.memberId, use.projectId, use.day, streakBefore, streakAfter, signed.points],
  );
  return { ...signed, streakBefore, streakAfter };
}

/** Ends cards whose last day is over; answers with how many. */
export async function lapseCards(tx: Tx): Promise<number> {
  const rows = await run(
    tx,
    `UPDATE resign_card SET remaining = 0, state = 'lapsed', updated_at = now(), version = version + 1
      WHERE state = 'held' AND lapses_on < (now() AT TIME ZONE 'Asia/Shanghai')::date RETURNING id`,
  );
  return rows.length;
}
