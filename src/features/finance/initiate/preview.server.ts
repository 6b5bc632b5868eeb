import {
  collectRows,
  draftStatement,
  STATEMENT,
  sumsOf,
} from '../../../domain/statement/draft-statement.server.ts';
import { saidTwice, partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { exclusionText } from '../../../domain/settlement/why.rules.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { settlementPreview, settlementRun } from './initiate.contract.ts';
import { PLATFORM_SCOPE } from './platform-scope.server.ts';
import { runOf, WARNINGS } from './preview-run.server.ts';

/** How long a preview holds. */
const PREVIEW_MINUTES = 30;

/** Previews of merchants, and the making of their statements. */
export const registration = bindResource(settlementPreview, {
  table: 'settlement_run_merchant',
  from: `settlement_run_merchant t LEFT JOIN settlement_run n ON n.id = t.run_id LEFT JOIN tenant m ON m.id = t.tenant_id LEFT JOIN statement s ON s.id = t.statement_id`,
  scope: PLATFORM_SCOPE('n.maker_id'),
  columns: {
    run: { id: 't.run_id', title: 'n.code' },
    merchant: { id: 't.tenant_id', title: 'm.name' },
    statement: 's.code',
    problem: 't.error',
    warnings: 't.warnings',
  },
  words: {
    warnings: (value, { language }) => partsOfSaid(value)[language === 'en' ? 1 : 0],
  },
  handlers: { make },
  after: [followRun],
  present: (rows) => {
    for (const row of rows)
      if (row.warnings !== undefined) {
        const told = (row.warnings as (keyof typeof WARNINGS)[]).map((word) => WARNINGS[word]);
        row.warnings = saidTwice([
          told.map((label) => label[0]).join('、'),
          told.map((label) => label[1]).join(', '),
        ]);
      }
    return Promise.resolve();
  },
}).registration;

/**
 * Makes the statement of a previewed merchant. It is reckoned anew behind the merchant's lock: where it comes to something else, none
 * is made and both figures are told. A period that has a statement gives that one back.
 */
async function make({ tx, platform, row, caller }: ActionContext): Promise<ActionResult> {
  const asked = (await runOf(tx, Number(row.run_id)))!;
  const fresh = await runOne<{ fresh: boolean }>(
    tx,
    `SELECT previewed_at > now() - make_interval(mins => $2) AS fresh FROM settlement_run WHERE id = $1`,
    [asked.id, PREVIEW_MINUTES],
  );
  if (asked.state === 'cancelled' || asked.state === 'previewing' || !fresh?.fresh)
    throw ruleBroken(['预览已过期，请重新预览', 'The preview is over, please preview again']);
  const tenantId = Number(row.tenant_id);
  const merchant = (await runOne<{ settlement_frozen: boolean; freeze_reason: string }>(
    tx,
    'SELECT settlement_frozen, freeze_reason FROM tenant WHERE id = $1 FOR NO KEY UPDATE',
    [tenantId],
  ))!;
  if (merchant.settlement_frozen) {
    const [zh, en] = exclusionText('X05', merchant.freeze_reason);
    throw ruleBroken([`X05 ${zh}`, `X05 ${en}`]);
  }
  const question = {
    tenantId,
    from: asked.from,
    to: asked.to,
    includeHeld: asked.include_held,
  };
  const existing = await runOne<{ id: number }>(
    tx,
    `SELECT id FROM statement WHERE tenant_id = $1 AND period_from = $2 AND period_to = $3 AND kind = 'payout' AND state <> 'void'`,
    [tenantId, asked.from, asked.to],
  );
  if (existing) return { to: 'existing', set: { statement_id: existing.id } };
  const { payable } = sumsOf((await collectRows(tx, question)).rows);
  if (payable !== Number(row.payable))
    return {
      to: 'changed',
      set: { new_payable: payable },
      remark: `${yuanFromFen(Number(row.payable))} → ${yuanFromFen(payable)}`,
    };
  const drafted = await draftStatement(tx, {
    ...question,
    cycle: asked.cycle,
    makerId: caller.staffId,
    runId: asked.id,
  });
  if (!drafted) throw ruleBroken(['没有可结算的明细', 'There is nothing to settle']);
  platform.changed(STATEMENT);
  return { to: drafted.made ? 'created' : 'existing', set: { statement_id: drafted.id, new_payable: null } };
}

/** The run tells how far it is. */
async function followRun({ tx, platform, row }: ActionContext): Promise<readonly []> {
  await run(
    tx,
    `UPDATE settlement_run r SET version = version + 1, updated_at = now(), statements = x.made, total = x.total,
        state = CASE WHEN x.open = 0 THEN 'done' ELSE 'ready' END
       FROM (SELECT count(*) FILTER (WHERE m.state = 'created') AS made, coalesce(sum(m.payable), 0) AS total,
               count(*) FILTER (WHERE m.state IN ('previewed', 'changed', 'failed')) AS open FROM settlement_run_merchant m WHERE m.run_id = $1) x
      WHERE r.id = $1`,
    [row.run_id],
  );
  platform.changed(settlementRun.name);
  return [];
}
