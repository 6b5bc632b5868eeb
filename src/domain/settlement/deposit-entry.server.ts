import type { Label } from '../../kernel/contract/label.ts';
import { yuanFromFen } from '../../kernel/contract/money.rules.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { checkAttachable } from '../../kernel/server/files/files.ts';
import { notFound, ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Caller } from '../../kernel/server/people/caller.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { nextCode } from '../../kernel/server/resource/codes.ts';
import { insertRow, type ActionContext, type ActionResult } from '../../kernel/server/resource/run-action.ts';
import { bookDeposit, DEPOSIT_ASKED, depositSql, isBooked } from '../merchant/deposit.server.ts';
import { PAYABLE } from '../merchant/funds.server.ts';
import { notify } from '../notification/notify.server.ts';
import { listSight } from '../notification/row-sight.server.ts';
import { endOfWorkingDays } from '../statement/draft-statement.server.ts';
import { bookMoney } from './merchant-ledger.server.ts';

/** How timelines and audit records call entries of deposits. */
export const DEPOSIT = 'depositRecord';

/** Received money up to this is booked by one person; everything else is checked by a second. Source: group 13, Deposits. */
const UNCHECKED_UP_TO = 100_000;
/** Working days between telling a merchant of a deduction and booking it. */
const TOLD_DAYS = 3;

/** What an entry is about; money that comes in again is a top-up. */
export type DepositType = 'receive' | 'top_up' | 'deduct' | 'cover' | 'return';

/** Refusals of the database's own rules over entries. */
export const DEPOSIT_TAKEN = {
  deposit_entry_receipt: ['该回单号已录入', 'The receipt no. was entered already'],
  deposit_entry_cover_once: ['已有待复核的抵欠', 'A cover waits for its check already'],
} as const satisfies Readonly<Record<string, Label>>;

/** Why there is nothing to enter for a shop of the operator itself. */
export const SELF_OPERATED: Label = ['自营商户没有保证金', 'Self-operated merchants have no deposit'];
const TOO_LOW: Label = ['保证金不足', 'Deposit too low'];
const NOTHING_OWED: Label = ['没有可抵的欠款', 'There is nothing to cover'];

const CONFIRMED = `('to_pay', 'paying', 'failed', 'settled')`;
const onConfirmed = (type: string, id: string) =>
  `EXISTS (SELECT FROM statement_line c JOIN statement n ON n.id = c.statement_id
     WHERE c.source_type = '${type}' AND c.source_id = ${id} AND c.active AND n.state IN ${CONFIRMED})`;

/** SQL: what the merchant `t` still owes of statements that ended below zero, less what was covered since, in fen. */
export const OWED_OF = `greatest(0, -coalesce((SELECT sum(s.carry_out) FROM statement s WHERE s.tenant_id = t.id AND s.state IN ${CONFIRMED} AND s.carry_out < 0
    AND NOT ${onConfirmed('statement', 's.id')}), 0)
  - coalesce((SELECT sum(d.amount) FROM deposit_entry d WHERE d.tenant_id = t.id AND d.type = 'cover' AND d.state = 'booked' AND NOT ${onConfirmed('deposit_entry', 'd.id')}), 0))::bigint`;

/** SQL: how many of the latest confirmed statements of the merchant `t` ended below zero one after another. */
export const NEGATIVES_OF = `(SELECT count(*)::int FROM statement s WHERE s.tenant_id = t.id AND s.state IN ${CONFIRMED} AND s.carry_out < 0
    AND NOT EXISTS (SELECT FROM statement l WHERE l.tenant_id = t.id AND l.state IN ${CONFIRMED} AND l.carry_out >= 0 AND (l.period_to, l.id) > (s.period_to, s.id)))`;

/** What is asked to be entered. */
export interface DepositAsked {
  readonly tenantId: number;
  /** Received money becomes a top-up where some was there before. */
  readonly type: 'receive' | 'deduct' | 'cover' | 'return';
  readonly amount: number;
  readonly receiptNo?: string;
  readonly reason?: string;
  readonly evidence?: readonly string[];
  readonly caller: Caller;
}

/** The merchant's own people, who are told before money of its deposit is taken. */
export const depositOwners = listSight({
  entity: 'depositOwner',
  menu: 'mm_merchantInfo',
  table: 'tenant',
  where: 't.kind = 2',
  scope: {
    tenant: 't.id',
    project: (ids) =>
      `EXISTS (SELECT FROM tenant_project tp WHERE tp.tenant_id = t.id AND tp.project_id = ANY(${ids}::bigint[]))`,
    owner: 't.created_by',
  },
});

/**
 * Enters money of a deposit behind the merchant's lock: small receipts are booked at once, everything else waits for a second person.
 * Throws 30101 where the rules of the entry do not hold now.
 */
export async function enterDeposit(
  tx: Tx,
  platform: Platform,
  asked: DepositAsked,
): Promise<{ readonly id: number; readonly code: string; readonly booked: boolean }> {
  const { tenantId, amount, caller } = asked;
  await lockMerchant(tx, tenantId);
  await requireRules(tx, platform, { tenantId, type: asked.type, amount });
  const evidence = [...(asked.evidence ?? [])];
  await checkAttachable(tx, caller, 'evidence', evidence);
  const again = asked.type === 'receive' && (await hadDeposit(tx, tenantId));
  const type: DepositType = again ? 'top_up' : asked.type;
  const booked = asked.type === 'receive' && amount <= UNCHECKED_UP_TO;
  const code = await nextCode(tx, 'DP');
  const receiptNo = (asked.receiptNo ?? '').trim();
  if (asked.type === 'receive' && (await isBooked(tx, { tenantId, move: 'receive', reference: receiptNo })))
    throw ruleBroken(DEPOSIT_TAKEN.deposit_entry_receipt);
  const id = await insertRow(tx, 'deposit_entry', {
    code,
    tenant_id: tenantId,
    type,
    amount,
    receipt_no: receiptNo,
    reason: asked.reason ?? '',
    evidence_ids: evidence,
    state: booked ? 'booked' : 'to_check',
    booked_at: booked ? new Date() : null,
    not_before: type === 'deduct' ? await endOfWorkingDays(tx, new Date(), TOLD_DAYS) : null,
    maker_id: caller.staffId,
    created_by: caller.staffId,
    updated_by: caller.staffId,
  });
  await writeTimeline(tx, {
    entity: DEPOSIT,
    entityId: id,
    caller,
    action: 'create',
    label: ['录入', 'Entered'],
    to: booked ? 'booked' : 'to_check',
    remark: asked.reason ?? '',
  });
  if (booked) await bookEntry(tx, { id, code, tenantId, type, amount, receiptNo }, caller.staffId);
  if (type === 'deduct') await tellDeduction(tx, tenantId, amount, asked.reason ?? '');
  platform.changed(DEPOSIT);
  return { id, code, booked };
}

/** Enters what an action on a merchant's row asks for and answers with the number; the row's screen says how its receipt is called. */
export async function enterByAction(
  { tx, platform, id, input, caller }: ActionContext,
  type: DepositAsked['type'],
  receiptNo: unknown = input.receiptNo,
): Promise<ActionResult> {
  const { code, booked } = await enterDeposit(tx, platform, {
    tenantId: id,
    type,
    amount: Number(input.amount),
    receiptNo: String(receiptNo ?? ''),
    reason: String(input.reason ?? input.note ?? ''),
    evidence: (input.evidence ?? []) as readonly string[],
    caller,
  });
  return { remark: code, result: { code, booked } };
}

/** An entry as it is booked. */
export interface DepositEntry {
  readonly id: number;
  readonly code: string;
  readonly tenantId: number;
  readonly type: DepositType;
  readonly amount: number;
  readonly receiptNo: string;
}

/** Books an entry a second person has checked, if its rules hold still. */
export async function bookChecked(
  tx: Tx,
  platform: Platform,
  entry: DepositEntry,
  staffId: number,
): Promise<void> {
  await lockMerchant(tx, entry.tenantId);
  await requireRules(tx, platform, { ...entry, except: entry.id });
  await bookEntry(tx, entry, staffId);
}

async function bookEntry(tx: Tx, entry: DepositEntry, staffId: number): Promise<void> {
  const { code, tenantId, type, amount } = entry;
  if (type === 'cover') {
    // What the merchant owes is less at once; the next statement takes the entry over as a row.
    await bookMoney(tx, {
      tenantId,
      source: { type: 'deposit_entry', id: code, purpose: 'cover' },
      postings: { merchant_deposit: -amount, merchant_payable: amount },
      staffId,
      note: code,
    });
    return;
  }
  await bookDeposit(tx, {
    tenantId,
    move: type === 'top_up' ? 'receive' : type,
    amount,
    reference: code,
    staffId,
    note: entry.receiptNo,
  });
}

/** Holds a resident merchant, so that its deposit and what it owes stay as they are read. */
async function lockMerchant(tx: Tx, tenantId: number): Promise<void> {
  const merchant = await runOne<{ self: boolean }>(
    tx,
    `SELECT merchant_kind IS NOT DISTINCT FROM 'self' AS self FROM tenant WHERE id = $1 AND kind = 2 FOR NO KEY UPDATE`,
    [tenantId],
  );
  if (!merchant) throw notFound();
  if (merchant.self) throw ruleBroken(SELF_OPERATED);
}

async function hadDeposit(db: Executor, tenantId: number): Promise<boolean> {
  const row = await runOne(
    db,
    `SELECT FROM ledger_account a JOIN ledger_entry e ON e.account_id = a.id WHERE a.kind = 'merchant_deposit' AND a.owner = $1 AND a.unit = 'fen' LIMIT 1`,
    [String(tenantId)],
  );
  return row !== undefined;
}

interface Standing {
  readonly state: string | null;
  readonly held: number;
  readonly asked: number;
  readonly payable: number;
  readonly owed: number;
  readonly negatives: number;
  readonly open: number;
  readonly waits: boolean;
  readonly claimed: number;
}

/** What an entry needs, each with its refusal. Source: group 13, Deposits and Cover. */
async function requireRules(
  tx: Tx,
  platform: Platform,
  entry: {
    readonly tenantId: number;
    readonly type: DepositType;
    readonly amount: number;
    readonly except?: number;
  },
): Promise<void> {
  if (entry.type === 'receive' || entry.type === 'top_up') return;
  const scope = { tenantId: entry.tenantId };
  const wait = await platform.settings.numberIn(tx, 'deposit.return_wait_days', scope);
  const now = (await runOne<Standing>(
    tx,
    `SELECT t.merchant_state AS state, ${depositSql('t.id')} AS held, ${DEPOSIT_ASKED}::bigint AS asked, ${PAYABLE} AS payable, ${OWED_OF} AS owed, ${NEGATIVES_OF} AS negatives,
            (SELECT count(*)::int FROM sales_order o WHERE o.tenant_id = t.id AND o.state NOT IN ('completed', 'closed'))
              + (SELECT count(*)::int FROM after_sale c WHERE c.tenant_id = t.id AND after_sale_is_live(c.state)) AS open,
            EXISTS (SELECT FROM sales_order o WHERE o.tenant_id = t.id AND o.completed_at > now() - make_interval(days => $2)) AS waits,
            (SELECT coalesce(sum(d.amount), 0)::bigint FROM deposit_entry d WHERE d.tenant_id = t.id AND d.state = 'to_check' AND d.type IN ('deduct', 'cover', 'return') AND d.id <> $3) AS claimed
       FROM tenant t WHERE t.id = $1`,
    [entry.tenantId, wait, entry.except ?? 0],
  ))!;
  // What others have entered before is spoken for; at the check only the money itself counts.
  if (entry.amount > now.held - (entry.except === undefined ? now.claimed : 0)) throw ruleBroken(TOO_LOW);
  if (entry.type === 'cover') {
    const after = await platform.settings.numberIn(tx, 'settle.cover_after', scope);
    if (now.owed === 0) throw ruleBroken(NOTHING_OWED);
    if (now.state !== 'closing' && now.negatives < after)
      throw ruleBroken([
        `连续 ${after} 张结算单为负后才能抵欠`,
        `Only after ${after} statements below zero in a row`,
      ]);
    if (entry.amount > now.owed)
      throw ruleBroken([
        `最多可抵 ${yuanFromFen(now.owed)} 元`,
        `At most ${yuanFromFen(now.owed)} yuan can be covered`,
      ]);
  }
  if (entry.type !== 'return') return;
  if (now.state !== 'closing' && now.held - entry.amount < now.asked)
    throw ruleBroken([
      '商户清退或应缴降低后才能退还',
      'Given back only when the merchant closes or less is required',
    ]);
  if (now.payable < 0)
    throw ruleBroken([
      `商户欠款 ${yuanFromFen(-now.payable)} 元，不能退还`,
      `The merchant owes ${yuanFromFen(-now.payable)} yuan: nothing is given back`,
    ]);
  if (now.open > 0)
    throw ruleBroken([
      `还有 ${now.open} 笔未完成订单或售后，不能退还`,
      `${now.open} orders or after-sales are open: nothing is given back`,
    ]);
  if (now.waits)
    throw ruleBroken([
      `最后一笔订单完成未满 ${wait} 天，不能退还`,
      `Less than ${wait} days since the last completed order: nothing is given back`,
    ]);
}

async function tellDeduction(tx: Tx, tenantId: number, amount: number, reason: string): Promise<void> {
  const staff = await run<{ id: number }>(tx, 'SELECT id FROM staff WHERE tenant_id = $1', [tenantId]);
  const yuan = yuanFromFen(amount);
  await notify(tx, {
    kind: 'statement',
    staffIds: staff.map((one) => one.id),
    title: [
      `保证金将扣罚 ${yuan} 元，${TOLD_DAYS} 个工作日后入账；有异议请联系平台`,
      `${yuan} yuan of the deposit are deducted after ${TOLD_DAYS} working days; object at the platform`,
    ],
    body: [reason, reason],
    rows: { sight: depositOwners, ids: [tenantId] },
    route: `/serviceSourceManager/mm_merchantInfo/${tenantId}`,
  });
}
