import type { Label } from '../../kernel/contract/label.ts';
import { yuanFromFen } from '../../kernel/contract/money.rules.ts';
import { run, type Tx } from '../../kernel/server/database.ts';
import { invalid, notFound } from '../../kernel/server/http/errors.ts';
import type { Caller } from '../../kernel/server/people/caller.ts';
import { Parameters, placeCondition, type ScopeColumns } from '../../kernel/server/people/scope.ts';

/** Word of the approval engine; what is approved is an activity. */
export const GROUP_BUY = 'group_buy';

/** A spec that may be sold in an activity; price in fen. */
export interface SpecFacts {
  readonly id: number;
  readonly product_id: number;
  readonly tenant_id: number;
  readonly price: number;
  readonly name: string;
}

/** A product of kind goods stands where its merchant and its projects are. */
export const PRODUCT_PLACE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: (ids) =>
    `EXISTS (SELECT FROM product_project pp WHERE pp.product_id = t.id AND pp.project_id = ANY(${ids}::bigint[]))`,
  owner: 't.created_by',
};

/** Specs the caller may sell, in the order asked for. Throws 404 for one that is not. */
export async function sellableSpecs(
  context: { readonly tx: Tx; readonly caller: Caller },
  ids: readonly number[],
): Promise<SpecFacts[]> {
  const parameters = new Parameters();
  const rows = await run<SpecFacts>(
    context.tx,
    `SELECT s.id, s.product_id, t.tenant_id, s.price, t.name FROM product_spec s JOIN product t ON t.id = s.product_id
       JOIN business b ON b.id = t.business_id
      WHERE s.id = ANY(${parameters.bind(ids)}::bigint[]) AND t.kind = 'goods' AND t.status = 'published' AND t.recycled_at IS NULL
        AND s.enabled AND b.type = 2 AND ${placeCondition(context.caller, PRODUCT_PLACE, parameters)}`,
    parameters.values,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = byId.get(id);
    if (!row)
      throw notFound(['商品规格不存在或不能团购', 'The spec does not exist or cannot be group-bought']);
    return row;
  });
}

/** Refuses what no column knows alone: the size by its mode, the period, the deadline's number. */
export function checkActivity(values: Record<string, unknown>): void {
  const problems: Record<string, Label> = {};
  const size = Number(values.group_size);
  if (values.mode === 'team' && size > 100)
    problems.size = ['满人成团最多 100 人', 'By members: at most 100'];
  const from = values.form_at_deadline_from as number | null | undefined;
  if (typeof from === 'number') {
    if (values.mode === 'total')
      problems.formFrom = ['满量成团没有到期人数', 'Activities by copies have no number at a deadline'];
    else if (from >= size) problems.formFrom = ['须小于成团人数', 'Below the size'];
  }
  const begins = new Date(String(values.starts_at));
  const ends = new Date(String(values.ends_at));
  if (ends <= begins) problems.endsAt = ['结束须晚于开始', 'The end lies after the start'];
  else if (ends.getTime() - begins.getTime() > 60 * 86_400_000)
    problems.endsAt = ['活动最长 60 天', 'An activity lasts at most 60 days'];
  else if (ends.getTime() <= Date.now()) problems.endsAt = ['结束须晚于现在', 'The end lies in the future'];
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

/** Prices of an item among themselves and against the spec's. */
export function checkPrices(base: number, price: number, leader: number | null): void {
  if (price >= base)
    throw invalid({
      price: [`须低于原价 ${yuanFromFen(base)}`, `Below the ordinary price ${yuanFromFen(base)}`],
    });
  if (leader !== null && leader > price)
    throw invalid({ leaderPrice: ['不能高于团购价', 'Not above the group price'] });
}
