import type { FileValue, RefValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { filesById } from '../../../kernel/server/files/files.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { Parameters, placeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import {
  filteredProjects,
  inReach,
  OUT_OF_REACH,
  projectsInReach,
} from '../../../domain/permission/project-reach.server.ts';
import { isVirtual, VIRTUAL_FOR_POINTS } from '../../../domain/points-shop/points-shop.rules.ts';
import { findCoupons } from '../../mall/coupon-push/coupon-push.server.ts';
import { checkPictures } from '../../property/picture-columns.server.ts';
import { pointsProduct } from './points-product.contract.ts';

const OPEN = `('pending_payment', 'to_fulfil', 'shipped', 'to_collect')`;
const ofSpecs = (what: string) =>
  `(SELECT coalesce(${what}, 0)::int FROM points_product_spec s WHERE s.points_product_id = t.id)`;
const yuan = (of: 'min' | 'max') => `to_char(${of}(s.cash) / 100.0, 'FM999999990.00')`;
const SCOPE: ScopeColumns = {
  tenant: 'NULL::bigint',
  project: (ids) =>
    `EXISTS (SELECT FROM points_product_project p WHERE p.points_product_id = t.id AND p.project_id = ANY(${ids}::bigint[]))`,
  owner: 't.created_by',
};

/** Goods of the points shop. */
export const registration = bindResource(pointsProduct, {
  table: 'points_product',
  joins: { grade: { table: 'grade', title: 'title' }, coupon: 'coupon' },
  links: {
    projects: {
      table: 'points_product_project',
      own: 'points_product_id',
      other: 'project_id',
      to: 'project',
    },
  },
  lines: { specs: { table: 'points_product_spec', own: 'points_product_id' } },
  scope: SCOPE,
  search: 'lower(t.name)',
  searchExact: ['t.code'],
  columns: {
    images: 't.image_ids',
    featured: 't.featured_ids',
    price: `(SELECT CASE WHEN min(s.points) = max(s.points) THEN min(s.points)::text ELSE min(s.points) || '–' || max(s.points) END
        || CASE WHEN max(s.cash) = 0 THEN '' WHEN min(s.cash) = max(s.cash) THEN ' + ¥' || ${yuan('max')} ELSE ' + ¥' || ${yuan('min')} || '–' || ${yuan('max')} END
       FROM points_product_spec s WHERE s.points_product_id = t.id)`,
    chargeWay: `CASE WHEN EXISTS (SELECT FROM points_product_spec s WHERE s.points_product_id = t.id AND s.cash > 0) THEN 'both' ELSE 'points' END`,
    total: ofSpecs('sum(s.quantity)'),
    left: ofSpecs('sum(s.quantity - s.taken)'),
    redeemed: ofSpecs('sum(s.taken)'),
  },
  writes: { images: 'image_ids', featured: 'featured_ids' },
  filters: {
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM points_product_project p WHERE p.points_product_id = t.id AND p.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
  },
  extra: {
    projectIds: 'ARRAY(SELECT p.project_id FROM points_product_project p WHERE p.points_product_id = t.id)',
  },
  ruleReads: ['projectIds', 'recommended', 'publishedAt'],
  rowRules: {
    update: inReach,
    publish: inReach,
    stock: inReach,
    off: (row) => (row.state === 'published' ? undefined : ['未发布', 'It is not published']),
    recommend: (row, caller) =>
      inReach(row, caller) ?? (row.recommended === true ? ['已推荐', 'It is recommended'] : undefined),
    unrecommend: (row, caller) =>
      inReach(row, caller) ?? (row.recommended === true ? undefined : ['未推荐', 'It is not recommended']),
    remove: (row, caller) =>
      inReach(row, caller) ??
      (row.publishedAt ? ['曾发布的商品不能删除', 'What was published is not deleted'] : undefined),
  },
  usedBy: { points_redemption_count: false },
  before: [check],
  sets: { recommend: { recommended: true }, unrecommend: { recommended: false } },
  handlers: {
    publish: async ({ tx, id, row }) => {
      const ready = (await runOne<{ n: number }>(
        tx,
        'SELECT coalesce(sum(quantity - taken), 0)::int AS n FROM points_product_spec WHERE points_product_id = $1',
        [id],
      ))!;
      if ((row.image_ids as string[]).length === 0)
        throw ruleBroken(['请先上传主图', 'It needs a picture first']);
      if (ready.n === 0) throw ruleBroken(['请先添加规格与库存', 'It needs specs with stock first']);
      return { set: { published_at: new Date() } };
    },
    off,
    stock,
  },
  present: async (rows, db, caller) => {
    const idsOf = (row: DbRow, name: string) => (row[name] ?? []) as readonly string[];
    const byId = await filesById(db, [
      ...new Set(rows.flatMap((row) => [...idsOf(row, 'images'), ...idsOf(row, 'featured')])),
    ]);
    for (const row of rows) {
      for (const name of ['images', 'featured'])
        if (row[name] !== undefined)
          row[name] = idsOf(row, name).flatMap((id): FileValue[] => {
            const file = byId.get(id);
            return file ? [file] : [];
          });
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
    }
  },
  also: { options: [specOptions(), couponOptions()] },
}).registration;

/** Pictures, place and times fit; what members wait for is not changed under their feet. */
async function check(context: ActionContext): Promise<void> {
  const { tx, action, input, row, id } = context;
  if (action !== 'create' && action !== 'update') return;
  for (const [name, column] of [
    ['images', 'image_ids'],
    ['featured', 'featured_ids'],
  ] as const)
    if (Array.isArray(input[name]))
      await checkPictures(context, name, input[name] as string[], (row[column] ?? []) as string[]);
  const problems: Record<string, Label> = {};
  const way = input.way ?? row.way;
  if (way === 'collect' && !String(input.place ?? row.place ?? '').trim())
    problems.place = ['自提商品须填写地点', 'Where it is collected is needed'];
  const priced = (input.specs ?? []) as readonly { cash?: number | null }[];
  if (isVirtual(way) && priced.some((line) => (line.cash ?? 0) > 0)) problems.specs = VIRTUAL_FOR_POINTS;
  if (way !== 'coupon') context.columns.coupon_id = null;
  else if (!(input.coupon ?? row.coupon_id)) problems.coupon = ['此项必填', 'This field is required'];
  const [from, to] = [input.saleFrom ?? row.sale_from, input.saleTo ?? row.sale_to];
  if (from && to && new Date(to as string) <= new Date(from as string))
    problems.saleTo = ['结束须晚于开始', 'The end must lie behind the start'];
  if (Object.keys(problems).length > 0) throw invalid(problems);
  if (action !== 'update') return;
  const locked = ['name', 'class', 'way'].filter(
    (name) => input[name] !== undefined && input[name] !== row[name],
  );
  if (locked.length > 0) {
    const open = await runOne(
      tx,
      `SELECT FROM points_redemption WHERE product_id = $1 AND state IN ${OPEN} LIMIT 1`,
      [id],
    );
    if (open)
      throw ruleBroken([
        '有未完成的兑换，名称、分类与发放方式不能修改',
        'Redemptions are open: name, class and way stay',
      ]);
  }
  if (row.state === 'draft' || !Array.isArray(input.specs)) return;
  const stored = await run<{ id: number; quantity: number; points: number; cash: number }>(
    tx,
    'SELECT id, quantity, points, cash FROM points_product_spec WHERE points_product_id = $1',
    [id],
  );
  const byId = new Map(stored.map((one) => [one.id, one]));
  const lines = input.specs as readonly {
    id?: string | number;
    quantity: number;
    points: number;
    cash?: number | null;
  }[];
  if (lines.some((line) => (line.id ? byId.get(Number(line.id))?.quantity : 0) !== line.quantity))
    throw invalid({
      specs: ['已发布商品的数量请用「调整库存」修改', 'Change quantities of published goods by "Stock"'],
    });
  if (lines.some((line) => line.id && line.points < (byId.get(Number(line.id))?.points ?? 0)))
    throw invalid({ specs: ['已发布商品的积分只能上调', 'The points of published goods only go up'] });
  if (lines.some((line) => line.id && (line.cash ?? 0) < (byId.get(Number(line.id))?.cash ?? 0)))
    throw invalid({ specs: ['已发布商品的现金只能上调', 'The cash of published goods only goes up'] });
  const kept = new Set(lines.map((line) => Number(line.id ?? 0)));
  if (stored.some((one) => !kept.has(one.id)))
    throw invalid({ specs: ['已发布商品的规格不能删除', 'Specs of published goods stay'] });
}

/** From some projects or from all of them; the last one takes it off the shelf. */
async function off({ tx, id, input, row, caller }: ActionContext): Promise<ActionResult> {
  const reason = String(input.reason);
  const held =
    (row.projectIds as readonly number[] | undefined)?.map(Number) ??
    [
      ...(await run<{ id: number }>(
        tx,
        'SELECT project_id AS id FROM points_product_project WHERE points_product_id = $1',
        [id],
      )),
    ].map((one) => one.id);
  const reach = caller.projectIds;
  const asked = [...new Set(((input.projects ?? []) as readonly number[]).map(Number))];
  const going = asked.length > 0 ? asked : held;
  // A project one does not work in answers as one the goods are not sold in.
  const open = held.filter((one) => reach === null || reach.includes(one));
  if (asked.some((one) => !open.includes(one)))
    throw invalid({ projects: ['商品不在所选项目', 'It is not sold in what was chosen'] });
  if (going.some((one) => !open.includes(one))) throw ruleBroken(OUT_OF_REACH);
  if (going.length === held.length) return { to: 'off_shelf', remark: reason };
  await run(
    tx,
    'DELETE FROM points_product_project WHERE points_product_id = $1 AND project_id = ANY($2::bigint[])',
    [id, going],
  );
  return { to: 'published', remark: reason };
}

/** More or fewer of a spec; never fewer than members took. */
async function stock({ tx, id, input }: ActionContext): Promise<ActionResult> {
  const change = Number(input.change);
  if (change === 0) throw invalid({ change: ['不能为 0', 'It cannot be 0'] });
  const own = await runOne(
    tx,
    'SELECT 1 AS one FROM points_product_spec WHERE id = $1 AND points_product_id = $2',
    [input.spec, id],
  );
  if (!own) throw invalid({ spec: ['请选择该商品的规格', 'Choose a spec of this product'] });
  const done = await runOne<{ name: string; quantity: number }>(
    tx,
    `UPDATE points_product_spec SET quantity = quantity + $3 WHERE id = $2 AND points_product_id = $1 AND quantity + $3 BETWEEN taken AND 999999 RETURNING name, quantity`,
    [id, input.spec, change],
  );
  if (!done)
    throw invalid({
      change:
        change < 0
          ? ['不能少于已兑数量', 'Not below what was redeemed']
          : ['数量不能超过 999999', 'At most 999,999'],
    });
  return {
    remark: `${done.name} ${change > 0 ? '+' : ''}${change} = ${done.quantity} ${String(input.reason)}`,
  };
}

/** Coupons that can be given, of those the caller may give. */
function couponOptions(): OptionSource {
  return {
    target: 'pointsCoupon',
    anyOf: [pointsProduct.menu],
    find: async ({ caller, platform }, query) =>
      (await findCoupons(platform.database.db, caller, { ...query, ids: query.ids.map(Number) })).map(
        (one) => ({ id: String(one.id), title: one.name, note: String(one.left) }),
      ),
  };
}

/** Specs of goods in reach, named with their product. */
function specOptions(): OptionSource {
  return {
    target: 'pointsProductSpec',
    anyOf: [pointsProduct.menu],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [placeCondition(caller, SCOPE, parameters)];
      if (query.within && query.within.length > 0)
        parts.push(`t.id = ANY(${parameters.bind(query.within.map(Number))}::bigint[])`);
      if (query.ids.length > 0) parts.push(`s.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      if (query.searchVal)
        parts.push(
          `position(lower(${parameters.bind(query.searchVal)}) IN lower(t.name || ' ' || s.name)) > 0`,
        );
      const rows = await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT s.id, t.name || ' · ' || s.name AS title, (s.quantity - s.taken)::text AS note FROM points_product_spec s JOIN points_product t ON t.id = s.points_product_id
          WHERE ${parts.join(' AND ')} ORDER BY t.id DESC, s.position LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}
