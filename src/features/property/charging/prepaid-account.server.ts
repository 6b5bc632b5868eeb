import { movePrepaid } from '../../../domain/charging/prepaid.server.ts';
import type { PrepaidKind } from '../../../domain/charging/bill-record.server.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
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
  rowRules: {
    transfer: (row) => (Number(row.balance) > 0 ? undefined : ['余额为0', 'Nothing is left on it']),
  },
  ruleReads: ['balance'],
  handlers: {
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
