import { membersQuietSince } from '../../../domain/points-ledger/demo-members.server.ts';
import { grantPoints } from '../../../domain/points-ledger/points-grant.server.ts';
import { redeem } from '../../../domain/points-shop/redeem.server.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { Refusal } from '../../../kernel/server/http/errors.ts';
import { pointsProduct } from './points-product.contract.ts';

const DAY = 86_400_000;
const GOODS = [
  {
    name: '社区定制帆布袋',
    class: 'daily',
    way: 'collect',
    specs: [
      ['米白', 80, 60],
      ['藏青', 80, 40],
    ],
  },
  { name: '有机五常大米 2.5kg', class: 'food', way: 'ship', specs: [['2.5kg', 360, 50]] },
  {
    name: '保温杯 500ml',
    class: 'home',
    way: 'ship',
    specs: [
      ['黑色', 420, 30],
      ['粉色', 420, 30],
    ],
  },
  { name: '桌面小风扇', class: 'digital', way: 'ship', specs: [['白色', 600, 12]] },
  { name: '补签卡', class: 'voucher', way: 'card', specs: [['1张', 50, 999]] },
  { name: '洗车券', class: 'voucher', way: 'collect', specs: [['小型车', 300, 80]] },
  { name: '儿童绘本套装', class: 'home', way: 'ship', specs: [['全5册', 520, 20]], state: 'draft' },
  { name: '中秋礼盒', class: 'food', way: 'collect', specs: [['标准', 880, 15]], state: 'off_shelf' },
] as const;

/** Goods of the points shop, and redemptions in every state. */
export const demo = defineDemo({
  key: 'pointsShop',
  after: ['resignCards', 'launchAdverts', 'familyAdverts'],
  run: async ({ tx, platform, random, now, as, tell }) => {
    const author = as('mall1');
    const pictures = await run<{ id: string }>(
      tx,
      `SELECT id FROM stored_file WHERE access = 'picture' AND type IN ('image/png', 'image/jpeg') ORDER BY name, id LIMIT 6`,
    );
    const specs: { id: number; way: string }[] = [];
    for (const [index, goods] of GOODS.entries()) {
      const state = 'state' in goods ? goods.state : 'published';
      const at = new Date(now.getTime() - (60 - index * 4) * DAY);
      const { id } = (await runOne<{ id: number }>(
        tx,
        `INSERT INTO points_product (name, class, way, place, image_ids, per_member, per_month, labels, detail, recommended, state, published_at, created_at, updated_at, created_by, updated_by)
         VALUES ($1, $2, $3, $4, $5, $6, 0, $7, $8, $9, $10, $11, $12, $12, $13, $13) RETURNING id`,
        [
          goods.name,
          goods.class,
          goods.way,
          goods.way === 'collect' ? '物业服务中心一楼' : '',
          pictures.length > 0 ? [pictures[index % pictures.length]!.id] : [],
          index === 3 ? 1 : 0,
          index % 3 === 0 ? ['热门'] : [],
          `<p>${goods.name}，数量有限，兑完即止。</p>`,
          index < 2,
          state,
          state === 'draft' ? null : new Date(at.getTime() + DAY),
          at,
          author.staffId,
        ],
      ))!;
      await run(tx, 'INSERT INTO points_product_project SELECT $1, id FROM project', [id]);
      for (const [position, [name, points, quantity]] of goods.specs.entries()) {
        const spec = (await runOne<{ id: number }>(
          tx,
          `INSERT INTO points_product_spec (points_product_id, position, name, points, unit, quantity) VALUES ($1, $2, $3, $4, '件', $5) RETURNING id`,
          [id, position + 1, name, points, quantity],
        ))!;
        if (state === 'published') specs.push({ id: spec.id, way: goods.way });
      }
      await tell({
        entity: pointsProduct.name,
        entityId: id,
        caller: author,
        action: 'create',
        label: pointsProduct.actions!.create.label,
        to: 'draft',
        at,
      });
    }
    const members = await membersQuietSince(tx, new Date(now.getTime() - 30 * DAY), 24);
    for (const [index, member] of members.entries()) {
      const at = new Date(now.getTime() - random.int(1, 25) * DAY);
      await grantPoints(tx, platform.settings, {
        memberId: member.id,
        amount: 900,
        kind: 5,
        note: '社区活动奖励',
        source: { type: 'points_shop_demo', id: String(member.id), purpose: 'grant' },
        at: new Date(at.getTime() - DAY),
      });
      const spec = specs[index % specs.length]!;
      await run(tx, 'SAVEPOINT redemption');
      try {
        const made = await redeem(tx, platform, {
          memberId: member.id,
          projectId: member.project_id,
          specId: spec.id,
          qty: 1,
          receiver: member.name,
          phone: member.phone,
          address: '所在小区 1 号楼 101',
          at,
        });
        const ends = index % 7 === 3 ? 'shipped' : index % 5 === 4 ? 'completed' : made.state;
        const state = spec.way === 'ship' || ends === 'completed' ? ends : made.state;
        await run(
          tx,
          `UPDATE points_redemption SET updated_at = $2, state = $3, collect_code = CASE WHEN $3 = 'to_collect' THEN $5 END, collect_until = CASE WHEN $3 = 'to_collect' THEN $2::timestamptz + interval '30 days' END,
                  company = CASE WHEN $3 = 'shipped' THEN '顺丰速运' ELSE '' END, tracking_no = CASE WHEN $3 = 'shipped' THEN $4 ELSE '' END,
                  shipped_at = CASE WHEN $3 = 'shipped' THEN $2::timestamptz + interval '1 day' END,
                  receive_by = CASE WHEN $3 = 'shipped' THEN $6::timestamptz + interval '5 days' END, completed_at = CASE WHEN $3 = 'completed' THEN $2::timestamptz + interval '2 days' END
            WHERE id = $1`,
          [made.id, at, state, `SF${random.digits(12)}`, random.digits(8), now],
        );
      } catch (error) {
        // A member who holds enough cards redeems none.
        if (!(error instanceof Refusal)) throw error;
        await run(tx, 'ROLLBACK TO SAVEPOINT redemption');
      }
    }
  },
});
