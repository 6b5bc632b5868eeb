import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';

/**
 * Makes room for a version that is put in force: the one before ends where this one begins. Refuses a start in the past and overlaps.
 * A shop of the company keeps and deposits nothing. The caller writes the state in the same transaction.
 */
export async function putInForce(tx: Tx, id: number): Promise<void> {
  const own = (await runOne<{ tenant: number; begins: Date; ends: Date | null }>(
    tx,
    'SELECT tenant_id AS tenant, effective_from AS begins, effective_to AS ends FROM merchant_agreement WHERE id = $1',
    [id],
  ))!;
  const merchant = await runOne<{ kind: string }>(
    tx,
    'SELECT merchant_kind AS kind FROM tenant WHERE id = $1 FOR NO KEY UPDATE',
    [own.tenant],
  );
  const before = await run<{ id: number; no: number; begins: Date; ends: Date | null }>(
    tx,
    `SELECT id, agreement_version AS no, effective_from AS begins, effective_to AS ends FROM merchant_agreement
      WHERE tenant_id = $1 AND id <> $2 AND state IN ('active', 'superseded', 'expired', 'terminated') ORDER BY effective_from`,
    [own.tenant, id],
  );
  if (before.length > 0 && own.begins.getTime() <= Date.now())
    throw ruleBroken(['新版本的生效时间须晚于现在', 'A new version takes effect in the future']);
  for (const one of before) {
    // The one in force ends where this one begins.
    if (one.begins < own.begins && (one.ends === null || one.ends > own.begins)) {
      await run(
        tx,
        'UPDATE merchant_agreement SET effective_to = $2, version = version + 1, updated_at = now() WHERE id = $1',
        [one.id, own.begins],
      );
      continue;
    }
    const apart =
      (one.ends !== null && one.ends <= own.begins) || (own.ends !== null && one.begins >= own.ends);
    if (!apart) throw ruleBroken([`协议有效期与版本 V${one.no} 重叠`, `Period overlaps version V${one.no}`]);
  }
  if (merchant?.kind === 'self')
    await run(
      tx,
      `UPDATE merchant_agreement SET commission_bp = 0, channel_fee_bearer = 'platform', deposit = 0, annual_fee = 0 WHERE id = $1`,
      [id],
    );
}
