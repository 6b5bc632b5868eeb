import { CASE_SCOPE, NOT_DECOR } from '../../../domain/after-sale/move-case.server.ts';
import { CASE_STATES } from '../../../domain/after-sale/case.rules.ts';
import { ORDER_SCOPE } from '../../../domain/checkout/order-sights.server.ts';
import { REDEMPTION_STATES } from '../../../domain/points-shop/points-shop.rules.ts';
import {
  CASE_STATES as REPORT_STATES,
  PENALTY_STATES,
} from '../../../domain/report-case/report-case.rules.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { cycleOf, type SignInCycle } from '../../../domain/sign-in/sign-in.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { textOf } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { businessDayOf, isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { forbidden, notFound } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { endpoint, type Endpoint } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import { COUPON_SCOPE } from '../../mall/coupon/coupon-scope.server.ts';
import { memberCouponStates } from '../../mall/coupon/coupon.contract.ts';
import { ORDER_STATE_SPECS } from '../../mall/goods-order/order-words.rules.ts';
import {
  MEMBER_LISTS,
  MEMBER_MENU,
  type MemberListName,
  type MemberListRow,
  type MemberOverview,
} from './points-member.contract.ts';

/** Rows of one list: newest first, at most this many. */
const MOST = 50;

interface ListSql {
  readonly scope: ScopeColumns;
  /** id, code, title, state, amount in fen or null, at; `t` is what the scope speaks of, $member is replaced. */
  readonly sql: string;
  readonly states: Readonly<Record<string, { readonly label: Label }>>;
}

const POST_STATES = {
  hidden: { label: ['已隐藏', 'Hidden'] },
  pending: { label: ['待审', 'Waiting'] },
  refused: { label: ['未通过', 'Refused'] },
  passed: { label: ['显示中', 'Shown'] },
} as const;
const posts = (kind: string): ListSql => ({
  scope: { tenant: 'NULL::bigint', project: 't.project_id', owner: 't.created_by' },
  sql: `SELECT t.id, '#' || t.id AS code, left(t.content, 60) AS title, CASE WHEN t.shown THEN t.review_state ELSE 'hidden' END AS state, NULL::bigint AS amount, t.published_at AS at
    FROM post t WHERE t.kind = '${kind}' AND t.deleted_at IS NULL AND t.member_id = $member`,
  states: POST_STATES,
});
const comments = (kind: string): ListSql => ({
  scope: { tenant: 'NULL::bigint', project: 't.project_id', owner: 't.created_by' },
  sql: `SELECT c.id, '#' || c.id AS code, left(c.content, 60) AS title, CASE WHEN c.shown THEN c.review_state ELSE 'hidden' END AS state, NULL::bigint AS amount, c.published_at AS at
    FROM content_comment c JOIN post t ON t.id = c.post_id WHERE t.kind = '${kind}' AND c.deleted_at IS NULL AND c.member_id = $member`,
  states: POST_STATES,
});
const HOUSE_STATES = {
  owner: { label: ['业主', 'Owner'] },
  family: { label: ['家属', 'Family'] },
  tenant: { label: ['租客', 'Tenant'] },
  reviewing: { label: ['待审核', 'In review'] },
} as const;

const LISTS: Readonly<Record<MemberListName, ListSql>> = {
  coupon: {
    scope: COUPON_SCOPE,
    sql: `SELECT c.id, c.code, t.name AS title, c.status AS state, t.face AS amount, c.claimed_at AS at
      FROM member_coupon c JOIN coupon t ON t.id = c.coupon_id WHERE c.member_id = $member`,
    states: memberCouponStates,
  },
  order: {
    scope: ORDER_SCOPE,
    sql: `SELECT t.id, t.code, t.title, t.state, t.payable AS amount, t.created_at AS at FROM sales_order t WHERE t.kind = 'goods' AND t.member_id = $member`,
    states: ORDER_STATE_SPECS,
  },
  afterSale: {
    scope: CASE_SCOPE,
    sql: `SELECT t.id, t.code, t.product_name AS title, t.state, t.applied_cash AS amount, t.created_at AS at FROM after_sale t WHERE ${NOT_DECOR} AND t.member_id = $member`,
    states: CASE_STATES,
  },
  house: {
    scope: residentScope('t.project_id', 't.created_by'),
    sql: `SELECT t.id, t.number AS code, p.name || ' ' || b.name AS title, CASE WHEN hh.status = 'reviewing' THEN 'reviewing' ELSE hh.identity END AS state, NULL::bigint AS amount, NULL::timestamptz AS at
      FROM household hh JOIN house t ON t.id = hh.house_id JOIN building_unit u ON u.id = t.unit_id JOIN building b ON b.id = u.building_id JOIN project p ON p.id = t.project_id
     WHERE hh.status IN ('normal', 'reviewing') AND hh.member_id = $member`,
    states: HOUSE_STATES,
  },
  family: posts('family'),
  chamber: posts('chamber'),
  group: posts('group_post'),
  familyComment: comments('family'),
  chamberComment: comments('chamber'),
  redemption: {
    scope: { tenant: 'NULL::bigint', project: 't.project_id', owner: 't.created_by' },
    sql: `SELECT t.id, t.code, t.product_name || ' · ' || t.points || '积分' AS title, t.state, nullif(t.cash, 0) AS amount, t.created_at AS at FROM points_redemption t WHERE t.member_id = $member`,
    states: REDEMPTION_STATES,
  },
  penalty: {
    scope: residentScope('t.project_id', 't.created_by'),
    sql: `SELECT t.id, o.code, t.reason AS title, t.state, NULL::bigint AS amount, t.from_at AS at FROM member_penalty t JOIN report_case o ON o.id = t.case_id WHERE t.member_id = $member`,
    states: PENALTY_STATES,
  },
  case: {
    scope: residentScope('t.project_id', 't.created_by'),
    sql: `SELECT t.id, t.code, left(t.content, 60) AS title, t.state, NULL::bigint AS amount, t.first_at AS at FROM report_case t WHERE t.author_id = $member`,
    states: REPORT_STATES,
  },
};

/** Coupons, orders, cases, houses and posts of one member: under the menu and scope of the screen they belong to. */
export function memberListEndpoint(root: string, bound: () => BoundResource): Endpoint {
  return endpoint({
    method: 'GET',
    path: `${root}/:id/list/:name`,
    title: ['会员相关记录', 'Records of a member'],
    access: { code: MEMBER_MENU },
    handle: async (call): Promise<MemberListRow[]> => {
      const { caller, platform, facts } = call;
      const name = call.params.name as MemberListName;
      if (!Object.hasOwn(LISTS, name)) throw notFound();
      const { menu } = MEMBER_LISTS[name];
      if (!caller.menus.has(menu)) throw forbidden();
      const id = idOf(call.params.id);
      await bound().find(call, id);
      const list = LISTS[name];
      const parameters = new Parameters();
      const member = parameters.bind(id);
      const rows = await run<{
        id: number;
        code: string;
        title: string;
        state: string;
        amount: number | null;
        at: Date | null;
      }>(
        platform.database.db,
        `${list.sql.replace('$member', member)} AND ${scopeCondition(caller, menu, list.scope, parameters)} ORDER BY at DESC NULLS LAST, 1 DESC LIMIT ${MOST}`,
        parameters.values,
      );
      return rows.map((row) => ({
        id: String(row.id),
        code: row.code,
        title: row.title,
        state: list.states[row.state] ? textOf(list.states[row.state]!.label, facts.language) : row.state,
        amount: row.amount === null ? null : yuanFromFen(row.amount),
        at: row.at ? isoInstant(row.at) : '',
      }));
    },
  });
}

/** Grade, sign-ins of the month and tasks of one member. */
export async function overviewOf(platform: Platform, id: number): Promise<MemberOverview> {
  const { db } = platform.database;
  const today = businessDayOf(new Date());
  const month = today.slice(0, 7);
  const cycle = (await platform.settings.text('signin.cycle')) as SignInCycle;
  const grade = (await runOne<{ basis: number; next: string | null; missing: number }>(
    db,
    `SELECT b.basis, n.title AS next, coalesce(n.threshold - b.basis, 0)::bigint AS missing
       FROM (SELECT coalesce((SELECT basis FROM member_grade WHERE member_id = $1), 0)::bigint AS basis) b
       LEFT JOIN LATERAL (SELECT title, threshold FROM grade WHERE threshold > b.basis ORDER BY threshold LIMIT 1) n ON true`,
    [id],
  ))!;
  const cards = (await runOne<{ n: number }>(
    db,
    'SELECT coalesce(sum(remaining), 0)::int AS n FROM resign_card WHERE member_id = $1 AND remaining > 0',
    [id],
  ))!.n;
  const days = await run<{ day: string; state: 'signed' | 'made_up' | 'missed' }>(
    db,
    `SELECT d.day::date::text AS day, CASE WHEN s.id IS NULL THEN 'missed' WHEN s.made_up THEN 'made_up' ELSE 'signed' END AS state
       FROM generate_series($2::date, $3::date, interval '1 day') d (day)
       JOIN member m ON m.id = $1 AND (m.registered_at AT TIME ZONE 'Asia/Shanghai')::date <= d.day::date
       LEFT JOIN sign_in s ON s.member_id = $1 AND s.day = d.day::date ORDER BY d.day`,
    [id, `${month}-01`, today],
  );
  const bonuses = await run<{ title: string; points: number; day: string }>(
    db,
    `SELECT r.code AS title, b.points, s.day::text AS day FROM sign_in_bonus b JOIN sign_in_rule r ON r.id = b.rule_id JOIN sign_in s ON s.id = b.sign_in_id
      WHERE b.member_id = $1 AND b.cycle = $2 ORDER BY s.day, r.days`,
    [id, cycleOf(cycle, today).key],
  );
  const tasks = await run<{
    code: string;
    zh: string;
    en: string;
    points: number;
    today: number;
    total: number;
    dayTimes: number;
    totalTimes: number;
    skipped: string | null;
  }>(
    db,
    `SELECT t.code, t.name AS zh, t.name_en AS en, t.points, t.day_times AS "dayTimes", t.total_times AS "totalTimes",
            count(d.id) FILTER (WHERE d.gives > 0 AND d.day = $2::date)::int AS today, count(d.id) FILTER (WHERE d.gives > 0)::int AS total,
            (array_agg(d.skipped ORDER BY d.done_at DESC) FILTER (WHERE d.skipped IS NOT NULL AND d.day = $2::date))[1] AS skipped
       FROM points_task t LEFT JOIN points_task_done d ON d.task_id = t.id AND d.member_id = $1
      WHERE t.enabled GROUP BY t.id ORDER BY t.position, t.id`,
    [id, today],
  );
  return {
    grade,
    cards,
    month,
    days,
    bonuses,
    tasks: tasks.map(({ zh, en, ...task }) => ({ ...task, name: [zh, en] as const })),
  };
}
