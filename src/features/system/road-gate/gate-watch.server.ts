import { notify } from '../../../domain/notification/notify.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { PLATFORM_ADMIN_GROUP } from '../../../domain/permission/effective-permissions.server.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { run, transaction, type Executor } from '../../../kernel/server/database.ts';
import { Refusal } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Job } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import { queueJob } from '../../../kernel/server/tasks/job-queue.ts';
import { comeBack } from './gate-report.server.ts';

const WATCH = 'gate.watch';
const HALF_A_MINUTE = 30_000;
/** Source: group 09, entities. */
const EVENT_DAYS = 180;
const NAMED = 5;

/** Gates lie in projects and belong to no tenant. */
export const GATE_SCOPE_COLUMNS = residentScope('t.project_id', 't.created_by');

/** Who reads alerts of gates: those who see them in the list. */
export const gateSight = listSight({
  entity: 'roadGate',
  menu: 'ssm_roadGate',
  table: 'road_gate',
  scope: GATE_SCOPE_COLUMNS,
});

/** Looks twice a minute for gates without heartbeat; events older than half a year go. */
export const gateJobs = (bound: () => BoundResource): readonly Job[] => [
  {
    name: WATCH,
    title: ['道闸心跳检查', 'Heartbeats of gates'],
    cron: '* * * * *',
    run: async (payload, platform) => {
      // Patterns know no seconds: each minute's run queues the one between.
      if ((payload as { readonly again?: boolean } | null)?.again !== true)
        await queueJob(
          platform.database.db,
          WATCH,
          { again: true },
          { runAt: new Date(Date.now() + HALF_A_MINUTE), jobKey: `${WATCH}:between` },
        );
      await watchGates(platform, bound());
    },
  },
  {
    name: 'gate.event_retention',
    title: ['清理道闸事件', 'Old events of gates go'],
    cron: '40 19 * * *',
    run: async (_payload, platform) => {
      await run(
        platform.database.db,
        'DELETE FROM road_gate_event WHERE at < now() - make_interval(days => $1)',
        [EVENT_DAYS],
      );
    },
  },
];

/** Devices of the sandbox whose number begins so send heartbeats by themselves. */
export const SIMULATED = 'SIM';

async function beatSimulated(platform: Platform, bound: BoundResource): Promise<void> {
  if (platform.config.gateVendors?.sandbox) return;
  const { db } = platform.database;
  const simulated = `vendor = 'sandbox' AND enabled AND upper(device_no) LIKE '${SIMULATED}%'`;
  await run(db, `UPDATE road_gate SET last_heartbeat_at = clock_timestamp() WHERE ${simulated}`);
  const dark = await run<{ id: number }>(
    db,
    `SELECT id FROM road_gate WHERE ${simulated} AND state = 'offline' ORDER BY id LIMIT 500`,
  );
  for (const { id } of dark)
    await transaction(db, (tx) => comeBack(tx, platform, bound, id)).catch((error: unknown) => {
      // Another worker was first.
      if (!(error instanceof Refusal)) throw error;
    });
  if (dark.length > 0) platform.changed('roadGate');
}

/** Gates silent for longer than `gate.heartbeat_seconds` are offline; one alert a project tells of all of them. */
export async function watchGates(platform: Platform, bound: BoundResource): Promise<void> {
  await beatSimulated(platform, bound);
  const { db } = platform.database;
  const seconds = await platform.settings.number('gate.heartbeat_seconds');
  const silent = `t.enabled AND t.state <> 'offline' AND coalesce(t.last_heartbeat_at, t.updated_at) <= clock_timestamp() - make_interval(secs => $1)`;
  const projects = await run<{ id: number; name: string }>(
    db,
    `SELECT p.id, p.name FROM project p WHERE EXISTS (SELECT FROM road_gate t WHERE t.project_id = p.id AND ${silent}) ORDER BY p.id`,
    [seconds],
  );
  for (const project of projects)
    await transaction(db, async (tx) => {
      const gates = await run<{ id: number; name: string }>(
        tx,
        `SELECT t.id, t.name FROM road_gate t WHERE t.project_id = $2 AND ${silent} ORDER BY t.id FOR NO KEY UPDATE`,
        [seconds, project.id],
      );
      // Another worker, or a heartbeat, was first.
      if (gates.length === 0) return;
      for (const gate of gates) await bound.actAsSystem(tx, platform, 'lose', gate.id, {});
      const names = gates.slice(0, NAMED).map((gate) => gate.name);
      const more = gates.length > NAMED;
      await notify(tx, {
        staffIds: await gateKeepers(tx),
        kind: 'alertGate',
        level: 'alert',
        title: [
          `道闸离线：${project.name} ${gates.length} 台`,
          `Gates offline: ${gates.length} of ${project.name}`,
        ],
        body: [
          `${names.join('、')}${more ? '等' : ''} 超过 ${seconds} 秒没有心跳`,
          `${names.join(', ')}${more ? ' and others' : ''}: no heartbeat for ${seconds} seconds`,
        ],
        route: `/sysManager/ssm_roadGate?tab=offline&project=${project.id}`,
        rows: { sight: gateSight, ids: gates.map((gate) => gate.id) },
      });
    });
  if (projects.length > 0) {
    platform.changed('roadGate');
    platform.changed('roadGateEvent');
  }
}

/** Staff who may hold the menu; which rows each of them sees is asked by the message itself. */
async function gateKeepers(db: Executor): Promise<number[]> {
  const rows = await run<{ id: number }>(
    db,
    `SELECT s.id FROM staff s
      WHERE s.state = 'normal' AND EXISTS (
        SELECT FROM group_member m JOIN permission_group g ON g.id = m.group_id AND g.enabled
         WHERE m.staff_id = s.id AND (m.expires_at IS NULL OR m.expires_at > now())
           AND ((g.built_in AND g.code = $2) OR EXISTS (SELECT FROM menu_grant x WHERE x.group_id = g.id AND x.menu_code = $1)))
      ORDER BY s.id`,
    ['ssm_roadGate', PLATFORM_ADMIN_GROUP],
  );
  return rows.map((row) => row.id);
}
