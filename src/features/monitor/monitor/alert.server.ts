import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { CALLER, NOW, fromInput } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { doctorJobs } from '../../../domain/monitoring/doctor.server.ts';
import { keepMonitoring } from '../../../domain/monitoring/metrics.server.ts';
import { alertSight, WEBHOOK } from '../../../domain/monitoring/tell-alerts.server.ts';
import { PLATFORM_SCOPE } from '../platform-scope.server.ts';
import { alert, type WatchedAlert } from './alert.contract.ts';

const SILENCED = `EXISTS (SELECT FROM alert_silence s WHERE s.ended_at IS NULL AND s.starts_at <= now() AND s.until > now()
  AND (s.scope = 'all' OR (s.scope = 'rule' AND s.rule_id = t.rule_id) OR (s.scope = 'service' AND s.service = t.service)
       OR (s.scope = 'instance' AND s.instance = t.instance)))`;
const PHASE = `CASE WHEN t.state IN ('firing', 'acknowledged') AND ${SILENCED} THEN 'silenced' ELSE t.state END`;
const PATIENCE_MS = 5_000;

const bound = bindResource(alert, {
  table: 'alert',
  from: 'alert t LEFT JOIN alert_rule r ON r.id = t.rule_id LEFT JOIN staff k ON k.id = t.acked_by',
  scope: { ...PLATFORM_SCOPE, owner: 't.created_by' },
  columns: {
    rule: { id: 't.rule_id', title: 'r.name', titleEn: 'r.name_en' },
    severity: 'r.severity',
    phase: PHASE,
    value: 'round(t.value::numeric, 2)::text',
    peak: 'round(t.peak::numeric, 2)::text',
    seconds: 'extract(epoch FROM coalesce(t.recovered_at, now()) - t.started_at)::integer',
    ackedBy: { id: 't.acked_by', title: 'k.name' },
    runbook: 'r.runbook',
  },
  extra: { state: 't.state' },
  ruleReads: ['state'],
  tabs: { live: () => `t.state <> 'recovered'`, all: () => 'TRUE' },
  filters: {
    phase: (value, parameters) => `${PHASE} = ANY(${parameters.bind(value.split(','))}::text[])`,
    severity: (value, parameters) => `r.severity = ANY(${parameters.bind(value.split(','))}::text[])`,
  },
  rowRules: {
    ack: (row) =>
      row.state === 'firing'
        ? undefined
        : ['只有告警中的告警可以认领', 'Only a firing alert can be acknowledged'],
    silence: (row) => (row.state === 'recovered' ? ['告警已恢复', 'The alert has recovered'] : undefined),
  },
  sets: { ack: { state: 'acknowledged', acked_by: CALLER, acked_at: NOW, note: fromInput('note') } },
  handlers: {
    silence: async ({ tx, row, input, caller }) => {
      const instance = String(row.instance);
      await run(
        tx,
        `INSERT INTO alert_silence (scope, rule_id, instance, until, reason, created_by, updated_by)
         VALUES ($1, $2, $3, now() + make_interval(hours => $4), $5, $6, $6)`,
        [
          instance === '' ? 'rule' : 'instance',
          instance === '' ? row.rule_id : null,
          instance,
          input.hours,
          input.reason,
          staffIdOf(caller),
        ],
      );
      return { remark: String(input.reason) };
    },
  },
  detail: async (db, id) => ({
    watched: (await runOne<WatchedAlert>(
      db,
      `SELECT r.metric, r.fire_value AS fire, r.recover_value AS recover, r.labels, a.instance, a.started_at AS "from", a.recovered_at AS "to"
         FROM alert a JOIN alert_rule r ON r.id = a.rule_id WHERE a.id = $1`,
      [id],
    ))!,
    messages: (
      await run<{ kind: string; value: number | null; at: Date; sent_at: Date | null }>(
        db,
        'SELECT kind, value, at, sent_at FROM alert_message WHERE alert_id = $1 ORDER BY id DESC LIMIT 50',
        [id],
      )
    ).map((one) => ({
      kind: one.kind,
      value: one.value,
      at: isoInstant(one.at),
      sentAt: one.sent_at ? isoInstant(one.sent_at) : null,
    })),
  }),
  also: {
    sights: [alertSight],
    effects: [
      {
        kind: WEBHOOK,
        deliver: async (payload: { readonly url: string; readonly alert: unknown }, platform) => {
          const hosts = (await platform.settings.list('jump.allowed_hosts')).map(String);
          // What was allowed when the rule was saved may be so no longer.
          if (!hosts.includes(new URL(payload.url).hostname)) return;
          const answer = await fetch(payload.url, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(payload.alert),
            redirect: 'error',
            signal: AbortSignal.timeout(PATIENCE_MS),
          });
          await answer.body?.cancel();
          if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
        },
      },
    ],
    jobs: [
      {
        name: 'monitor.keep',
        title: ['整理监控数据', 'Keep the days of monitoring'],
        // 03:40 in Shanghai.
        cron: '40 19 * * *',
        run: (_payload, platform) => keepMonitoring(platform),
      },
      ...doctorJobs,
    ],
  },
});

export const registration = bound.registration;
