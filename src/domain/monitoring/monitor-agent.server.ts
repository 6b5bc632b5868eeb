import { failureFacts } from '../../kernel/server/http/failure-facts.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { run, transaction } from '../../kernel/server/database.ts';
import { DIAGNOSIS, endLostDiagnoses, runDiagnosis } from './diagnosis.server.ts';
import { endLevels, levelsInForce, type LogLevels } from './log-levels.server.ts';
import type { LogLine } from './log-memory.server.ts';
import { countAvailability } from './availability.server.ts';
import { databaseNow, evaluateAlerts, sendBundle } from './evaluate.server.ts';
import { addDayTotals, clockSkew, rollUp, sampleProduct, writeRecent } from './metrics.server.ts';
import type { ProcessMeter } from './process-meter.server.ts';
import { tellAlerts } from './tell-alerts.server.ts';

/** The part of a process that measures it and looks at the rules. */
export interface MonitorAgent {
  /** One sample, and one look at the rules where it is due; `now` is given by tests. */
  tick(now?: number): Promise<void>;
  /** Makes the minutes that are over into history. */
  minute(now?: number): Promise<number>;
  start(): void;
  stop(): Promise<void>;
}

const SAMPLE_MS = 10_000;
const MINUTE_MS = 60_000;
/** How soon a process notices that it is to be looked into. */
const LOOK_MS = 1_000;
/** Lines of the log other processes can show. */
const SHOWN_LINES = 300;

/** Makes the agent; nothing runs before `start` or `tick`. */
export function createMonitorAgent(
  platform: Platform,
  meter: ProcessMeter,
  own: {
    readonly instanceId: string;
    readonly service: string;
    readonly lines?: (most: number) => readonly LogLine[];
    /** Follows the levels somebody set. */
    readonly levels?: LogLevels;
  },
): MonitorAgent {
  const { db } = platform.database;
  const timers: NodeJS.Timeout[] = [];
  let running: Promise<void> = Promise.resolve();
  const stopping = new AbortController();
  let diagnosing: Promise<unknown> | undefined;
  // -1: whatever was asked for before this process listened is looked for once.
  let diagnosesSeen = -1;
  const diagnose = (): void => {
    const asked = platform.changeCount(DIAGNOSIS);
    if (diagnosing || asked === diagnosesSeen || stopping.signal.aborted) return;
    diagnosesSeen = asked;
    // Beside the samples: they go on while a profile is taken.
    diagnosing = runDiagnosis(platform, own.instanceId, stopping.signal)
      .catch((error: unknown) => platform.log.warn({ err: failureFacts(error) }, 'not diagnosed'))
      .finally(() => (diagnosing = undefined));
  };
  const tick = async (given?: number): Promise<void> => {
    // Times of samples are the database's, so that instances with a wrong clock stand in one line with others.
    const skew = given === undefined ? await clockSkew(db) : 0;
    const now = given ?? Date.now() - skew;
    const values = await meter.take(Date.now());
    await writeRecent(db, own.instanceId, now, [
      ...values,
      { metric: 'clock_skew_ms', labels: '', value: skew },
    ]);
    await endLevels(platform);
    own.levels?.follow(await levelsInForce(db, own), skew);
    await remember();
    // A word may get lost while the connection that hears it is made anew.
    diagnosesSeen = -1;
    await sampleProduct(platform, own.instanceId, now);
    await evaluateAlerts(platform, own.instanceId, now);
    await sendBundle(platform, tellAlerts, now);
  };
  const remember = () =>
    run(
      db,
      `INSERT INTO instance_memory (instance_id, at, requests, statements, lines) VALUES ($1, clock_timestamp(), $2, $3, $4)
       ON CONFLICT (instance_id) DO UPDATE SET at = excluded.at, requests = excluded.requests, statements = excluded.statements, lines = excluded.lines`,
      [
        own.instanceId,
        JSON.stringify(meter.requests()),
        JSON.stringify(meter.statements().map((one) => ({ ...one, text: one.text.slice(0, 1_000) }))),
        JSON.stringify(own.lines?.(SHOWN_LINES) ?? []),
      ],
    );
  const minute = async (given?: number): Promise<number> => {
    await addDayTotals(db, own.service, meter.totals());
    const now = given ?? (await databaseNow(db));
    await transaction(db, endLostDiagnoses);
    await countAvailability(platform, now);
    const written = await rollUp(platform, own.instanceId, own.service, now);
    return written + (await rollUp(platform, '', '', now));
  };
  const safely = (work: () => Promise<unknown>) => () => {
    running = running.then(work).then(
      () => {},
      (error: unknown) => platform.log.warn({ err: failureFacts(error) }, 'not measured'),
    );
  };
  return {
    tick,
    minute,
    start: () => {
      safely(tick)();
      const looking = setInterval(diagnose, LOOK_MS);
      looking.unref();
      timers.push(looking);
      for (const [milliseconds, work] of [
        [SAMPLE_MS, tick],
        [MINUTE_MS, minute],
      ] as const) {
        const timer = setInterval(
          safely(() => work()),
          milliseconds,
        );
        timer.unref();
        timers.push(timer);
      }
    },
    stop: async () => {
      for (const timer of timers) clearInterval(timer);
      stopping.abort();
      await diagnosing;
      await running;
      meter.stop();
      await run(db, 'DELETE FROM instance_memory WHERE instance_id = $1', [own.instanceId]).catch(() => {});
    },
  };
}
