import type { Label } from '../../../kernel/contract/label.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, transaction, type Tx } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Job } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import { dayTypeOf } from '../../../domain/business-calendar/day-type.server.ts';
import { noteShortDeposits } from '../../../domain/merchant/deposit.server.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { holdersOfMenu } from '../../../domain/permission/menu-holders.server.ts';
import { MERCHANT_SCOPE, onboardingApproval } from './merchant-approval.server.ts';
import { reviewOverdue } from './merchant-waiting.server.ts';
import { endingAgreements, endingCertificates, takeLapsedOff, type Ending } from './merchant-goods.server.ts';
import { merchant } from './merchant.contract.ts';

/** Who reads what is told of certificates and agreements: those who see the merchant in the list. */
export const termsSight = listSight({
  entity: 'merchantTerms',
  menu: merchant.menu,
  table: 'tenant',
  where: 't.kind = 2',
  scope: MERCHANT_SCOPE,
});

/** The merchant's own people read it of those they see on its page. */
export const ownTermsSight = listSight({
  entity: 'merchantOwnTerms',
  menu: 'mm_merchantInfo',
  table: 'tenant',
  where: 't.kind = 2',
  scope: MERCHANT_SCOPE,
});

/** Jobs of merchants. Cron patterns are UTC: 16:10 is 00:10 of the business day. */
export function merchantJobs(bound: () => BoundResource): readonly Job[] {
  return [
    dueJob(bound, {
      name: 'merchant.reopen',
      title: ['打烊商户到点恢复', 'Merchants open again'],
      cron: '* * * * *',
      action: 'reopenShop',
      when: `t.closed_until <= now()`,
    }),
    {
      name: 'merchant.certificates',
      title: ['商户资质到期提醒与下架', 'Certificates of merchants end'],
      cron: '10 16 * * *',
      run: async (_payload, platform, context) => {
        const days = (await platform.settings.list('merchant.cert_warn_days')).map(Number);
        for (const one of await endingCertificates(platform.database.db, days)) await tell(platform, one);
        const off = await takeLapsedOff(platform);
        if (off > 0) context?.print(`${off} 件商品下架 / goods off the shelf`);
      },
    },
    {
      name: 'merchant.agreementWarnings',
      title: ['商户协议到期提醒', 'Agreements of merchants end'],
      cron: '20 16 * * *',
      run: async (_payload, platform) => {
        const days = (await platform.settings.list('merchant.renew_warn_days')).map(Number);
        for (const one of await endingAgreements(platform.database.db, days)) await tell(platform, one);
      },
    },
    {
      name: 'merchant.deposit',
      title: ['商户保证金不足', 'Deposits of merchants are short'],
      cron: '30 16 * * *',
      run: async (_payload, platform) => {
        const days = await platform.settings.number('merchant.deposit_grace_days');
        const late = await transaction(platform.database.db, (tx) => noteShortDeposits(tx, days));
        for (const { id, account, name } of late)
          await tellOnce(platform, id, 'important', [
            `保证金不足已过宽限期，不能再发布商品：${account} ${name}`,
            `The deposit has been short for too long, no new goods: ${account} ${name}`,
          ]);
      },
    },
    {
      name: 'merchant.review_overdue',
      title: ['商户申请审核超时提醒', 'Reviews of applications are overdue'],
      // Each hour of 09:00 to 17:00 in Shanghai; on days that are none of work nobody is reminded.
      cron: '7 1-9 * * *',
      run: async (_payload, platform) => remindReviewers(platform, new Date()),
    },
  ];
}

/** Reminds who has to review once a day, from twice the time on their leaders too. Source: group 03, Jobs. */
export async function remindReviewers(platform: Platform, at: Date): Promise<void> {
  const { db } = platform.database;
  if ((await dayTypeOf(db, businessDayOf(at))) !== 'workday') return;
  const late = await run<{ id: number; account: string; name: string; long: boolean; staff: number[] }>(
    db,
    `SELECT t.id, t.account, t.name, (${reviewOverdue(2)}) AS long, ARRAY(SELECT DISTINCT k.assignee_id FROM approval_instance i JOIN approval_task k ON k.instance_id = i.id
        AND k.state = 'pending' WHERE i.biz_type = 'merchant_onboarding' AND i.biz_id = t.id AND i.state = 'running') AS staff
       FROM tenant t WHERE t.kind = 2 AND ${reviewOverdue(1)} ORDER BY t.id`,
  );
  for (const { id, account, name, long, staff } of late)
    await transaction(db, async (tx) => {
      const title: Label = [
        `商户申请审核已超时：${account} ${name}`,
        `The review of an application is overdue: ${account} ${name}`,
      ];
      if (await toldToday(tx, title)) return;
      const leaders = long
        ? await run<{ id: number }>(
            tx,
            `SELECT DISTINCT d.leader_id AS id FROM staff s JOIN department d ON d.id = s.department_id WHERE s.id = ANY($1::bigint[]) AND d.leader_id IS NOT NULL`,
            [staff],
          )
        : [];
      await notify(tx, {
        staffIds: [...new Set([...staff, ...leaders.map((one) => one.id)])],
        kind: 'merchantTerms',
        level: long ? 'important' : 'normal',
        title,
        route: `/serviceSourceManager/residentMerchants?tab=review&searchVal=${account}`,
        rows: { sight: onboardingApproval.sights.toDecide, ids: [id] },
      });
    });
}

async function toldToday(tx: Tx, title: Label): Promise<boolean> {
  const told = await run(
    tx,
    `SELECT FROM notification WHERE kind = 'merchantTerms' AND title_zh = $1 AND created_at > now() - interval '20 hours' LIMIT 1`,
    [title[0]],
  );
  return told.length > 0;
}

/** Tells the merchant and operations of what ends. */
function tell(platform: Platform, { id, account, name, left, what }: Ending): Promise<void> {
  return left > 0
    ? tellOnce(platform, id, 'normal', [
        `${what[0]}将在 ${left} 天后到期：${account} ${name}`,
        `${what[1]} ends in ${left} days: ${account} ${name}`,
      ])
    : tellOnce(platform, id, 'important', [
        `${what[0]}已到期：${account} ${name}`,
        `${what[1]} has ended: ${account} ${name}`,
      ]);
}

/** Tells those who see the merchant, and its own people; a repeat on the same day tells nobody again. */
async function tellOnce(
  platform: Platform,
  id: number,
  level: 'normal' | 'important',
  title: Label,
): Promise<void> {
  await transaction(platform.database.db, async (tx) => {
    if (await toldToday(tx, title)) return;
    const operations = await holdersOfMenu(tx, merchant.menu);
    await notify(tx, {
      staffIds: operations,
      kind: 'merchantTerms',
      level,
      title,
      route: `/serviceSourceManager/${merchant.menu}?detail=${id}`,
      rows: { sight: termsSight, ids: [id] },
    });
    const own = await run<{ id: number }>(
      tx,
      `SELECT id FROM staff WHERE tenant_id = $1 AND state = 'normal' ORDER BY id`,
      [id],
    );
    await notify(tx, {
      staffIds: own.map((one) => one.id).filter((staff) => !operations.includes(staff)),
      kind: 'merchantTerms',
      level,
      title,
      route: '/serviceSourceManager/mm_merchantInfo',
      rows: { sight: ownTermsSight, ids: [id] },
    });
  });
}
