import type {
  ApprovalKind,
  ApprovalOutcome,
  ApprovalSubject,
  Decider,
} from '../../../domain/approval/approval-kind.server.ts';
import { submitApproval } from '../../../domain/approval/approve.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { needsApproval } from './decor-order-actions.server.ts';
import { DECOR_SCOPE, decorOrderSight } from './decor-order-scope.server.ts';
import { DECOR_MENU } from './decor-order.contract.ts';

const AUDIT = `${DECOR_MENU}:btn_audit`;
const KIND = 'decor_discount';

interface Asked {
  readonly code: string;
  readonly state: string;
  readonly discount: number;
  readonly gross: number;
  readonly discount_reason: string;
}

const read = (db: Executor, id: number) =>
  runOne<Asked>(db, 'SELECT code, state, discount, gross, discount_reason FROM decor_order WHERE id = $1', [
    id,
  ]);

/** Discounts above the share a setting names; whoever asked does not decide. Source: group 14, price. */
export function decorApprovals(): readonly ApprovalKind[] {
  return [
    {
      kind: KIND,
      label: ['美居优惠', 'Decor discount'],
      entity: 'decorOrder',
      sights: { toDecide: decorOrderSight, outcome: decorOrderSight },
      moves: true,
      fields: [
        { name: 'amount', label: ['优惠金额（元）', 'Discount (yuan)'], kind: 'number' },
        { name: 'percent', label: ['优惠比例（%）', 'Discount (%)'], kind: 'number' },
      ],
      facts: async (db, bizId) => {
        const row = await read(db, bizId);
        return {
          amount: (row?.discount ?? 0) / 100,
          percent: row ? Math.round((row.discount * 10_000) / row.gross) / 100 : 0,
        };
      },
      snapshot: async (db, bizId) => {
        const row = (await read(db, bizId))!;
        const money = (fen: number) => `¥${yuanFromFen(fen)}`;
        return [
          {
            title: ['美居优惠', 'Decor discount'],
            values: [
              { field: 'order', label: ['美居订单', 'Decor order'], value: [row.code, row.code] },
              {
                field: 'gross',
                label: ['套餐与选项', 'Package and options'],
                value: [money(row.gross), money(row.gross)],
              },
              {
                field: 'amount',
                label: ['优惠金额', 'Discount'],
                value: [money(row.discount), money(row.discount)],
              },
              {
                field: 'reason',
                label: ['原因', 'Reason'],
                value: [row.discount_reason, row.discount_reason],
              },
            ],
          },
        ];
      },
      samples: async (db, caller) => {
        const parameters = new Parameters();
        const seen = scopeCondition(caller, DECOR_MENU, DECOR_SCOPE, parameters);
        return run<{ id: number; title: string }>(
          db,
          `SELECT t.id, t.code AS title FROM decor_order t WHERE t.discount > 0 AND ${seen} ORDER BY t.id DESC LIMIT 20`,
          parameters.values,
        );
      },
      route: () => `/mercureManager/${DECOR_MENU}`,
      approvers: (tx, subject) => holdersOf(tx, subject.tenantId, AUDIT, [subject.starterId]),
      decidable: (_db: Executor, decider: Decider, subjects: readonly ApprovalSubject[]) =>
        Promise.resolve(new Set(decider.elements.has(AUDIT) ? subjects.map((subject) => subject.bizId) : [])),
      onApproved: (outcome) => end(outcome, true),
      onRejected: (outcome) => end(outcome, false),
      onWithdrawn: (outcome) => end(outcome, false),
    },
  ];
}

async function end(
  { tx, bizId, caller, opinion, platform, facts }: ApprovalOutcome,
  passed: boolean,
): Promise<void> {
  const row = (await read(tx, bizId))!;
  if (passed)
    await run(
      tx,
      'UPDATE decor_order SET discount_passed = discount, version = version + 1, updated_at = now() WHERE id = $1',
      [bizId],
    );
  const by = caller.staffId === 0 ? {} : { caller };
  await writeTimeline(tx, {
    entity: 'decorOrder',
    entityId: bizId,
    ...by,
    action: 'discount',
    label: passed ? ['优惠审批通过', 'Discount approved'] : ['优惠审批未通过', 'Discount not approved'],
    from: row.state,
    to: row.state,
    remark: [yuanFromFen(row.discount), opinion].filter(Boolean).join(' · '),
  });
  await writeAudit(tx, {
    ...by,
    facts,
    menu: DECOR_MENU,
    action: passed ? 'discount.passed' : 'discount.refused',
    entity: 'decorOrder',
    entityId: bizId,
    after: { amount: row.discount, opinion },
  });
  platform.changed('decorOrder');
}

/** Hands a discount above the limit in. */
export async function askDiscount(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, caller, facts, id, row } = context;
  if (!(await needsApproval(context))) throw ruleBroken(['该优惠无需审批', 'The discount needs no approval']);
  const money = yuanFromFen(Number(row.discount));
  const reason = String(row.discount_reason);
  await submitApproval(
    tx,
    platform,
    {
      kind: KIND,
      bizId: id,
      tenantId: caller.tenantId,
      projectId: Number(row.project_id),
      title: [`美居优惠 ${String(row.code)}`, `Decor discount ${String(row.code)}`],
      summary: [
        { label: ['优惠金额', 'Discount'], value: [`¥${money}`, `¥${money}`] },
        { label: ['原因', 'Reason'], value: [reason, reason] },
      ],
      starterId: caller.staffId,
    },
    { caller, facts },
  );
  return { remark: `${money} · ${reason}` };
}
