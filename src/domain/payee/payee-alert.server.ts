import type { Label } from '../../kernel/contract/label.ts';
import { runOne, type Executor } from '../../kernel/server/database.ts';
import { listSight } from '../notification/row-sight.server.ts';
import { notify } from '../notification/notify.server.ts';
import { holdersOfMenu } from '../permission/menu-holders.server.ts';
import { BUSINESS_TYPES, PAYEE_CHANNELS } from './payee.rules.ts';
import type { PayeeQuestion } from './resolve-payee.server.ts';

/** Menu of the payee accounts. */
export const PAYEE_MENU = 'pm_account';

/** Where accounts stand: with the tenant that owns them. */
export const PAYEE_SCOPE = { tenant: 't.tenant_id', project: 'none', owner: 't.created_by' } as const;

/** Who reads messages about accounts: those who see them in the list. */
export const payeeSight = listSight({
  entity: 'payeeAccount',
  menu: PAYEE_MENU,
  table: 'payee_account',
  where: `t.purpose = 'collect'`,
  scope: PAYEE_SCOPE,
});

/** Messages about projects without an account: for holders of the menu who work in the project. */
export const uncoveredSight = listSight({
  entity: 'payeeProject',
  menu: PAYEE_MENU,
  table: 'project',
  scope: { tenant: 'none', project: 't.id', owner: 'NULL::bigint' },
});

/** Staff who may keep payee accounts of some tenant, platform administrators included: the finance desk. */
export function financeDesk(db: Executor): Promise<number[]> {
  return holdersOfMenu(db, PAYEE_MENU);
}

/** Tells the finance desk that a payment was refused for want of an account; once an hour for a project, business and channel. */
export async function tellMissingPayee(tx: Executor, question: PayeeQuestion): Promise<void> {
  const project = await runOne<{ name: string }>(tx, 'SELECT name FROM project WHERE id = $1', [
    question.projectId,
  ]);
  const business: Label = BUSINESS_TYPES[question.businessType].label;
  const channel: Label = PAYEE_CHANNELS[question.channel].label;
  const title: Label = [
    `未配置收款账户：${project?.name ?? question.projectId} · ${business[0]} · ${channel[0]}`,
    `No payee account: ${project?.name ?? question.projectId} · ${business[1]} · ${channel[1]}`,
  ];
  const told = await runOne(
    tx,
    `SELECT 1 FROM notification WHERE kind = 'alertPayee' AND title_zh = $1 AND created_at > now() - interval '1 hour' LIMIT 1`,
    [title[0]],
  );
  if (told) return;
  await notify(tx, {
    staffIds: await financeDesk(tx),
    kind: 'alertPayee',
    level: 'alert',
    title,
    body: [
      '付款在调用渠道前已被拒绝，请尽快配置',
      'The payment was refused before the channel was called. Please set an account up.',
    ],
    route: `/baseData/pm_account?part=which&project=${question.projectId}&business=${question.businessType}&channel=${question.channel}`,
    rows: { sight: uncoveredSight, ids: [question.projectId] },
  });
}
