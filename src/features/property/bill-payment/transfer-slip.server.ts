import { requireOpenDay } from '../../../domain/charging/cash-close.server.ts';
import { ordersOf, today } from '../../../domain/charging/collect.server.ts';
import { settleOrder } from '../../../domain/charging/online-order.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { staffIdOf, type Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { picturesOf } from '../picture-columns.server.ts';
import { PAYMENT_MENU, transferSlip } from './bill-payment.contract.ts';

const SCOPE: ScopeColumns = { tenant: 'NULL::bigint', project: 't.project_id', owner: 't.created_by' };
const NOT_OWN: Label = ['须由另一人确认', 'Another person confirms it'];
const byAnother = (row: DbRow, caller: Caller) =>
  Number(row.recorderId) === caller.staffId ? NOT_OWN : undefined;

/** Transfers that were recorded with their slip. Source: group 06, cs_propertyBill, btn_confirm and btn_reject. */
const bound: BoundResource = bindResource(transferSlip, {
  table: 'online_bill_order',
  entity: 'transferSlip',
  from: `online_bill_order t LEFT JOIN house h ON h.id = t.house_id LEFT JOIN building_unit u ON u.id = h.unit_id LEFT JOIN building b ON b.id = u.building_id
    LEFT JOIN project p ON p.id = t.project_id LEFT JOIN staff s ON s.id = t.created_by LEFT JOIN staff d ON d.id = t.decided_by LEFT JOIN bill_payment y ON y.id = t.payment_id`,
  where: `t.channel = 'transfer'`,
  columns: {
    project: { id: 't.project_id', title: 'p.name' },
    house: { id: 't.house_id', title: '(b.name || u.name || h.number)' },
    slips: picturesOf('t.slip_ids'),
    valueDate: `(t.wanted ->> 'valueDate')::date`,
    recorder: { id: 't.created_by', title: 's.name' },
    decidedBy: { id: 't.decided_by', title: 'd.name' },
    receipt: `coalesce(y.receipt_no, '')`,
  },
  scope: SCOPE,
  search: 'lower(t.code)',
  extra: { recorderId: 't.created_by' },
  ruleReads: ['recorderId'],
  rowRules: { confirm: byAnother, reject: byAnother },
  handlers: {
    confirm: async ({ tx, platform, row, caller }) => {
      const staffId = staffIdOf(caller)!;
      const projectId = Number(row.project_id);
      // It counts among the transfers of whoever looked at the bank.
      await requireOpenDay(tx, staffId, projectId, [today()]);
      const paymentId = await settleOrder(
        tx,
        await ordersOf(platform, projectId),
        { code: String(row.code), tradeNo: String(row.trade_no), amount: Number(row.amount) },
        staffId,
      );
      const payment = await runOne<{ receipt_no: string }>(
        tx,
        'SELECT receipt_no FROM bill_payment WHERE id = $1',
        [paymentId],
      );
      for (const name of ['bill', 'billPayment', 'prepaidAccount']) platform.changed(name);
      return { remark: payment!.receipt_no };
    },
    reject: async ({ tx, platform, id, input, caller }) => {
      await run(tx, 'DELETE FROM online_bill_hold WHERE order_id = $1', [id]);
      platform.changed('bill');
      return {
        set: { reject_reason: input.reason, decided_by: staffIdOf(caller), decided_at: new Date() },
        remark: String(input.reason),
      };
    },
  },
  also: {
    todos: [
      {
        kind: 'transferSlip.confirm',
        label: ['转账待确认', 'Transfers to confirm'],
        menu: PAYMENT_MENU,
        route: `/companymanager/${PAYMENT_MENU}?part=slips&tab=held`,
        order: 47,
        count: async ({ caller, platform }) => {
          if (!caller.elements.has(`${PAYMENT_MENU}:btn_confirm`))
            return { count: 0, oldest: null, overdue: 0 };
          const parameters = new Parameters();
          const seen = scopeCondition(caller, PAYMENT_MENU, SCOPE, parameters);
          const row = await runOne<{ count: number; oldest: Date | null }>(
            platform.database.db,
            `SELECT count(*)::int AS count, min(t.created_at) AS oldest FROM online_bill_order t WHERE t.channel = 'transfer' AND t.state = 'held' AND ${seen}`,
            parameters.values,
          );
          return { ...row!, overdue: 0 };
        },
      },
    ],
  },
});

/** Transfer slips. */
export const registration = bound.registration;
