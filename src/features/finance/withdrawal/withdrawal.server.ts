import { z } from 'zod';
import { bossSession } from '../../../domain/boss-account/boss-account.server.ts';
import { tellStaffOf } from '../../../domain/statement/statement-notice.server.ts';
import {
  applyWithdrawal,
  cancelWithdrawal,
  WITHDRAWAL,
} from '../../../domain/settlement/withdrawal.server.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, runOne, transaction, type Tx } from '../../../kernel/server/database.ts';
import { idText } from '../../../kernel/server/http/call-parts.ts';
import { forbidden, Refusal } from '../../../kernel/server/http/errors.ts';
import { oncePerRequest, requestId } from '../../../kernel/server/http/program-request.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import {
  endpoint,
  type Call,
  type OptionSource,
  type TodoKind,
} from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { infoWithdrawal, withdrawal } from './withdrawal.contract.ts';
import { merchantSight, reviewSight, withdrawalApproval } from './withdrawal-approval.server.ts';
import { withdrawalBinding } from './withdrawal-binding.server.ts';
import { withdrawalInvariants } from './withdrawal-invariants.server.ts';
import { OF_MERCHANT } from '../../../domain/merchant/merchant-scope.server.ts';

const ROOT = '/jinmao/web/withdrawal';
/** What the program behind the merchants' app holds. */
const APP_SCOPE = 'member_event';
const appBody = {
  requestId,
  token: z.string().min(20).max(100),
  merchantId: idText,
} as const;

const TOLD = {
  paid: ['提现已到账', 'Withdrawal arrived'],
  payFailed: ['提现打款失败', 'Withdrawal failed'],
  giveUp: ['提现已退回钱包', 'Withdrawal given back'],
} as const;

/** Withdrawals, for payouts of them. */
export const bound: BoundResource = bindResource(withdrawal, {
  ...withdrawalBinding,
  after: [tellEnd],
  endpoints: [
    endpoint({
      method: 'POST',
      path: `${ROOT}/app/apply`,
      title: ['商户端申请提现', 'Withdrawal by the merchants’ app'],
      access: { program: APP_SCOPE },
      body: z.strictObject({
        ...appBody,
        amount: z.string().regex(/^\d{1,9}(\.\d{1,2})?$/),
      }),
      handle: (call) =>
        write(call, async (tx, boss) => {
          const made = await applyWithdrawal(tx, call.platform, {
            tenantId: call.body.merchantId,
            amount: fenFromYuan(call.body.amount)!,
            applicant: { bossAccountId: boss.accountId, name: boss.name },
            facts: call.facts,
          });
          return { id: String(made.id), code: made.code, fee: yuanFromFen(made.fee) };
        }),
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/app/cancel`,
      title: ['商户端撤销提现', 'Withdrawal cancelled by the merchants’ app'],
      access: { program: APP_SCOPE },
      body: z.strictObject({ ...appBody, id: idText }),
      handle: (call) =>
        write(call, async (tx) => {
          await cancelWithdrawal(tx, call.platform, {
            id: call.body.id,
            tenantId: call.body.merchantId,
            facts: call.facts,
          });
          return { id: String(call.body.id), state: 'cancelled' };
        }),
    }),
  ],
  also: {
    approvals: [withdrawalApproval],
    sights: [reviewSight, merchantSight],
    invariants: withdrawalInvariants,
    options: [payableWithdrawals()],
    todos: [withdrawalsToPay()],
  },
});

/** Withdrawals at the finance desk, and the calls of the merchants' app. */
export const registration = bound.registration;

/** A write of the merchants' app, once per request, by an account that may withdraw for the merchant. */
async function write<
  B extends { readonly requestId: string; readonly token: string; readonly merchantId: number },
  T,
>(
  call: Call<unknown, B>,
  work: (tx: Tx, boss: { readonly accountId: number; readonly name: string }) => Promise<T>,
): Promise<T> {
  const { requestId: id, ...body } = call.body;
  const answer = await transaction(call.platform.database.db, async (tx) => {
    const boss = await bossSession(tx, body.token);
    if (!boss) throw new Refusal(401, 40001, ['登录已失效', 'The session has ended']);
    const link = boss.links.find((one) => one.merchantId === body.merchantId);
    if (!link || !['owner', 'finance'].includes(link.role) || !link.permissions.includes('withdraw'))
      throw forbidden();
    return oncePerRequest(tx, call.caller, { requestId: id, path: call.request.url, body }, () =>
      work(tx, boss),
    );
  });
  for (const entity of [WITHDRAWAL, 'merchantFund', 'merchantInfo']) call.platform.changed(entity);
  return answer;
}

/** The merchant's staff hear how the payment ended; of the review the approval tells. */
async function tellEnd({ tx, action, row }: ActionContext): Promise<readonly []> {
  if (action in TOLD)
    await tellStaffOf(tx, row, TOLD[action as keyof typeof TOLD], {
      sight: merchantSight,
      route: `/serviceSourceManager/${infoWithdrawal.menu}/${Number(row.tenant_id)}`,
    });
  return [];
}

const TO_PAY = `t.state IN ('to_pay', 'failed') AND NOT EXISTS (SELECT FROM payout p WHERE p.withdrawal_id = t.id AND p.state NOT IN ('failed', 'cancelled'))`;

/** What passed and nobody has put into a batch. */
function withdrawalsToPay(): TodoKind {
  return {
    kind: 'withdrawalToPay',
    label: ['待打款提现', 'Withdrawals to pay'],
    menu: withdrawal.menu,
    route: `/financialManage/${withdrawal.menu}?as=withdrawals&state=to_pay,failed`,
    order: 177,
    count: async ({ caller, platform }) => {
      const parameters = new Parameters();
      const seen = scopeCondition(caller, withdrawal.menu, OF_MERCHANT, parameters);
      const row = await runOne<{ count: number; oldest: Date | null; overdue: number }>(
        platform.database.db,
        `SELECT count(*)::int AS count, min(t.reviewed_at) AS oldest, (count(*) FILTER (WHERE t.reviewed_at < now() - interval '1 day'))::int AS overdue
         FROM withdrawal t WHERE ${TO_PAY} AND ${seen}`,
        parameters.values,
      );
      return row!;
    },
  };
}

/** Withdrawals that wait for a payment, as a batch chooses them. */
function payableWithdrawals(): OptionSource {
  return {
    target: 'payableWithdrawal',
    anyOf: [withdrawal.menu],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [scopeCondition(caller, withdrawal.menu, OF_MERCHANT, parameters)];
      if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      else parts.push(TO_PAY);
      if (query.searchVal)
        parts.push(
          `position(lower(${parameters.bind(query.searchVal)}) IN lower(t.code || ' ' || m.name)) > 0`,
        );
      const rows = await run<{ id: number; code: string; merchant: string; net: number }>(
        platform.database.db,
        `SELECT t.id, t.code, m.name AS merchant, t.net FROM withdrawal t JOIN tenant m ON m.id = t.tenant_id
          WHERE ${parts.join(' AND ')} ORDER BY t.id DESC LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({
        id: String(row.id),
        title: row.code,
        note: `${row.merchant} ¥${yuanFromFen(row.net)}`,
      }));
    },
  };
}
