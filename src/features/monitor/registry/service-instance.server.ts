import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { runOne } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import {
  isLapsed,
  LAPSED,
  statusOf,
  type InstanceEventType,
  type InstanceStatus,
} from '../../../domain/services/registry.rules.ts';
import { keepOneUp, noteEvent, purgeInstanceEvents } from '../../../domain/services/registry.server.ts';
import { endInstanceAlerts } from '../../../domain/monitoring/evaluate.server.ts';
import { PLATFORM_SCOPE } from '../platform-scope.server.ts';
import { registryEndpoints } from './registry-endpoints.server.ts';
import { forPlatform } from '../../../domain/services/platform-only.server.ts';
import { serviceInstance, type RegistrySummary } from './service-instance.contract.ts';

const METADATA: readonly [string, string] = [
  '请输入 JSON 对象，最多20项，值为文本、数字或布尔',
  'Please enter a JSON object of at most 20 texts, numbers and booleans',
];

const bound = bindResource(serviceInstance, {
  table: 'service_instance',
  scope: { ...PLATFORM_SCOPE, owner: 't.created_by' },
  stateColumn: 'status',
  columns: {
    state: 't.status',
    address: `t.host || coalesce(':' || t.port, '')`,
    uptime: 'extract(epoch FROM clock_timestamp() - t.started_at)::integer',
    silentSeconds: 'extract(epoch FROM clock_timestamp() - t.last_heartbeat_at)::integer',
  },
  search: `lower(t.service || ' ' || t.instance_id || ' ' || t.release)`,
  handlers: {
    out: async (context) => {
      const { input, tx, id, caller } = context;
      const until = (input.until as string | undefined) ?? null;
      if (until && Date.parse(until) <= (await clock(context)))
        throw invalid({ until: ['须晚于现在', 'Must be later than now'] });
      await keepOneUp(tx, [id]);
      await note(context, 'STATUS_CHANGED', 'OUT_OF_SERVICE', String(input.reason));
      return {
        set: {
          status_override: 'OUT_OF_SERVICE',
          override_until: until,
          override_reason: input.reason,
          override_by: staffIdOf(caller),
        },
        remark: String(input.reason),
      };
    },
    in: putBack,
    weight: async (context) => {
      await note(context, 'REGISTRATION_UPDATED', '', `weight ${String(context.input.weight)}`);
      return { set: { weight: context.input.weight } };
    },
    metadata: async (context) => {
      const metadata = readMetadata(context.input.metadata);
      await note(context, 'REGISTRATION_UPDATED', '', 'metadata');
      return { set: { metadata: JSON.stringify(metadata) } };
    },
    remove: async (context) => {
      await note(context, 'DEREGISTERED', '', '已移除');
      await endInstanceAlerts(context.tx, String(context.row.service), String(context.row.host));
    },
  },
  endpoints: forPlatform([
    endpoint({
      method: 'GET',
      path: '/admin/registry/summary',
      title: ['注册中心概况', 'Head of the registry'],
      access: { code: serviceInstance.menu },
      handle: async ({ platform }): Promise<RegistrySummary> => {
        const beat = await platform.settings.number('registry.heartbeat_seconds');
        const row = await runOne<{
          services: number;
          up: number;
          expected: number;
          renewals: number;
          protected: boolean;
          since: Date;
        }>(
          platform.database.db,
          `SELECT count(DISTINCT service) AS services, count(*) FILTER (WHERE status = 'UP') AS up, count(*) AS expected,
                  coalesce((SELECT renewals FROM registry_renewal WHERE minute = date_trunc('minute', now()) - interval '1 minute'), 0) AS renewals,
                  (SELECT protected FROM registry_state) AS protected, (SELECT since FROM registry_state) AS since
             FROM service_instance`,
        );
        return {
          services: row!.services,
          up: row!.up,
          expectedPerMinute: Math.round((row!.expected * 60) / beat),
          renewalsLastMinute: row!.renewals,
          protected: row!.protected,
          since: isoInstant(row!.since),
        };
      },
    }),
    ...registryEndpoints,
  ]),
  also: {
    jobs: [
      {
        name: 'instanceEvent.purge',
        title: ['清理注册事件', 'Remove old lines of the journal'],
        // 03:40 in Shanghai.
        cron: '40 19 * * *',
        run: async (_payload, platform) => {
          await purgeInstanceEvents(platform);
        },
      },
    ],
  },
});

export const registration = bound.registration;

async function clock({ tx }: ActionContext): Promise<number> {
  return (await runOne<{ now: Date }>(tx, 'SELECT clock_timestamp() AS now'))!.now.getTime();
}

/** What the instance says of itself counts again; a machine in maintenance keeps its instances out. */
async function putBack(context: ActionContext): Promise<ActionResult> {
  const { row, tx } = context;
  const facts = await runOne<{ silent: number; maintained: boolean }>(
    tx,
    `SELECT extract(epoch FROM clock_timestamp() - t.last_heartbeat_at)::float8 AS silent,
            coalesce(s.maintenance_since IS NOT NULL AND (s.maintenance_until IS NULL OR s.maintenance_until > clock_timestamp()), false) AS maintained
       FROM service_instance t LEFT JOIN deploy_server s ON s.id = t.server_id WHERE t.id = $1`,
    [context.id],
  );
  if (facts!.maintained) throw ruleBroken(['所在服务器正在维护', 'Its server is in maintenance']);
  const lapsed = isLapsed(facts!.silent, Number(row.lease_seconds));
  const to = statusOf({ reported: row.reported as InstanceStatus, takenOut: false, lapsed });
  await note(context, 'STATUS_CHANGED', to, lapsed ? LAPSED : '');
  return {
    to,
    set: {
      status_override: null,
      override_until: null,
      override_reason: '',
      override_by: null,
      ...(to === 'DOWN'
        ? { down_at: new Date(await clock(context)), down_reason: lapsed ? LAPSED : String(row.down_reason) }
        : {}),
    },
  };
}

function note(context: ActionContext, type: InstanceEventType, to: string, reason: string): Promise<void> {
  const { row, tx, caller } = context;
  return noteEvent(tx, {
    type,
    service: String(row.service),
    instanceId: String(row.instance_id),
    host: String(row.host),
    from: String(row.status),
    to,
    reason,
    staffId: staffIdOf(caller),
  });
}

function readMetadata(given: unknown): Record<string, string | number | boolean> {
  let value: unknown;
  try {
    value = JSON.parse(String(given));
  } catch {
    throw invalid({ metadata: METADATA });
  }
  const entries =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : undefined;
  if (
    !entries ||
    entries.length > 20 ||
    entries.some(([key, one]) => key.length > 60 || !['string', 'number', 'boolean'].includes(typeof one))
  )
    throw invalid({ metadata: METADATA });
  return Object.fromEntries(entries) as Record<string, string | number | boolean>;
}
