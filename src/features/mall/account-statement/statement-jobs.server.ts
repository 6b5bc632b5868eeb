import { date } from '../../../kernel/contract/fields.ts';
import { businessDayOf, isBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, transaction } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Invariant, Job, JobContext } from '../../../kernel/server/registration.ts';
import { draftStatement, STATEMENT } from '../../../domain/statement/draft-statement.server.ts';
import { lastPeriod, type Cycle } from '../../../domain/statement/settlement.rules.ts';

/**
 * Drafts the statements of all resident merchants whose cycle has ended, one transaction a merchant; a repeat makes
 * none twice. Self-operated merchants have none: their company is not paid. Returns how many were made.
 */
export async function draftDueStatements(
  platform: Platform,
  today = businessDayOf(new Date()),
  context?: JobContext,
): Promise<number> {
  const { db } = platform.database;
  const merchants = await run<{ id: number; cycle: Cycle }>(
    db,
    `SELECT t.id, a.settlement_cycle AS cycle FROM tenant t
       JOIN LATERAL (SELECT f.settlement_cycle FROM merchant_agreement f WHERE f.tenant_id = t.id AND f.state NOT IN ('draft', 'in_review')
         ORDER BY f.effective_from <= now() DESC, f.agreement_version DESC LIMIT 1) a ON true
      WHERE t.kind = 2 AND t.merchant_kind IS DISTINCT FROM 'self' AND NOT t.settlement_frozen ORDER BY t.id`,
  );
  let made = 0;
  for (const merchant of merchants) {
    context?.signal.throwIfAborted();
    const scope = { tenantId: merchant.id };
    if (!(await platform.settings.flag('settle.auto_draft', scope))) continue;
    const period = lastPeriod(merchant.cycle, today);
    const drafted = await transaction(db, (tx) =>
      draftStatement(tx, { tenantId: merchant.id, cycle: merchant.cycle, ...period, makerId: null }),
    );
    if (drafted?.made) made += 1;
  }
  if (made > 0) platform.changed(STATEMENT);
  context?.print(`${made} 张账单 / bills`);
  return made;
}

/** 02:30 in business time: cycles that ended yesterday are there by then. */
export const autoDraft: Job = {
  name: 'settle.auto_draft',
  title: ['生成商户账单', 'Draft bills of merchants'],
  cron: '30 18 * * *',
  params: {
    today: date(['以此日为今天', 'Take this day as today'], {
      help: ['不填则为今天；用于补生成上一周期', 'Empty: today; for periods that were missed'],
    }),
  },
  run: async (payload, platform, context) => {
    const { today } = (payload ?? {}) as { today?: string | null };
    await draftDueStatements(platform, today && isBusinessDay(today) ? today : undefined, context);
  },
};

/** Rows of a statement sum up to it, and everything sold stands in one living row at most. */
export const statementInvariant: Invariant = {
  name: 'statement.sums',
  check: async (platform) => {
    const rows = await run<{ code: string; fits: boolean }>(
      platform.database.db,
      `SELECT s.code, (coalesce(sum(l.net), 0) = s.payable AND count(l.id) = s.row_count) AS fits
         FROM statement s LEFT JOIN statement_line l ON l.statement_id = s.id AND l.active
        WHERE s.state <> 'void' GROUP BY s.id`,
    );
    return {
      looked: rows.length,
      problems: rows.filter((row) => !row.fits).map((row) => `${row.code}: rows differ from the header`),
    };
  },
};
