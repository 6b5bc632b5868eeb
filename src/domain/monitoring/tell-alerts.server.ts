import type { Label } from '../../kernel/contract/label.ts';
import { run, type Executor, type Tx } from '../../kernel/server/database.ts';
import { addEffect } from '../../kernel/server/tasks/outbox.ts';
import { listSight } from '../notification/row-sight.server.ts';
import { notify } from '../notification/notify.server.ts';
import { PLATFORM_ADMIN_GROUP } from '../permission/effective-permissions.server.ts';
import type { WaitingMessage } from './evaluate.server.ts';

const MENU = 'serviceMonitorManager';

/** Kind of the effect that calls an address when something fires. */
export const WEBHOOK = 'alert.webhook';

/** Alerts as their list shows them: only the platform looks at what runs. */
export const alertSight = listSight({
  entity: 'alert',
  menu: MENU,
  table: 'alert',
  scope: { tenant: 'none', project: 'none', owner: 't.created_by', platformOnly: true },
});

const WORDS: Readonly<Record<WaitingMessage['kind'], Label>> = {
  fired: ['告警', 'Alert'],
  repeat: ['仍在告警', 'Still firing'],
  recovered: ['已恢复', 'Recovered'],
};

/** Writes one message for each receiver about everything it is to be told, by the channels of the rules. */
export async function tellAlerts(tx: Tx, messages: readonly WaitingMessage[]): Promise<void> {
  const byStaff = new Map<number, WaitingMessage[]>();
  const duty = await onDuty(tx);
  const named = await run<{ rule_id: number; staff_id: number }>(
    tx,
    'SELECT rule_id, staff_id FROM alert_rule_receiver WHERE rule_id = ANY($1::bigint[])',
    [messages.map((one) => one.ruleId)],
  );
  for (const message of messages) {
    const own = named.filter((one) => one.rule_id === message.ruleId).map((one) => one.staff_id);
    for (const staff of own.length > 0 ? own : duty)
      byStaff.set(staff, [...(byStaff.get(staff) ?? []), message]);
  }
  // Receivers of the same alerts get the same message.
  const bundles = new Map<string, { staff: number[]; messages: WaitingMessage[] }>();
  for (const [staff, told] of byStaff) {
    const key = told.map((one) => one.id).join();
    const bundle = bundles.get(key) ?? { staff: [], messages: told };
    bundle.staff.push(staff);
    bundles.set(key, bundle);
  }
  for (const { staff, messages: told } of bundles.values()) await tell(tx, staff, told);
  for (const message of messages)
    if (message.channels.includes('webhook') && message.webhook !== '')
      await addEffect(
        tx,
        WEBHOOK,
        {
          url: message.webhook,
          alert: {
            id: String(message.alertId),
            rule: message.code,
            severity: message.severity,
            series: message.series,
            state: message.kind === 'recovered' ? 'recovered' : 'firing',
            value: message.value,
            peak: message.peak,
            seconds: Math.round(message.seconds),
          },
        },
        { key: `alert:${message.id}` },
      );
}

async function tell(tx: Tx, staffIds: readonly number[], messages: readonly WaitingMessage[]): Promise<void> {
  const lines = messages.map(lineOf);
  const first = messages[0]!;
  const title: Label =
    messages.length === 1
      ? [`${WORDS[first.kind][0]}：${first.name}`, `${WORDS[first.kind][1]}: ${first.nameEn}`]
      : [`监控告警 ${messages.length} 条`, `${messages.length} monitoring alerts`];
  const body: Label = [lines.map((one) => one[0]).join('\n'), lines.map((one) => one[1]).join('\n')];
  const by = (channel: string) => messages.some((one) => one.channels.includes(channel));
  if (by('notification'))
    await notify(tx, {
      kind: 'alertMonitor',
      level: messages.some((one) => one.severity === 'critical' && one.kind !== 'recovered')
        ? 'alert'
        : 'important',
      staffIds,
      rows: { sight: alertSight, ids: [...new Set(messages.map((one) => one.alertId))] },
      title,
      body: [body[0].slice(0, 1_000), body[1].slice(0, 1_000)],
      route: `/monitorManager/serviceMonitorManager?part=alerts${messages.length === 1 ? `&detail=${first.alertId}` : ''}`,
    });
  if (by('sms'))
    await run(
      tx,
      `INSERT INTO sms_message (phone, purpose, body) SELECT phone, 'notification', $2 FROM staff WHERE id = ANY($1::bigint[]) AND state = 'normal' AND phone <> ''`,
      [staffIds, `【社区零售系统】${title[0]} ${body[0]}`.slice(0, 200)],
    );
  if (by('email'))
    await run(
      tx,
      `INSERT INTO email_message (address, purpose, subject, body) SELECT email, 'notification', $2, $3 FROM staff WHERE id = ANY($1::bigint[]) AND state = 'normal' AND email <> ''`,
      [staffIds, title[0], body[0]],
    );
}

function lineOf(message: WaitingMessage): Label {
  const number = (value: number | null) => (value === null ? '–' : String(Math.round(value * 100) / 100));
  const minutes = Math.max(0, Math.round(message.seconds / 6) / 10);
  const more: Label =
    message.kind === 'recovered'
      ? [
          `，持续 ${minutes} 分钟，峰值 ${number(message.peak)}`,
          `, lasted ${minutes} min, peak ${number(message.peak)}`,
        ]
      : [`，当前值 ${number(message.value)}`, `, value ${number(message.value)}`];
  return [
    `${WORDS[message.kind][0]} ${message.name}（${message.series}）${more[0]}`,
    `${WORDS[message.kind][1]}: ${message.nameEn} (${message.series})${more[1]}`,
  ];
}

/** Platform staff who hold the menu: who is told where a rule names nobody. */
async function onDuty(db: Executor): Promise<number[]> {
  const rows = await run<{ id: number }>(
    db,
    `SELECT s.id FROM staff s JOIN tenant n ON n.id = s.tenant_id AND n.kind = 3
      WHERE s.state = 'normal' AND EXISTS (
        SELECT FROM group_member m JOIN permission_group g ON g.id = m.group_id AND g.enabled
         WHERE m.staff_id = s.id AND (m.expires_at IS NULL OR m.expires_at > now())
           AND ((g.built_in AND g.code = $2) OR EXISTS (SELECT FROM menu_grant x WHERE x.group_id = g.id AND x.menu_code = $1)))
      ORDER BY s.id`,
    [MENU, PLATFORM_ADMIN_GROUP],
  );
  return rows.map((row) => row.id);
}
