import { run, transaction } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Job } from '../../../kernel/server/registration.ts';
import { writeSystemEvent } from '../../../kernel/server/tasks/system-event.ts';
import { freezeFunds } from '../../service-resources/boss-account/merchant-fund.server.ts';
import { SETTLEMENT_RULES } from './settlement-invariants.server.ts';

/** Problems told of one merchant at most. */
const TOLD = 5;

/** Looks at the books every day and stops payouts of merchants whose books are wrong. Source: group 13, Jobs, finance.doctor. */
export const financeDoctor: Job = {
  name: 'finance.doctor',
  title: ['财务校验', 'Check of the books'],
  cron: '0 20 * * *',
  timeoutSeconds: 1800,
  run: async (_payload, platform, context) => {
    const wrong = await checkBooks(platform);
    context?.print(`${wrong} 个商户 / merchants`);
  },
};

/** Checks the books of every merchant; those that are wrong are told to the administrators and frozen. Returns how many. */
export async function checkBooks(platform: Platform): Promise<number> {
  const { db } = platform.database;
  const problems = new Map<number, string[]>();
  for (const [name, sql] of SETTLEMENT_RULES) {
    const rows = await run<{ what: string; tenant: number; found: unknown[]; wanted: unknown[] }>(db, sql);
    for (const { what, tenant, found, wanted } of rows) {
      if (found.map(Number).join() === wanted.map(Number).join()) continue;
      const told = problems.get(Number(tenant)) ?? [];
      told.push(`${name} ${what}: ${found.join(', ')} / ${wanted.join(', ')}`);
      problems.set(Number(tenant), told);
    }
  }
  for (const [tenantId, told] of problems) {
    const freezes = await platform.settings.flag('finance.freeze_on_error', { tenantId });
    await transaction(db, async (tx) => {
      const [merchant] = await run<{ name: string; frozen: boolean }>(
        tx,
        'SELECT name, settlement_frozen AS frozen FROM tenant WHERE id = $1 AND kind = 2 FOR NO KEY UPDATE',
        [tenantId],
      );
      if (!merchant || merchant.frozen) return;
      if (freezes) await freezeFunds(tx, platform, tenantId, '财务校验不平', told[0]!);
      await writeSystemEvent(tx, {
        kind: 'doctor',
        level: 'error',
        text: [
          `财务校验不平：${merchant.name}${freezes ? '，已冻结付款' : ''}`,
          `The books of ${merchant.name} are wrong${freezes ? '; its payouts are frozen' : ''}`,
        ],
        detail: { problems: told.slice(0, TOLD), count: told.length },
        alert: true,
      });
    });
  }
  return problems.size;
}
