import { addDays, businessDayOf, monthBefore } from '../../kernel/contract/time.rules.ts';
import { run, runOne, transaction, type Tx } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { defineRegistration } from '../../kernel/server/registration.ts';
import { sqlInvariant } from '../../kernel/server/sql-invariant.ts';
import { notify } from '../notification/notify.server.ts';
import { bucketsOf } from './ageing.rules.ts';
import { KEPT_HOURS, monthSql } from './as-of.server.ts';
import { METRICS, type Metric } from './figures.rules.ts';
import { FAMILY_WHERE, METRIC_WHERE, NOW, REPORT_FROM, type Family } from './figures.server.ts';

const FAMILIES = Object.keys(FAMILY_WHERE) as Family[];
const COLUMNS = `id, code, type, class, status, source, urgency, tenant_id, business_id, project_id, title, address, category_id, handler_id,
  complained_staff_id, created_at, created_by, accepted_at, started_at, finished_at, returned_count, transfer_count, reopen_count,
  score_overall, plan_result, paid, refunded, search, version, response_state, solve_state, paused_minutes, fee, fee_paid`;
const FIGURES = (Object.keys(METRICS) as Metric[])
  .map((key) => `'${key}', count(*) FILTER (WHERE ${METRIC_WHERE[key]})`)
  .join(', ');

/** First day of the month before that of a day. */
export const startOfMonthBefore = (day: string): string => `${monthBefore(day)}-01`;

/**
 * Freezes a month: how every order of it stands, one snapshot per family and project, each in a transaction of its own. What is
 * frozen already is left alone, so that a run that ended in the middle goes on and a second one changes nothing. Returns how many
 * snapshots were made. Source: group 11, job report.freeze.
 */
export async function freezeMonth(platform: Platform, month: string): Promise<number> {
  const { db } = platform.database;
  const projects = await run<{ id: number }>(db, 'SELECT id FROM project ORDER BY id');
  const bounds = await agingBounds(platform);
  let made = 0;
  for (const family of FAMILIES)
    for (const { id } of projects) {
      if (await transaction(db, (tx) => freezeProject(tx, family, month, id, bounds))) made += 1;
    }
  return made;
}

/** Upper bounds of the ageing buckets as they are set. */
export interface AgingBounds {
  readonly short: readonly number[];
  readonly long: readonly number[];
}

/** Reads {@link AgingBounds}; outside of a transaction. */
export async function agingBounds({ settings }: Pick<Platform, 'settings'>): Promise<AgingBounds> {
  return {
    short: bucketsOf(await settings.list('report.aging.short')),
    long: bucketsOf(await settings.list('report.aging.long')),
  };
}

/** Freezes a month of a project; false where it is frozen already. */
export async function freezeProject(
  tx: Tx,
  family: Family,
  month: string,
  projectId: number,
  bounds: AgingBounds,
): Promise<boolean> {
  const snapshot = await runOne<{ id: number }>(
    tx,
    `INSERT INTO report_snapshot (family, month, project_id, aging_short, aging_long, figures)
     SELECT '${family}', $1::date, $2, $3::integer[], $4::integer[], (SELECT jsonb_build_object(${FIGURES}) FROM ${REPORT_FROM}
       WHERE ${FAMILY_WHERE[family]} AND ${NOW} AND t.project_id = $2 AND ${monthSql('t.created_at')} = $1::date)
         ON CONFLICT (family, month, project_id) DO NOTHING RETURNING id`,
    [month, projectId, bounds.short, bounds.long],
  );
  if (!snapshot) return false;
  await run(
    tx,
    `INSERT INTO work_order_seen (seen, snapshot_id, month, ${COLUMNS})
     SELECT 'frozen', $3, $1::date, ${COLUMNS} FROM work_order_report t
      WHERE ${FAMILY_WHERE[family]} AND ${NOW} AND t.project_id = $2
        AND (${monthSql('t.created_at')} = $1::date OR ${monthSql('t.finished_at')} = $1::date)`,
    [month, projectId, snapshot.id],
  );
  return true;
}

/** Freezes the month before a day, if it is time. */
export async function freezeDue(platform: Platform, today: string): Promise<number> {
  const from = await platform.settings.number('report.freeze_day');
  return Number(today.slice(8)) < from ? 0 : freezeMonth(platform, startOfMonthBefore(today));
}

/** Sends subscribers of a cycle the link of their report; each reads it within the own scope. Returns how many. */
export async function sendReports(
  platform: Platform,
  cycle: 'weekly' | 'monthly',
  today: string,
): Promise<number> {
  const { db } = platform.database;
  const [from, to] =
    cycle === 'weekly'
      ? [addDays(today, -7), addDays(today, -1)]
      : [startOfMonthBefore(today), addDays(`${today.slice(0, 7)}-01`, -1)];
  let sent = 0;
  for (const family of FAMILIES) {
    const [menu, words] =
      family === 'property'
        ? (['or_ProOperIndex', ['物业工单统计', 'Property work-order statistics']] as const)
        : (['or_operIndex', ['运营工单统计', 'Operations work-order statistics']] as const);
    const readers = await run<{ staff_id: number }>(
      db,
      'SELECT staff_id FROM report_subscription WHERE family = $1 AND cycle = $2 ORDER BY 1',
      [family, cycle],
    );
    sent += await transaction(db, (tx) =>
      notify(tx, {
        kind: 'report',
        staffIds: readers.map((one) => one.staff_id),
        aboutReceiver: true,
        title: [`${words[0]}：${from} 至 ${to}`, `${words[1]}: ${from} to ${to}`],
        route: `/ProOperReport/${menu}?range=${from}~${to}`,
      }),
    );
  }
  return sent;
}

const today = () => businessDayOf(new Date());

/** Jobs of the work-order reports. Patterns are UTC: 19:00 is 03:00 of the business day. Source: group 11, Jobs. */
export const registration = defineRegistration({
  endpoints: [],
  invariants: [
    sqlInvariant(
      'report.snapshot',
      `SELECT 'snapshot ' || x.id AS what, ARRAY[(x.figures ->> 'total')::bigint] AS found,
              ARRAY[(SELECT count(*) FROM work_order_seen t WHERE t.snapshot_id = x.id AND ${monthSql('t.created_at')} = x.month)]::bigint[] AS wanted
         FROM report_snapshot x`,
    ),
  ],
  jobs: [
    {
      name: 'report.freeze',
      title: ['工单月报封版', 'Freezing work-order figures'],
      cron: '0 19 * * *',
      timeoutSeconds: 1_800,
      run: async (_payload, platform, context) => {
        context?.print(`${await freezeDue(platform, today())} 个项目月份 / months of projects`);
      },
    },
    {
      name: 'report.seen',
      title: ['清理工单历史版本', 'Clearing versions of work orders'],
      cron: '30 19 * * *',
      timeoutSeconds: 600,
      run: async (_payload, platform) => {
        await run(
          platform.database.db,
          `DELETE FROM work_order_seen WHERE seen = 'past' AND ended_at < now() - make_interval(hours => ${KEPT_HOURS + 2})`,
        );
      },
    },
    {
      name: 'report.subscribe',
      title: ['发送订阅的工单报表', 'Sending subscribed reports'],
      cron: '0 0 * * *',
      run: async (_payload, platform, context) => {
        const day = today();
        const monday = new Date(`${day}T00:00:00Z`).getUTCDay() === 1;
        let sent = monday ? await sendReports(platform, 'weekly', day) : 0;
        if (day.endsWith('-06')) sent += await sendReports(platform, 'monthly', day);
        context?.print(`${sent} 人 / people`);
      },
    },
  ],
});
