import { defineDemo } from '../../../kernel/server/demo.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { putSecrets } from '../../../domain/payee/payee-secret.server.ts';
import { payeeAccount } from './payee-account.contract.ts';

const DAY = 86_400_000;

/** The operator's accounts: both channels of each centre city, the company's bank account, one that waits and one that was given up. */
export const demo = defineDemo({
  key: 'payeeAccounts',
  run: async ({ tx, platform, base, insert, tell, random, now, as }) => {
    const maker = as('finance1');
    const decider = as('finance2');
    const ago = (days: number, hours = 0) => new Date(now.getTime() - days * DAY - hours * 3_600_000);
    const numberOf = (channel: string) =>
      channel === 'wechat'
        ? `16${random.digits(8)}`
        : channel === 'alipay'
          ? `2088${random.digits(12)}`
          : random.digits(12);
    const centres = base.centres.flatMap((centre, index) =>
      (['alipay', 'wechat'] as const).map((channel) => ({
        code: `${centre.code}-${channel === 'alipay' ? 'ALI' : 'WX'}`,
        name: `${centre.name}${channel === 'alipay' ? '支付宝' : '微信'}收款`,
        channel: channel as string,
        state: 'active',
        fee: channel === 'alipay' ? 6000 : 5400,
        expires: channel === 'wechat' ? new Date(now.getTime() + (index === 0 ? 24 : 210) * DAY) : null,
        since: 400 - index * 3,
        centre: centre.id as number | null,
      })),
    );
    const wanted = [
      ...centres,
      {
        code: 'HQ-BANK',
        name: '总部对公账户',
        channel: 'bank',
        state: 'active',
        fee: 0,
        expires: null,
        since: 380,
        centre: null,
      },
      {
        code: 'HQ-ALI-NEW',
        name: '总部支付宝（新）',
        channel: 'alipay',
        state: 'draft',
        fee: 5500,
        expires: null,
        since: 2,
        centre: null,
      },
      {
        code: 'HQ-WX-OLD',
        name: '总部微信（旧）',
        channel: 'wechat',
        state: 'stopped',
        fee: 6000,
        expires: new Date(now.getTime() + 60 * DAY),
        since: 500,
        centre: null,
      },
    ];
    const drafts = wanted.map((one) => ({ ...one, number: numberOf(one.channel) }));
    const ids = await insert(
      'payee_account',
      drafts.map((one) => ({
        code: one.code,
        name: one.name,
        tenant_id: base.platformId,
        channel: one.channel,
        account_name: '华东社区服务有限公司',
        number_tail: one.number.slice(-4),
        bank: one.channel === 'bank' ? '中国建设银行上海分行' : '',
        branch: one.channel === 'bank' ? '张江支行' : '',
        bank_line_no: one.channel === 'bank' ? '105290061008' : '',
        app_ids:
          one.channel === 'bank'
            ? {}
            : {
                default: `${one.channel === 'wechat' ? 'wx' : '2021'}${one.number.slice(-10)}`,
                ...(one.channel === 'wechat' && { mini_program: `wxm${one.number.slice(-9)}` }),
              },
        certificate_serial: one.channel === 'wechat' ? `5157F09EFDC0${one.number.slice(-6)}` : '',
        certificate_expires_on: one.expires,
        fee_ppm: one.fee,
        state: one.state,
        stop_reason: one.state === 'stopped' ? '已由各中心账户收款' : '',
        tested_at: one.state === 'draft' ? null : ago(one.since - 1),
        edited_by: maker.staffId,
        created_at: ago(one.since),
        created_by: maker.staffId,
        updated_at: ago(one.state === 'draft' ? one.since : one.since - 2),
        updated_by: decider.staffId,
      })),
    );
    for (const [index, one] of drafts.entries()) {
      const id = ids[index]!;
      await putSecrets(tx, platform, { accountId: id }, { number: one.number });
      await tell({
        entity: 'payeeAccount',
        entityId: id,
        caller: maker,
        action: 'create',
        label: payeeAccount.actions!.create!.label,
        to: 'draft',
        at: ago(one.since),
      });
      if (one.state === 'draft') continue;
      const code = `PC-DEMO-${one.code}`;
      await insert('payee_change', [
        {
          code,
          account_id: id,
          kind: 'open',
          changes: [{ field: 'state', before: 'draft', after: 'active' }],
          state: 'approved',
          proposer_id: maker.staffId,
          decided_by: decider.staffId,
          decided_at: ago(one.since - 2),
          opinion: '资料齐全，测试已到账',
          created_at: ago(one.since - 1, 1),
        },
      ]);
      await insert('payee_test', [
        {
          code: `PT-DEMO-${one.code}`,
          account_id: id,
          state: one.channel === 'bank' ? 'confirmed' : 'refunded',
          receipt_no: one.channel === 'bank' ? 'JH2025110800217' : '',
          steps: (one.channel === 'bank' ? ['confirmed'] : ['created', 'paid', 'refunded']).map(
            (step, minute) => ({
              step,
              at: isoInstant(new Date(ago(one.since - 1).getTime() + minute * 20_000)),
            }),
          ),
          deadline: ago(one.since - 1),
          paid_at: one.channel === 'bank' ? null : ago(one.since - 1),
          refunded_at: one.channel === 'bank' ? null : ago(one.since - 1),
          created_at: ago(one.since - 1),
          created_by: maker.staffId,
        },
      ]);
      await tell({
        entity: 'payeeAccount',
        entityId: id,
        caller: decider,
        action: 'approve',
        label: payeeAccount.actions!.approve!.label,
        from: 'in_review',
        to: 'active',
        remark: code,
        at: ago(one.since - 2),
      });
      if (one.state === 'stopped')
        await tell({
          entity: 'payeeAccount',
          entityId: id,
          caller: maker,
          action: 'stop',
          label: payeeAccount.actions!.stop!.label,
          from: 'active',
          to: 'stopped',
          remark: '已由各中心账户收款',
          at: ago(90),
        });
    }
    await insert(
      'payee_assignment',
      drafts.flatMap((one, index) =>
        one.state !== 'active'
          ? []
          : [
              {
                account_id: ids[index]!,
                level: one.centre === null ? 'company' : 'centre_city',
                organisation_id: one.centre,
                business_type: '*',
                channel: one.channel,
                effective_from: ago(one.since),
                created_at: ago(one.since),
                created_by: maker.staffId,
                updated_by: decider.staffId,
              },
            ],
      ),
    );
    // Somebody wanted a project's parking elsewhere, and was told no.
    const project = base.projects[0]!;
    const account = ids[1]!;
    const [rejected] = await insert('payee_change', [
      {
        code: 'PC-DEMO-PARKING',
        account_id: account,
        kind: 'assign',
        changes: [
          { field: 'object', before: null, after: project.name },
          { field: 'businessType', before: null, after: 'parking' },
          { field: 'effectiveFrom', before: null, after: isoInstant(ago(20)) },
        ],
        state: 'rejected',
        proposer_id: maker.staffId,
        decided_by: decider.staffId,
        decided_at: ago(24),
        opinion: '停车费另签协议，暂不切换',
        created_at: ago(25),
      },
    ]);
    await insert('payee_assignment', [
      {
        account_id: account,
        level: 'project',
        project_id: project.id,
        business_type: 'parking',
        channel: drafts[1]!.channel,
        effective_from: ago(20),
        state: 'rejected',
        change_id: rejected,
        created_at: ago(25),
        created_by: maker.staffId,
        updated_by: decider.staffId,
      },
    ]);
    // Payments of the base set went into the accounts of their centre cities, with the fee of that time.
    await run(
      tx,
      `UPDATE payment p SET payee_account_id = x.account_id, fee = (p.amount * x.fee_ppm * 2 + 1000000) / 2000000
         FROM (SELECT o.payment_id, g.account_id, a.fee_ppm, g.channel FROM (SELECT DISTINCT ON (payment_id) payment_id, project_id FROM sales_order ORDER BY payment_id, id) o
                 JOIN project j ON j.id = o.project_id JOIN payee_assignment g ON g.organisation_id = j.centre_id AND g.account_id = ANY($1::bigint[])
                 JOIN payee_account a ON a.id = g.account_id) x
        WHERE x.payment_id = p.id AND p.state = 2 AND p.payee_account_id IS NULL AND p.channel = CASE x.channel WHEN 'alipay' THEN 1 WHEN 'wechat' THEN 2 END`,
      [ids],
    );
    await run(
      tx,
      `WITH back AS (
         SELECT r.id, p.id AS payment_id, p.fee - (p.fee * (p.amount - sum(r.cash) OVER w) * 2 + p.amount) / (p.amount * 2) AS until
           FROM refund r JOIN payment p ON p.id = r.payment_id
          WHERE r.state = 'succeeded' AND r.way <> 'offline' AND r.cash > 0 AND p.fee > 0 AND p.payee_account_id = ANY($1::bigint[])
         WINDOW w AS (PARTITION BY r.payment_id ORDER BY r.succeeded_at, r.id ROWS UNBOUNDED PRECEDING)),
       parts AS (SELECT id, payment_id, until, until - coalesce(lag(until) OVER (PARTITION BY payment_id ORDER BY until, id), 0) AS part FROM back),
       written AS (UPDATE refund r SET fee_returned = parts.part FROM parts WHERE parts.id = r.id)
       UPDATE payment p SET fee_returned = s.until FROM (SELECT payment_id, max(until) AS until FROM parts GROUP BY payment_id) s WHERE s.payment_id = p.id`,
      [ids],
    );
    await run(
      tx,
      `UPDATE sandbox_trade t SET payee_account_id = p.payee_account_id FROM payment p
        WHERE p.trade_no = t.trade_no AND p.payee_account_id = ANY($1::bigint[]) AND t.payee_account_id IS NULL`,
      [ids],
    );
  },
});
