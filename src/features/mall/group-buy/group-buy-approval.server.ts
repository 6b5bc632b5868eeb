import { run, runOne } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import type { ApprovalKind, ApprovalOutcome } from '../../../domain/approval/approval-kind.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { publishActivity } from '../../../domain/group-buy/activity.server.ts';
import { GROUP_BUY } from '../../../domain/group-buy/activity-input.server.ts';
import { ACTIVITY_ENTITY, noteActivity } from '../../../domain/group-buy/activity-log.server.ts';
import type { RowSight } from '../../../domain/notification/row-sight.server.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { GROUP_MODES } from '../../../domain/group-buy/group-buy.rules.ts';

const MENU = 'mm_groupManagement';
const AUDIT = `${MENU}:btn_audit`;

/** Where an item `t` of an activity stands. */
export const GROUP_SCOPE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: (ids) =>
    `EXISTS (SELECT FROM group_buy_project gp WHERE gp.group_buy_id = t.group_buy_id AND gp.project_id = ANY(${ids}::bigint[]))`,
  owner: 't.created_by',
};

/** Activities, by whoever sees one of their items. */
export const activitySight: RowSight = {
  entity: 'groupBuy',
  menu: MENU,
  condition: (holder, id, parameters) =>
    `EXISTS (SELECT FROM group_buy_item t WHERE t.group_buy_id = ${id} AND ${scopeCondition(holder, MENU, GROUP_SCOPE, parameters)})`,
};

/** Activities of merchants: publishing reserves stock and promises a price, so the platform's reviewers look first. */
export const groupBuyApproval: ApprovalKind = {
  kind: GROUP_BUY,
  label: ['拼团活动', 'Group buy'],
  entity: 'groupBuy',
  sights: { toDecide: activitySight, outcome: activitySight },
  moves: true,
  fields: [
    { name: 'copies', label: ['总份数', 'Copies'], kind: 'number' },
    { name: 'discount', label: ['让利总额（元）', 'Discount in all (yuan)'], kind: 'number' },
  ],
  facts: async (db, bizId) =>
    (await runOne<{ copies: number; discount: number }>(
      db,
      `SELECT coalesce(sum(reserved), 0)::int AS copies, coalesce(sum((base_price - price) * reserved), 0)::float8 / 100 AS discount
         FROM group_buy_item WHERE group_buy_id = $1`,
      [bizId],
    ))!,
  snapshot: async (db, bizId) => {
    const activity = (await runOne<{
      name: string;
      merchant: string;
      mode: 'team' | 'total';
      size: number;
      from: string;
      to: string;
    }>(
      db,
      `SELECT g.name, m.name AS merchant, g.mode, g.group_size AS size, to_char(g.starts_at AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM-DD HH24:MI') AS "from",
              to_char(g.ends_at AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM-DD HH24:MI') AS "to"
         FROM group_buy g JOIN tenant m ON m.id = g.tenant_id WHERE g.id = $1`,
      [bizId],
    ))!;
    const items = await run<{ id: number; label: string; base: number; price: number; copies: number }>(
      db,
      `SELECT i.id, p.name || ' / ' || s.name AS label, i.base_price AS base, i.price, i.reserved AS copies FROM group_buy_item i
         JOIN product_spec s ON s.id = i.spec_id JOIN product p ON p.id = i.product_id WHERE i.group_buy_id = $1 ORDER BY i.id`,
      [bizId],
    );
    const same = (value: string) => [value, value] as const;
    return [
      {
        title: ['活动', 'Activity'],
        values: [
          { field: 'name', label: ['活动名称', 'Activity name'], value: same(activity.name) },
          { field: 'merchant', label: ['商户', 'Merchant'], value: same(activity.merchant) },
          { field: 'mode', label: ['模式', 'Mode'], value: GROUP_MODES[activity.mode].label },
          { field: 'size', label: ['成团人数', 'Size'], value: same(String(activity.size)) },
          { field: 'period', label: ['时间', 'Period'], value: same(`${activity.from} – ${activity.to}`) },
        ],
      },
      {
        title: ['商品', 'Goods'],
        values: items.map((item) => ({
          field: `item${item.id}`,
          label: same(item.label),
          value: [
            `${yuanFromFen(item.base)} → ${yuanFromFen(item.price)}，${item.copies} 份`,
            `${yuanFromFen(item.base)} → ${yuanFromFen(item.price)}, ${item.copies} copies`,
          ] as const,
        })),
      },
    ];
  },
  samples: async (db, caller) => {
    const parameters = new Parameters();
    const seen = activitySight.condition(caller, 'g.id', parameters);
    return run<{ id: number; title: string }>(
      db,
      `SELECT g.id, g.code || ' ' || g.name AS title FROM group_buy g WHERE ${seen} ORDER BY g.id DESC LIMIT 20`,
      parameters.values,
    );
  },
  route: (bizId) => `/merchantManager/mm_groupManagement?activity=${bizId}`,
  // The platform decides about activities of merchants, never the merchant's own staff.
  approvers: async (tx, subject) => {
    const platform = await runOne<{ id: number }>(
      tx,
      'SELECT id FROM tenant WHERE kind = 3 ORDER BY id LIMIT 1',
    );
    return holdersOf(tx, platform!.id, AUDIT, [subject.starterId]);
  },
  decidable: (_db, decider, subjects) =>
    Promise.resolve(new Set(decider.elements.has(AUDIT) ? subjects.map((subject) => subject.bizId) : [])),
  onApproved: async (outcome) => {
    await publishActivity(outcome.tx, outcome.bizId, outcome.caller.staffId || null);
    await tell(outcome, 'published');
  },
  onRejected: (outcome) => end(outcome, 'rejected'),
  onReturned: (outcome) => end(outcome, 'rejected'),
  onWithdrawn: (outcome) => end(outcome, 'draft'),
};

const EVENTS = {
  published: ['审核通过，已发布', 'Approved and published'],
  rejected: ['驳回', 'Rejected'],
  draft: ['撤回', 'Withdrawn'],
} as const;

async function end(outcome: ApprovalOutcome, to: 'rejected' | 'draft'): Promise<void> {
  await run(
    outcome.tx,
    `UPDATE group_buy SET state = $2, state_reason = $3, version = version + 1, updated_at = now() WHERE id = $1`,
    [outcome.bizId, to, to === 'rejected' ? outcome.opinion : ''],
  );
  await tell(outcome, to);
}

async function tell(outcome: ApprovalOutcome, to: keyof typeof EVENTS): Promise<void> {
  outcome.platform.changed(ACTIVITY_ENTITY);
  if (outcome.insideAction) return;
  await noteActivity(outcome.tx, outcome.bizId, {
    action: to,
    label: EVENTS[to],
    from: 'reviewing',
    to,
    remark: outcome.opinion,
    caller: outcome.caller.staffId === 0 ? undefined : outcome.caller,
  });
}
