import { z } from 'zod';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, transaction, type Executor } from '../../../kernel/server/database.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import { endpoint, type Endpoint } from '../../../kernel/server/registration.ts';
import { LOGGERS } from '../../../domain/monitoring/log-levels.server.ts';
import { monitorPage, type LoggerLevel } from './monitor.contract.ts';

const SET = { code: `${monitorPage.menu}:btn_level` };
const ENTITY = 'log_level_override';

interface Change {
  readonly id: number;
  readonly scope: 'instance' | 'service' | 'all';
  readonly logger: string;
  readonly level: string;
  readonly until: Date;
  readonly by: string | null;
}

/** Levels of loggers: what is in force on an instance, setting one for a while, ending it. Source: group 05, 日志级别. */
export const levelEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: '/admin/monitor/instance/:instanceId/level',
    title: ['实例的日志级别', 'Log levels of an instance'],
    access: SET,
    handle: async ({ platform, params }): Promise<readonly LoggerLevel[]> => {
      const { db } = platform.database;
      const service = await serviceOf(db, params.instanceId!);
      const changes = await run<Change>(
        db,
        `SELECT o.id, o.scope, o.logger, o.level, o.until, s.name AS by FROM log_level_override o LEFT JOIN staff s ON s.id = o.created_by
          WHERE o.ended_at IS NULL AND o.until > clock_timestamp()
            AND (o.scope = 'all' OR (o.scope = 'service' AND o.target = $2) OR (o.scope = 'instance' AND o.target = $1))
          ORDER BY array_position('{instance,service,all}', o.scope)`,
        [params.instanceId, service],
      );
      return Object.entries(LOGGERS).map(([logger, label]) => ({
        logger,
        label,
        changes: changes
          .filter((one) => one.logger === logger)
          .map(({ id, scope, level, until, by }) => ({
            id: String(id),
            scope,
            level,
            until: isoInstant(until),
            by: by ?? '',
          })),
      }));
    },
  }),
  endpoint({
    method: 'POST',
    path: '/admin/monitor/instance/:instanceId/level',
    title: ['设置日志级别', 'Set a log level'],
    access: SET,
    body: z.strictObject({
      logger: z.enum(Object.keys(LOGGERS)),
      level: z.enum(['error', 'warn', 'info', 'debug']),
      scope: z.enum(['instance', 'service', 'all']),
      minutes: z.number().int().min(1).max(1_440).default(30),
    }),
    handle: async (call) => {
      const { caller, facts, platform, body } = call;
      const { instanceId } = call.params;
      await transaction(platform.database.db, async (tx) => {
        const service = await serviceOf(tx, instanceId!);
        const target = body.scope === 'all' ? '' : body.scope === 'service' ? service : instanceId!;
        await run(
          tx,
          `UPDATE log_level_override SET ended_at = clock_timestamp() WHERE scope = $1 AND target = $2 AND logger = $3 AND ended_at IS NULL`,
          [body.scope, target, body.logger],
        );
        const row = (await runOne<{ id: number }>(
          tx,
          `INSERT INTO log_level_override (scope, target, logger, level, until, created_by)
           VALUES ($1, $2, $3, $4, clock_timestamp() + make_interval(mins => $5), $6) RETURNING id`,
          [body.scope, target, body.logger, body.level, body.minutes, caller.staffId],
        ))!;
        await writeAudit(tx, {
          caller,
          facts,
          menu: monitorPage.menu,
          action: 'level',
          entity: ENTITY,
          entityId: row.id,
          after: { ...body, target },
        });
      });
      return true;
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/admin/monitor/level/:id',
    title: ['恢复日志级别', 'Set a log level back'],
    access: SET,
    handle: async (call) => {
      const { caller, facts, platform } = call;
      const id = /^\d{1,15}$/.test(call.params.id!) ? Number(call.params.id) : 0;
      await transaction(platform.database.db, async (tx) => {
        const row = await runOne<{ scope: string; target: string; logger: string; level: string }>(
          tx,
          `UPDATE log_level_override SET ended_at = clock_timestamp() WHERE id = $1 AND ended_at IS NULL RETURNING scope, target, logger, level`,
          [id],
        );
        if (!row) throw notFound();
        await writeAudit(tx, {
          caller,
          facts,
          menu: monitorPage.menu,
          action: 'level_end',
          entity: ENTITY,
          entityId: id,
          before: { ...row },
          after: {},
        });
      });
      return true;
    },
  }),
];

async function serviceOf(db: Executor, instanceId: string): Promise<string> {
  const row = await runOne<{ service: string }>(
    db,
    'SELECT service FROM service_instance WHERE instance_id = $1',
    [instanceId],
  );
  if (!row) throw notFound(['实例已离开', 'The instance is gone']);
  return row.service;
}
