import { run, runOne } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { NOW } from '../../../kernel/server/resource/abilities/sets.ts';
import type { Binding } from '../../../kernel/server/resource/binding.ts';
import { boundMerchant } from './merchant.server.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';

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
    rules: `(SELECT coalesce(jsonb_agg(jsonb_build_object('id', l.id::text, 'business', jsonb_build_object('id', b.id::text, 'title', b.name),
      'class', CASE WHEN c.id IS NOT NULL THEN jsonb_build_object('id', c.id::text, 'title', c.name) END, 'rate', (l.rate_bp / 100.0)::numeric(6, 2)::text)
      ORDER BY l.position), '[]') FROM merchant_commission l JOIN business b ON b.id = l.business_id LEFT JOIN product_class c ON c.id = l.class_id WHERE l.agreement_id = t.id)`,
  },
  writes: { merchant: 'tenant_id', commission: false, rules: false },
  scope: {
    tenant: 't.tenant_id',
    project: (ids) =>
      `EXISTS (SELECT FROM tenant_project tp WHERE tp.tenant_id = t.tenant_id AND tp.project_id = ANY(${ids}::bigint[]))`,
    owner: 't.created_by',
  },
  before: [prepare],
  after: [writeRules],
  createDefaults: () => Promise.resolve({ state: 'draft' }),
  sets: { terminate: { effective_to: NOW } },
  handlers: {
    agree,
    expire: async ({ tx, platform, row }) => {
      const tenant = Number(row.tenant_id);
      const trades = await runOne(
        tx,
        `SELECT FROM tenant WHERE id = $1 AND merchant_state = 'operating' FOR NO KEY UPDATE`,
        [tenant],
      );
      if (trades) await boundMerchant.actAsSystem(tx, platform, 'suspend', tenant, { reason: '协议到期' });
    },
  },
};

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

/** Puts a version in force: from its own start on, at which the one before ends. Refuses a start in the past and overlaps. */
async function agree({ tx, id, row }: ActionContext): Promise<ActionResult> {
  const tenant = Number(row.tenant_id);
  await run(tx, 'SELECT FROM tenant WHERE id = $1 FOR NO KEY UPDATE', [tenant]);
  const before = await run<{ id: number; no: number; begins: Date; ends: Date | null }>(
    tx,
    `SELECT id, agreement_version AS no, effective_from AS begins, effective_to AS ends FROM merchant_agreement
      WHERE tenant_id = $1 AND id <> $2 AND state IN ('active', 'superseded', 'expired', 'terminated') ORDER BY effective_from`,
    [tenant, id],
  );
  const merchant = await runOne<{ kind: string }>(
    tx,
    'SELECT merchant_kind AS kind FROM tenant WHERE id = $1',
    [tenant],
  );
  const from = new Date(String(row.effective_from));
  const to = row.effective_to === null ? null : new Date(String(row.effective_to));
  if (before.length > 0 && from.getTime() <= Date.now())
    throw ruleBroken(['新版本的生效时间须晚于现在', 'A new version takes effect in the future']);
  for (const one of before) {
    // The one in force ends where this one begins.
    if (one.begins < from && (one.ends === null || one.ends > from)) {
      await run(
        tx,
        'UPDATE merchant_agreement SET effective_to = $2, version = version + 1, updated_at = now() WHERE id = $1',
        [one.id, from],
      );
      continue;
    }
    const apart = (one.ends !== null && one.ends <= from) || (to !== null && one.begins >= to);
    if (!apart) throw ruleBroken([`协议有效期与版本 V${one.no} 重叠`, `Period overlaps version V${one.no}`]);
  }
  // The company's own shop: nothing is kept, nothing is deposited.
  return merchant?.kind === 'self'
    ? { set: { commission_bp: 0, channel_fee_bearer: 'platform', deposit: 0, annual_fee: 0 } }
    : {};
}

/** The same for merchants of one kind. */
export const agreementsOf = (kind: 'self' | 'resident'): Binding => ({
  ...agreementBinding,
  where: `m.merchant_kind = '${kind}'`,
});
