import { bookChecked, DEPOSIT, type DepositType } from '../../../domain/settlement/deposit-entry.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { runOne } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { TodoKind } from '../../../kernel/server/registration.ts';
import { CALLER, fromInput } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { sqlInvariant } from '../../../kernel/server/sql-invariant.ts';
import { picturesOf } from '../../property/picture-columns.server.ts';
import { PLATFORM_SCOPE } from '../initiate/platform-scope.server.ts';
import { SETTLEMENT_MENU } from '../settlement/settlement.contract.ts';
import { depositRecord } from './deposit.contract.ts';

const TOLD_FIRST: Label = [
  '须在告知商户 3 个工作日后入账',
  'Booked only 3 working days after the merchant was told',
];
const SCOPE = PLATFORM_SCOPE('t.created_by');

const byOther = (row: DbRow, caller: Caller): Label | undefined =>
  Number(row.makerId) === caller.staffId
    ? ['不能复核自己的录入', 'You cannot check your own entry']
    : undefined;

/** Entries of deposits: what somebody else made is checked and booked here. */
export const registration = bindResource(depositRecord, {
  table: 'deposit_entry',
  entity: DEPOSIT,
  from: `deposit_entry t LEFT JOIN tenant m ON m.id = t.tenant_id`,
  scope: SCOPE,
  search: `lower(t.code || ' ' || t.receipt_no)`,
  joins: { maker: 'staff', checker: 'staff' },
  columns: {
    merchant: { id: 't.tenant_id', title: 'm.name' },
    receiptNo: `nullif(t.receipt_no, '')`,
    reason: `nullif(t.reason, '')`,
    refusal: `nullif(t.refusal, '')`,
    evidence: picturesOf('t.evidence_ids'),
    statement: `(SELECT s.code FROM statement_line c JOIN statement s ON s.id = c.statement_id WHERE c.source_type = 'deposit_entry' AND c.source_id = t.id AND c.active)`,
  },
  writes: { evidence: 'evidence_ids' },
  extra: { makerId: 't.maker_id', early: `coalesce(t.not_before > now(), false)` },
  ruleReads: ['makerId', 'early'],
  rowRules: {
    check: (row, caller) => byOther(row, caller) ?? (row.early === true ? TOLD_FIRST : undefined),
    refuse: byOther,
  },
  sets: { refuse: { refusal: fromInput('reason'), checker_id: CALLER } },
  handlers: {
    check: async ({ tx, platform, id, row, caller }) => {
      const early = await runOne(tx, 'SELECT FROM deposit_entry WHERE id = $1 AND not_before > now()', [id]);
      if (early) throw ruleBroken(TOLD_FIRST);
      await bookChecked(
        tx,
        platform,
        {
          id,
          code: String(row.code),
          tenantId: Number(row.tenant_id),
          type: row.type as DepositType,
          amount: Number(row.amount),
          receiptNo: String(row.receipt_no),
        },
        caller.staffId,
      );
      for (const entity of ['merchantFund', 'depositAccount', 'depositEntry']) platform.changed(entity);
      return { set: { checker_id: caller.staffId, booked_at: new Date() } };
    },
  },
  also: {
    todos: [depositsToCheck()],
    invariants: [
      sqlInvariant(
        'deposit.booked',
        `SELECT d.code AS what, ARRAY[(SELECT coalesce(sum(e.amount), 0) FROM ledger_transfer l JOIN ledger_entry e ON e.transfer_id = l.id JOIN ledger_account a ON a.id = e.account_id
              WHERE a.kind = 'merchant_deposit' AND a.owner = d.tenant_id::text AND ((l.source_type = 'deposit_entry' AND l.source_id = d.code)
                OR (l.source_type = 'merchant_deposit' AND l.source_id = d.tenant_id || ':' || d.code)))] AS found,
            ARRAY[CASE WHEN d.state <> 'booked' THEN 0 WHEN d.type IN ('receive', 'top_up') THEN d.amount ELSE -d.amount END] AS wanted FROM deposit_entry d`,
      ),
    ],
  },
}).registration;

/** Entries that wait for a second person. */
function depositsToCheck(): TodoKind {
  return {
    kind: 'depositToCheck',
    label: ['待复核保证金', 'Deposits to check'],
    menu: SETTLEMENT_MENU,
    route: `/financialManage/${SETTLEMENT_MENU}?as=depositEntries&tab=toCheck`,
    order: 178,
    count: async ({ caller, platform }) => {
      const parameters = new Parameters();
      const seen = scopeCondition(caller, SETTLEMENT_MENU, SCOPE, parameters);
      const row = await runOne<{ count: number; oldest: Date | null; overdue: number }>(
        platform.database.db,
        `SELECT count(*)::int AS count, min(t.created_at) AS oldest, (count(*) FILTER (WHERE coalesce(t.not_before, t.created_at) < now() - interval '1 day'))::int AS overdue
           FROM deposit_entry t WHERE t.state = 'to_check' AND ${seen}`,
        parameters.values,
      );
      return row!;
    },
  };
}
