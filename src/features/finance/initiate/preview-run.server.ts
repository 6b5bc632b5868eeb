import { collectRows, sumsOf, type Collected } from '../../../domain/statement/draft-statement.server.ts';
import type { DraftRow } from '../../../domain/statement/eligible.server.ts';
import type { Cycle } from '../../../domain/statement/settlement.rules.ts';
import { DEPOSIT_ASKED, depositSql } from '../../../domain/merchant/deposit.server.ts';
import { exclusionText, whyOf } from '../../../domain/settlement/why.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, transaction, type Executor, type Tx } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Job } from '../../../kernel/server/registration.ts';
import { writeSystemEvent } from '../../../kernel/server/tasks/system-event.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import { settlementPreview, settlementRow } from './initiate.contract.ts';

/** Job that previews a run; payload `{ runId }`. */
export const PREVIEW_JOB = 'settlement.preview';

/** A run as it is previewed. */
export interface RunRow {
  readonly id: number;
  readonly state: string;
  readonly cycle: Cycle;
  readonly from: string;
  readonly to: string;
  readonly merchant_ids: readonly number[];
  readonly include_held: boolean;
}

/** Warnings a preview may carry, by the word kept with it. */
export const WARNINGS = {
  payee: ['收款账户未验证', 'Payee not verified'],
  deposit: ['保证金不足', 'Deposit short'],
  ending: ['协议即将到期', 'Agreement ends soon'],
} as const satisfies Readonly<Record<string, Label>>;

/** Previews runs; a repeat starts over and leaves what was made alone. */
export function previewJob(bound: () => BoundResource): Job {
  return {
    name: PREVIEW_JOB,
    title: ['结算预览', 'Preview of a settlement'],
    timeoutSeconds: 1800,
    run: async (payload, platform, context) => {
      const { runId } = (payload ?? {}) as { runId?: number };
      if (!runId) return;
      await previewRun(platform, runId, context?.signal);
      platform.changed(bound().resource.name);
      platform.changed(settlementPreview.name);
      platform.changed(settlementRow.name);
    },
  };
}

/** Reckons what a run would pay each merchant, one transaction a merchant. */
export async function previewRun(platform: Platform, runId: number, signal?: AbortSignal): Promise<void> {
  const { db } = platform.database;
  const asked = await runOf(db, runId);
  if (asked?.state !== 'previewing') return;
  await run(
    db,
    `DELETE FROM settlement_run_merchant WHERE run_id = $1 AND state NOT IN ('created', 'existing')`,
    [runId],
  );
  const merchants = await run<{ id: number }>(
    db,
    `SELECT t.id FROM tenant t LEFT JOIN LATERAL (SELECT f.settlement_cycle FROM merchant_agreement f WHERE f.tenant_id = t.id AND f.state NOT IN ('draft', 'in_review')
         ORDER BY f.effective_from <= now() DESC, f.agreement_version DESC LIMIT 1) a ON true
      WHERE t.kind = 2 AND t.merchant_kind IS DISTINCT FROM 'self'
        AND CASE WHEN cardinality($2::bigint[]) = 0 THEN a.settlement_cycle = $3 ELSE t.id = ANY($2::bigint[]) END
        AND NOT EXISTS (SELECT FROM settlement_run_merchant m WHERE m.run_id = $1 AND m.tenant_id = t.id)
      ORDER BY t.id`,
    [runId, asked.merchant_ids, asked.cycle],
  );
  for (const [index, merchant] of merchants.entries()) {
    signal?.throwIfAborted();
    await transaction(db, (tx) => previewMerchant(tx, asked, merchant.id));
    await run(db, 'UPDATE settlement_run SET progress = $2 WHERE id = $1', [
      runId,
      Math.floor(((index + 1) * 100) / merchants.length),
    ]);
  }
  await run(
    db,
    `UPDATE settlement_run r SET state = 'ready', progress = 100, previewed_at = now(), version = version + 1, updated_at = now(),
        merchants = (SELECT count(*) FROM settlement_run_merchant m WHERE m.run_id = r.id),
        total = (SELECT coalesce(sum(payable), 0) FROM settlement_run_merchant m WHERE m.run_id = r.id) WHERE id = $1 AND state = 'previewing'`,
    [runId],
  );
}

/** A run by its id. */
export async function runOf(db: Executor, id: number): Promise<RunRow | undefined> {
  return runOne<RunRow>(
    db,
    `SELECT id, state, cycle, period_from::text AS "from", period_to::text AS "to", merchant_ids, include_held FROM settlement_run WHERE id = $1`,
    [id],
  );
}

/** Reckons one merchant of a run, keeping its rows with their working; one that stands already stays. */
export async function previewMerchant(tx: Tx, asked: RunRow, tenantId: number): Promise<void> {
  const merchant = (await runOne<{ frozen: boolean; reason: string; warnings: string[] }>(
    tx,
    `SELECT t.settlement_frozen AS frozen, t.freeze_reason AS reason, array_remove(ARRAY[
        CASE WHEN NOT EXISTS (SELECT FROM payee_account y WHERE y.tenant_id = t.id AND y.purpose = 'payout' AND y.state = 'active' AND y.verify_state = 'verified') THEN 'payee' END,
        CASE WHEN ${depositSql('t.id')} < ${DEPOSIT_ASKED} THEN 'deposit' END,
        CASE WHEN EXISTS (SELECT FROM merchant_agreement g WHERE g.tenant_id = t.id AND g.state = 'active' AND g.effective_to < now() + interval '30 days') THEN 'ending' END], NULL) AS warnings
       FROM tenant t WHERE t.id = $1`,
    [tenantId],
  ))!;
  const collected = await collectRows(tx, {
    tenantId,
    from: asked.from,
    to: asked.to,
    includeHeld: asked.include_held,
  });
  const sums = sumsOf(collected.rows);
  const state = merchant.frozen ? 'frozen' : collected.rows.length === 0 ? 'empty' : 'previewed';
  const made = await runOne<{ id: number }>(
    tx,
    `INSERT INTO settlement_run_merchant (run_id, tenant_id, state, orders, cash, subsidy, freight, refunds, commission, channel_fee, adjustments, carry_in, payable, excluded, warnings)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) ON CONFLICT (run_id, tenant_id) DO NOTHING RETURNING id`,
    [
      asked.id,
      tenantId,
      state,
      sums.orders,
      sums.cash,
      sums.subsidy,
      sums.freight,
      sums.refunds,
      sums.commission,
      sums.channelFee,
      sums.adjustments,
      sums.carryIn,
      sums.payable,
      collected.excluded.length + (merchant.frozen ? collected.rows.length : 0),
      merchant.warnings,
    ],
  );
  if (made) await keepRows(tx, made.id, collected, merchant.frozen ? merchant.reason : undefined);
  const broken = collected.excluded.filter((one) => one.code === 'X08').length;
  if (broken > 0) await tellBroken(tx, tenantId, broken);
}

/** Rows whose amounts do not add up are told to the administrators, once a day and merchant. Source: group 13, The engine, rule 3. */
async function tellBroken(tx: Tx, tenantId: number, rows: number): Promise<void> {
  const told = await runOne(
    tx,
    `SELECT FROM system_event WHERE kind = 'doctor' AND detail ->> 'x08' = $1 AND at > now() - interval '1 day' LIMIT 1`,
    [String(tenantId)],
  );
  if (told) return;
  const { name } = (await runOne<{ name: string }>(tx, 'SELECT name FROM tenant WHERE id = $1', [tenantId]))!;
  await writeSystemEvent(tx, {
    kind: 'doctor',
    level: 'error',
    text: [
      `X08 金额不平：${name} 有 ${rows} 行不能结算`,
      `X08 amounts do not add up: ${rows} rows of ${name} cannot be settled`,
    ],
    detail: { x08: String(tenantId), rows },
    alert: true,
  });
}

/** Keeps the rows of a preview with their working; a frozen merchant's are all left out. */
async function keepRows(
  tx: Tx,
  previewId: number,
  collected: Collected,
  frozen: string | undefined,
): Promise<void> {
  const versions = await versionsOf(tx, [...collected.rows, ...collected.excluded.map((one) => one.row)]);
  const told = (row: DraftRow) =>
    whyOf({ ...row, agreementVersion: row.orderId === null ? null : (versions.get(row.orderId) ?? null) });
  const rows = [
    ...collected.rows.map((row) => ({
      row,
      code: frozen === undefined ? null : 'X05',
      why: frozen === undefined ? told(row) : exclusionText('X05', frozen),
    })),
    ...collected.excluded.map(({ row, code, detail }) => ({ row, code, why: exclusionText(code, detail) })),
  ];
  await run(
    tx,
    `INSERT INTO settlement_run_row (run_merchant_id, row_kind, code, why, why_en, source_type, source_id, order_id, first_statement_id, title, qty, happened_at, cash, subsidy,
       gross, commission_bp, commission, channel_fee, net)
     SELECT $1, r."rowKind", r.code, r.why, r."whyEn", r."sourceType", r."sourceId", r."orderId", r."firstStatementId", r.title, r.qty, r."happenedAt", r.cash, r.subsidy,
            r.gross, r."commissionBp", r.commission, r."channelFee", r.net
       FROM jsonb_to_recordset($2::jsonb) AS r ("rowKind" text, code text, why text, "whyEn" text, "sourceType" text, "sourceId" bigint, "orderId" bigint,
         "firstStatementId" bigint, title text, qty integer, "happenedAt" timestamptz, cash bigint, subsidy bigint, gross bigint, "commissionBp" integer,
         commission bigint, "channelFee" bigint, net bigint)`,
    [
      previewId,
      JSON.stringify(rows.map(({ row, code, why }) => ({ ...row, code, why: why[0], whyEn: why[1] }))),
    ],
  );
}

async function versionsOf(tx: Tx, rows: readonly DraftRow[]): Promise<Map<number, number>> {
  const found = await run<{ id: number; agreement_version: number | null }>(
    tx,
    'SELECT id, agreement_version FROM sales_order WHERE id = ANY($1::bigint[]) AND agreement_version IS NOT NULL',
    [[...new Set(rows.flatMap((row) => (row.orderId === null ? [] : [row.orderId])))]],
  );
  return new Map(found.map((row) => [row.id, row.agreement_version!]));
}
