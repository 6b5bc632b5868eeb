import type { Label } from '../../../kernel/contract/label.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { OVER } from '../../../domain/activity/activity.rules.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { takeBackWelcome, welcome } from '../../../domain/activity/activity.server.ts';
import { giveUp } from '../../../domain/activity/give-up.server.ts';
import { lockActivity, type Signup } from '../../../domain/activity/activity-seats.server.ts';
import { activitySignup } from './activity.contract.ts';

const came = (row: DbRow): boolean => row.checkIn === 'yes';
const CAME: Label = ['已签到', 'Checked in already'];

const bound: BoundResource = bindResource(activitySignup, {
  table: 'activity_signup',
  from: `activity_signup t LEFT JOIN activity a ON a.id = t.activity_id LEFT JOIN member m ON m.id = t.member_id LEFT JOIN project p ON p.id = t.project_id
    LEFT JOIN house h ON h.id = t.house_id LEFT JOIN building_unit u ON u.id = h.unit_id LEFT JOIN building b ON b.id = u.building_id
    LEFT JOIN sales_order o ON o.id = t.order_id`,
  columns: {
    activity: { id: 't.activity_id', title: 'a.title' },
    name: `coalesce(nullif(m.name, ''), m.nickname)`,
    phone: 'm.phone',
    project: { id: 't.project_id', title: 'p.name' },
    house: `b.name || ' ' || u.name || ' ' || h.number`,
    answers: `(SELECT string_agg((x.a->>'question') || '：' || (x.a->>'answer'), '；' ORDER BY x.n)
       FROM jsonb_array_elements(t.answers) WITH ORDINALITY AS x (a, n) WHERE x.a->>'answer' <> '')`,
    paid: 'CASE WHEN o.paid_at IS NOT NULL THEN o.payable ELSE 0 END',
    refunded: 'coalesce(o.cash_refunded, 0)',
    checkIn: `CASE WHEN t.checked_in_at IS NULL THEN 'no' ELSE 'yes' END`,
    cancelReason: `nullif(t.cancel_reason, '')`,
    // Who signed up first, then who waits in turn, those who went last.
    place: `(CASE t.state WHEN 'signed' THEN 0 WHEN 'pending_payment' THEN 1 WHEN 'waiting' THEN 2 ELSE 3 END * 10000000000
      + extract(epoch FROM t.applied_at)::bigint)`,
  },
  scope: residentScope('t.project_id', 'a.created_by'),
  keyword: (value, parameters) => {
    const exact = parameters.bind(value);
    return `t.member_id IN (SELECT k.id FROM member k WHERE k.name = ${exact} OR k.phone = ${exact})`;
  },
  extra: {
    over: `(now() >= a.ends_at + interval '1 day')`,
    today: `((t.checked_in_at AT TIME ZONE 'Asia/Shanghai')::date = (now() AT TIME ZONE 'Asia/Shanghai')::date)`,
  },
  ruleReads: ['checkIn', 'over', 'today'],
  rowRules: {
    checkIn: (row) => (came(row) ? CAME : row.over === true ? OVER : undefined),
    undoCheckIn: (row) =>
      !came(row)
        ? ['未签到', 'Not checked in']
        : row.today === true
          ? undefined
          : ['只能在签到当天撤销', 'Only on the day of the check-in'],
    cancel: (row) => (came(row) ? CAME : undefined),
  },
  handlers: {
    checkIn: async ({ tx, platform, row }) => {
      const { at } = await welcome(tx, platform, row as unknown as Signup, 'staff');
      platform.changed('activity');
      return { set: { checked_in_at: at, check_in_way: 'staff' } };
    },
    undoCheckIn: async ({ tx, platform, row, caller, input }) => {
      await takeBackWelcome(tx, row as unknown as Signup, {
        staffId: caller.staffId,
        reason: String(input.reason),
      });
      platform.changed('activity');
      return { set: { checked_in_at: null, check_in_way: null }, remark: String(input.reason) };
    },
    cancel: async ({ tx, platform, row, caller, facts, input }) => {
      await lockActivity(tx, Number(row.activity_id));
      await giveUp(tx, platform, row as unknown as Signup, {
        reason: String(input.reason),
        percent: Number(input.percent),
        caller,
        facts,
      });
      platform.changed('activity');
      return { told: true };
    },
  },
});

/** Sign-ups for activities. */
export const registration = bound.registration;
