import { z } from 'zod';
import {
  DIAGNOSIS,
  requestDiagnosis,
  type DiagnosisKind,
} from '../../../domain/monitoring/diagnosis.server.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { setFileCookie } from '../../../kernel/server/files/file-ticket.ts';
import { notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { endpoint, type Call, type Endpoint } from '../../../kernel/server/registration.ts';
import { mayRead, TASK_COLUMNS, type TaskRow } from '../../../kernel/server/tasks/task-centre.ts';
import { taskFileUrl } from '../../../kernel/server/tasks/task-endpoints.ts';
import { monitorPage, type DiagnosisRow } from './monitor.contract.ts';

const ROOT = '/admin/monitor/instance/:instanceId';
const SHOWN = 20;

/** Looking into an instance: a profile of its processor time, a snapshot of its heap, and what became of them. Source: group 05, 诊断. */
export const diagnosisEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: `${ROOT}/diagnosis`,
    title: ['实例的诊断', 'Diagnoses of an instance'],
    access: { code: monitorPage.menu },
    handle: listDiagnoses,
  }),
  endpoint({
    method: 'POST',
    path: `${ROOT}/profile`,
    title: ['采集CPU分析', 'Take a CPU profile'],
    access: { code: `${monitorPage.menu}:btn_profile` },
    body: z.strictObject({ seconds: z.number().int().min(10).max(60).default(30) }),
    handle: (call) => request(call, 'cpu', call.body.seconds),
  }),
  endpoint({
    method: 'POST',
    path: `${ROOT}/heapSnapshot`,
    title: ['采集堆快照', 'Take a heap snapshot'],
    access: { code: `${monitorPage.menu}:btn_heap` },
    handle: (call) => request(call, 'heap', null),
  }),
];

async function request(call: Call, kind: DiagnosisKind, seconds: number | null): Promise<true> {
  const { caller, facts, platform } = call;
  await transaction(platform.database.db, async (tx) => {
    const instance = await runOne<{ service: string; host: string; role: string; status: string }>(
      tx,
      'SELECT service, host, role, status FROM service_instance WHERE instance_id = $1 FOR SHARE',
      [call.params.instanceId],
    );
    if (!instance) throw notFound(['实例已离开', 'The instance is gone']);
    if (instance.role === 'external')
      throw ruleBroken(['外部实例不能采集', 'An outside instance cannot be looked into']);
    if (instance.status === 'DOWN') throw ruleBroken(['实例已失联', 'The instance is down']);
    const id = await requestDiagnosis(tx, {
      instanceId: call.params.instanceId!,
      service: instance.service,
      host: instance.host,
      kind,
      seconds,
      staffId: caller.staffId,
      language: facts.language,
    });
    await writeAudit(tx, {
      caller,
      facts,
      menu: monitorPage.menu,
      action: kind === 'cpu' ? 'profile' : 'heapSnapshot',
      entity: DIAGNOSIS,
      entityId: id,
      after: { service: instance.service, host: instance.host, ...(seconds === null ? {} : { seconds }) },
    });
  });
  platform.changed(DIAGNOSIS);
  return true;
}

async function listDiagnoses(call: Call): Promise<readonly DiagnosisRow[]> {
  const { caller, facts, platform } = call;
  const { db } = platform.database;
  const rows = await run<
    Omit<DiagnosisRow, 'id' | 'at' | 'url'> & { id: number; at: Date; taskId: string | null }
  >(
    db,
    `SELECT d.id, d.kind, d.seconds, d.state, CASE WHEN $2 = 'en' THEN d.reason_en ELSE d.reason_zh END AS reason,
            s.name AS by, d.requested_at AS at, d.size, d.task_id AS "taskId"
       FROM diagnosis d JOIN staff s ON s.id = d.requested_by WHERE d.instance_id = $1 ORDER BY d.id DESC LIMIT ${SHOWN}`,
    [call.params.instanceId, facts.language],
  );
  const own = await run<TaskRow>(
    db,
    `SELECT ${TASK_COLUMNS} FROM task WHERE id = ANY($1::uuid[]) AND staff_id = $2 AND state = 'ready'`,
    [rows.flatMap((row) => row.taskId ?? []), caller.staffId],
  );
  const readable = new Set<string>();
  for (const task of own) if (await mayRead(platform, caller, task)) readable.add(task.id);
  // The file is opened in a new window, which sends the cookie only.
  if (readable.size > 0) setFileCookie(platform.config, caller, call.request, call.reply);
  return rows.map(({ id, kind, seconds, state, reason, by, at, taskId, size }) => ({
    id: String(id),
    kind,
    seconds,
    state,
    reason,
    by,
    at: isoInstant(at),
    size: size === null ? null : Number(size),
    url: taskId !== null && readable.has(taskId) ? taskFileUrl(platform, caller.sessionId, taskId) : '',
  }));
}
