import { randomUUID } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import v8 from 'node:v8';
import { textOf, type Label, type Language } from '../../kernel/contract/label.ts';
import { businessTimeText } from '../../kernel/contract/time.rules.ts';
import { writeAudit } from '../../kernel/server/audit/audit.ts';
import { run, runOne, transaction, type Tx } from '../../kernel/server/database.ts';
import type { FileDraft } from '../../kernel/server/files/disk-store.ts';
import { openFileStore } from '../../kernel/server/files/file-store.ts';
import { insertStoredFile } from '../../kernel/server/files/files.ts';
import { Refusal, ruleBroken } from '../../kernel/server/http/errors.ts';
import { failureFacts } from '../../kernel/server/http/failure-facts.ts';
import { reachOf } from '../../kernel/server/people/caller-rights.ts';
import { holds } from '../../kernel/server/people/caller.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { ExportSource } from '../../kernel/server/registration.ts';
import { KEEP_DAYS } from '../../kernel/server/tasks/task-centre.ts';

/** What an instance can be looked into by. */
export type DiagnosisKind = 'cpu' | 'heap';

/** Name of the rows, and of what tells every process that one was asked for. */
export const DIAGNOSIS = 'diagnosis';

const MENU = 'serviceMonitorManager';
const SOURCE = 'monitor.diagnosis';
/** The right each kind needs; looked at again when the file is made and when it is fetched. */
export const DIAGNOSIS_ELEMENT: Readonly<Record<DiagnosisKind, string>> = {
  cpu: 'btn_profile',
  heap: 'btn_heap',
};
const TITLE: Readonly<Record<DiagnosisKind, Label>> = {
  cpu: ['CPU分析', 'CPU profile'],
  heap: ['堆快照', 'Heap snapshot'],
};
const ENDING: Readonly<Record<DiagnosisKind, string>> = { cpu: 'cpuprofile', heap: 'heapsnapshot' };

const BUSY: Label = ['该实例正在采集', 'Already profiling'];
const GONE: Label = ['实例未完成采集就已离线', 'The instance went away before it was done'];
const RIGHT_GONE: Label = ['权限已变更', 'The right for this was taken away'];
const NO_ROOM: Label = ['服务器磁盘空间不足', 'The disk of the server is nearly full'];
const BROKEN: Label = ['采集失败，请重试', 'It failed, please try again'];
const AGAIN: Label = ['请在实例的诊断中重新采集', 'Take a new one in the diagnosis of the instance'];

/** Beyond its own time an instance may need so long until it counts as gone; a large heap takes a while to write. */
const GRACE_SECONDS = 300;
/** Room left on the disk beside a snapshot, which may be twice as large as the heap. */
const KEEP_FREE_BYTES = 512 * 1024 * 1024;

/** Asks an instance for a profile or a snapshot. Throws 30101 while it makes one. Returns the number of the request. */
export async function requestDiagnosis(
  tx: Tx,
  asked: {
    readonly instanceId: string;
    readonly service: string;
    readonly host: string;
    readonly kind: DiagnosisKind;
    readonly seconds: number | null;
    readonly staffId: number;
    readonly language: Language;
  },
): Promise<number> {
  await endLostDiagnoses(tx);
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO diagnosis (instance_id, service, host, kind, seconds, requested_by, language) VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT DO NOTHING RETURNING id`,
    [asked.instanceId, asked.service, asked.host, asked.kind, asked.seconds, asked.staffId, asked.language],
  );
  if (!row) throw ruleBroken(BUSY);
  return row.id;
}

/** Those whose instance never came back with a file have failed: another one may be asked for. */
export async function endLostDiagnoses(tx: Tx): Promise<void> {
  await run(
    tx,
    `UPDATE diagnosis SET state = 'failed', reason_zh = $2, reason_en = $3, ended_at = clock_timestamp()
      WHERE state IN ('requested', 'running')
        AND requested_at < clock_timestamp() - make_interval(secs => $1 + coalesce(seconds, 0))`,
    [GRACE_SECONDS, ...GONE],
  );
}

interface Asked {
  readonly id: number;
  readonly kind: DiagnosisKind;
  readonly seconds: number | null;
  readonly service: string;
  readonly host: string;
  readonly requested_by: number;
  readonly language: Language;
}

/**
 * Does what this process was asked for, if anything, and puts the file into the download centre of who asked: nobody else
 * can fetch it. `stopping` ends it early, as failed; `wait` is given by tests. Returns how it ended.
 */
export async function runDiagnosis(
  platform: Platform,
  instanceId: string,
  stopping?: AbortSignal,
  wait: (milliseconds: number) => Promise<unknown> = (milliseconds) =>
    pause(milliseconds, undefined, { ref: false, ...(stopping && { signal: stopping }) }).catch(() => {
      throw new Refusal(503, 503, GONE);
    }),
): Promise<'ready' | 'failed' | undefined> {
  const { db } = platform.database;
  const asked = await runOne<Asked>(
    db,
    `UPDATE diagnosis SET state = 'running', started_at = clock_timestamp() WHERE instance_id = $1 AND state = 'requested'
     RETURNING id, kind, seconds, service, host, requested_by, language`,
    [instanceId],
  );
  if (!asked) return undefined;
  platform.changed(DIAGNOSIS);
  const draft = await openFileStore(platform.config).create();
  try {
    await requireRight(platform, asked);
    if (asked.kind === 'cpu') await writeProfile(draft, asked.seconds! * 1_000, wait);
    else await writeSnapshot(draft);
    await finish(platform, asked, draft);
    return 'ready';
  } catch (error) {
    await draft.discard();
    const reason = error instanceof Refusal ? error.label : BROKEN;
    if (!(error instanceof Refusal))
      platform.log.error({ err: failureFacts(error), diagnosis: asked.id }, 'diagnosis failed');
    await transaction(db, async (tx) => {
      await run(
        tx,
        `UPDATE diagnosis SET state = 'failed', reason_zh = $2, reason_en = $3, ended_at = clock_timestamp() WHERE id = $1 AND state = 'running'`,
        [asked.id, ...reason],
      );
      await audit(tx, asked, { state: 'failed', reason: reason[0] });
    });
    return 'failed';
  } finally {
    platform.changed(DIAGNOSIS);
  }
}

/** What a repeat in the download centre says: the moment that was looked at is over. */
export const diagnosisSource: ExportSource = {
  source: SOURCE,
  columns: () => [],
  count: () => Promise.reject(ruleBroken(AGAIN)),
  // eslint-disable-next-line require-yield
  read: async function* () {
    await Promise.resolve();
  },
};

async function requireRight(platform: Platform, asked: Asked) {
  const caller = await platform.loadCaller(asked.requested_by);
  if (!caller || !holds(caller, MENU) || !holds(caller, `${MENU}:${DIAGNOSIS_ELEMENT[asked.kind]}`))
    throw new Refusal(403, 403, RIGHT_GONE);
  return caller;
}

async function writeProfile(
  draft: FileDraft,
  milliseconds: number,
  wait: (milliseconds: number) => Promise<unknown>,
): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    await wait(milliseconds);
    const { profile } = await session.post('Profiler.stop');
    await pipeline(Readable.from([JSON.stringify(profile)]), draft.stream);
  } finally {
    session.disconnect();
  }
}

async function writeSnapshot(draft: FileDraft): Promise<void> {
  const disk = await statfs(path.dirname(draft.path));
  if (disk.bavail * disk.bsize < KEEP_FREE_BYTES + 2 * process.memoryUsage().heapUsed)
    throw new Refusal(503, 503, NO_ROOM);
  await pipeline(v8.getHeapSnapshot(), draft.stream);
}

async function finish(platform: Platform, asked: Asked, draft: FileDraft): Promise<void> {
  const caller = await requireRight(platform, asked);
  const stamp = businessTimeText(new Date()).replace(/\D/g, '');
  const name = `${textOf(TITLE[asked.kind], asked.language)}_${asked.service}_${stamp}.${ENDING[asked.kind]}`;
  const file = await draft.commit();
  try {
    await transaction(platform.database.db, async (tx) => {
      const fileId = await insertStoredFile(tx, {
        ...file,
        name,
        type: 'application/json',
        access: 'private',
        owner_id: asked.requested_by,
      });
      const taskId = randomUUID();
      await run(
        tx,
        `INSERT INTO task (id, kind, state, staff_id, name, source, menu, query, language, progress, result, file_id, finished_at, expires_at)
         VALUES ($1, 'export', 'ready', $2, $3, $4, $5, '{}', $6, 100, $7, $8, clock_timestamp(), clock_timestamp() + make_interval(days => $9))`,
        [
          taskId,
          asked.requested_by,
          name,
          SOURCE,
          MENU,
          asked.language,
          JSON.stringify({ element: DIAGNOSIS_ELEMENT[asked.kind], sight: reachOf(caller, MENU) }),
          fileId,
          KEEP_DAYS,
        ],
      );
      const row = await runOne(
        tx,
        `UPDATE diagnosis SET state = 'ready', task_id = $2, size = $3, ended_at = clock_timestamp() WHERE id = $1 AND state = 'running' RETURNING id`,
        [asked.id, taskId, file.size],
      );
      // It counted as lost meanwhile.
      if (!row) throw new Refusal(409, 30101, GONE);
      await audit(tx, asked, { state: 'ready', name });
    });
  } catch (error) {
    await openFileStore(platform.config).remove(file.storageKey);
    throw error;
  }
}

async function audit(tx: Tx, asked: Asked, after: Readonly<Record<string, unknown>>): Promise<void> {
  await writeAudit(tx, {
    menu: MENU,
    action: asked.kind === 'cpu' ? 'profile' : 'heapSnapshot',
    entity: DIAGNOSIS,
    entityId: asked.id,
    after: { ...after, service: asked.service, host: asked.host, staff_id: asked.requested_by },
  });
}
