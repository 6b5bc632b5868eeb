import type { Label } from '../../../kernel/contract/label.ts';
import { run, transaction } from '../../../kernel/server/database.ts';
import type { ScopeColumns } from '../../../kernel/server/people/scope.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Job } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import { TODAY } from '../../../kernel/server/today.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { holdersOfMenu } from '../../../domain/permission/menu-holders.server.ts';
import { tenantCompany } from './company.contract.ts';

/** The platform sees every tenant, everybody else the own one. */
export const COMPANY_SCOPE: ScopeColumns = { tenant: 't.id', project: 'none', owner: 't.created_by' };

/** Who reads what is told of a tenant's end: those who see it in the list. */
export const companySight = listSight({
  entity: 'tenantExpiry',
  menu: tenantCompany.menu,
  table: 'tenant',
  where: 't.kind IN (1, 3, 4)',
  scope: COMPANY_SCOPE,
});

/** Days after the end in which a tenant may still read and export. */
const READ_DAYS = 90;

/** SQL: whether these days have passed for the tenant `t`. */
export const PAST_READING = `(t.kind IN (1, 4) AND t.expires_on + ${READ_DAYS} < ${TODAY})`;

/** 16:25 UTC is 00:25 of the business day. */
export function companyJobs(bound: () => BoundResource): readonly Job[] {
  return [
    {
      name: 'tenant.expiry',
      title: ['公司套餐到期提醒', 'Packages of companies end'],
      cron: '25 16 * * *',
      run: async (_payload, platform) => {
        for (const one of await ending(platform)) await tell(platform, one);
      },
    },
    dueJob(bound, {
      name: 'tenant.close',
      title: ['套餐到期满90天的公司停用', 'Companies are disabled 90 days after their end'],
      cron: '35 16 * * *',
      action: 'disable',
      when: `t.enabled AND ${PAST_READING}`,
      input: { reason: '套餐到期已满90天' },
    }),
  ];
}

interface Ending {
  readonly id: number;
  readonly account: string;
  readonly name: string;
  readonly left: number;
}

async function ending(platform: Platform): Promise<Ending[]> {
  const days = (await platform.settings.list('tenant.warn_days')).map(Number);
  return run<Ending>(
    platform.database.db,
    `SELECT id, account, name, expires_on - (now() AT TIME ZONE 'Asia/Shanghai')::date AS left FROM tenant
      WHERE kind IN (1, 4) AND enabled AND expires_on - (now() AT TIME ZONE 'Asia/Shanghai')::date = ANY($1::int[]) ORDER BY id`,
    [[...days, -1]],
  );
}

async function tell(platform: Platform, { id, account, name, left }: Ending): Promise<void> {
  const title: Label =
    left > 0
      ? [
          `公司套餐将在 ${left} 天后到期：${account} ${name}`,
          `The package ends in ${left} days: ${account} ${name}`,
        ]
      : [
          `公司套餐已到期，仅可查看与导出：${account} ${name}`,
          `The package has ended, it may read and export only: ${account} ${name}`,
        ];
  await transaction(platform.database.db, async (tx) => {
    const told = await run(
      tx,
      `SELECT FROM notification WHERE kind = 'tenantExpiry' AND title_zh = $1 AND created_at > now() - interval '20 hours' LIMIT 1`,
      [title[0]],
    );
    if (told.length > 0) return;
    await notify(tx, {
      staffIds: await holdersOfMenu(tx, tenantCompany.menu),
      kind: 'tenantExpiry',
      level: left > 7 ? 'normal' : 'important',
      title,
      route: `/serviceSourceManager/${tenantCompany.menu}?detail=${id}`,
      rows: { sight: companySight, ids: [id] },
    });
  });
}
