import { run } from '../../../kernel/server/database.ts';
import { defineDemo, type DemoContext } from '../../../kernel/server/demo.ts';
import { findGoods } from '../find-goods/find-goods.contract.ts';
import { mallAd } from '../mall-ad/mall-ad.contract.ts';
import { recommendedProduct } from '../recommended-product/recommended-product.contract.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
/** A picture of the launch pages, for goods without one. */
const SPARE = '0a992000-0000-4000-8000-000000000001';

interface Goods {
  readonly id: number;
  readonly name: string;
  readonly image: string;
}

/** Recommended goods, finder articles and adverts of the mall, with what members did with them. */
export const demo = defineDemo({
  key: 'mallContent',
  after: ['launchAdverts'],
  run: async (context) => {
    const goods = await run<Goods & { projects: number[] }>(
      context.tx,
      `SELECT p.id, p.name, coalesce(p.logo_ids[1], '${SPARE}') AS image, ARRAY(SELECT project_id FROM product_project pp WHERE pp.product_id = p.id ORDER BY project_id) AS projects
         FROM product p WHERE p.kind = 'goods' AND p.status = 'published' AND p.recycled_at IS NULL ORDER BY p.id`,
    );
    if (goods.length < 20) return;
    await recommendations(context, goods);
    await articles(context, goods);
    await adverts(context, goods);
  },
});

async function recommendations(
  { tx, base, insert, tell, random, now, as }: DemoContext,
  goods: readonly (Goods & { readonly projects: readonly number[] })[],
): Promise<void> {
  const author = as('mall1');
  const at = (days: number) => new Date(now.getTime() + days * DAY);
  for (const [place, project] of base.projects.entries()) {
    const sold = goods.filter((one) => one.projects.includes(project.id));
    const chosen = random.shuffle(sold).slice(0, 5 + (place % 3));
    for (const [index, one] of chosen.entries()) {
      const [from, until] = index === 3 ? [4, 25] : index === 4 ? [-40, -6] : [-12 + index, 18 + index];
      const made = at(Math.min(from, 0) - 2);
      const state = until < 0 ? 'ended' : from > 0 ? 'waiting' : 'running';
      const [id] = await insert('recommended_product', [
        {
          project_id: project.id,
          product_id: one.id,
          position: index + 1,
          starts_at: at(from),
          ends_at: at(until),
          state,
          clicks: state === 'waiting' ? 0 : random.int(12, 480),
          created_at: made,
          created_by: author.staffId,
          updated_at: made,
          updated_by: author.staffId,
        },
      ]);
      const { create, finish } = recommendedProduct.actions!;
      const told = { entity: recommendedProduct.name, entityId: id! };
      const first = from > -2 && from > 0 ? 'waiting' : 'running';
      await tell({ ...told, caller: author, action: 'create', label: create.label, to: first, at: made });
      if (state === 'ended')
        await tell({
          ...told,
          action: 'finish',
          label: finish.label,
          from: 'running',
          to: 'ended',
          at: at(until),
        });
    }
  }
  // One that has left the shelves stays listed and says so.
  const gone = await run<{ id: number; project_id: number }>(
    tx,
    `SELECT p.id, pp.project_id FROM product p JOIN product_project pp ON pp.product_id = p.id
      WHERE p.kind = 'goods' AND p.status = 'off_shelf' ORDER BY p.id, pp.project_id LIMIT 2`,
  );
  for (const one of gone)
    await insert('recommended_product', [
      {
        project_id: one.project_id,
        product_id: one.id,
        position: 30,
        starts_at: at(-20),
        ends_at: at(20),
        state: 'running',
        clicks: random.int(3, 60),
        created_at: at(-21),
        created_by: author.staffId,
        updated_at: at(-21),
        updated_by: author.staffId,
      },
    ]);
}

const ARTICLES = [
  ['去五常看一粒米的秋天', '从田埂到餐桌，邻居们的第一锅新米', 'published', 26],
  ['一瓶好油的三道关', '压榨、过滤、检测，工厂探访手记', 'published', 19],
  ['社区冬日暖锅清单', '十分钟备齐一家人的火锅', 'published', 8],
  ['纸巾怎么选不踩坑', '湿水强度、原生木浆与掉屑实测', 'published', 3],
  ['双旦送礼不费心', '给长辈和孩子的小礼物', 'draft', 1],
  ['国庆露营装备清单', '小区草坪也能办一场露营', 'withdrawn', 52],
] as const;

async function articles(
  { tx, base, insert, tell, random, now, as }: DemoContext,
  goods: readonly Goods[],
): Promise<void> {
  const author = as('mall1');
  for (const [index, [title, subtitle, state, days]] of ARTICLES.entries()) {
    const named = goods.slice(index * 3, index * 3 + 3);
    const made = new Date(now.getTime() - days * DAY - 30 * HOUR);
    const published = new Date(now.getTime() - days * DAY);
    const withdrawn = new Date(published.getTime() + 21 * DAY);
    const reads = state === 'draft' ? 0 : random.int(120, 2_400);
    const [id] = await insert('find_goods_article', [
      {
        title,
        subtitle,
        image_ids: named.slice(0, 2).map((one) => one.image),
        body_html: `<h2>${title}</h2><p>${subtitle}。这一次我们走访了供货商的仓库与产线，看了原料、生产和出库的每一步，也把邻居们最关心的问题带到了现场。</p><p>推荐：${named.map((one) => one.name).join('、')}。</p><ul><li>当季现货，次日送达小区提货点</li><li>不满意可按售后说明退换</li></ul>`,
        signature: ['小禾', '社区选品组', '阿杰'][index % 3],
        state,
        published_at: state === 'draft' ? null : published,
        reads,
        likes: 0,
        version: state === 'draft' ? 1 : state === 'published' ? 2 : 3,
        created_at: made,
        created_by: author.staffId,
        updated_at: state === 'draft' ? made : state === 'published' ? published : withdrawn,
        updated_by: author.staffId,
      },
    ]);
    const projects = base.projects.filter((_project, place) => index % 3 === 0 || place % 3 !== index % 3);
    await run(tx, 'INSERT INTO find_goods_project SELECT $1, unnest($2::bigint[])', [
      id,
      projects.map((one) => one.id),
    ]);
    await run(tx, 'INSERT INTO find_goods_product SELECT $1, unnest($2::bigint[])', [
      id,
      named.map((one) => one.id),
    ]);
    if (state !== 'draft') {
      await run(
        tx,
        `INSERT INTO find_goods_like (article_id, member_id, at) SELECT $1, id, $2 FROM member ORDER BY id % 37, id LIMIT $3`,
        [id, published, Math.round(reads * 0.06)],
      );
      await run(
        tx,
        'UPDATE find_goods_article SET likes = (SELECT count(*) FROM find_goods_like WHERE article_id = $1) WHERE id = $1',
        [id],
      );
    }
    const { create, publish, withdraw } = findGoods.actions!;
    const told = { entity: findGoods.name, entityId: id!, caller: author };
    await tell({ ...told, action: 'create', label: create.label, to: 'draft', at: made });
    if (state === 'draft') continue;
    await tell({
      ...told,
      action: 'publish',
      label: publish.label,
      from: 'draft',
      to: 'published',
      at: published,
    });
    if (state === 'withdrawn')
      await tell({
        ...told,
        action: 'withdraw',
        label: withdraw.label,
        from: 'published',
        to: 'withdrawn',
        at: withdrawn,
      });
  }
}

const ADVERTS = [
  ['冬日暖锅节', 'home', 'inner', 'on', -6, 14],
  ['粮油囤货周', 'home', 'inner', 'on', -3, 10],
  ['邻里拼团日', 'home', 'inner', 'on', -1, 20],
  ['洗护满减专场', 'category', 'inner', 'on', -10, 12],
  ['新人礼包', 'popup', 'url', 'on', -15, 30],
  ['元旦礼盒预售', 'home', 'inner', 'on', 9, 30],
  ['双旦主会场', 'popup', 'url', 'off', 20, 40],
  ['双十一返场', 'home', 'inner', 'ended', -16, -8],
  ['国庆好物', 'category', 'inner', 'ended', -58, -44],
] as const;

async function adverts(
  { tx, base, insert, tell, random, now, as }: DemoContext,
  goods: readonly Goods[],
): Promise<void> {
  const author = as('mall1');
  const at = (days: number) => new Date(now.getTime() + days * DAY);
  for (const [index, [title, slot, jump, state, from, until]] of ADVERTS.entries()) {
    const one = goods[(index * 5) % goods.length]!;
    const made = at(Math.min(from, 0) - 4);
    const on = new Date(made.getTime() + 26 * HOUR);
    const [id] = await insert('mall_ad', [
      {
        title,
        slot,
        jump,
        inner_class: jump === 'inner' ? (title.includes('拼团') ? 'group_buy' : 'mall') : null,
        product_id: jump === 'inner' ? one.id : null,
        url: jump === 'url' ? 'https://mall.example.com/activity' : '',
        image_ids: [one.image],
        starts_at: at(from),
        ends_at: at(until),
        sort: (index + 1) * 10,
        state,
        version: state === 'off' ? 1 : state === 'on' ? 2 : 3,
        created_at: made,
        created_by: author.staffId,
        updated_at: state === 'off' ? made : state === 'on' ? on : at(until),
        updated_by: state === 'ended' ? null : author.staffId,
      },
    ]);
    const projects = base.projects.filter((_project, place) => index % 4 !== 3 || place % 2 === 0);
    await run(tx, 'INSERT INTO mall_ad_project SELECT $1, unnest($2::bigint[])', [
      id,
      projects.map((project) => project.id),
    ]);
    const { create, on: putOn, expire } = mallAd.actions!;
    const told = { entity: mallAd.name, entityId: id! };
    await tell({ ...told, caller: author, action: 'create', label: create.label, to: 'off', at: made });
    if (state === 'off') continue;
    await tell({ ...told, caller: author, action: 'on', label: putOn.label, from: 'off', to: 'on', at: on });
    if (state === 'ended')
      await tell({ ...told, action: 'expire', label: expire.label, from: 'on', to: 'ended', at: at(until) });
    for (let day = from; day < Math.min(until, 0); day++)
      for (const project of projects) {
        const exposures = random.int(20, 160);
        const clicks = Math.round(exposures * (0.03 + random.next() * 0.12));
        await run(
          tx,
          `INSERT INTO ad_metric (kind, advert_id, day, project_id, exposures, clicks, viewers, clickers)
           VALUES ('mall', $1, ($2::timestamptz AT TIME ZONE 'Asia/Shanghai')::date, $3, $4, $5, $6, $7)`,
          [id, at(day), project.id, exposures, clicks, Math.round(exposures * 0.7), Math.round(clicks * 0.9)],
        );
      }
  }
}
