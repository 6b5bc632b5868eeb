import { run, type Tx } from '../../kernel/server/database.ts';
import { invalid } from '../../kernel/server/http/errors.ts';
import { Parameters, placeCondition } from '../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../kernel/server/registration.ts';
import { containing } from '../../kernel/server/resource/like-text.ts';
import { nameOrder } from '../../kernel/server/resource/name-order.ts';

/** Menus of the group; whoever holds one may look butlers up. */
export const BUTLER_MENUS = [
  'butler_information',
  'butler_achievement',
  'butler_incentiveDistribution',
  'butler_operate',
  'butler_remind',
  'butler_configuration',
  'butler_share',
  'butler_goods',
] as const;

/** Butlers with houses in some projects. `ids` is SQL of an array, `k` the housekeeper. */
export const butlerIn = (ids: string, keeper = 'k.id'): string =>
  `EXISTS (SELECT FROM housekeeper_building hb WHERE hb.housekeeper_id = ${keeper} AND hb.project_id = ANY(${ids}::bigint[]))`;

/** Butlers of the projects the caller works in, those who left too when asked for by id. */
export const butlerOptions: OptionSource = {
  target: 'butler',
  anyOf: BUTLER_MENUS,
  find: async ({ caller, platform }, query) => {
    const parameters = new Parameters();
    const parts = [
      placeCondition(caller, { tenant: 's.tenant_id', project: (ids) => butlerIn(ids) }, parameters),
    ];
    if (query.ids.length > 0) parts.push(`k.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
    else parts.push('k.left_at IS NULL');
    if (query.searchVal)
      parts.push(
        `(s.name || ' ' || coalesce(s.staff_no, '')) ILIKE ${parameters.bind(containing(query.searchVal))}`,
      );
    const rows = await run<{ id: number; title: string; note: string }>(
      platform.database.db,
      `SELECT k.id, s.name AS title, coalesce(s.staff_no, s.account) AS note FROM housekeeper k JOIN staff s ON s.id = k.staff_id
        WHERE ${parts.join(' AND ')} ORDER BY ${nameOrder('s.name')}, k.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
      parameters.values,
    );
    return rows.map((row) => ({ ...row, id: String(row.id) }));
  },
};

/**
 * Refuses (422 at `butlers`) butlers that have left or have no house in some projects. Takes what a form sent; returns their ids,
 * each once.
 */
export async function requireButlersIn(
  tx: Tx,
  sent: unknown,
  projects: readonly number[],
): Promise<readonly number[]> {
  const butlers = [...new Set(((sent ?? []) as number[]).map(Number))];
  if (butlers.length === 0) return butlers;
  const seen = await run(
    tx,
    `SELECT k.id FROM housekeeper k WHERE k.id = ANY($1::bigint[]) AND k.left_at IS NULL AND ${butlerIn('$2')}`,
    [butlers, projects],
  );
  if (seen.length < butlers.length)
    throw invalid({ butlers: ['管家不在所选项目', 'Not all of them work in these projects'] });
  return butlers;
}

/**
 * Picker of goods (`p`) that butlers share (`g`) in the caller's projects. `from` puts the condition of reach where it belongs, `key`
 * is the id that is picked, `fresh` what holds of those that are not asked for by id.
 */
export function butlerGoodsOptions(spec: {
  readonly target: string;
  readonly key: 'g.id' | 'p.id';
  readonly from: (reach: string) => string;
  readonly fresh?: string;
}): OptionSource {
  return {
    target: spec.target,
    anyOf: BUTLER_MENUS,
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const reach = placeCondition(
        caller,
        {
          tenant: 'NULL::bigint',
          project: (ids) =>
            `EXISTS (SELECT FROM butler_goods_project x WHERE x.goods_id = g.id AND x.project_id = ANY(${ids}::bigint[]))`,
        },
        parameters,
      );
      const parts = [spec.from(reach)];
      if (query.ids.length > 0)
        parts.push(`${spec.key} = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      else if (spec.fresh) parts.push(spec.fresh);
      if (query.searchVal)
        parts.push(`p.search LIKE ${parameters.bind(containing(query.searchVal.toLowerCase()))}`);
      const rows = await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT ${spec.key} AS id, p.name AS title, p.code AS note FROM ${parts.join(' AND ')}
          ORDER BY ${nameOrder('p.name')}, ${spec.key} LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}

/** Goods that are or were shared in the caller's projects. */
export const butlerProductOptions = butlerGoodsOptions({
  target: 'butlerProduct',
  key: 'p.id',
  from: (reach) =>
    `product p WHERE EXISTS (SELECT FROM butler_goods g WHERE g.product_id = p.id AND ${reach})`,
});
