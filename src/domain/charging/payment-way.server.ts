import { run, type Executor } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';

/**
 * Refuses (30101) a way of paying a project does not offer at the counter for every one of some bills; money without bills needs a
 * way of all items. A project that has set none offers all. Says whether a slip and its confirmation are asked for.
 * Source: group 06, cs_payMentWay.
 */
export async function requireWay(
  db: Executor,
  projectId: number,
  channel: string,
  billIds: readonly number[],
): Promise<{ readonly slip: boolean }> {
  const ways = await run<{ channel: string; enabled: boolean; needs_slip: boolean; items: number[] }>(
    db,
    `SELECT w.channel, w.enabled, w.needs_slip, ARRAY(SELECT i.fee_item_id FROM payment_way_item i WHERE i.way_id = w.id) AS items
       FROM payment_way w WHERE w.project_id = $1 AND w.scene = 'counter'`,
    [projectId],
  );
  if (ways.length === 0) return { slip: false };
  const items = await run<{ id: number }>(
    db,
    'SELECT DISTINCT fee_item_id AS id FROM bill WHERE id = ANY($1::bigint[])',
    [billIds],
  );
  const open = ways.filter((one) => one.channel === channel && one.enabled);
  const wayOf = (item: number | undefined) =>
    open.find((one) => item !== undefined && one.items.includes(item)) ??
    open.find((one) => one.items.length === 0);
  const used = (items.length === 0 ? [undefined] : items.map((one) => one.id)).map(wayOf);
  if (open.length === 0)
    throw ruleBroken(['该项目未启用此支付方式', 'This way of paying is not enabled in the project']);
  if (used.includes(undefined))
    throw ruleBroken([
      '所选账单的收费项目不能用此支付方式',
      'This way of paying is not offered for the items of these bills',
    ]);
  return { slip: used.some((one) => one!.needs_slip) };
}
