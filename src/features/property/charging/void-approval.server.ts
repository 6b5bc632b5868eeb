import { run } from '../../../kernel/server/database.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { billApproval } from './bill-approval.server.ts';

const voiding = billApproval({
  kind: 'bill_void',
  entity: 'billVoid',
  table: 'bill_void_request',
  withAmount: false,
  element: 'btn_voidAudit',
  label: ['账单作废', 'Voided bill'],
  action: 'void',
  about: 'b.owed_principal + b.owed_late_fee',
  aboutLabel: ['欠费', 'Owed'],
  amountLabel: ['作废金额', 'Voided'],
  events: {
    asked: ['提交作废审批', 'Handed in to be voided'],
    passed: ['作废审批通过', 'Voiding approved'],
    refused: ['作废审批驳回', 'Voiding refused'],
    withdrawn: ['撤回作废', 'Voiding withdrawn'],
  },
  waits: ['已有待审批的作废', 'Voiding it waits for approval already'],
  pass: async ({ tx }, bill, { reason }) => {
    // Paid, or being paid, in between: the approval stands, the bill does too.
    const held = await run(tx, 'SELECT FROM online_bill_hold WHERE bill_id = $1', [bill.id]);
    if (bill.state !== 'unpaid' || held.length > 0) return '已有缴费，未作废';
    await run(tx, `UPDATE bill SET state = 'void', void_reason = $2 WHERE id = $1`, [bill.id, reason]);
    return '';
  },
});

/** Bills of a run or of the job are voided by two persons. Source: group 06, Rules of charging 10. */
export const voidApproval = voiding.approval;
export const voidSight = voiding.sight;
export const askVoid = (context: ActionContext): Promise<ActionResult> =>
  voiding.ask(context, Number(context.row.owed_principal) + Number(context.row.owed_late_fee));
