import { CONTRACT_SCOPE, RUN_MENU } from '../../../domain/contract/contract-sight.server.ts';
import { issueLine } from '../../../domain/contract/contract-money.server.ts';
import { tellReceivables } from '../../../domain/receivable/receivable.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { runOne } from '../../../kernel/server/database.ts';
import { checkAttachable } from '../../../kernel/server/files/files.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { scopeCondition } from '../../../kernel/server/people/scope.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import {
  insertRow,
  type ActionContext,
  type ActionResult,
} from '../../../kernel/server/resource/run-action.ts';
import { TODAY } from '../../../kernel/server/today.ts';
import { contractPayment } from './contract.contract.ts';

/** What changes of the contract took off a line (\`t\`) that is paid out, in fen, below 0; what they add has lines of its own. */
const LOWERED = `(SELECT coalesce(sum(a.amount), 0)::bigint FROM contract_payment a WHERE a.adjusts_id = t.id AND a.amount < 0 AND a.state <> 'void')`;
const OWED = `(CASE WHEN t.state = 'void' THEN 0 WHEN t.receivable_id IS NOT NULL AND r.state = 'written_off' THEN 0
  WHEN t.receivable_id IS NOT NULL THEN r.principal + r.charges - r.received WHEN t.state = 'paid' THEN 0 ELSE greatest(t.amount + ${LOWERED} - t.paid, 0) END)`;
const LATE = `(t.due_on < ${TODAY} AND ${OWED} > 0)`;
/** Money goes out for it: expenses and returned deposits. */
const OUT = `(c.direction = 'expense' OR t.kind = 'deposit_return')`;
const NOT_IN: Label = ['支出或退押金的计划行请登记付款', 'It is paid out, not collected'];
const NOT_OUT: Label = ['收入的计划行不能登记付款', 'It is collected, not paid out'];
const NO_RECEIVABLE: Label = ['没有应收', 'There is no receivable'];

/** Lines of the plans of contracts that are in execution. */
export const registration = bindResource(contractPayment, {
  table: 'contract_payment',
  from: `contract_payment t LEFT JOIN contract c ON c.id = t.contract_id LEFT JOIN project p ON p.id = c.project_id LEFT JOIN receivable r ON r.id = t.receivable_id`,
  where: `EXISTS (SELECT FROM contract x WHERE x.id = t.contract_id AND x.state IN ('active', 'expiring', 'expired', 'terminated'))`,
  scope: {
    tenant: 'none',
    project: 'none',
    owner: 'NULL::bigint',
    own: (caller, parameters) =>
      `t.contract_id IN (SELECT t.id FROM contract t WHERE ${scopeCondition(caller, RUN_MENU, CONTRACT_SCOPE, parameters)})`,
  },
  columns: {
    contract: { id: 't.contract_id', title: 'c.code' },
    contractName: 'c.name',
    party: 'c.party_text',
    project: { id: 'c.project_id', title: 'p.name' },
    direction: 'c.direction',
    period: `(t.period_from || ' ~ ' || t.period_to)`,
    received: 'coalesce(r.received, t.paid)',
    balance: OWED,
    days: `(CASE WHEN ${LATE} THEN ${TODAY} - t.due_on ELSE 0 END)`,
    overdue: LATE,
    receivable: 'r.code',
    receiptCode: `(SELECT string_agg(x.code, '、' ORDER BY x.code) FROM receipt_allocation a JOIN receipt x ON x.id = a.receipt_id
      WHERE a.receivable_id = t.receivable_id AND x.state = 'confirmed' AND x.reversal_of IS NULL AND NOT EXISTS (SELECT FROM receipt b WHERE b.reversal_of = x.id))`,
    receivableId: 't.receivable_id::text',
    reason: `coalesce(nullif(t.reason, ''), nullif(t.name, ''))`,
  },
  extra: { goesOut: OUT, hasReceivable: 't.receivable_id IS NOT NULL', lineAmount: 't.amount' },
  ruleReads: ['goesOut', 'hasReceivable'],
  rowRules: {
    issue: (row: DbRow) => (row.goesOut === true ? NOT_IN : undefined),
    pay: (row: DbRow) => (row.goesOut === true ? undefined : NOT_OUT),
    receipt: (row: DbRow) => (row.hasReceivable === true ? undefined : NO_RECEIVABLE),
    dun: (row: DbRow) => (row.hasReceivable === true ? undefined : NO_RECEIVABLE),
  },
  sets: { receipt: {}, dun: {} },
  handlers: {
    issue: async ({ tx, id, caller, platform }): Promise<ActionResult> => {
      const made = await issueLine(tx, id, staffIdOf(caller));
      tellReceivables(platform);
      return { to: made === null ? 'paid' : 'issued' };
    },
    pay,
  },
}).registration;

/** Records money that went out for a line, at most what is left of it. */
async function pay({ tx, id, row, input, caller }: ActionContext): Promise<ActionResult> {
  const amount = Number(input.amount);
  const { due } = (await runOne<{ due: number }>(
    tx,
    `SELECT t.amount + ${LOWERED} AS due FROM contract_payment t WHERE t.id = $1`,
    [id],
  ))!;
  const left = Math.max(0, due - Number(row.paid));
  if (amount > left)
    throw invalid({
      amount: [`不能超过余额 ${yuanFromFen(left)}`, `Not above what is left, ${yuanFromFen(left)}`],
    });
  if (String(input.paidOn) > businessDayOf(new Date()))
    throw invalid({ paidOn: ['不能晚于今天', 'Not later than today'] });
  const voucher = input.voucher as string[];
  await checkAttachable(tx, caller, 'voucher', voucher);
  await insertRow(tx, 'contract_payout', {
    payment_id: id,
    paid_on: input.paidOn,
    amount,
    method: input.method,
    voucher_ids: voucher,
    note: input.note ?? '',
    created_by: staffIdOf(caller),
  });
  const paid = (await runOne<{ sum: number }>(
    tx,
    'SELECT sum(amount)::bigint AS sum FROM contract_payout WHERE payment_id = $1',
    [id],
  ))!.sum;
  return {
    to: paid === due ? 'paid' : 'part',
    set: { paid },
    remark: `${yuanFromFen(amount)} · ${String(input.paidOn)}`,
  };
}
