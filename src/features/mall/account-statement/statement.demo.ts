import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo, type DemoContext } from '../../../kernel/server/demo.ts';
import { openFileStore } from '../../../kernel/server/files/file-store.ts';
import { addDays, businessDayOf, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import {
  draftStatement,
  STATEMENT,
  submitStatement,
} from '../../../domain/statement/draft-statement.server.ts';
import { lastPeriod, payOrCarry } from '../../../domain/statement/settlement.rules.ts';
import { bookArrived, bookConfirmed, bookPaying } from '../../../domain/settlement/statement-money.server.ts';
import { statement } from './statement.contract.ts';
import { voucherPicture } from './voucher-picture.server.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Smallest payout of the demonstration, the default of settle.min_pay. */
const LEAST = 10_000;
const BANKS = ['中国工商银行', '招商银行', '中国建设银行', '上海银行', '中国农业银行'];

/** What becomes of a bill: by how many months ago its period ended, and the merchant's place in the list. */
type Fate = 'settled' | 'paid_late' | 'to_pay' | 'failed' | 'disputed' | 'to_confirm';

const fateOf = (monthsAgo: number, place: number): Fate => {
  if (monthsAgo > 2) return 'settled';
  if (monthsAgo === 2) return place % 3 === 1 ? 'to_pay' : 'paid_late';
  return (['to_confirm', 'disputed', 'to_pay', 'to_confirm', 'failed'] as const)[place % 5]!;
};

/** Bills of the months that are over, from the orders as they were sold. */
export const demo = defineDemo({
  key: 'statements',
  after: ['merchants', 'channelBills', 'merchantPayees'],
  run: async (context) => {
    const { tx, now, random } = context;
    const merchants = await run<{
      id: number;
      name: string;
      staff_id: number | null;
      staff_name: string | null;
    }>(
      tx,
      `SELECT t.id, t.name, s.id AS staff_id, s.name AS staff_name FROM tenant t
         LEFT JOIN LATERAL (SELECT id, name FROM staff WHERE tenant_id = t.id ORDER BY id LIMIT 1) s ON true
        WHERE t.kind = 2 AND t.merchant_kind IS DISTINCT FROM 'self' ORDER BY t.id`,
    );
    const vouchers = await slips(context);
    const months: { from: string; to: string }[] = [];
    for (let today = businessDayOf(now); months.length < 4; today = months.at(-1)!.from)
      months.push(lastPeriod('month', today));
    for (const [index, period] of [...months.entries()].reverse())
      for (const [place, merchant] of merchants.entries()) {
        const fate = fateOf(index + 1, place);
        const night = new Date(startOfBusinessDay(addDays(period.to, 1)).getTime() + 2.5 * HOUR);
        // What still waits for its merchant was submitted the other day.
        const late = new Date(now.getTime() - 2 * DAY);
        const at = (fate === 'to_confirm' || fate === 'disputed') && late > night ? late : night;
        if (at > now) continue;
        const drafted = await draftStatement(tx, {
          tenantId: merchant.id,
          cycle: 'month',
          ...period,
          makerId: null,
          at,
        });
        if (!drafted?.made) continue;
        await run(tx, 'UPDATE statement SET payee_bank = $2, payee_tail = $3 WHERE id = $1', [
          drafted.id,
          BANKS[place % BANKS.length],
          String(1_000 + ((merchant.id * 7_919) % 9_000)),
        ]);
        await submitStatement(tx, drafted.id, { submitterId: null, objectionDays: 5, at });
        await live(context, drafted.id, fate, at, {
          merchant: merchant.staff_id
            ? { staffId: merchant.staff_id, name: merchant.staff_name! }
            : undefined,
          voucher: random.pick(vouchers),
        });
      }
  },
});

async function live(
  context: DemoContext,
  id: number,
  fate: Fate,
  at: Date,
  by: {
    readonly merchant: { readonly staffId: number; readonly name: string } | undefined;
    readonly voucher: string;
  },
): Promise<void> {
  const { tx, tell, now, random, as } = context;
  const actions = statement.actions!;
  const told = { entity: STATEMENT, entityId: id };
  const later = (days: number) => new Date(Math.min(at.getTime() + days * DAY, now.getTime() - HOUR));
  if (fate === 'to_confirm') return;
  if (fate === 'disputed') {
    const line = await runOne<{ id: number; net: number }>(
      tx,
      `SELECT id, net FROM statement_line WHERE statement_id = $1 AND row_kind = 'sale' ORDER BY net DESC LIMIT 1`,
      [id],
    );
    if (!line) return;
    const when = later(1);
    const text = '该订单成交价按活动补贴计算，佣金基数应扣除补贴，请核对';
    await run(
      tx,
      `INSERT INTO statement_dispute (statement_id, line_id, round, reason_type, claimed, text, created_at, created_by)
       VALUES ($1, $2, 1, 'commission', $3, $4, $5, $6)`,
      [id, line.id, line.net + 120, text, when, by.merchant?.staffId ?? null],
    );
    await run(
      tx,
      `UPDATE statement SET state = 'disputed', window_stopped_at = $2, version = version + 1, updated_at = $2 WHERE id = $1`,
      [id, when],
    );
    await tell({
      ...told,
      ...(by.merchant ? { caller: by.merchant } : {}),
      action: 'dispute',
      label: actions.dispute.label,
      from: 'to_confirm',
      to: 'disputed',
      remark: `1 行 / rows：${text}`,
      at: when,
    });
    return;
  }
  const silent = random.chance(0.3);
  const confirmedAt = later(silent ? 9 : 1 + random.int(0, 3));
  const { payable } = (await runOne<{ payable: number }>(tx, 'SELECT payable FROM statement WHERE id = $1', [
    id,
  ]))!;
  const { pay, carry } = payOrCarry(payable, LEAST);
  await run(
    tx,
    `UPDATE statement SET state = $2, pay_amount = $3::bigint, carry_out = $4, confirmer = $5, confirmed_by = $6, confirmed_at = $7::timestamptz,
       to_pay_at = CASE WHEN $3::bigint > 0 THEN $7::timestamptz END, version = version + 1, updated_at = $7::timestamptz WHERE id = $1`,
    [
      id,
      pay > 0 ? 'to_pay' : 'settled',
      pay,
      carry,
      silent ? 'system' : 'merchant',
      silent ? null : (by.merchant?.staffId ?? null),
      confirmedAt,
    ],
  );
  await bookConfirmed(tx, id, { at: confirmedAt });
  await tell({
    ...told,
    ...(silent || !by.merchant ? {} : { caller: by.merchant }),
    action: silent ? 'autoConfirm' : 'confirm',
    label: (silent ? actions.autoConfirm : actions.confirm).label,
    from: 'to_confirm',
    to: pay > 0 ? 'to_pay' : 'settled',
    at: confirmedAt,
  });
  if (pay === 0 || fate === 'to_pay') return;
  const cashier = as('finance1');
  const paidAt = new Date(
    Math.min(confirmedAt.getTime() + (fate === 'paid_late' ? 12 : 2) * DAY, now.getTime() - HOUR),
  );
  if (fate === 'failed') {
    await run(
      tx,
      `UPDATE statement SET state = 'failed', version = version + 1, updated_at = $2 WHERE id = $1`,
      [id, paidAt],
    );
    await tell({
      ...told,
      caller: cashier,
      action: 'payFailed',
      label: ['付款失败', 'Payment failed'],
      from: 'to_pay',
      to: 'failed',
      remark: '户名与账号不符，银行退回',
      at: paidAt,
    });
    return;
  }
  const receipt = `BR${businessDayOf(paidAt).replaceAll('-', '')}${random.digits(6)}`;
  // What is long over went through the bank where the merchant's account is known; its payouts are rows of the settlement's set.
  const isChannel =
    fate === 'settled' &&
    (await runOne(
      tx,
      `SELECT 1 FROM payee_account y JOIN statement s ON s.tenant_id = y.tenant_id
        WHERE s.id = $1 AND y.purpose = 'payout' AND y.state = 'active' AND y.verify_state = 'verified'`,
      [id],
    )) !== undefined;
  await run(
    tx,
    `UPDATE statement SET state = 'settled', pay_way = $7, paid_to = payee_name || ' ' || payee_bank || ' ****' || payee_tail, paid_by = $2,
       paid_on = $3, paid_at = $4, receipt_no = $5, voucher_ids = $6::uuid[], version = version + 1, updated_at = $4 WHERE id = $1`,
    [
      id,
      isChannel ? null : cashier.staffId,
      businessDayOf(paidAt),
      paidAt,
      isChannel ? '' : receipt,
      isChannel ? [] : [by.voucher],
      isChannel ? 'channel' : 'offline',
    ],
  );
  const { tenant_id: tenantId } = (await runOne<{ tenant_id: number }>(
    tx,
    'SELECT tenant_id FROM statement WHERE id = $1',
    [id],
  ))!;
  const payment = {
    tenantId,
    amount: pay,
    source: { type: 'statement', id },
    staffId: cashier.staffId ?? undefined,
    at: paidAt,
  } as const;
  await bookPaying(tx, payment);
  await bookArrived(tx, payment);
  await tell({
    ...told,
    ...(isChannel ? {} : { caller: cashier }),
    action: 'pay',
    label: isChannel ? ['付款成功', 'Paid'] : actions.pay.label,
    from: 'to_pay',
    to: 'settled',
    ...(isChannel ? {} : { remark: `回单 / receipt ${receipt}` }),
    at: paidAt,
  });
}

/** Pictures of bank slips. */
async function slips({ tx, platform, now }: DemoContext): Promise<string[]> {
  const store = openFileStore(platform.config);
  const ids: string[] = [];
  for (let number = 0; number < 3; number += 1) {
    const draft = await store.create();
    await pipeline(Readable.from([voucherPicture(number)]), draft.stream);
    const { storageKey, size, sha256 } = await draft.commit();
    const id = `0a815000-0000-4000-8000-${String(number + 1).padStart(12, '0')}`;
    await run(
      tx,
      `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access, created_at)
       VALUES ($1::uuid, $2, 'image/png', $3, $4, $5, 'picture', $6)`,
      [id, `银行回单-${number + 1}.png`, size, sha256, storageKey, new Date(now.getTime() - 100 * DAY)],
    );
    ids.push(id);
  }
  return ids;
}
