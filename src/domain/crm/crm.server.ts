import { run, runOne, transaction } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { Job } from '../../kernel/server/registration.ts';
import type { BoundResource } from '../../kernel/server/resource/bind.ts';
import { sandboxLuck } from '../payment-channel/sandbox-channel.server.ts';

/** A work order or a payment as the customer system is told of it. */
export interface CrmRecord {
  readonly kind: 'workOrder' | 'billPayment';
  /** Our number: the same number again is the same record. */
  readonly number: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** The customer system outside. */
export interface Crm {
  /** Takes a record and returns its code there. Throws {@link CrmRefused} with what it says; anything else thrown is no answer. */
  put(record: CrmRecord): Promise<string>;
}

/** The customer system looked at a record and does not take it. */
export class CrmRefused extends Error {}

declare module '../../kernel/server/platform.ts' {
  interface PlatformConfig {
    /** The connected customer system; without one it is the sandbox. */
    readonly crm?: Crm;
  }
}

/** Records of one run; the next one takes what is left. */
const BATCH = 500;
const SILENT = '客户系统无应答 / The CRM did not answer';

/** Condition on rows `t` that wait to be told: new ones, and those that changed or are told again. */
export const CRM_WAITS = `t.crm_sync = 0 AND (t.created_at > now() - interval '2 days' OR t.crm_code <> '' OR t.crm_error <> '')`;

/**
 * The job that tells the customer system of rows of a resource, outside of any transaction, and notes its answer by the actions
 * `crmTaken` and `crmRefused`. A refusal stays until a person sends the row again. `facts`: SQL of what is told of row `t`.
 */
export function crmJob(
  bound: () => BoundResource,
  kind: CrmRecord['kind'],
  spec: Pick<Job, 'name' | 'title'> & {
    readonly number: string;
    readonly facts: string;
    readonly where?: string;
  },
): Job {
  return {
    name: spec.name,
    title: spec.title,
    cron: '* * * * *',
    run: async (_payload, platform, context) => {
      const { db } = platform.database;
      const { binding, actAsSystem, resource } = bound();
      const rows = await run<{ id: number; version: number; number: string; facts: CrmRecord['facts'] }>(
        db,
        `SELECT t.id, t.version, ${spec.number} AS number, ${spec.facts} AS facts FROM ${binding.table} t
          WHERE ${CRM_WAITS} AND ${spec.where ?? 'true'} ORDER BY t.id LIMIT ${BATCH}`,
      );
      const crm = platform.config.crm ?? sandboxCrm(platform);
      for (const { id, version, number, facts } of rows) {
        context?.signal.throwIfAborted();
        const answer = await crm.put({ kind, number, facts }).then(
          (code) => ({ code }),
          (error: unknown) => ({ reason: error instanceof CrmRefused ? error.message : SILENT }),
        );
        await transaction(db, async (tx) => {
          // What changed meanwhile was not told: the next run does it, which is the same record there.
          const same = await runOne(
            tx,
            `SELECT FROM ${binding.table} WHERE id = $1 AND version = $2 FOR UPDATE`,
            [id, version],
          );
          if (same) await actAsSystem(tx, platform, 'code' in answer ? 'crmTaken' : 'crmRefused', id, answer);
        });
      }
      if (rows.length > 0) platform.changed(resource.name);
      context?.print(`${rows.length} 行 / rows`);
    },
  };
}

/** A customer system inside our own database, which refuses or falls silent as the shares of the sandbox say; another try is another draw. */
function sandboxCrm(platform: Platform): Crm {
  return {
    put: async ({ kind, number, facts }) => {
      const luck = await sandboxLuck(platform);
      const row = (await runOne<{ code: string; told: number }>(
        platform.database.db,
        `INSERT INTO crm_sandbox_record (kind, number, code, facts) VALUES ($1, $2, 'CR' || upper(substr(md5($1 || $2), 1, 10)), $3)
         ON CONFLICT (kind, number) DO UPDATE SET told = crm_sandbox_record.told + 1, facts = excluded.facts, told_at = now() RETURNING code, told`,
        [kind, number, JSON.stringify(facts)],
      ))!;
      const mode = luck(0, `${number}#${row.told}`);
      if (mode === 'fail') throw new CrmRefused('客户档案不匹配 / No such customer in the CRM');
      if (mode === 'lost') throw new Error('silent');
      return row.code;
    },
  };
}
