import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { ApprovalKind, ApprovalOutcome } from '../../../domain/approval/approval-kind.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { moveTo, publishSeckill, SECKILL_ENTITY } from '../../../domain/seckill/activity.server.ts';
import { minute } from '../../../domain/seckill/seckill-checks.server.ts';
import { PUBLISH_MENU } from './seckill.contract.ts';
import { activitySight, reviewSight, SECKILL_SCOPE } from './seckill-scope.server.ts';

/** Word of the approval engine. */
export const SECKILL_APPROVAL = 'seckill';
const PUBLISH = `${PUBLISH_MENU}:btn_publish`;

/** The goods of an activity as a reviewer compares them. */
export interface Term {
  readonly session: number;
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly base: number;
  readonly price: number;
  readonly reserved: number;
  readonly perOrder: number;
  readonly perMember: number;
}

/** Reads the terms of an activity, session by session. */
export async function termsOf(db: Executor, activityId: number): Promise<Term[]> {
  const rows = await run<Omit<Term, 'from' | 'to'> & { from: Date; to: Date }>(
    db,
    `SELECT n.position AS session, n.starts_at AS "from", n.ends_at AS "to", p.name || ' ' || s.name AS label, i.base_price AS base, i.price, i.reserved,
            i.per_order_limit AS "perOrder", i.per_member_limit AS "perMember"
       FROM seckill_item i JOIN seckill_session n ON n.id = i.session_id JOIN product_spec s ON s.id = i.spec_id JOIN product p ON p.id = i.product_id
      WHERE i.activity_id = $1 ORDER BY n.position, i.position, i.id`,
    [activityId],
  );
  return rows.map((row) => ({ ...row, from: minute(row.from), to: minute(row.to) }));
}

/** Seckills are published by somebody else than who handed them in, whoever made them. Source: group 16, mk_seckillActivityPublish. */
export const seckillApproval: ApprovalKind = {
  kind: SECKILL_APPROVAL,
  label: ['秒杀活动', 'Seckill'],
  entity: SECKILL_ENTITY,
  sights: { toDecide: reviewSight, outcome: activitySight },
  moves: true,
  fields: [
    { name: 'copies', label: ['总份数', 'Copies'], kind: 'number' },
    { name: 'discount', label: ['最大让利（元）', 'Worst-case discount (yuan)'], kind: 'number' },
  ],
  facts: async (db, bizId) =>
    (await runOne<{ copies: number; discount: number }>(
      db,
      `SELECT coalesce(sum(reserved), 0)::int AS copies, coalesce(sum((base_price - price) * reserved), 0)::float8 / 100 AS discount
         FROM seckill_item WHERE activity_id = $1`,
      [bizId],
    ))!,
  snapshot: async (db, bizId) => {
    const activity = (await runOne<{ name: string; merchant: string }>(
      db,
      'SELECT a.name, m.name AS merchant FROM seckill_activity a JOIN tenant m ON m.id = a.tenant_id WHERE a.id = $1',
      [bizId],
    ))!;
    const same = (value: string) => [value, value] as const;
    return [
      {
        title: ['活动', 'Activity'],
        values: [
          { field: 'name', label: ['活动名称', 'Name'], value: same(activity.name) },
          { field: 'merchant', label: ['商户', 'Merchant'], value: same(activity.merchant) },
        ],
      },
      {
        title: ['商品', 'Goods'],
        values: (await termsOf(db, bizId)).map((term, at) => ({
          field: `item${at}`,
          label: same(`${term.from}–${term.to} ${term.label}`),
          value: [
            `${yuanFromFen(term.base)} → ${yuanFromFen(term.price)}，${term.reserved} 份`,
            `${yuanFromFen(term.base)} → ${yuanFromFen(term.price)}, ${term.reserved} copies`,
          ] as const,
        })),
      },
    ];
  },
  samples: async (db, caller) => {
    const parameters = new Parameters();
    const visible = scopeCondition(caller, PUBLISH_MENU, SECKILL_SCOPE, parameters);
    return run<{ id: number; title: string }>(
      db,
      `SELECT t.id, t.code || ' ' || t.name AS title FROM seckill_activity t WHERE ${visible} ORDER BY t.id DESC LIMIT 20`,
      parameters.values,
    );
  },
  route: (bizId) => `/marketing/${PUBLISH_MENU}?detail=${bizId}`,
  approvers: async (tx, subject) => {
    const platform = await runOne<{ id: number }>(
      tx,
      'SELECT id FROM tenant WHERE kind = 3 ORDER BY id LIMIT 1',
    );
    return holdersOf(tx, platform!.id, PUBLISH, [subject.starterId]);
  },
  decidable: (_db, decider, subjects) =>
    Promise.resolve(new Set(decider.elements.has(PUBLISH) ? subjects.map((subject) => subject.bizId) : [])),
  onApproved: async (outcome) => {
    await publishSeckill(outcome.tx, outcome.platform, outcome.bizId, outcome.caller.staffId || null);
    await decided(outcome, 'scheduled');
  },
  onRejected: (outcome) => decided(outcome, 'rejected'),
  onReturned: (outcome) => decided(outcome, 'rejected'),
  onWithdrawn: async (outcome) => {
    outcome.platform.changed(SECKILL_ENTITY);
    if (!outcome.insideAction) await told(outcome, 'draft');
  },
};

const EVENTS = {
  scheduled: ['审核通过，已发布', 'Approved and published'],
  rejected: ['驳回', 'Rejected'],
  draft: ['撤回', 'Withdrawn'],
} as const;

/** Keeps who decided, and the terms that were rejected. Its own action writes state, timeline and audit itself. */
async function decided(outcome: ApprovalOutcome, to: 'scheduled' | 'rejected'): Promise<void> {
  const { tx, bizId, caller, opinion } = outcome;
  await run(
    tx,
    `UPDATE seckill_activity SET decided_by = $2, decided_at = clock_timestamp(), state_reason = $3,
            rejected_terms = CASE WHEN $4 THEN $5::jsonb ELSE rejected_terms END WHERE id = $1`,
    [
      bizId,
      caller.staffId || null,
      to === 'rejected' ? opinion : '',
      to === 'rejected',
      JSON.stringify(await termsOf(tx, bizId)),
    ],
  );
  outcome.platform.changed(SECKILL_ENTITY);
  if (!outcome.insideAction) await told(outcome, to);
}

async function told(outcome: ApprovalOutcome, to: keyof typeof EVENTS): Promise<void> {
  await moveTo(outcome.tx, outcome.bizId, to, {
    action: to,
    label: EVENTS[to],
    from: 'reviewing',
    remark: outcome.opinion,
    caller: outcome.caller.staffId === 0 ? undefined : outcome.caller,
  });
}
