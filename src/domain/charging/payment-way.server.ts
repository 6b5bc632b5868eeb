import { runOne, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';

/**
 * Refuses (30101) a way of paying a project does not offer at the counter. A project that has set none offers all.
 * Source: group 06, cs_payMentWay.
 */
export async function requireWay(tx: Tx, projectId: number, channel: string): Promise<void> {
  const row = await runOne<{ any: boolean; this: boolean }>(
    tx,
    `SELECT count(*) > 0 AS any, coalesce(bool_or(channel = $2 AND enabled), false) AS this
       FROM payment_way WHERE project_id = $1 AND scene = 'counter'`,
    [projectId, channel],
  );
  if (row!.any && !row!.this)
    throw ruleBroken(['该项目未启用此支付方式', 'This way of paying is not enabled in the project']);
}
