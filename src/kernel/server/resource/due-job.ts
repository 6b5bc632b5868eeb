import type { Label } from '../../contract/label.ts';
import { run, transaction } from '../database.ts';
import { Refusal } from '../http/errors.ts';
import type { Job } from '../registration.ts';
import type { BoundResource } from './bind.ts';

/** Rows whose time has come, and what is done with each. */
export interface DueSpec {
  /** Name of the job, `<noun>.<verb>`. */
  readonly name: string;
  readonly title: Label;
  /** Cron pattern in UTC minutes. */
  readonly cron: string;
  readonly action: string;
  /** SQL condition over the row `t`: `t.ends_at <= now()`. States the action starts from are asked for by themselves. */
  readonly when: string;
  /** Input of the action. */
  readonly input?: unknown;
}

/** Rows looked up at once. */
const BATCH = 200;

/**
 * A job that runs an action on every due row as the product itself, one transaction a row, with timeline and audit. A repeat or a
 * second worker finds nothing more to do: the action's states decide.
 */
export function dueJob(bound: () => BoundResource, due: DueSpec): Job {
  return {
    name: due.name,
    title: due.title,
    cron: due.cron,
    run: async (_payload, platform, context) => {
      const { resource, binding, actAsSystem } = bound();
      const spec = resource.actions?.[due.action];
      if (!spec) throw new Error(`${resource.name}: no action ${due.action}`);
      const { db } = platform.database;
      const state = `t.${binding.stateColumn ?? 'state'}`;
      const conditions = [`(${due.when})`, ...(binding.where ? [binding.where] : [])];
      if (spec.from) conditions.push(`${state} = ANY($2::text[])`);
      let seen = 0;
      for (let after = 0; ;) {
        const rows = await run<{ id: number }>(
          db,
          `SELECT t.id FROM ${binding.table} t WHERE t.id > $1 AND ${conditions.join(' AND ')} ORDER BY t.id LIMIT ${BATCH}`,
          spec.from ? [after, spec.from] : [after],
        );
        for (const { id } of rows) {
          context?.signal.throwIfAborted();
          await transaction(db, (tx) => actAsSystem(tx, platform, due.action, id, due.input)).catch(
            (error: unknown) => {
              // Somebody else was first, or the row's rules say no: the next run looks again.
              if (!(error instanceof Refusal)) throw error;
            },
          );
        }
        seen += rows.length;
        if (rows.length > 0) platform.changed(binding.entity ?? resource.name);
        if (rows.length < BATCH) break;
        after = rows.at(-1)!.id;
      }
      if (seen > 0) context?.print(`${seen} 行 / rows`);
    },
  };
}
