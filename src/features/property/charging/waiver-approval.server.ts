import { waiveLateFee } from '../../../domain/charging/bill-record.server.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { billApproval } from './bill-approval.server.ts';

const waiver = billApproval({
  kind: 'late_fee_waiver',
  entity: 'lateFeeWaiver',
  table: 'late_fee_waiver',
  withAmount: true,
  element: 'btn_waiveAudit',
  label: ['滞纳金减免', 'Late fee waiver'],
  action: 'waive',
  about: 'b.owed_late_fee',
  aboutLabel: ['未缴滞纳金', 'Unpaid late fee'],
  amountLabel: ['减免金额', 'Waived'],
  events: {
    asked: ['提交减免审批', 'Waiver handed in for approval'],
    passed: ['减免通过', 'Waiver approved'],
    refused: ['减免驳回', 'Waiver refused'],
    withdrawn: ['撤回减免', 'Waiver withdrawn'],
  },
  waits: ['已有待审批的减免', 'A waiver of it waits for approval already'],
  pass: async ({ tx, caller }, bill, { amount: asked, reason }) => {
    // Paid in between: what is left of it is waived.
    const amount = Math.min(asked, bill.owed_late_fee);
    if (bill.state !== 'void' && amount > 0)
      await waiveLateFee(tx, bill, { amount, reason, staffId: staffIdOf(caller) });
    return '';
  },
});

/** Late-fee waivers above `fee.waive.auto`. Source: group 06, Must show 12. */
export const waiverApproval = waiver.approval;
export const waiverSight = waiver.sight;

/** Hands a waiver in for approval. */
export async function askWaiver(context: ActionContext, owed: number): Promise<ActionResult> {
  const amount = Number(context.input.amount);
  if (amount > owed) throw ruleBroken(['减免金额超过未缴滞纳金', 'More than the unpaid late fee']);
  return waiver.ask(context, amount);
}
