import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { merchantAgreement } from './merchant-agreement.contract.ts';

/** Terms that a renewal takes over. */
const TERMS = `contact, phone, commission_bp, commission_base, channel_fee_bearer, points_bearer, coin_bearer, freight_commission,
  settlement_cycle, after_sale_days, deposit, annual_fee, payout_mode`;

/** Begins the next version of a merchant's agreement as a draft: the terms of the last one, for as long again, from its end on. */
export async function renewAgreement({ tx, id, caller }: ActionContext): Promise<ActionResult> {
  await run(tx, 'SELECT FROM tenant WHERE id = $1 FOR NO KEY UPDATE', [id]);
  const last = await runOne<{ id: number }>(
    tx,
    `SELECT id FROM merchant_agreement WHERE tenant_id = $1 AND state IN ('active', 'expired') ORDER BY effective_from DESC LIMIT 1`,
    [id],
  );
  if (!last) throw ruleBroken(['没有可续约的协议', 'There is no agreement to renew']);
  const draft = await runOne<{ no: number }>(
    tx,
    `SELECT agreement_version AS no FROM merchant_agreement WHERE tenant_id = $1 AND state IN ('draft', 'in_review') ORDER BY id LIMIT 1`,
    [id],
  );
  if (draft)
    throw ruleBroken([
      `版本 V${draft.no} 还是草稿，请先处理`,
      `Version V${draft.no} is a draft still: see to it first`,
    ]);
  const made = await runOne<{ id: number; no: number }>(
    tx,
    `INSERT INTO merchant_agreement (tenant_id, agreement_version, state, signed_on, effective_from, effective_to, ${TERMS}, created_by, updated_by)
     SELECT tenant_id, (SELECT max(agreement_version) + 1 FROM merchant_agreement WHERE tenant_id = $2), 'draft', (now() AT TIME ZONE 'Asia/Shanghai')::date,
            s.at, s.at + (coalesce(a.effective_to, a.effective_from + interval '1 year') - a.effective_from), ${TERMS}, $3, $3
       FROM merchant_agreement a
       CROSS JOIN LATERAL (SELECT greatest(coalesce(a.effective_to, now()),
         ((now() AT TIME ZONE 'Asia/Shanghai')::date + 1)::timestamp AT TIME ZONE 'Asia/Shanghai') AS at) s
      WHERE a.id = $1 RETURNING id, agreement_version AS no`,
    [last.id, id, caller.staffId],
  );
  await run(
    tx,
    `INSERT INTO merchant_commission (agreement_id, position, business_id, class_id, rate_bp)
     SELECT $2, position, business_id, class_id, rate_bp FROM merchant_commission WHERE agreement_id = $1`,
    [last.id, made!.id],
  );
  await writeTimeline(tx, {
    entity: merchantAgreement.name,
    entityId: made!.id,
    caller,
    action: 'create',
    label: ['续约', 'Renewed'],
    to: 'draft',
  });
  return { result: { no: made!.no }, event: [`续约：草稿版本 V${made!.no}`, `Renewal: draft V${made!.no}`] };
}
