import { dictionaryOptions } from '../../../domain/dictionary/dictionary.server.ts';
import { accrueInterest } from '../../../domain/receivable/dunning.server.ts';
import { confirmReceipt, prepaidSql } from '../../../domain/receivable/receipt.server.ts';
import { payerOf } from '../../../domain/receivable/payer.server.ts';
import {
  owedCharges,
  tellReceivables,
  voidReceivables,
  waiveCharges,
} from '../../../domain/receivable/receivable.server.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { checkAttachable } from '../../../kernel/server/files/files.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import type { Invariant, Registration } from '../../../kernel/server/registration.ts';
import { fromInput } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import {
  insertRow,
  type ActionContext,
  type ActionResult,
} from '../../../kernel/server/resource/run-action.ts';
import { decorMoneyMoved } from '../../home-furnishing/decor-order/decor-order-jobs.server.ts';
import { boundDecorOrder } from '../../home-furnishing/decor-order/decor-order.server.ts';
import { packageMoneyCame } from '../package-order/package-order-jobs.server.ts';
import { boundOrder } from '../package-order/package-order.server.ts';
import { receivable } from './receivable.contract.ts';
import { statementEndpoint } from './statement.server.ts';
import { askFor, RECEIVABLE_SCOPE, requestApprovals, requestSight } from './request-approval.server.ts';
import { TODAY } from '../../../kernel/server/today.ts';

const OWED = `t.state IN ('open', 'part')`;
/** What is owed; nothing of what is written off or void. */
const BALANCE = `(CASE WHEN t.state IN ('void', 'written_off') THEN 0 ELSE t.principal + t.charges - t.received END)`;
const DAYS = `(CASE WHEN ${OWED} THEN greatest(0, ${TODAY} - t.due_on) ELSE 0 END)`;
const BROKEN = `(${OWED} AND t.promised_on IS NOT NULL AND t.promised_on < ${TODAY})`;

const bound: BoundResource = bindResource(receivable, {
  table: 'receivable',
  from: `receivable t LEFT JOIN payer y ON y.id = t.payer_id LEFT JOIN member m ON m.id = y.member_id LEFT JOIN project p ON p.id = t.project_id
    LEFT JOIN biz_dict d ON d.id = t.reason_id`,
  joins: { owner: { table: 'staff', title: 'name' } },
  scope: RECEIVABLE_SCOPE,
  codePrefix: 'AR',
  search: `lower(t.code || ' ' || t.source_code)`,
  searchExact: ['m.phone', 'y.name'],
  columns: {
    source: 't.source_kind',
    member: { id: 'y.member_id', title: 'm.name' },
    payerName: `(CASE y.kind WHEN 'name' THEN y.name END)`,
    payer: 'y.name',
    phone: 'm.phone',
    project: { id: 't.project_id', title: 'p.name' },
    reason: { id: 't.reason_id', title: 'd.name', titleEn: 'd.name_en' },
    period: `(to_char(t.period_from, 'YYYY-MM-DD') || ' ~ ' || to_char(t.period_to, 'YYYY-MM-DD'))`,
    balance: BALANCE,
    days: DAYS,
    late: `(CASE WHEN ${DAYS} = 0 THEN 'none' WHEN ${DAYS} <= 30 THEN 'd30' WHEN ${DAYS} <= 60 THEN 'd60' WHEN ${DAYS} <= 90 THEN 'd90' WHEN ${DAYS} <= 120 THEN 'd120' ELSE 'more' END)`,
    broken: BROKEN,
    level: 't.dunning_level::text',
    changeReason: `''::text`,
  },
  writes: {
    member: false,
    payerName: false,
    changeReason: false,
  },
  tabs: {
    all: () => 'TRUE',
    owed: () => OWED,
    late: () => `(${OWED} AND t.due_on < ${TODAY})`,
    soon: () => `(${OWED} AND t.due_on BETWEEN ${TODAY} AND ${TODAY} + 30)`,
    broken: () => BROKEN,
  },
  extra: { prepaidBalance: prepaidSql('t.payer_id', 't.project_id') },
  ruleReads: ['prepaidBalance', 'source', 'disputed', 'charges'],
  rowRules: {
    prepaid: (row) =>
      Number(row.prepaidBalance) > 0 ? undefined : ['付款方没有预存余额', 'The payer has no prepaid balance'],
    waive: (row) =>
      Number(row.charges) > 0 ? undefined : ['没有可减免的费用', 'There are no charges to waive'],
    void: (row) =>
      row.source === 'manual' ? undefined : ['由来源单据决定，请修改来源', 'Set by its source document'],
    dispute: (row) => (row.disputed === true ? ['已标记争议', 'Disputed already'] : undefined),
    settle: (row) => (row.disputed === true ? undefined : ['没有争议', 'There is no dispute']),
  },
  before: [check],
  sets: {
    dispute: { disputed: true, dispute_note: fromInput('note') },
    settle: { disputed: false, dispute_note: '' },
    assign: { owner_id: fromInput('owner') },
    statement: {},
    collect: {},
  },
  handlers: {
    prepaid: usePrepaid,
    waive,
    writeOff: async (context): Promise<ActionResult> => {
      const { row, input, tx, caller } = context;
      const evidence = input.evidence as string[];
      await checkAttachable(tx, caller, 'evidence', evidence, []);
      return askFor(context, 'write_off', {
        amount: Number(row.principal) + Number(row.charges) - Number(row.received),
        reason: String(input.reason),
        files: evidence,
      });
    },
    void: async ({ tx, id, input }) => {
      await voidReceivables(tx, [id]);
      return { remark: String(input.reason) };
    },
  },
  endpoints: [statementEndpoint(() => bound)],
  also: {
    approvals: requestApprovals,
    sights: [requestSight],
    options: [dictionaryOptions({ catalogue: 'business', dictionary: 'receivable_reason' })],
    invariants: invariants(),
  },
});

/** Receivables. */
export const registration: Registration = bound.registration;

/** Looks at the values of the form. Source: group 19, accountsReceivableEdit. */
async function check({ action, input, row, columns, tx, caller }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  const problems: Record<string, Label> = {};
  const today = businessDayOf(new Date());
  const now = { ...row, ...columns };
  if (now.disputed === true && !String(now.dispute_note ?? '').trim())
    problems.disputeNote = ['有争议时请填写说明', 'Say what is disputed'];
  if (now.disputed !== true) columns.dispute_note = '';
  for (const name of ['dispute_note', 'remark']) if (columns[name] === null) columns[name] = '';
  if (action === 'create') {
    const who = payerAsked(input);
    if ('problem' in who) throw invalid({ payerName: who.problem });
    requireProjectsInReach(caller, [Number(input.project)]);
    if (String(input.dueOn) < today)
      problems.dueOn = ['到期日不能早于今天', 'The due day cannot lie before today'];
    if (Object.keys(problems).length > 0) throw invalid(problems);
    Object.assign(columns, {
      payer_id: await payerOf(tx, who.payer),
      source_kind: 'manual',
      posted_on: today,
    });
    return;
  }
  const due = String(input.dueOn ?? row.due_on);
  if (due < String(row.due_on)) problems.dueOn = ['到期日只能延后', 'The due day can only be put off'];
  else if (due > String(row.due_on) && !String(input.changeReason ?? '').trim())
    problems.changeReason = ['请填写延期原因', 'Say why it is put off'];
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

/** Exactly one of member and name says who pays. */
export function payerAsked(
  input: Readonly<Record<string, unknown>>,
): { readonly payer: { memberId: number } | { name: string } } | { readonly problem: Label } {
  const name = String(input.payerName ?? '').trim();
  if (input.member && name) return { problem: ['会员与名称只填一项', 'Either a member or a name'] };
  if (input.member) return { payer: { memberId: Number(input.member) } };
  return name
    ? { payer: { name } }
    : { problem: ['请选择会员或填写付款方名称', 'Choose a member or write the name of the payer'] };
}

/** Pays from the payer's prepaid account at once: a confirmed receipt of its own. */
async function usePrepaid(context: ActionContext): Promise<ActionResult> {
  const { tx, row, input, platform, caller, id } = context;
  const amount = Number(input.amount);
  const balance = Number(row.principal) + Number(row.charges) - Number(row.received);
  if (amount > balance) throw invalid({ amount: ['不能超过应收余额', 'More than what is owed'] });
  const staffId = staffIdOf(caller);
  const place = { projectId: Number(row.project_id) };
  const capBp = await platform.settings.numberIn(tx, 'receivable.charge_cap_bp', place);
  await accrueInterest(tx, [id], businessDayOf(new Date()), capBp, staffId);
  const code = await nextCode(tx, 'RC');
  const receipt = await insertRow(tx, 'receipt', {
    code,
    payer_id: row.payer_id,
    project_id: row.project_id,
    method: 'prepaid',
    amount,
    received_on: businessDayOf(new Date()),
    recorder_id: staffId,
    created_by: staffId,
    updated_by: staffId,
  });
  await insertRow(tx, 'receipt_allocation', { receipt_id: receipt, receivable_id: id, amount });
  const order = await platform.settings.textIn(tx, 'receipt.allocation_order', place);
  const done = await confirmReceipt(
    tx,
    { id: receipt, payer_id: Number(row.payer_id), method: 'prepaid', amount },
    order as 'principal_first' | 'charges_first',
    staffId,
  );
  await run(
    tx,
    `UPDATE receipt SET state = 'confirmed', confirmed_at = now(), confirmer_id = $2, allocated = $3, to_prepaid = 0 WHERE id = $1`,
    [receipt, staffId, done.allocated],
  );
  await packageMoneyCame(tx, platform, boundOrder, receipt);
  await decorMoneyMoved(tx, platform, boundDecorOrder, receipt);
  tellReceivables(platform);
  const now = await runOne<{ state: string }>(tx, 'SELECT state FROM receivable WHERE id = $1', [id]);
  return { to: now!.state, remark: `${code} ${yuanFromFen(amount)}` };
}

/** Small waivers count at once, larger ones wait for somebody else. */
async function waive(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, row, input, caller, id } = context;
  const amount = Number(input.amount);
  const charges = await owedCharges(tx, { id, charges: Number(row.charges) });
  if (amount > charges)
    throw ruleBroken(['减免不能超过未收费用', 'More than the charges that are still owed']);
  const limit = await platform.settings.numberIn(tx, 'receivable.waive_approval_fen', {
    projectId: Number(row.project_id),
  });
  // Pieces add up.
  const before = (await runOne<{ sum: number }>(
    tx,
    `SELECT coalesce(-sum(amount), 0)::bigint AS sum FROM receivable_charge WHERE receivable_id = $1 AND kind = 'waiver'`,
    [id],
  ))!;
  if (amount + before.sum > limit) return askFor(context, 'waiver', { amount, reason: String(input.reason) });
  await waiveCharges(tx, id, { amount, reason: String(input.reason), staffId: staffIdOf(caller) });
  const now = await runOne<{ state: string }>(tx, 'SELECT state FROM receivable WHERE id = $1', [id]);
  return { to: now!.state, remark: `${yuanFromFen(amount)} · ${String(input.reason)}` };
}

/** What must hold of receivables whatever happened. */
function invariants(): Invariant[] {
  const check = (name: string, broken: string): Invariant => ({
    name,
    check: async ({ database: { db } }) => {
      const looked = await run<{ n: number }>(db, 'SELECT count(*)::int AS n FROM receivable');
      const rows = await run<{ what: string }>(db, `${broken} LIMIT 200`);
      return { looked: looked[0]!.n, problems: rows.map((row) => row.what) };
    },
  });
  return [
    check(
      'receivable.received',
      `SELECT r.code || ': received ' || r.received || ', receipts gave ' || coalesce(x.sum, 0) AS what FROM receivable r LEFT JOIN (
         SELECT a.receivable_id, sum(a.amount) AS sum FROM receipt_allocation a JOIN receipt c ON c.id = a.receipt_id WHERE c.state = 'confirmed' GROUP BY 1) x
         ON x.receivable_id = r.id WHERE r.received <> coalesce(x.sum, 0)`,
    ),
    check(
      'receivable.charges',
      `SELECT r.code || ': charges ' || r.charges || ', lines say ' || coalesce(x.sum, 0) AS what FROM receivable r LEFT JOIN (
         SELECT receivable_id, sum(amount) AS sum FROM receivable_charge GROUP BY 1) x ON x.receivable_id = r.id WHERE r.charges <> coalesce(x.sum, 0)`,
    ),
    check(
      'receivable.prepaid',
      `SELECT 'payer ' || coalesce(x.owner, l.owner) || ': prepaid ' || coalesce(l.balance, 0) || ', receipts say ' || coalesce(x.sum, 0) AS what FROM (
         SELECT prepaid_owner(payer_id, project_id) AS owner, sum(v) AS sum FROM (
           SELECT payer_id, project_id, to_prepaid - CASE WHEN method = 'prepaid' THEN amount ELSE 0 END AS v FROM receipt WHERE state = 'confirmed'
           UNION ALL SELECT r.payer_id, r.project_id, f.amount FROM package_refund f JOIN receipt r ON r.id = f.receipt_id WHERE f.method = 'prepaid') w GROUP BY 1) x
         FULL JOIN (SELECT owner, balance FROM ledger_account WHERE kind = 'life_prepaid' AND unit = 'fen') l ON l.owner = x.owner
        WHERE coalesce(l.balance, 0) <> coalesce(x.sum, 0)`,
    ),
  ];
}
