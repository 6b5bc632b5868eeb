import { run, runOne, type Executor } from '../../kernel/server/database.ts';
import { gradeIdSql } from '../grade/member-grade.server.ts';
import { stillFailed } from './failed-recipients.server.ts';
import type { Channel, Reason } from './message.rules.ts';

/** SQL: the member `m` lives or is at home in one of the projects. */
const inProjects = (ids: string) =>
  `(m.project_id = ANY(${ids}) OR EXISTS (SELECT FROM household h JOIN house o ON o.id = h.house_id
     WHERE h.member_id = m.id AND h.status = 'normal' AND o.project_id = ANY(${ids})))`;
const ofIdentity = (codes: string) =>
  `EXISTS (SELECT FROM household h WHERE h.member_id = m.id AND h.status = 'normal'
     AND (CASE h.identity WHEN 'family' THEN 1 WHEN 'tenant' THEN 2 ELSE 3 END) = ANY(${codes}))`;
const businessDay = (column: string) => `(${column} AT TIME ZONE 'Asia/Shanghai')::date`;
const some = (column: string) => `coalesce(cardinality(${column}), 0) > 0`;

/** Conditions of an audience: whether one is set, and what it asks. `p` is the send. */
const CONDITIONS: readonly (readonly [set: string, holds: string])[] = [
  [some('p.project_ids'), inProjects('p.project_ids')],
  [
    some('p.building_ids'),
    `EXISTS (SELECT FROM household h JOIN house o ON o.id = h.house_id JOIN building_unit u ON u.id = o.unit_id
       WHERE h.member_id = m.id AND h.status = 'normal' AND u.building_id = ANY(p.building_ids))`,
  ],
  [some('p.identity_codes'), ofIdentity('p.identity_codes')],
  [some('p.grade_ids'), `${gradeIdSql('m.id')} = ANY(p.grade_ids)`],
  [
    some('p.interest_group_ids'),
    `EXISTS (SELECT FROM interest_group_member g WHERE g.member_id = m.id AND g.state = 'in' AND g.group_id = ANY(p.interest_group_ids))`,
  ],
  [
    '(p.registered_from IS NOT NULL OR p.registered_to IS NOT NULL)',
    `(${businessDay('m.registered_at')} >= coalesce(p.registered_from, '-infinity') AND ${businessDay('m.registered_at')} <= coalesce(p.registered_to, 'infinity'))`,
  ],
  [
    '(p.active_from IS NOT NULL OR p.active_to IS NOT NULL)',
    `coalesce(m.last_active_on >= coalesce(p.active_from, '-infinity') AND m.last_active_on <= coalesce(p.active_to, 'infinity'), false)`,
  ],
  [
    some('p.class_ids'),
    `EXISTS (SELECT FROM sales_order s JOIN order_line l ON l.order_id = s.id JOIN product_class_member c ON c.product_id = l.product_id
       WHERE s.member_id = m.id AND c.class_id = ANY(p.class_ids) AND s.paid_at > now() - make_interval(days => coalesce(p.within_days, 365)))`,
  ],
  [
    'p.coupon_id IS NOT NULL',
    `EXISTS (SELECT FROM member_coupon c WHERE c.member_id = m.id AND c.coupon_id = p.coupon_id AND c.status = 'claimed' AND c.ends_at > now())`,
  ],
  [
    'p.min_points IS NOT NULL',
    `EXISTS (SELECT FROM ledger_account a WHERE a.member_id = m.id AND a.kind = 'points_available' AND a.unit = 'point' AND a.balance >= p.min_points)`,
  ],
];

/** SQL: the member `m` belongs to those the send `p` speaks of, before anybody is left out. */
const CHOSEN = `(CASE p.audience
    WHEN 'phones' THEN m.phone = ANY(p.phones)
    WHEN 'members' THEN m.id = ANY(p.member_ids)
    WHEN 'failed' THEN EXISTS (SELECT FROM message_recipient f WHERE f.send_id = p.resent_of_id AND f.member_id = m.id AND ${stillFailed('f', 'p.id')})
    WHEN 'conditions' THEN (CASE WHEN p.join_by = 'any' AND (${CONDITIONS.map(([set]) => set).join(' OR ')})
      THEN (${CONDITIONS.map(([set, holds]) => `(${set} AND ${holds})`).join(' OR ')})
      ELSE (${CONDITIONS.map(([set, holds]) => `(NOT (${set}) OR ${holds})`).join(' AND ')}) END)
    ELSE false END
  AND (p.reach_ids IS NULL OR ${inProjects('p.reach_ids')})
  AND (p.merchant_id IS NULL OR EXISTS (SELECT FROM sales_order s WHERE s.member_id = m.id AND s.tenant_id = p.merchant_id)))`;

/**
 * SQL: why the member `m` gets nothing of the send `p` on `channel`, or null. Urgent pushes pass the cap only. `at` is the
 * instant it is asked for.
 */
const reasonSql = (channel: string, at: string, caps: { day: string; week: string }) => `(CASE
    WHEN (${some('p.excluded_project_ids')} AND ${inProjects('p.excluded_project_ids')})
      OR (${some('p.excluded_identity_codes')} AND ${ofIdentity('p.excluded_identity_codes')})
      OR m.phone = ANY(coalesce(p.excluded_phones, '{}')) THEN 'excluded'
    WHEN coalesce(m.banned_until > ${at}, false) THEN 'banned'
    WHEN EXISTS (SELECT FROM message_optout o WHERE o.member_id = m.id AND o.channel = ${channel} AND o.category = p.category) THEN 'opted_out'
    WHEN ${channel} = 4 OR (${channel} = 2 AND m.phone = '') THEN 'no_address'
    WHEN p.category = 'marketing' AND NOT coalesce(p.urgent, false) AND EXISTS (
      SELECT FROM message_usage u WHERE u.member_id = m.id AND u.day > ${businessDay(at)} - 7
      HAVING coalesce(sum(u.count) FILTER (WHERE u.day = ${businessDay(at)}), 0) >= ${caps.day} OR coalesce(sum(u.count), 0) >= ${caps.week}) THEN 'capped'
    END)`;

/** How many marketing messages a member gets at most. */
export interface Caps {
  readonly day: number;
  readonly week: number;
}

/** Whom a send would reach now; `skipped` adds up to total − reachable. Costs in fen. */
export interface Estimate {
  readonly total: number;
  readonly reachable: number;
  readonly skipped: Readonly<Partial<Record<Reason, number>>>;
  readonly channels: Readonly<Record<string, number>>;
  /** Numbers of a list that no member in reach has. */
  readonly unknown: number;
  readonly sample: readonly { readonly id: number; readonly phone: string; readonly nickname: string }[];
}

/** SQL of the send that is estimated: a stored one by its id, or one that is only a form yet. */
const SOURCE = `(SELECT * FROM message_send WHERE $1::bigint IS NOT NULL AND id = $1
  UNION ALL SELECT * FROM jsonb_populate_record(NULL::message_send, $2::jsonb) WHERE $1::bigint IS NULL)`;

/** Whom a send would reach: a stored one (`id`) or one that is not saved (`draft`, columns of the table). */
export async function estimateOf(
  db: Executor,
  send: { readonly id: number } | { readonly draft: Readonly<Record<string, unknown>> },
  caps: Caps,
  at: Date = new Date(),
): Promise<Estimate> {
  const rows = await run<{ first: Reason | null; any: boolean; people: number; channels: number[] }>(
    db,
    `SELECT CASE WHEN y.any THEN NULL ELSE y.first END AS first, y.any, count(*)::int AS people,
            ARRAY[sum(y.c1), sum(y.c2), sum(y.c3), sum(y.c4)]::int[] AS channels
       FROM (SELECT x.id, bool_or(x.reason IS NULL) AS any, (array_agg(x.reason ORDER BY x.rank))[1] AS first,
                    ${[1, 2, 3, 4].map((one) => `count(*) FILTER (WHERE x.channel = ${one} AND x.reason IS NULL) AS c${one}`).join(', ')}
               FROM (SELECT m.id, c.channel, c.rank, ${reasonSql('c.channel', '$3::timestamptz', { day: '$4::int', week: '$5::int' })} AS reason
                       FROM ${SOURCE} p JOIN member m ON ${CHOSEN} CROSS JOIN LATERAL unnest(p.channel_codes) WITH ORDINALITY AS c(channel, rank)) x
              GROUP BY x.id) y GROUP BY 1, 2`,
    argumentsOf(send, at, caps),
  );
  const list = (await runOne<{ doubles: number; unknown: number }>(
    db,
    `SELECT CASE WHEN p.audience = 'phones' THEN coalesce(p.phone_doubles, 0) ELSE 0 END AS doubles,
            CASE WHEN p.audience = 'phones' THEN (SELECT count(*)::int FROM unnest(p.phones) AS x(phone)
              WHERE NOT EXISTS (SELECT FROM member m WHERE m.phone = x.phone AND ${CHOSEN})) ELSE 0 END AS unknown FROM ${SOURCE} p`,
    argumentsOf(send).slice(0, 2),
  ))!;
  const sample = await run<{ id: number; phone: string; nickname: string }>(
    db,
    `SELECT m.id, m.phone, coalesce(nullif(m.nickname, ''), m.name) AS nickname
       FROM ${SOURCE} p JOIN member m ON ${CHOSEN} ORDER BY md5(m.id::text) LIMIT 10`,
    argumentsOf(send).slice(0, 2),
  );
  const skipped: Partial<Record<Reason, number>> = {};
  let reachable = 0;
  let total = list.doubles;
  const channels: Record<string, number> = {};
  for (const row of rows) {
    total += row.people;
    if (row.any) reachable += row.people;
    else skipped[row.first!] = (skipped[row.first!] ?? 0) + row.people;
    row.channels.forEach((count, index) => {
      const code = String(index + 1);
      channels[code] = (channels[code] ?? 0) + count;
    });
  }
  if (list.doubles > 0) skipped.duplicate = (skipped.duplicate ?? 0) + list.doubles;
  return { total, reachable, skipped, channels, unknown: list.unknown, sample };
}

function argumentsOf(
  send: { readonly id: number } | { readonly draft: Readonly<Record<string, unknown>> },
  at?: Date,
  caps?: Caps,
): unknown[] {
  const which = 'id' in send ? [send.id, null] : [null, JSON.stringify(send.draft)];
  return [...which, at ?? null, caps?.day ?? 0, caps?.week ?? 0];
}

/**
 * Fixes who a run goes to: a row for each member and channel, or for the first channel where the next one only stands in. The
 * frequency cap is looked at when a message leaves, not here. Returns how many rows wait.
 */
export async function freezeAudience(tx: Executor, runId: number, at: Date): Promise<number> {
  const rows = await run<{ waits: boolean }>(
    tx,
    `INSERT INTO message_recipient (send_id, run_id, member_id, project_id, channel, state, reason)
     SELECT x.send_id, $1, x.id, x.project_id, x.channel, CASE WHEN x.reason IS NULL THEN 'pending' ELSE 'skipped' END, x.reason
       FROM (SELECT p.id AS send_id, m.id, m.project_id, c.channel, ${reasonSql('c.channel', '$2::timestamptz', { day: '2147483647', week: '2147483647' })} AS reason
               FROM message_run r JOIN message_send p ON p.id = r.send_id JOIN member m ON ${CHOSEN}
               CROSS JOIN LATERAL unnest(p.channel_codes) WITH ORDINALITY AS c(channel, rank)
              WHERE r.id = $1 AND (p.channel_mode = 'all' OR c.rank = 1)
                AND (p.audience <> 'failed' OR EXISTS (SELECT FROM message_recipient f
                  WHERE f.send_id = p.resent_of_id AND f.member_id = m.id AND f.channel = c.channel AND ${stillFailed('f', 'p.id')}))) x
      ORDER BY x.id, x.channel
     ON CONFLICT ON CONSTRAINT message_recipient_once DO NOTHING RETURNING state = 'pending' AS waits`,
    [runId, at],
  );
  return rows.filter((row) => row.waits).length;
}

/** Members a person of staff may name for a test, and what their channel needs. */
export interface TestMember {
  readonly id: number;
  readonly phone: string;
  readonly nickname: string;
  readonly project: string;
}

/** Members by their ids, with what messages say of them. */
export function membersOf(db: Executor, ids: readonly number[]): Promise<TestMember[]> {
  return run<TestMember>(
    db,
    `SELECT m.id, m.phone, coalesce(nullif(m.nickname, ''), nullif(m.name, ''), '') AS nickname, coalesce(p.name, '') AS project
       FROM member m LEFT JOIN project p ON p.id = m.project_id WHERE m.id = ANY($1::bigint[]) ORDER BY m.id`,
    [ids],
  );
}

/** Channel codes in words the database keeps. */
export const channelCodes = (value: unknown): Channel[] =>
  (value as unknown[]).map((one) => Number(one) as Channel);
