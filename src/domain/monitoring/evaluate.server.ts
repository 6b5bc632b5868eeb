import { run, runOne, transaction, type Executor, type Tx } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import {
  covers,
  MISSED,
  stepAlert,
  type AlertCondition,
  type AlertStep,
  type LiveAlert,
  type Reading,
  type Silence,
} from './alert.rules.ts';

/** A rule as it is evaluated. */
export interface StoredRule {
  readonly id: number;
  readonly code: string;
  readonly metric: string;
  readonly labels: string;
  readonly scope: 'instance' | 'service' | 'product';
  readonly aggregate: 'avg' | 'max' | 'min' | 'sum';
  readonly guard_metric: string;
  readonly guard_value: number;
  readonly operator: AlertCondition['operator'];
  readonly fire_value: number;
  readonly recover_value: number;
  readonly fire_for_s: number;
  readonly recover_for_s: number;
  readonly repeat_minutes: number;
  readonly no_data: AlertCondition['noData'];
}

/** The deciding part of a stored rule. */
export function conditionOf(rule: StoredRule): AlertCondition {
  return {
    operator: rule.operator,
    fireValue: rule.fire_value,
    recoverValue: rule.recover_value,
    fireForS: rule.fire_for_s,
    recoverForS: rule.recover_for_s,
    repeatMinutes: rule.repeat_minutes,
    noData: rule.no_data,
  };
}

/** A series of a rule with its value now. */
interface Series extends Reading {
  readonly series: string;
  readonly service: string;
  readonly instance: string;
}

interface StoredAlert {
  readonly id: number;
  readonly rule_id: number;
  readonly series: string;
  readonly service: string;
  readonly instance: string;
  readonly state: LiveAlert['state'];
  readonly value: number | null;
  readonly peak: number | null;
  readonly started_at: Date;
  readonly fired_at: Date | null;
  readonly good_since: Date | null;
  readonly last_notified_at: Date | null;
  readonly missed: number;
}

/** Samples older than this are no data. */
const FRESH_S = 30;
/** Pause between looks, a little under ten seconds so that ticks of ten seconds never skip one. */
const PAUSE_S = 9;
const BUNDLE_S = 30;

/** The database's clock in milliseconds. */
export async function databaseNow(db: Executor): Promise<number> {
  return (await runOne<{ now: Date }>(db, 'SELECT clock_timestamp() AS now'))!.now.getTime();
}

/**
 * Looks at all rules once. Whoever comes first does it: a turn in the database keeps others out, and nothing of it lives in
 * a process, so that another one goes on where this one died. Returns the alerts that changed; undefined where it was not due.
 */
export async function evaluateAlerts(
  platform: Platform,
  instance: string,
  now?: number,
): Promise<number | undefined> {
  const at = now ?? (await databaseNow(platform.database.db));
  const changed = await transaction(platform.database.db, async (tx) => {
    const turn = await runOne(
      tx,
      `SELECT 1 FROM monitor_turn WHERE work = 'alerts' AND done_at <= to_timestamp($1::float8 / 1000) - make_interval(secs => $2) FOR UPDATE SKIP LOCKED`,
      [at, PAUSE_S],
    );
    if (!turn) return undefined;
    await run(
      tx,
      `UPDATE monitor_turn SET done_at = to_timestamp($1::float8 / 1000), by_instance = $2 WHERE work = 'alerts'`,
      [at, instance],
    );
    const rules = await run<StoredRule>(tx, `SELECT * FROM alert_rule WHERE enabled ORDER BY id`);
    const live = await run<StoredAlert>(
      tx,
      `SELECT * FROM alert WHERE state <> 'recovered' FOR NO KEY UPDATE`,
    );
    const silences = await run<Silence>(
      tx,
      `SELECT scope, rule_id AS "ruleId", service, instance FROM alert_silence
        WHERE ended_at IS NULL AND starts_at <= to_timestamp($1::float8 / 1000) AND until > to_timestamp($1::float8 / 1000)`,
      [at],
    );
    const running = new Set(
      (await run<{ id: string }>(tx, 'SELECT instance_id AS id FROM service_instance')).map((row) => row.id),
    );
    let count = 0;
    for (const rule of rules) {
      const found = await readSeries(tx, rule, at);
      const own = live.filter((one) => one.rule_id === rule.id);
      for (const one of own) {
        if (found.some((series) => series.series === one.series)) continue;
        if (one.instance !== '' && rule.scope === 'instance' && !running.has(one.instance)) {
          await endAlert(tx, one, at, '实例已离开');
          count += 1;
        } else
          found.push({ series: one.series, service: one.service, instance: one.instance, value: undefined });
      }
      for (const series of found) {
        const before = own.find((one) => one.series === series.series);
        const step = stepAlert(before && liveOf(before), series, conditionOf(rule), at);
        if (!before && !step.live) continue;
        const silenced = silences.some((silence) =>
          covers(silence, { ruleId: rule.id, service: series.service, instance: series.instance }),
        );
        await writeStep(tx, rule, series, before, step, silenced, at);
        count += 1;
      }
    }
    // Alerts of rules that were switched off end quietly.
    const off = live.filter((one) => !rules.some((rule) => rule.id === one.rule_id));
    for (const one of off) await endAlert(tx, one, at, '规则已停用');
    return count + off.length;
  });
  if (changed) platform.changed('alert');
  return changed;
}

function liveOf(row: StoredAlert): LiveAlert {
  return {
    state: row.state,
    value: row.value,
    peak: row.peak,
    startedAt: row.started_at.getTime(),
    firedAt: row.fired_at?.getTime() ?? null,
    goodSince: row.good_since?.getTime() ?? null,
    lastNotifiedAt: row.last_notified_at?.getTime() ?? null,
    missed: row.missed,
  };
}

async function writeStep(
  tx: Tx,
  rule: StoredRule,
  series: Series,
  before: StoredAlert | undefined,
  step: AlertStep,
  silenced: boolean,
  now: number,
): Promise<void> {
  const after = step.live ?? step.recovered;
  if (!after) {
    // It was about to fire and did not: nobody was told, nothing stays.
    await run(tx, 'DELETE FROM alert WHERE id = $1', [before!.id]);
    return;
  }
  const values = [
    step.recovered ? 'recovered' : after.state,
    after.value,
    after.peak,
    after.startedAt,
    after.firedAt,
    after.goodSince,
    after.missed,
    step.recovered ? now : null,
  ];
  const id = before
    ? before.id
    : (await runOne<{ id: number }>(
        tx,
        `INSERT INTO alert (rule_id, series, service, instance, state, started_at, fired_at)
         VALUES ($1, $2, $3, $4, $5, to_timestamp($6::float8 / 1000), to_timestamp($7::float8 / 1000)) RETURNING id`,
        [
          rule.id,
          series.series,
          series.service,
          series.instance,
          after.state,
          after.startedAt,
          after.firedAt,
        ],
      ))!.id;
  const told = step.tell !== undefined && !silenced;
  await run(
    tx,
    `UPDATE alert SET state = $2, value = $3, peak = $4, started_at = to_timestamp($5::float8 / 1000),
       fired_at = to_timestamp($6::float8 / 1000), good_since = to_timestamp($7::float8 / 1000), missed = $8,
       recovered_at = to_timestamp($9::float8 / 1000), notified = notified + $10,
       last_notified_at = CASE WHEN $10 > 0 THEN to_timestamp($11::float8 / 1000) ELSE last_notified_at END
     WHERE id = $1`,
    [id, ...values, told ? 1 : 0, now],
  );
  if (told)
    await run(
      tx,
      'INSERT INTO alert_message (alert_id, kind, value, at) VALUES ($1, $2, $3, to_timestamp($4::float8 / 1000))',
      [id, step.tell, after.value, now],
    );
}

async function endAlert(
  tx: Tx,
  alert: Pick<StoredAlert, 'id' | 'state'>,
  now: number,
  note: string,
): Promise<void> {
  if (alert.state === 'pending') await run(tx, 'DELETE FROM alert WHERE id = $1', [alert.id]);
  else
    await run(
      tx,
      `UPDATE alert SET state = 'recovered', recovered_at = to_timestamp($2::float8 / 1000), note = left(concat_ws(' ', nullif(note, ''), $3::text), 500) WHERE id = $1`,
      [alert.id, now, note],
    );
}

/** Ends the alert of an instance that somebody removed from the registry. */
export async function endInstanceAlerts(tx: Tx, service: string, host: string): Promise<void> {
  const rows = await run<StoredAlert>(
    tx,
    `SELECT a.* FROM alert a JOIN alert_rule r ON r.id = a.rule_id AND r.code = 'instance_down'
      WHERE a.series = $1 AND a.state <> 'recovered' FOR NO KEY UPDATE OF a`,
    [`${service}@${host}`],
  );
  const now = await databaseNow(tx);
  for (const row of rows) await endAlert(tx, row, now, '已移除');
}

/** The series of a rule with their values of now. */
async function readSeries(db: Executor, rule: StoredRule, now: number): Promise<Series[]> {
  if (rule.metric === 'instance_down') return downSeries(db);
  if (rule.metric === 'http_error_rate' && rule.scope === 'product') return errorRate(db, rule, now);
  const rows = await run<{
    service: string;
    instance: string;
    labels: string;
    value: number | null;
    guard: number | null;
  }>(
    db,
    // The last sample of each series of the last hour; where it is old there is no value.
    `SELECT coalesce(s.service, '') AS service, m.instance, m.labels,
            CASE WHEN m.at > to_timestamp($3::float8 / 1000) - make_interval(secs => $4) THEN m.value END AS value,
            (SELECT g.value FROM metric_recent g WHERE g.metric = $5 AND g.instance = m.instance AND g.labels = m.labels
              AND g.at <= to_timestamp($3::float8 / 1000) ORDER BY g.at DESC LIMIT 1) AS guard
       FROM (SELECT DISTINCT ON (instance, labels) instance, labels, at, value FROM metric_recent
              WHERE metric = $1 AND ($2 = '' OR labels = $2) AND at <= to_timestamp($3::float8 / 1000)
                AND at > to_timestamp($3::float8 / 1000) - interval '1 hour'
              ORDER BY instance, labels, at DESC) m
       LEFT JOIN service_instance s ON s.instance_id = m.instance
      WHERE m.instance = '' OR s.id IS NOT NULL`,
    [rule.metric, rule.labels, now, FRESH_S, rule.guard_metric],
  );
  const bySeries = new Map<string, { service: string; instance: string; values: number[] }>();
  for (const row of rows) {
    // Without a wish for labels the whole is meant where there is one: parts are rules of their own.
    if (
      rule.labels === '' &&
      row.labels !== '' &&
      rows.some((one) => one.instance === row.instance && one.labels === '')
    )
      continue;
    const place = rule.scope === 'instance' ? row.instance : rule.scope === 'service' ? row.service : '';
    const series = [place, row.labels].filter(Boolean).join(' ') || 'product';
    let entry = bySeries.get(series);
    if (!entry)
      bySeries.set(
        series,
        (entry = {
          service: row.service,
          instance: rule.scope === 'instance' ? row.instance : '',
          values: [],
        }),
      );
    if (row.value !== null && (rule.guard_metric === '' || (row.guard ?? 0) >= rule.guard_value))
      entry.values.push(row.value);
  }
  return [...bySeries].map(([series, { service, instance, values }]) => ({
    series,
    service,
    instance,
    value: aggregated(rule.aggregate, values),
    ...(values.length === 0 ? { missed: MISSED } : {}),
  }));
}

function aggregated(how: StoredRule['aggregate'], values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  const sum = values.reduce((a, b) => a + b, 0);
  switch (how) {
    case 'avg':
      return sum / values.length;
    case 'sum':
      return sum;
    case 'min':
      return Math.min(...values);
    case 'max':
      return Math.max(...values);
  }
}

/** Faults among all answers of the last minute; too few answers say nothing. */
async function errorRate(db: Executor, rule: StoredRule, now: number): Promise<Series[]> {
  const row = await runOne<{ calls: number | null; faults: number | null }>(
    db,
    `SELECT sum(value) FILTER (WHERE metric = 'http_calls') AS calls, sum(value) FILTER (WHERE metric = 'http_faults') AS faults
       FROM metric_recent WHERE metric IN ('http_calls', 'http_faults')
        AND at > to_timestamp($1::float8 / 1000) - interval '60 seconds' AND at <= to_timestamp($1::float8 / 1000)`,
    [now],
  );
  if (row!.calls === null) return [];
  // Nobody calls: nobody meets an error either.
  const value = row!.calls === 0 ? 0 : (100 * (row!.faults ?? 0)) / row!.calls;
  const tooFew = row!.calls < rule.guard_value && value > rule.recover_value;
  return [{ series: 'product', service: '', instance: '', value: tooFew ? undefined : value }];
}

/** A service on a machine is down while one of its instances is and none that started later is up. */
async function downSeries(db: Executor): Promise<Series[]> {
  const rows = await run<{
    service: string;
    host: string;
    down: boolean;
    down_at: Date | null;
    up: boolean;
    instance: string;
  }>(
    db,
    `SELECT service, host, coalesce(bool_or(status = 'DOWN' AND NOT replaced), false) AS down,
            min(down_at) FILTER (WHERE NOT replaced) AS down_at, bool_or(status = 'UP') AS up,
            coalesce(max(instance_id) FILTER (WHERE status = 'DOWN' AND NOT replaced), '') AS instance
       FROM (SELECT t.*, EXISTS (SELECT FROM service_instance n WHERE n.service = t.service AND n.host = t.host
                                   AND n.status IN ('UP', 'STARTING') AND n.started_at > t.last_heartbeat_at) AS replaced
               FROM service_instance t) x
      GROUP BY service, host`,
  );
  return rows.map((row) => ({
    series: `${row.service}@${row.host}`,
    service: row.service,
    instance: row.instance,
    value: row.down ? 1 : row.up ? 0 : undefined,
    ...(row.down && row.down_at ? { since: row.down_at.getTime() } : {}),
  }));
}

/** Alerts somebody is to be told of. */
export interface WaitingMessage {
  readonly id: number;
  readonly alertId: number;
  readonly kind: 'fired' | 'repeat' | 'recovered';
  readonly value: number | null;
  readonly ruleId: number;
  readonly code: string;
  readonly name: string;
  readonly nameEn: string;
  readonly severity: 'critical' | 'warning' | 'info';
  readonly series: string;
  readonly peak: number | null;
  readonly seconds: number;
  readonly channels: readonly string[];
  readonly webhook: string;
}

/**
 * Hands what waits to `send`, in one transaction with the mark that it was sent: at once after a quiet time, else when 30
 * seconds have passed, so that what comes together is told together.
 */
export async function sendBundle(
  platform: Platform,
  send: (tx: Tx, messages: readonly WaitingMessage[]) => Promise<void>,
  now?: number,
): Promise<number> {
  const at = now ?? (await databaseNow(platform.database.db));
  return transaction(platform.database.db, async (tx) => {
    const turn = await runOne(
      tx,
      `SELECT 1 FROM monitor_turn WHERE work = 'bundle' AND done_at <= to_timestamp($1::float8 / 1000) - make_interval(secs => $2) FOR UPDATE SKIP LOCKED`,
      [at, BUNDLE_S],
    );
    if (!turn) return 0;
    const messages = await run<WaitingMessage>(
      tx,
      `SELECT m.id, m.alert_id AS "alertId", m.kind, m.value, r.id AS "ruleId", r.code, r.name, r.name_en AS "nameEn", r.severity,
              a.series, a.peak, extract(epoch FROM m.at - a.started_at)::float8 AS seconds, r.channels, r.webhook
         FROM alert_message m JOIN alert a ON a.id = m.alert_id JOIN alert_rule r ON r.id = a.rule_id
        WHERE m.sent_at IS NULL ORDER BY m.id LIMIT 200 FOR UPDATE OF m`,
    );
    if (messages.length === 0) return 0;
    await send(tx, messages);
    await run(
      tx,
      `UPDATE alert_message SET sent_at = to_timestamp($2::float8 / 1000) WHERE id = ANY($1::bigint[])`,
      [messages.map((one) => one.id), at],
    );
    await run(tx, `UPDATE monitor_turn SET done_at = to_timestamp($1::float8 / 1000) WHERE work = 'bundle'`, [
      at,
    ]);
    return messages.length;
  });
}
