import { z } from 'zod';
import { accrueInterest } from '../../../domain/receivable/dunning.server.ts';
import { payerOf } from '../../../domain/receivable/payer.server.ts';
import {
  confirmReceipt,
  reverseReceipt,
  type ReceiptRow,
} from '../../../domain/receivable/receipt.server.ts';
import { tellReceivables } from '../../../domain/receivable/receivable.server.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf, type Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, placeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { endpoint, type OptionSource, type Registration } from '../../../kernel/server/registration.ts';
import { fromInput } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { checkPictures, picturesOf } from '../../property/picture-columns.server.ts';
import { decorMoneyMoved } from '../../home-furnishing/decor-order/decor-order-jobs.server.ts';
import { boundDecorOrder } from '../../home-furnishing/decor-order/decor-order.server.ts';
import { packageMoneyCame } from '../package-order/package-order-jobs.server.ts';
import { boundOrder } from '../package-order/package-order.server.ts';
import { payerAsked } from '../receivable/receivable.server.ts';
import { RECEIVABLE_SCOPE } from '../receivable/request-approval.server.ts';
import { bankImport } from './receipt-import.server.ts';
import { findMatch } from './receipt-match.server.ts';
import { RECEIPT_MENU, receipt, RECORDED_METHODS, type OpenReceivable } from './receipt.contract.ts';

/** Where a receipt (`t`) stands. */
const SCOPE: ScopeColumns = { tenant: 'NULL::bigint', project: 't.project_id', owner: 't.recorder_id' };

/** Lines that take money; what was written off may still be paid. */
const TAKES = `t.state IN ('open', 'part', 'written_off')`;

const OWN_RECEIPT: Label = ['不能确认自己登记的收款', 'You cannot confirm your own receipt'];

/** Whether the project asks for two people, so that whoever recorded it sees no button. */
const FOUR_EYES = `coalesce((SELECT v.value FROM setting_override v WHERE v.key = 'receipt.four_eyes' AND v.project_id = t.project_id),
  (SELECT v.value FROM setting v WHERE v.key = 'receipt.four_eyes'), 'true'::jsonb) = 'true'::jsonb`;

const bound: BoundResource = bindResource(receipt, {
  table: 'receipt',
  from: `receipt t LEFT JOIN payer y ON y.id = t.payer_id LEFT JOIN member m ON m.id = y.member_id LEFT JOIN project p ON p.id = t.project_id
    LEFT JOIN staff s ON s.id = t.recorder_id LEFT JOIN staff c ON c.id = t.confirmer_id LEFT JOIN receipt v ON v.id = t.reversal_of`,
  scope: SCOPE,
  codePrefix: 'RC',
  search: `lower(t.code || ' ' || t.slip_no || ' ' || t.payer_name)`,
  searchExact: ['m.phone', 'y.name'],
  lines: {
    allocations: {
      table: 'receipt_allocation',
      own: 'receipt_id',
      joins: { receivable: { table: 'receivable', title: 'code' } },
    },
  },
  columns: {
    member: { id: 'y.member_id', title: 'm.name' },
    payerTitle: `(CASE y.kind WHEN 'name' THEN y.name END)`,
    payer: 'y.name',
    phone: 'm.phone',
    project: { id: 't.project_id', title: 'p.name' },
    vouchers: picturesOf('t.voucher_ids'),
    allocated: `(CASE t.state WHEN 'confirmed' THEN t.allocated ELSE (SELECT coalesce(sum(a.amount), 0)::bigint FROM receipt_allocation a WHERE a.receipt_id = t.id) END)`,
    recorder: { id: 't.recorder_id', title: 's.name' },
    confirmer: { id: 't.confirmer_id', title: 'c.name' },
    reverses: 'v.code',
    reversed: `EXISTS (SELECT FROM receipt x WHERE x.reversal_of = t.id)`,
  },
  writes: { member: false, payerTitle: false, vouchers: 'voucher_ids' },
  unique: { receipt_slip: ['该流水号已登记', 'Slip already recorded'] },
  tabs: {
    all: () => 'TRUE',
    to_confirm: () => `t.state = 'to_confirm'`,
    confirmed: () => `t.state = 'confirmed'`,
    rejected: () => `t.state = 'rejected'`,
  },
  extra: { recorderId: 't.recorder_id', editorId: 't.editor_id', fourEyes: FOUR_EYES },
  ruleReads: ['amount', 'reversed', 'recorderId', 'editorId', 'fourEyes'],
  rowRules: {
    confirm: (row, caller) =>
      row.fourEyes === true &&
      [row.recorderId, row.editorId].some((one) => one !== null && Number(one) === caller.staffId)
        ? OWN_RECEIPT
        : undefined,
    print: (row) => (row.reversed === true ? ['已冲销', 'Reversed already'] : undefined),
    reverse: (row) =>
      Number(row.amount) < 0
        ? ['冲销记录不能再冲销', 'A reversal is not reversed']
        : row.reversed === true
          ? ['已冲销', 'Reversed already']
          : undefined,
  },
  before: [check],
  sets: { reject: { reject_reason: fromInput('reason') }, print: {} },
  handlers: {
    confirm,
    match: matchReceipt,
    reverse,
  },
  also: { options: [openReceivables()], imports: [bankImport] },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/receipt/openLines',
      title: ['付款方未收清的应收', 'What a payer still owes'],
      access: { anyOf: [`${RECEIPT_MENU}:btn_add`, `${RECEIPT_MENU}:btn_edit`] },
      query: z.strictObject({
        member: z
          .string()
          .regex(/^\d{1,15}$/)
          .optional(),
        payerTitle: z.string().max(60).optional(),
        receipt: z
          .string()
          .regex(/^\d{1,15}$/)
          .optional(),
      }),
      handle: async ({ platform, caller, query }): Promise<readonly OpenReceivable[]> => {
        const parameters = new Parameters();
        const seen = placeCondition(caller, RECEIVABLE_SCOPE, parameters);
        const who = query.receipt
          ? `t.payer_id = (SELECT r.payer_id FROM receipt r WHERE r.id = ${parameters.bind(query.receipt)})`
          : query.member
            ? `y.member_id = ${parameters.bind(query.member)}`
            : `y.kind = 'name' AND y.name = ${parameters.bind((query.payerTitle ?? '').trim())}`;
        const rows = await run<{ id: number; code: string; source: string; due: string; balance: number }>(
          platform.database.db,
          `SELECT t.id, t.code, t.source_code AS source, t.due_on::text AS due, t.principal + t.charges - t.received AS balance
             FROM receivable t JOIN payer y ON y.id = t.payer_id WHERE ${TAKES} AND ${who} AND ${seen} ORDER BY t.due_on, t.code LIMIT 200`,
          parameters.values,
        );
        return rows.map((row) => ({
          id: String(row.id),
          code: row.code,
          source: row.source,
          dueOn: row.due,
          balance: yuanFromFen(row.balance),
        }));
      },
    }),
  ],
});

/** Receipts. */
export const registration: Registration = bound.registration;

/** Looks at the values of the form. Source: group 19, accountsConfirmEdit. */
async function check(context: ActionContext): Promise<void> {
  const { action, input, row, columns, tx, caller, id } = context;
  if (action !== 'create' && action !== 'update') return;
  const problems: Record<string, Label> = {};
  if (action === 'create') {
    const who = payerAsked({ member: input.member, payerName: input.payerTitle });
    if ('problem' in who) throw invalid({ payerTitle: who.problem });
    requireProjectsInReach(caller, [Number(input.project)]);
    columns.payer_id = await payerOf(tx, who.payer);
    columns.recorder_id = staffIdOf(caller);
  }
  for (const name of ['payer_name', 'bank', 'slip_no', 'note'])
    if (columns[name] === null) columns[name] = '';
  if (columns.voucher_ids === null) columns.voucher_ids = [];
  const now: DbRow = { ...row, ...columns };
  if (!RECORDED_METHODS.includes(String(now.method)))
    problems.method = ['余额抵扣请在应收上操作', 'Prepaid money is used from the receivable'];
  if (String(now.received_on) > businessDayOf(new Date()))
    problems.receivedOn = ['收款日期不能晚于今天', 'It cannot lie after today'];
  if (['transfer', 'cheque'].includes(String(now.method))) {
    if (!now.bank) problems.bank = ['请填写银行', 'Write the bank'];
    if (!now.slip_no) problems.slipNo = ['请填写流水号', 'Write the slip number'];
  }
  const vouchers = (now.voucher_ids ?? []) as string[];
  if (now.method === 'transfer' && vouchers.length === 0)
    problems.vouchers = ['请上传转账凭证', 'Upload the voucher'];
  if (input.vouchers !== undefined)
    await checkPictures(context, 'vouchers', vouchers, (row.voucher_ids ?? []) as string[]);
  if (Object.keys(problems).length > 0) throw invalid(problems);
  if (now.slip_no) await refuseKnownSlip(tx, now, action === 'update' ? id : 0);
  const parts = input.allocations as readonly { receivable: number; amount: number }[] | undefined;
  if (parts !== undefined) await checkParts(tx, caller, parts, now);
  else if (action === 'update' && columns.amount !== undefined) {
    const sum = await runOne<{ sum: number }>(
      tx,
      'SELECT coalesce(sum(amount), 0)::bigint AS sum FROM receipt_allocation WHERE receipt_id = $1',
      [id],
    );
    if (sum!.sum > Number(now.amount)) throw invalid({ amount: TOO_MUCH });
  }
  if (action !== 'update') return;
  columns.reject_reason = '';
  // Whoever changes what is booked has as good as recorded it.
  if (BOOKED.some((name) => input[name] !== undefined)) columns.editor_id = staffIdOf(caller);
}

/** What of a receipt is booked with its confirmation. */
const BOOKED = ['project', 'method', 'amount', 'receivedOn', 'allocations'] as const;

const TOO_MUCH: Label = ['分配合计超过收款金额', 'The parts are more than the amount'];

async function refuseKnownSlip(tx: Tx, now: DbRow, id: number): Promise<void> {
  const known = await runOne<{ code: string }>(
    tx,
    `SELECT code FROM receipt WHERE bank = $1 AND slip_no = $2 AND reversal_of IS NULL AND id <> $3`,
    [now.bank, now.slip_no, id],
  );
  if (known) throw ruleBroken([`该流水号已登记：${known.code}`, `Slip already recorded: ${known.code}`]);
}

async function checkParts(
  tx: Tx,
  caller: Caller,
  parts: readonly { readonly receivable: number; readonly amount: number }[],
  now: DbRow,
): Promise<void> {
  const refuse = (label: Label) => {
    throw invalid({ allocations: label });
  };
  const ids = parts.map((part) => Number(part.receivable));
  if (new Set(ids).size < ids.length) refuse(['同一应收只能分配一次', 'Each receivable once']);
  if (parts.reduce((sum, part) => sum + Number(part.amount), 0) > Number(now.amount)) refuse(TOO_MUCH);
  const rows = await seenLines(tx, caller, ids);
  for (const part of parts) {
    const row = rows.get(Number(part.receivable));
    if (!row) return refuse(['应收不存在或不在您的范围', 'There is no such receivable in your scope']);
    if (row.payer_id !== Number(now.payer_id))
      refuse([`${row.code} 的付款方不同`, `${row.code} is owed by somebody else`]);
    if (Number(part.amount) > row.balance)
      refuse([
        `${row.code} 余额 ${yuanFromFen(row.balance)}，分配超出`,
        `${row.code} owes ${yuanFromFen(row.balance)} only`,
      ]);
  }
}

async function seenLines(db: Executor, caller: Caller, ids: readonly number[]) {
  const parameters = new Parameters();
  const seen = placeCondition(caller, RECEIVABLE_SCOPE, parameters);
  const rows = await run<{ id: number; code: string; payer_id: number; balance: number }>(
    db,
    `SELECT t.id, t.code, t.payer_id, t.principal + t.charges - t.received AS balance FROM receivable t
      WHERE ${TAKES} AND t.id = ANY(${parameters.bind(ids)}::bigint[]) AND ${seen}`,
    parameters.values,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Books it; another than the recorder does, unless the setting says otherwise. */
async function confirm({ tx, row, id, caller, platform }: ActionContext): Promise<ActionResult> {
  const staffId = staffIdOf(caller);
  const place = { projectId: Number(row.project_id) };
  if (
    [row.recorder_id, row.editor_id].some((one) => Number(one) === staffId) &&
    (await platform.settings.flagIn(tx, 'receipt.four_eyes', place))
  )
    throw ruleBroken(OWN_RECEIPT);
  const order = await platform.settings.textIn(tx, 'receipt.allocation_order', place);
  await accrueInterest(
    tx,
    await proposedLines(tx, id),
    String(row.received_on),
    await platform.settings.numberIn(tx, 'receivable.charge_cap_bp', place),
    staffId,
  );
  const done = await confirmReceipt(
    tx,
    { ...(row as unknown as ReceiptRow), id },
    order as 'principal_first' | 'charges_first',
    staffId,
  );
  await packageMoneyCame(tx, platform, boundOrder, id);
  await decorMoneyMoved(tx, platform, boundDecorOrder, id);
  tellReceivables(platform);
  return {
    set: { ...done, confirmed_at: new Date(), confirmer_id: staffId },
    ...(done.to_prepaid > 0
      ? { remark: `转预存 ${yuanFromFen(done.to_prepaid)} / to prepaid ${yuanFromFen(done.to_prepaid)}` }
      : {}),
  };
}

async function proposedLines(tx: Tx, id: number): Promise<readonly number[]> {
  const rows = await run<{ id: number }>(
    tx,
    'SELECT receivable_id AS id FROM receipt_allocation WHERE receipt_id = $1 ORDER BY 1',
    [id],
  );
  return rows.map((row) => row.id);
}

/** Takes it back by a negative receipt. */
async function reverse({ tx, row, id, caller, input, platform }: ActionContext): Promise<ActionResult> {
  const code = await nextCode(tx, 'RC');
  const reversal = await reverseReceipt(
    tx,
    { ...(row as unknown as ReceiptRow & { to_prepaid: number; allocated: number }), id },
    code,
    staffIdOf(caller),
    String(input.reason),
  );
  await decorMoneyMoved(tx, platform, boundDecorOrder, reversal);
  tellReceivables(platform);
  return { remark: `${code} · ${String(input.reason)}`, result: { id: String(reversal) } };
}

/** Proposes where it goes, of what its payer owes. */
async function matchReceipt({ tx, row, id, caller }: ActionContext): Promise<ActionResult> {
  const { match, note, parts } = await findMatch(tx, caller, {
    note: String(row.note),
    payerName: String(row.payer_name),
    amount: Number(row.amount),
    payerId: Number(row.payer_id),
  });
  await run(tx, 'DELETE FROM receipt_allocation WHERE receipt_id = $1', [id]);
  for (const [position, part] of parts.entries())
    await run(
      tx,
      'INSERT INTO receipt_allocation (receipt_id, position, receivable_id, amount) VALUES ($1, $2, $3, $4)',
      [id, position, part.id, part.amount],
    );
  return { set: { match, match_note: note }, remark: note };
}

/** Receivables that take money, where the caller works; by code. */
function openReceivables(): OptionSource {
  return {
    target: 'openReceivable',
    anyOf: [RECEIPT_MENU],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [placeCondition(caller, RECEIVABLE_SCOPE, parameters)];
      if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      else parts.push(TAKES);
      if (query.searchVal)
        parts.push(
          `position(lower(${parameters.bind(query.searchVal)}) IN lower(t.code || ' ' || t.source_code)) > 0`,
        );
      const rows = await run<{ id: number; title: string; balance: number }>(
        platform.database.db,
        `SELECT t.id, t.code AS title, t.principal + t.charges - t.received AS balance FROM receivable t WHERE ${parts.join(' AND ')}
          ORDER BY t.id DESC LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({
        id: String(row.id),
        title: row.title,
        note: `¥${yuanFromFen(row.balance)}`,
      }));
    },
  };
}
