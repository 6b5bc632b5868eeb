import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { fill, type Label } from '../../../kernel/contract/label.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, transaction, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { endpoint, type Call, type Effect, type Endpoint } from '../../../kernel/server/registration.ts';
import { addEffect } from '../../../kernel/server/tasks/outbox.ts';
import { START_OF_TODAY } from '../../../kernel/server/today.ts';
import { PAYEE_MENU } from '../../../domain/payee/payee-alert.server.ts';
import { isSandbox, refundChannel, requireSandbox } from '../../../domain/payment-channel/channels.server.ts';
import { openSandboxTrade } from '../../../domain/payment-channel/sandbox-channel.server.ts';
import type { ChannelAnswer } from '../../../domain/payment-channel/payment-channel.ts';

/** Fen of a test. */
const CENT = 1;
const MINUTES = 3;
const TESTS_A_DAY = 5;
const RESULT_EFFECT = 'payee.test_result';
const REFUND_EFFECT = 'payee.test_refund';

const FAILED: Label = ['渠道拒绝了支付', 'The channel refused the payment'];
const NO_CHANNEL: Label = [
  '正式渠道尚未接入，无法发起测试付款',
  'The real channel is not connected yet: no test payment can be made',
];

interface TestRow {
  readonly id: number;
  readonly code: string;
  readonly account_id: number;
  readonly change_id: number | null;
  readonly amount: number;
  readonly state: string;
  readonly trade_no: string | null;
  readonly refund_no: string | null;
  readonly channel: 'alipay' | 'wechat' | 'bank';
  readonly deadline: Date;
  readonly due: boolean;
}

const ROW = `SELECT x.*, a.channel, x.deadline <= clock_timestamp() AS due FROM payee_test x JOIN payee_account a ON a.id = x.account_id`;

const channelNo = (channel: TestRow['channel']): 1 | 2 => (channel === 'alipay' ? 1 : 2);

/** btn_test: an order of 0.01 at the channel with the data that is, or that is proposed. Throws 30101 after five a day. */
export async function startTest(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, id, row, caller } = context;
  // Only the sandbox makes orders here; a real channel brings its own once it is connected.
  if (!isSandbox(platform, channelNo(row.channel as TestRow['channel']))) throw ruleBroken(NO_CHANNEL);
  await requireRest(tx, id);
  const test = (await runOne<{ id: number; code: string; deadline: Date }>(
    tx,
    `INSERT INTO payee_test (code, account_id, change_id, amount, deadline, steps, created_by)
     VALUES ($1, $2, (SELECT id FROM payee_change WHERE account_id = $2 AND state = 'in_review'), $3, clock_timestamp() + make_interval(mins => ${MINUTES}), $4, $5)
     RETURNING id, code, deadline`,
    [await nextCode(tx, 'PT'), id, CENT, JSON.stringify([step('created')]), caller.staffId],
  ))!;
  platform.changed('payeeTest');
  return {
    remark: test.code,
    result: {
      testId: String(test.id),
      code: test.code,
      payLink: `sandbox://test/${test.code}`,
      deadline: isoInstant(test.deadline),
    },
  };
}

/** btn_test of a bank account: somebody saw the cent arrive and gives the number of its receipt. */
export async function confirmTest(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, id, input, caller } = context;
  await requireRest(tx, id);
  const code = await nextCode(tx, 'PT');
  await run(
    tx,
    `INSERT INTO payee_test (code, account_id, change_id, amount, state, receipt_no, deadline, steps, created_by)
     VALUES ($1, $2, (SELECT id FROM payee_change WHERE account_id = $2 AND state = 'in_review'), $3, 'confirmed', $4, now(), $5, $6)`,
    [code, id, CENT, input.receiptNo, JSON.stringify([step('confirmed')]), caller.staffId],
  );
  platform.changed('payeeTest');
  return { set: { tested_at: new Date() }, remark: `${code} · ${String(input.receiptNo)}` };
}

async function requireRest(tx: Tx, accountId: number): Promise<void> {
  const used = await runOne<{ n: number }>(
    tx,
    `SELECT count(*) AS n FROM payee_test WHERE account_id = $1
        AND created_at >= ${START_OF_TODAY}`,
    [accountId],
  );
  if (used!.n >= TESTS_A_DAY)
    throw ruleBroken(
      fill(['每个账户每天最多测试 {n} 次', 'An account is tested at most {n} times a day'], {
        n: TESTS_A_DAY,
      }),
    );
}

/** What the sandbox's cashier and the dialog ask of a test. */
export function testEndpoints(
  find: (call: Pick<Call, 'caller' | 'platform'>, accountId: number) => Promise<DbRow>,
): readonly Endpoint[] {
  const ofTest = async (call: Call): Promise<TestRow> => {
    const test = await runOne<TestRow>(call.platform.database.db, `${ROW} WHERE x.id = $1`, [
      idOf(call.params.id),
    ]);
    if (!test) throw notFound();
    await find(call, test.account_id);
    return test;
  };
  return [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/payeeAccount/test/:id',
      title: ['测试结果', 'Result of a test'],
      access: { code: PAYEE_MENU },
      handle: async (call) => {
        const { id } = await ofTest(call);
        const row = (await runOne<{ code: string; state: string; reason: string; steps: unknown }>(
          call.platform.database.db,
          'SELECT code, state, reason, steps FROM payee_test WHERE id = $1',
          [id],
        ))!;
        return { id: String(id), ...row };
      },
    }),
    endpoint({
      method: 'POST',
      path: '/jinmao/web/payeeAccount/test/:id/pay',
      title: ['模拟支付测试订单', 'Pay a test in the sandbox'],
      access: { code: `${PAYEE_MENU}:btn_test` },
      body: z.strictObject({}).optional(),
      handle: async (call) => {
        const test = await ofTest(call);
        await payTest(call.platform, test);
        return true;
      },
    }),
  ];
}

/** The cashier of the sandbox: how it ends decides `sandbox.payment.mode`. */
async function payTest(platform: Platform, test: TestRow): Promise<void> {
  requireSandbox(platform, channelNo(test.channel));
  const mode = await platform.settings.text('sandbox.payment.mode');
  await transaction(platform.database.db, async (tx) => {
    const row = await lock(tx, test.id);
    if (row.state !== 'waiting' || row.due)
      throw ruleBroken(['测试订单已失效，请重新测试', 'This test is over, please start another one']);
    if (row.trade_no !== null) throw ruleBroken(['测试订单正在处理', 'This test is being processed']);
    if (mode === 'fail') {
      await write(tx, row.id, { state: 'failed', reason: FAILED[0] }, 'failed');
      return;
    }
    const tradeNo = `SBT${row.code.slice(2)}${randomBytes(4).toString('hex').toUpperCase()}`;
    await openSandboxTrade(tx, {
      tradeNo,
      checkoutCode: row.code,
      amount: row.amount,
      payeeAccountId: row.account_id,
    });
    if (mode === 'lost') return;
    for (let time = 1; time <= (mode === 'duplicate' ? 5 : 1); time++)
      await addEffect(
        tx,
        RESULT_EFFECT,
        { code: row.code, tradeNo, amount: row.amount },
        { key: `${RESULT_EFFECT}:${tradeNo}:${time}`, delaySeconds: mode === 'delay' ? 30 : 0 },
      );
  });
  platform.changed('payeeTest');
}

/** A test was paid: the account is tested when it came in time, and the cent goes back either way. A repeat changes nothing. */
async function receiveTest(
  platform: Platform,
  paid: { readonly code: string; readonly tradeNo: string; readonly amount: number },
): Promise<void> {
  await transaction(platform.database.db, async (tx) => {
    const found = await runOne<{ id: number; account_id: number }>(
      tx,
      'SELECT id, account_id FROM payee_test WHERE code = $1',
      [paid.code],
    );
    if (!found) return;
    // Accounts before what hangs on them, as their actions lock.
    await run(tx, 'SELECT FROM payee_account WHERE id = $1 FOR NO KEY UPDATE', [found.account_id]);
    const row = await lock(tx, found.id);
    if (row.trade_no !== null) return;
    const inTime = row.state === 'waiting' && paid.amount === row.amount;
    await write(
      tx,
      row.id,
      {
        state: 'refunding',
        trade_no: paid.tradeNo,
        refund_no: `RT${row.code}`,
        ...(inTime ? { paid_at: new Date() } : { reason: '支付结果到达时测试已关闭，款项退回' }),
      },
      inTime ? 'paid' : 'paid_late',
    );
    if (inTime) {
      await run(tx, 'UPDATE payee_account SET tested_at = clock_timestamp() WHERE id = $1', [row.account_id]);
      await writeTimeline(tx, {
        entity: 'payeeAccount',
        entityId: row.account_id,
        action: 'tested',
        label: ['0.01 元测试成功', 'The test with 0.01 succeeded'],
        remark: row.code,
      });
    }
    await addEffect(tx, REFUND_EFFECT, { testId: row.id, asked: 0 }, { key: `${REFUND_EFFECT}:${row.id}:0` });
  });
  platform.changed('payeeTest');
  platform.changed('payeeAccount');
}

/** Asks for the cent and then what became of it, under one number, until the channel says it went back. */
async function refundTest(platform: Platform, testId: number, asked: number): Promise<void> {
  const row = await runOne<TestRow>(platform.database.db, `${ROW} WHERE x.id = $1`, [testId]);
  if (!row || row.state !== 'refunding') return;
  const channel = refundChannel(platform, channelNo(row.channel));
  const known = await channel.query(row.refund_no!, row.trade_no!);
  const answer: ChannelAnswer =
    known.state === 'success' || known.state === 'accepted'
      ? known
      : await channel.refund({
          refundNo: row.refund_no!,
          tradeNo: row.trade_no!,
          checkoutCode: row.code,
          amount: row.amount,
          paid: row.amount,
          payeeAccountId: row.account_id,
          reason: 'test of a payee account',
        });
  if (answer.state === 'success') {
    await transaction(platform.database.db, (tx) =>
      write(tx, row.id, { state: 'refunded', refunded_at: new Date() }, 'refunded'),
    );
    platform.changed('payeeTest');
    return;
  }
  if (answer.state === 'accepted') {
    await transaction(platform.database.db, (tx) =>
      addEffect(
        tx,
        REFUND_EFFECT,
        { testId, asked: asked + 1 },
        { key: `${REFUND_EFFECT}:${testId}:${asked + 1}`, delaySeconds: Math.min(3 * 2 ** asked, 3600) },
      ),
    );
    return;
  }
  // The outbox asks again with growing pauses.
  throw new Error(`refund of test ${row.code} is ${answer.state}: ${answer.code} ${answer.message}`);
}

/** Results of tests in, the cent back. */
export const testEffects: readonly Effect[] = [
  {
    kind: RESULT_EFFECT,
    deliver: (paid: Parameters<typeof receiveTest>[1], platform) => receiveTest(platform, paid),
  },
  {
    kind: REFUND_EFFECT,
    deliver: ({ testId, asked }: { readonly testId: number; readonly asked: number }, platform) =>
      refundTest(platform, testId, asked),
  },
] as readonly Effect[];

/** Tests without a result in time: asked for once more at the channel, else closed. Source: group 15, Jobs. */
export async function closeOverdueTests(platform: Platform): Promise<void> {
  const { db } = platform.database;
  const rows = await run<TestRow>(
    db,
    `${ROW} WHERE x.state = 'waiting' AND x.deadline <= clock_timestamp() ORDER BY x.id LIMIT 200`,
  );
  for (const row of rows) {
    const trade = isSandbox(platform, channelNo(row.channel))
      ? await runOne<{ trade_no: string; amount: number; in_time: boolean }>(
          db,
          'SELECT trade_no, amount, paid_at <= $2 AS in_time FROM sandbox_trade WHERE checkout_code = $1 ORDER BY paid_at LIMIT 1',
          [row.code, row.deadline],
        )
      : undefined;
    if (trade?.in_time) {
      await receiveTest(platform, { code: row.code, tradeNo: trade.trade_no, amount: trade.amount });
      continue;
    }
    await transaction(db, async (tx) => {
      const locked = await lock(tx, row.id);
      if (locked.state === 'waiting')
        await write(tx, row.id, { state: 'closed', reason: '3 分钟内未支付' }, 'closed');
    });
    if (trade) await receiveTest(platform, { code: row.code, tradeNo: trade.trade_no, amount: trade.amount });
  }
  if (rows.length > 0) platform.changed('payeeTest');
}

async function lock(tx: Tx, id: number): Promise<TestRow> {
  return (await runOne<TestRow>(tx, `${ROW} WHERE x.id = $1 FOR UPDATE OF x`, [id]))!;
}

async function write(
  tx: Executor,
  id: number,
  set: Readonly<Record<string, unknown>>,
  what: string,
): Promise<void> {
  const names = Object.keys(set);
  await run(
    tx,
    `UPDATE payee_test SET ${names.map((name, index) => `${name} = $${index + 3}`).join(', ')}, steps = steps || $2::jsonb, version = version + 1 WHERE id = $1`,
    [id, JSON.stringify([step(what)]), ...names.map((name) => set[name])],
  );
}

const step = (what: string) => ({ step: what, at: isoInstant(new Date()) });
