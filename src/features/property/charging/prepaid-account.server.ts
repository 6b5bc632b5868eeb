import { aheadOf, tooMuch } from '../../../domain/charging/bill-refund.server.ts';
import { lockPrepaid, movePrepaid, paidAheadOf } from '../../../domain/charging/prepaid.server.ts';
import type { PrepaidKind } from '../../../domain/charging/bill-record.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { runOne } from '../../../kernel/server/database.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { askRefundOf } from '../bill-payment/bill-refund.server.ts';
import { prepaidAccount } from './bill.contract.ts';

const isPrepaid = `t.kind LIKE 'prepaid\\_%' AND t.unit = 'fen'`;

/** Prepaid accounts of houses, over the ledger. */
export const registration = bindResource(prepaidAccount, {
  table: 'ledger_account',
  entity: 'prepaidAccount',
  from: `ledger_account t LEFT JOIN house h ON h.id = CASE WHEN ${isPrepaid} THEN t.owner::bigint END LEFT JOIN building_unit u ON u.id = h.unit_id
    LEFT JOIN building b ON b.id = u.building_id LEFT JOIN project p ON p.id = h.project_id`,
  where: isPrepaid,
  columns: {
    project: { id: 'h.project_id', title: 'p.name' },
    house: { id: 'h.id', title: '(b.name || u.name || h.number)' },
    owner: `(SELECT m.name FROM household r JOIN member m ON m.id = r.member_id WHERE r.house_id = h.id AND r.identity = 'owner' AND r.status = 'normal' ORDER BY r.id LIMIT 1)`,
    kind: 'substr(t.kind, 9)',
    movedAt: `(SELECT max(x.at) FROM ledger_entry e JOIN ledger_transfer x ON x.id = e.transfer_id WHERE e.account_id = t.id)`,
  },
  extra: { version: '1' },
  scope: { tenant: 'NULL::bigint', project: 'h.project_id', owner: 'NULL::bigint' },
  rowRules: { transfer: somethingLeft, refund: somethingLeft },
  ruleReads: ['balance'],
  handlers: {
    refund: payBack,
    transfer: async ({ tx, id, row, input, caller }) => {
      const from = String(row.kind).slice('prepaid_'.length) as PrepaidKind;
      await movePrepaid(
        tx,
        Number(row.owner),
        { from, to: input.to as PrepaidKind, amount: Number(input.amount) },
        { type: 'prepaid_move', id: `${id}:${crypto.randomUUID()}`, purpose: 'move' },
        staffIdOf(caller)!,
      );
      return {
        remark: `${yuanFromFen(Number(input.amount))} → ${String(input.to)} · ${String(input.reason)}`,
      };
    },
  },
}).registration;

function somethingLeft(row: Readonly<Record<string, unknown>>): Label | undefined {
  return Number(row.balance) > 0 ? undefined : ['余额为0', 'Nothing is left on it'];
}

/** Pays prepaid money back by way of the payments it came with, newest first; gifts and moved money are not among them. */
async function payBack(context: ActionContext): Promise<ActionResult> {
  const { tx, row, input } = context;
  const house = Number(row.owner);
  const kind = String(row.kind).slice('prepaid_'.length) as PrepaidKind;
  const [amount, reason] = [Number(input.amount), String(input.reason)];
  const payments = await aheadOf(tx, house, kind);
  await lockPrepaid(tx, house);
  const most = Math.min(
    await paidAheadOf(tx, house, kind),
    payments.reduce((sum, one) => sum + one.left, 0),
  );
  if (amount > most) throw tooMuch(most);
  let left = amount;
  const receipts: string[] = [];
  for (const one of payments) {
    const part = Math.min(left, one.left);
    if (part === 0) break;
    const at = (await runOne<{ tenantId: number; projectId: number }>(
      tx,
      'SELECT tenant_id AS "tenantId", project_id AS "projectId" FROM bill_payment WHERE id = $1',
      [one.id],
    ))!;
    await askRefundOf(
      context,
      { id: one.id, receiptNo: one.receipt_no, ...at },
      { amount: part, of: amount, reason },
    );
    receipts.push(one.receipt_no);
    left -= part;
  }
  context.platform.changed('billPayment');
  return { remark: `${yuanFromFen(amount)} · ${receipts.join('、')} · ${reason}` };
}
