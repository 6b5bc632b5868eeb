import { date } from '../../../kernel/contract/fields.ts';
import { businessDayOf, isBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Invariant, Job, JobContext } from '../../../kernel/server/registration.ts';
import {
  draftStatement,
  endOfWorkingDays,
  STATEMENT,
} from '../../../domain/statement/draft-statement.server.ts';
import { tellMerchant } from '../../../domain/statement/statement-notice.server.ts';
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

/** Working days before the end of a window at which its merchant is reminded. Source: group 13, settle.auto_confirm. */
const REMIND_AT = [1, 2];

/** Reminds merchants whose window ends within two working days and within one, once each; returns how many. */
export async function remindWindows(platform: Platform, now = new Date()): Promise<number> {
  const { db } = platform.database;
  let told = 0;
  for (const left of REMIND_AT) {
    const until = await endOfWorkingDays(db, now, left);
    const due = await run<{ id: number }>(
      db,
      `SELECT id FROM statement WHERE state = 'to_confirm' AND window_ends_at > $1 AND window_ends_at <= $2
          AND (reminded_window IS DISTINCT FROM window_ends_at OR reminded_days > $3) ORDER BY id LIMIT 500`,
      [now, until, left],
    );
    for (const { id } of due)
      told += await transaction(db, async (tx) => {
        const row = await runOne<{ id: number; tenant_id: number; code: string }>(
          tx,
          `UPDATE statement SET reminded_days = $2, reminded_window = window_ends_at, reminded_at = $3
            WHERE id = $1 AND state = 'to_confirm' AND (reminded_window IS DISTINCT FROM window_ends_at OR reminded_days > $2) RETURNING id, tenant_id, code`,
          [id, left, now],
        );
        if (!row) return 0;
        await tellMerchant(tx, row, [
          `账单确认期还剩 ${left} 个工作日，逾期自动确认`,
          `${left} working days left to confirm the bill; silence confirms it`,
        ]);
        return 1;
      });
  }
  if (told > 0) platform.changed(STATEMENT);
  return told;
}

/** Beside the job that confirms. */
export const windowReminders: Job = {
  name: 'settle.confirm_remind',
  title: ['账单确认提醒', 'Reminders of bills to confirm'],
  cron: '5-59/10 * * * *',
  run: async (_payload, platform, context) => {
    const told = await remindWindows(platform);
    if (told > 0) context?.print(`${told}`);
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
