import { addDays, businessDayOf, businessTimeText } from '../../../kernel/contract/time.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, transaction } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { writeSystemEvent } from '../../../kernel/server/tasks/system-event.ts';
import type { Job, TodoKind } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import { approversSql } from '../../../domain/approval/approve.server.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import { financeDesk, PAYEE_MENU, payeeSight } from '../../../domain/payee/payee-alert.server.ts';
import { ASSIGNED_BUSINESS, BUSINESS_TYPES } from '../../../domain/payee/payee.rules.ts';
import { PAYEE_APPROVAL } from './payee-change-commands.server.ts';
import { channelsInUse, coverageOf } from './payee-coverage.server.ts';
import { closeOverdueTests } from './payee-test-run.server.ts';

/** Jobs of accounts. Cron patterns are UTC: 16:05 is 00:05 of the business day. */
export function payeeJobs(bound: () => BoundResource): readonly Job[] {
  const expire = dueJob(bound, {
    name: 'payee.expire',
    title: ['收款账户证书到期', 'Certificates of payee accounts end'],
    cron: '5 16 * * *',
    action: 'expire',
    when: 't.certificate_expires_on <= now()',
    input: { reason: '证书已过期' },
  });
  return [
    {
      ...expire,
      run: async (payload, platform) => {
        const over = await run<{ id: number; code: string; name: string }>(
          platform.database.db,
          `SELECT id, code, name FROM payee_account WHERE purpose = 'collect' AND state = 'active' AND certificate_expires_on <= now()`,
        );
        await expire.run(payload, platform);
        for (const account of over) {
          const text: Label = [
            `证书已过期，账户停止收款：${account.code} ${account.name}`,
            `The certificate has expired, the account takes no more payments: ${account.code} ${account.name}`,
          ];
          await noteCertificate(platform, account, 'error', text);
          await tell(platform, account.id, 'alertPayee', 'alert', text);
        }
      },
    },
    {
      name: 'payee.notice',
      title: ['收款账户到期与生效提醒', 'Notices of certificates and assignments'],
      cron: '15 16 * * *',
      run: (_payload, platform) => giveNotice(platform),
    },
    {
      name: 'payee.test_close',
      title: ['关闭超时的账户测试', 'Close tests of accounts nobody paid'],
      cron: '* * * * *',
      run: (_payload, platform) => closeOverdueTests(platform),
    },
    {
      name: 'payee.coverage',
      title: ['未配置收款账户的项目', 'Projects without a payee account'],
      cron: '0 21 * * *',
      run: (_payload, platform) => tellGaps(platform),
    },
  ];
}

/** Certificates that end in the days of `payee.cert_notice_days`, and assignments that begin or end today. */
async function giveNotice(platform: Platform): Promise<void> {
  const { db } = platform.database;
  const days = (await platform.settings.list('payee.cert_notice_days')).map(Number);
  const today = businessDayOf(new Date());
  const ending = await run<{ id: number; code: string; name: string; ends: Date }>(
    db,
    `SELECT id, code, name, certificate_expires_on AS ends FROM payee_account WHERE purpose = 'collect' AND state = 'active' AND certificate_expires_on > now()`,
  );
  for (const account of ending) {
    const left = days.find((day) => addDays(today, day) === businessDayOf(account.ends));
    if (left === undefined) continue;
    const text: Label = [
      `证书将在 ${left} 天后到期：${account.code} ${account.name}`,
      `The certificate ends in ${left} days: ${account.code} ${account.name}`,
    ];
    await noteCertificate(platform, account, 'warning', text);
    await tell(platform, account.id, 'payeeNotice', 'important', text);
  }
  const turning = await run<{
    account_id: number;
    code: string;
    name: string;
    business_type: keyof typeof ASSIGNED_BUSINESS;
    object: string | null;
    starts: boolean;
    at: Date;
  }>(
    db,
    `SELECT g.account_id, a.code, a.name, g.business_type, coalesce(p.name, o.name) AS object, e.starts, e.at
       FROM payee_assignment g JOIN payee_account a ON a.id = g.account_id LEFT JOIN project p ON p.id = g.project_id
       LEFT JOIN organisation o ON o.id = g.organisation_id
       CROSS JOIN LATERAL (VALUES (true, g.effective_from), (false, g.effective_to)) AS e (starts, at)
      WHERE g.state = 'active' AND (e.at AT TIME ZONE 'Asia/Shanghai')::date = $1::text::date ORDER BY g.id`,
    [today],
  );
  for (const one of turning) {
    const business: Label = ASSIGNED_BUSINESS[one.business_type].label;
    const time = businessTimeText(one.at);
    await tell(platform, one.account_id, 'payeeNotice', 'normal', [
      `收款账户适用范围今日${one.starts ? '生效' : '失效'}：${one.object ?? '全部公司'} · ${business[0]} → ${one.name}（${time}）`,
      `An assignment ${one.starts ? 'begins' : 'ends'} today: ${one.object ?? 'every company'} · ${business[1]} → ${one.name} (${time})`,
    ]);
  }
}

/** Keeps in the system log what is told of a certificate; a repeat on the same day adds nothing. */
async function noteCertificate(
  platform: Platform,
  account: { readonly id: number; readonly code: string },
  level: 'warning' | 'error',
  text: Label,
): Promise<void> {
  await transaction(platform.database.db, async (tx) => {
    const noted = await run(
      tx,
      `SELECT FROM system_event WHERE kind = 'cert' AND text = $1 AND at > now() - interval '20 hours' LIMIT 1`,
      [text[0]],
    );
    if (noted.length === 0)
      await writeSystemEvent(tx, { kind: 'cert', level, text, detail: { account: account.code } });
  });
}

/** Projects and businesses that nobody could pay through a channel that is switched on, told once a day. */
async function tellGaps(platform: Platform): Promise<void> {
  const { db } = platform.database;
  const channels = await channelsInUse(db);
  const covered = new Set(
    (await coverageOf(db)).map((one) => `${one.projectId} ${one.business} ${one.channel}`),
  );
  const projects = await run<{ id: number; name: string }>(
    db,
    'SELECT id, name FROM project WHERE enabled ORDER BY id',
  );
  const missing = projects.filter((project) =>
    channels.some((channel) =>
      Object.keys(BUSINESS_TYPES).some((business) => !covered.has(`${project.id} ${business} ${channel}`)),
    ),
  );
  if (missing.length === 0) return;
  await transaction(db, async (tx) =>
    notify(tx, {
      staffIds: await financeDesk(tx),
      kind: 'payeeNotice',
      level: 'important',
      title: [
        `${missing.length} 个项目有业务未配置收款账户`,
        `${missing.length} projects have business without a payee account`,
      ],
      body: [
        missing
          .slice(0, 10)
          .map((one) => one.name)
          .join('、'),
        missing
          .slice(0, 10)
          .map((one) => one.name)
          .join(', '),
      ],
      route: '/baseData/pm_account?part=coverage',
      aboutReceiver: true,
    }),
  );
}

async function tell(
  platform: Platform,
  accountId: number,
  kind: 'payeeNotice' | 'alertPayee',
  level: 'normal' | 'important' | 'alert',
  title: Label,
): Promise<void> {
  await transaction(platform.database.db, async (tx) =>
    notify(tx, {
      staffIds: await financeDesk(tx),
      kind,
      level,
      title,
      route: `/baseData/pm_account?detail=${accountId}`,
      rows: { sight: payeeSight, ids: [accountId] },
    }),
  );
}

/** To-dos of the finance desk: certificates that end soon, changes that wait for the caller, projects without an account. */
export function payeeTodos(
  count: (
    call: { caller: Caller; platform: Platform },
    filters: Readonly<Record<string, string>>,
  ) => Promise<number>,
): readonly TodoKind[] {
  return [
    {
      kind: 'cert_expiring',
      label: ['证书即将到期', 'Certificates expiring'],
      menu: PAYEE_MENU,
      route: '/baseData/pm_account?expiring=true',
      order: 60,
      count: async (call) => ({ count: await count(call, { expiring: 'true' }), oldest: null, overdue: 0 }),
    },
    {
      kind: 'payee_change',
      label: ['收款账户变更待审批', 'Payee account changes to approve'],
      menu: PAYEE_MENU,
      route: '/baseData/pm_account?part=changes&tab=mine',
      order: 21,
      count: async ({ caller, platform }) => {
        const [row] = await run<{ n: number; oldest: Date | null }>(
          platform.database.db,
          `SELECT count(*) AS n, min(c.created_at) AS oldest FROM payee_change c WHERE c.state = 'in_review' AND $1 = ANY(${approversSql(PAYEE_APPROVAL, 'c.id')})`,
          [caller.staffId],
        );
        return { count: row!.n, oldest: row!.oldest, overdue: 0 };
      },
    },
    {
      kind: 'payee_uncovered',
      label: ['未配置收款账户的项目业务', 'Business of projects without a payee account'],
      menu: PAYEE_MENU,
      route: '/baseData/pm_account?part=coverage',
      order: 61,
      count: async ({ caller, platform }) => ({
        count: await gapCount(caller, platform),
        oldest: null,
        overdue: 0,
      }),
    },
  ];
}

/** Empty cells of the matrix the caller sees, over the channels that are switched on. */
async function gapCount(caller: Caller, platform: Platform): Promise<number> {
  const { db } = platform.database;
  const channels = await channelsInUse(db);
  const [projects] = await run<{ n: number }>(
    db,
    'SELECT count(*) AS n FROM project WHERE enabled AND ($1::bigint[] IS NULL OR id = ANY($1::bigint[]))',
    [caller.projectIds],
  );
  const covered = (await coverageOf(db, { projectIds: caller.projectIds })).filter((one) =>
    channels.includes(one.channel),
  );
  return projects!.n * channels.length * Object.keys(BUSINESS_TYPES).length - covered.length;
}
