import type { Label } from '../../kernel/contract/label.ts';
import { yuanFromFen } from '../../kernel/contract/money.rules.ts';
import { run, runOne, type Executor } from '../../kernel/server/database.ts';
import type { SeckillCheck } from './seckill.rules.ts';

/** What the checks look at beside the goods: how long before its first session an activity is handed in, whose price counts. */
export interface CheckRules {
  readonly leadMinutes: number;
  readonly priceDays: number;
  /** `publish`: the stock is still on the shelf and the first session lies ahead; `resume`: both are behind. */
  readonly at: 'submit' | 'publish' | 'resume';
}

interface ItemRow {
  readonly label: string;
  readonly session_no: number;
  readonly price: number;
  readonly base: number;
  readonly reserved: number;
  readonly per_order: number;
  readonly per_member: number;
  readonly on_sale: boolean;
  readonly in_projects: boolean;
  readonly merchant_open: boolean;
  readonly merchant: string;
  readonly lowest: number | null;
}

/**
 * Everything that must hold of an activity, each with what is wrong. Behind the locks of the specs the answers about stock and
 * occupancy are final. Source: group 16, mk_seckillActivityManagement, Checks.
 */
export async function checksOf(db: Executor, activityId: number, rules: CheckRules): Promise<SeckillCheck[]> {
  const items = await run<ItemRow>(
    db,
    `SELECT p.name || ' ' || s.name AS label, n.position AS session_no, i.price, CASE WHEN i.state IN ('draft', 'rejected') THEN s.price ELSE i.base_price END AS base,
            i.reserved, i.per_order_limit AS per_order, i.per_member_limit AS per_member,
            (s.enabled AND p.status = 'published' AND p.recycled_at IS NULL) AS on_sale,
            NOT EXISTS (SELECT FROM seckill_project sp WHERE sp.activity_id = i.activity_id AND NOT EXISTS (
              SELECT FROM product_project pp WHERE pp.product_id = p.id AND pp.project_id = sp.project_id)) AS in_projects,
            (m.enabled AND m.state = 'open' AND m.merchant_state = 'operating') AS merchant_open, m.name AS merchant,
            (SELECT min(l.list_price) FROM order_line l JOIN sales_order o ON o.id = l.order_id
              WHERE l.spec_id = s.id AND o.type = 'ordinary' AND o.created_at > now() - make_interval(days => $2)) AS lowest
       FROM seckill_item i JOIN seckill_session n ON n.id = i.session_id JOIN product_spec s ON s.id = i.spec_id
       JOIN product p ON p.id = i.product_id JOIN tenant m ON m.id = p.tenant_id
      WHERE i.activity_id = $1 ORDER BY n.position, i.position, i.id`,
    [activityId, rules.priceDays],
  );
  const once = (of: (item: ItemRow) => Label | undefined): Label[] => {
    const found = new Map<string, Label>();
    for (const item of items) {
      const problem = of(item);
      if (problem) found.set(problem[0], problem);
    }
    return [...found.values()];
  };
  const checks: SeckillCheck[] = [
    check(
      'sessions',
      ['场次与商品已填写', 'Sessions and goods are there'],
      await emptySessions(db, activityId),
    ),
    check(
      'onSale',
      ['商品已上架且在全部所选项目销售', 'Goods are on sale in all chosen projects'],
      [
        ...once((item) =>
          item.on_sale ? undefined : [`${item.label}：未上架`, `${item.label}: not on sale`],
        ),
        ...once((item) =>
          item.in_projects
            ? undefined
            : [
                `${item.label}：不在活动的全部项目销售`,
                `${item.label}: not sold in all projects of the activity`,
              ],
        ),
      ],
    ),
    check(
      'merchant',
      ['商户正常营业', 'Merchants are open'],
      [
        ...once((item) =>
          item.merchant_open
            ? undefined
            : [`商户「${item.merchant}」未营业`, `The merchant “${item.merchant}” is not open`],
        ),
      ],
    ),
    check(
      'price',
      ['秒杀价低于原价', 'Prices are below the ordinary ones'],
      once((item) =>
        item.price < item.base
          ? undefined
          : [
              `${item.label}：秒杀价 ${yuanFromFen(item.price)} 须低于原价 ${yuanFromFen(item.base)}`,
              `${item.label}: ${yuanFromFen(item.price)} is not below the ordinary ${yuanFromFen(item.base)}`,
            ],
      ),
    ),
    check(
      'limits',
      ['单笔限购 ≤ 每人限购 ≤ 数量', 'Per order ≤ per member ≤ copies'],
      once((item) =>
        item.per_order <= item.per_member && (item.per_member <= item.reserved || rules.at === 'resume')
          ? undefined
          : [
              `${item.label}：限购 ${item.per_order} / ${item.per_member}，数量 ${item.reserved}`,
              `${item.label}: limits ${item.per_order} / ${item.per_member}, ${item.reserved} copies`,
            ],
      ),
    ),
  ];
  if (rules.at !== 'resume') {
    checks.push(
      check('stock', ['库存充足', 'Enough stock'], await shortStock(db, activityId)),
      check(
        'occupancy',
        ['与其他活动不冲突', 'No conflict with other activities'],
        await conflicts(db, activityId),
      ),
      check('lead', ['首场开始时间', 'First start'], await firstStart(db, activityId, rules)),
      check(
        'basePrice',
        [
          `原价不高于近 ${rules.priceDays} 天最低价`,
          `Ordinary prices are not above the lowest of ${rules.priceDays} days`,
        ],
        once((item) =>
          item.lowest === null || item.base <= item.lowest
            ? undefined
            : [
                `${item.label}：原价 ${yuanFromFen(item.base)} 高于近期最低价 ${yuanFromFen(item.lowest)}`,
                `${item.label}: ${yuanFromFen(item.base)} is above the recent lowest ${yuanFromFen(item.lowest)}`,
              ],
        ),
        'warning',
      ),
    );
  }
  return checks;
}

/** What failed, as one refusal; undefined when nothing did. */
export function refusalOfChecks(checks: readonly SeckillCheck[]): Label | undefined {
  const found = checks.filter((one) => one.result === 'failed').flatMap((one) => one.problems);
  return found.length === 0
    ? undefined
    : [found.map((one) => one[0]).join('；'), found.map((one) => one[1]).join('; ')];
}

function check(
  key: string,
  label: Label,
  problems: readonly Label[],
  worst: 'failed' | 'warning' = 'failed',
): SeckillCheck {
  return { key, label, result: problems.length === 0 ? 'ok' : worst, problems };
}

async function emptySessions(db: Executor, activityId: number): Promise<Label[]> {
  const rows = await run<{ position: number; items: number }>(
    db,
    `SELECT n.position, (SELECT count(*)::int FROM seckill_item i WHERE i.session_id = n.id) AS items
       FROM seckill_session n WHERE n.activity_id = $1 ORDER BY n.position`,
    [activityId],
  );
  if (rows.length === 0) return [['请至少添加一个场次', 'Add at least one session']];
  return rows
    .filter((row) => row.items === 0)
    .map((row): Label => [`第 ${row.position} 场没有商品`, `Session ${row.position} has no goods`]);
}

/** Copies of all sessions are taken together, so their sum must be on the shelf. */
async function shortStock(db: Executor, activityId: number): Promise<Label[]> {
  const rows = await run<{ label: string; stock: number; needed: number }>(
    db,
    `SELECT p.name || ' ' || s.name AS label, s.stock, x.needed FROM (
       SELECT spec_id, sum(reserved)::int AS needed FROM seckill_item WHERE activity_id = $1 GROUP BY 1) x
       JOIN product_spec s ON s.id = x.spec_id JOIN product p ON p.id = s.product_id WHERE s.stock < x.needed ORDER BY s.id`,
    [activityId],
  );
  return rows.map((row): Label => [
    `库存不足：${row.label} 可用 ${row.stock}，需预留 ${row.needed}`,
    `Not enough stock: ${row.label} has ${row.stock}, needs ${row.needed}`,
  ]);
}

/** Other activities that hold a spec of this one at the same time. */
export async function conflicts(db: Executor, activityId: number): Promise<Label[]> {
  const rows = await run<{ name: string; from: Date; to: Date; label: string }>(
    db,
    `SELECT DISTINCT ON (o.id, i.spec_id) o.name, lower(o.period) AS "from", upper(o.period) AS "to", p.name || ' ' || s.name AS label
       FROM seckill_item i JOIN product_spec s ON s.id = i.spec_id JOIN product p ON p.id = i.product_id
       JOIN promotion_occupancy o ON o.spec_id = i.spec_id AND o.period && tstzrange(i.starts_at, i.ends_at)
        AND NOT (o.kind = 'seckill' AND o.source_id = $1)
      WHERE i.activity_id = $1 ORDER BY o.id, i.spec_id, i.id`,
    [activityId],
  );
  return rows.map((row): Label => {
    const period = `${minute(row.from)}–${minute(row.to)}`;
    return [
      `${row.label}：与「${row.name}」${period} 场次冲突`,
      `${row.label}: Conflicts with “${row.name}” ${period}`,
    ];
  });
}

async function firstStart(db: Executor, activityId: number, rules: CheckRules): Promise<Label[]> {
  const row = await runOne<{ begun: boolean; soon: boolean }>(
    db,
    `SELECT min(starts_at) <= clock_timestamp() AS begun, min(starts_at) < clock_timestamp() + make_interval(mins => $2) AS soon
       FROM seckill_session WHERE activity_id = $1 HAVING count(*) > 0`,
    [activityId, rules.leadMinutes],
  );
  if (rules.at === 'publish')
    return row?.begun
      ? [['首场已开始，请驳回修改', 'First session has begun, please reject it for a change']]
      : [];
  return row?.soon
    ? [
        [
          `首场须至少在 ${rules.leadMinutes} 分钟后开始`,
          `The first session starts at least ${rules.leadMinutes} minutes from now`,
        ],
      ]
    : [];
}

/** An instant as staff read it, to the minute. */
export function minute(at: Date): string {
  return new Intl.DateTimeFormat('sv-SE', {
    timeZone: 'Asia/Shanghai',
    dateStyle: 'short',
    timeStyle: 'short',
  }).format(at);
}
