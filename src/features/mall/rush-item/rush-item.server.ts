import { rushInvariants } from '../../../domain/rush/rush-claim.server.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { textOf, type Label } from '../../../kernel/contract/label.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import {
  insertRow,
  type ActionContext,
  type ActionResult,
} from '../../../kernel/server/resource/run-action.ts';
import { PRODUCT_SCOPE } from '../product/product-scope.server.ts';
import { rushItem } from './rush-item.contract.ts';

/** Type of the business whose goods are sold in rushes. */
const RUSH = 4;
const ON_SALE: Label = [
  '商品在售或审核中，场次由平台调整；或先下架',
  'The goods are on sale or in review: the platform changes their rushes, or take them down first',
];

/** Prices of goods on sale are looked at by others: a merchant changes its rushes while they are off the shelf. */
function looked(state: unknown, caller: Caller): Label | undefined {
  return caller.tenantKind === 2 && (state === 'published' || state === 'reviewing') ? ON_SALE : undefined;
}

const bound = bindResource(rushItem, {
  table: 'rush_item',
  from: 'rush_item t LEFT JOIN product p ON p.id = t.product_id LEFT JOIN product_spec s ON s.id = t.spec_id',
  where: 'p.purged_at IS NULL',
  scope: {
    tenant: 'p.tenant_id',
    project: (ids) =>
      `EXISTS (SELECT FROM product_project sp WHERE sp.product_id = t.product_id AND sp.project_id = ANY(${ids}::bigint[]))`,
    owner: 'p.created_by',
  },
  columns: {
    product: { id: 't.product_id', title: 'p.name' },
    spec: 's.name',
    ordinary: 's.price',
  },
  extra: { productState: 'p.status', claimed: 'EXISTS (SELECT FROM rush_claim c WHERE c.item_id = t.id)' },
  ruleReads: ['productState', 'claimed'],
  rowRules: {
    remove: (row, caller) =>
      looked(row.productState, caller) ??
      (row.claimed ? ['已有订单，不能删除', 'It has orders and stays'] : undefined),
  },
  also: { options: [rushSpecs()], invariants: rushInvariants },
});

/** Rushes of goods. */
export const registration = bound.registration;

/** Specs of goods of a rush business the caller sees. */
function rushSpecs(): OptionSource {
  return {
    target: 'rushSpec',
    anyOf: [rushItem.menu],
    find: async ({ caller, platform, facts }, query) => {
      const parameters = new Parameters();
      const parts = [
        `t.kind = 'goods' AND t.recycled_at IS NULL AND t.purged_at IS NULL AND b.type = ${RUSH} AND s.enabled`,
        scopeCondition(caller, rushItem.menu, PRODUCT_SCOPE, parameters),
      ];
      if (query.ids.length > 0) parts.push(`s.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      if (query.searchVal)
        parts.push(`t.search LIKE ${parameters.bind(containing(query.searchVal.toLowerCase()))}`);
      const rows = await run<{ id: number; title: string; price: number; stock: number }>(
        platform.database.db,
        `SELECT s.id, t.name || ' / ' || s.name AS title, s.price, s.stock FROM product_spec s JOIN product t ON t.id = s.product_id
           JOIN business b ON b.id = t.business_id WHERE ${parts.join(' AND ')}
          ORDER BY t.id DESC, s.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({
        id: String(row.id),
        title: row.title,
        note: textOf(
          [
            `¥${yuanFromFen(row.price)} · 库存 ${row.stock}`,
            `¥${yuanFromFen(row.price)} · stock ${row.stock}`,
          ],
          facts.language,
        ),
      }));
    },
  };
}

/** Why rushes of a product (with `businessType`) cannot be put up; hides the button and refuses the call. */
export function rushRule(row: DbRow, caller: Caller): Label | undefined {
  return row.businessType === RUSH
    ? looked(row.state, caller)
    : ['仅疯抢业务的商品可设场次', 'Only goods of a rush business have rushes'];
}

interface Wanted {
  readonly spec: number;
  readonly price: number;
  readonly stock: number;
  readonly perLimit: number | null;
  readonly startsAt: string;
  readonly endsAt: string;
}

/** Puts up further rushes of the locked product. Throws 422 with the number of the row. */
export async function addRushes({ tx, id, input, caller }: ActionContext): Promise<ActionResult> {
  const items = input.items as readonly Wanted[];
  for (const [index, item] of items.entries()) {
    const refuse = (zh: string, en: string) => {
      throw invalid({ items: [`第 ${index + 1} 行${zh}`, `Row ${index + 1}: ${en}`] });
    };
    const [from, to] = [Date.parse(item.startsAt), Date.parse(item.endsAt)];
    if (to <= from) refuse('结束须晚于开始', 'the end lies after the start');
    if (to <= Date.now()) refuse('结束时间已过', 'the end has passed');
    const spec = await runOne<{ price: number }>(
      tx,
      'SELECT price FROM product_spec WHERE id = $1 AND product_id = $2 AND enabled',
      [item.spec, id],
    );
    if (!spec) refuse('不是该商品的规格', 'no spec of these goods');
    if (item.price >= spec!.price)
      refuse(
        `疯抢价须低于原价 ${yuanFromFen(spec!.price)}`,
        `below the ordinary price ${yuanFromFen(spec!.price)}`,
      );
    const other = await runOne(
      tx,
      `SELECT 1 AS one FROM rush_item WHERE spec_id = $1 AND period && tstzrange($2::timestamptz, $3::timestamptz)`,
      [item.spec, item.startsAt, item.endsAt],
    );
    if (other) refuse('与该规格的其他场次重叠', 'overlaps another rush of the spec');
    await insertRow(tx, 'rush_item', {
      product_id: id,
      spec_id: item.spec,
      price: item.price,
      stock: item.stock,
      remaining: item.stock,
      per_limit: item.perLimit ?? 0,
      period: `[${new Date(from).toISOString()},${new Date(to).toISOString()})`,
      created_by: caller.staffId,
      updated_by: caller.staffId,
    });
  }
  return { remark: `+${items.length}`, result: { n: items.length } };
}
