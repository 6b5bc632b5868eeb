import { run, runOne } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { submitApproval } from '../../../domain/approval/approve.server.ts';
import { AGREEMENT_APPROVAL, agreementReview } from './agreement-approval.server.ts';
import { putInForce } from './agreement-terms.server.ts';
import type { Binding, DbRow } from '../../../kernel/server/resource/binding.ts';
import { NOW } from '../../../kernel/server/resource/abilities/sets.ts';
import { boundMerchant } from './merchant.server.ts';
import { AGREEMENT_ENDED, AGREEMENT_TERMINATED } from './state-reason.rules.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { OF_MERCHANT } from '../../../domain/merchant/merchant-scope.server.ts';

/** How agreements stand in the database, under whichever menu. */
export const agreementBinding: Binding = {
  table: 'merchant_agreement',
  // One story under whichever menu.
  entity: 'merchantAgreement',
  from: 'merchant_agreement t LEFT JOIN tenant m ON m.id = t.tenant_id',
  // Named by the picker of the menu: what it does not offer does not exist.
  joins: { merchant: { table: 'tenant', column: 'tenant_id' } },
  columns: {
    versionNo: 't.agreement_version',
    commission: `to_char(t.commission_bp / 100.0, 'FM990.00')`,
    rules: `(SELECT coalesce(jsonb_agg(jsonb_build_object('id', l.id::text, 'business', jsonb_build_object('id', b.id::text, 'title', b.name, 'titleEn', coalesce(nullif(b.name_en, ''), b.name)),
      'class', CASE WHEN c.id IS NOT NULL THEN jsonb_build_object('id', c.id::text, 'title', c.name, 'titleEn', coalesce(nullif(c.name_en, ''), c.name)) END, 'rate', (l.rate_bp / 100.0)::numeric(6, 2)::text)
      ORDER BY l.position), '[]') FROM merchant_commission l JOIN business b ON b.id = l.business_id LEFT JOIN product_class c ON c.id = l.class_id WHERE l.agreement_id = t.id)`,
  },
  writes: { merchant: 'tenant_id', commission: false, rules: false },
  scope: OF_MERCHANT,
  extra: {
    makerId: 't.created_by',
    begun: 't.effective_from <= now()',
    trades: `(m.merchant_kind = 'resident' AND m.merchant_state IN ('operating', 'suspended', 'closing'))`,
  },
  ruleReads: ['makerId', 'trades', 'begun'],
  rowRules: {
    // What an applicant is offered is part of its onboarding review; a merchant that trades gets new terms by an approval of their own.
    agree: (row) =>
      row.trades
        ? ['营业商户的协议须提交审批后生效', 'New terms of a merchant that trades take effect by approval']
        : undefined,
    submit: (row) =>
      row.trades
        ? undefined
        : ['未开业商户的协议随入驻审核，可直接生效', 'It is part of the onboarding and needs no approval'],
    approve: ownVersion,
    reject: ownVersion,
    // Its end would lie before its start; the one before ends already where it begins.
    terminate: (row) =>
      row.begun
        ? undefined
        : [
            '版本尚未生效，不能终止；生效后可由新版本替代',
            'It is not in force yet: once it is, a new version replaces it',
          ],
  },
  abilities: [agreementReview.ability],
  before: [prepare],
  after: [writeRules, endTrading],
  createDefaults: () => Promise.resolve({ state: 'draft' }),
  sets: { terminate: { effective_to: NOW } },
  handlers: {
    agree: ({ tx, id }) => putInForce(tx, id),
    submit,
    expire: (context) => stopTrading(context, AGREEMENT_ENDED),
  },
};

/** Without an agreement nothing is sold. */
async function stopTrading({ tx, platform, row }: ActionContext, why: Label): Promise<void> {
  const tenant = Number(row.tenant_id);
  const trades = await runOne(
    tx,
    `SELECT FROM tenant WHERE id = $1 AND merchant_state = 'operating' FOR NO KEY UPDATE`,
    [tenant],
  );
  if (trades) await boundMerchant.actAsSystem(tx, platform, 'suspend', tenant, { reason: why[0] });
}

async function endTrading(context: ActionContext): Promise<readonly []> {
  if (context.action === 'terminate') await stopTrading(context, AGREEMENT_TERMINATED);
  return [];
}

function ownVersion(row: DbRow, caller: Caller): Label | undefined {
  return Number(row.makerId) === caller.staffId
    ? ['制单人不能审批自己的协议', 'Who made it cannot approve it']
    : undefined;
}

/** Rates in basis points, the number of the version, a term that makes sense. */
async function prepare(context: ActionContext): Promise<void> {
  const { action, input, row, tx, columns } = context;
  if (action !== 'create' && action !== 'update') return;
  if (input.commission !== undefined) columns.commission_bp = Math.round(Number(input.commission) * 100);
  const from = new Date(String(input.effectiveFrom ?? row.effective_from));
  const to = new Date(String(input.effectiveTo ?? row.effective_to));
  if (to <= from) throw invalid({ effectiveTo: ['到期须晚于生效', 'The end lies after the start'] });
  if (action !== 'create') return;
  const tenant = Number(input.merchant);
  await run(tx, 'SELECT FROM tenant WHERE id = $1 FOR NO KEY UPDATE', [tenant]);
  const last = await runOne<{ n: number }>(
    tx,
    'SELECT coalesce(max(agreement_version), 0) AS n FROM merchant_agreement WHERE tenant_id = $1',
    [tenant],
  );
  columns.agreement_version = last!.n + 1;
}

async function writeRules({ input, tx }: ActionContext, id: number): Promise<readonly []> {
  if (input.rules === undefined) return [];
  await run(tx, 'DELETE FROM merchant_commission WHERE agreement_id = $1', [id]);
  const rows = (input.rules ?? []) as readonly { business: number; class?: number | null; rate: string }[];
  const keys = rows.map((row) => `${row.business}:${row.class ?? ''}`);
  const doubled = keys.findIndex((key, index) => keys.indexOf(key) < index);
  if (doubled >= 0)
    throw invalid({ rules: [`第 ${doubled + 1} 行与前面重复`, `Row ${doubled + 1} stands there twice`] });
  for (const [index, row] of rows.entries())
    await run(
      tx,
      'INSERT INTO merchant_commission (agreement_id, position, business_id, class_id, rate_bp) VALUES ($1, $2, $3, $4, $5)',
      [id, index + 1, row.business, row.class ?? null, Math.round(Number(row.rate) * 100)],
    );
  return [];
}

/** Hands new terms of a merchant that trades to those who audit merchants. */
async function submit({ tx, platform, id, row, caller, facts }: ActionContext): Promise<ActionResult> {
  const merchant = (await runOne<{ name: string }>(tx, 'SELECT name FROM tenant WHERE id = $1', [
    row.tenant_id,
  ]))!;
  const no = `V${String(row.agreement_version)}`;
  const rate = `${(Number(row.commission_bp) / 100).toFixed(2)}%`;
  await submitApproval(
    tx,
    platform,
    {
      kind: AGREEMENT_APPROVAL,
      bizId: id,
      tenantId: caller.tenantId,
      title: [`商户协议 ${merchant.name} ${no}`, `Agreement ${no} of ${merchant.name}`],
      summary: [{ label: ['默认佣金', 'Commission'], value: [rate, rate] }],
      starterId: caller.staffId,
    },
    { caller, facts },
  );
  return {};
}

/** The same for merchants of one kind. */
export const agreementsOf = (kind: 'self' | 'resident'): Binding => ({
  ...agreementBinding,
  where: `m.merchant_kind = '${kind}'`,
});
