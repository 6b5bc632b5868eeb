import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { service } from './service.contract.ts';

const DAY = 86_400_000;
type State = 'draft' | 'reviewing' | 'published' | 'rejected' | 'off_shelf';

/** Name, price in fen, minutes, places, skills, state, visits of an order. */
const SERVICES: readonly (readonly [string, number, number, number, readonly string[], State, number])[] = [
  ['日常保洁 2 小时', 12_800, 120, 3, ['日常保洁'], 'published', 1],
  ['深度保洁（全屋）', 49_900, 240, 2, ['深度保洁'], 'published', 1],
  ['空调清洗（挂机）', 9_900, 60, 4, ['空调清洗'], 'published', 1],
  ['家电维修上门检测', 3_000, 60, 3, ['家电维修'], 'published', 1],
  ['月度保洁套餐（4 次）', 39_900, 120, 2, ['日常保洁'], 'published', 4],
  ['油烟机拆洗', 16_800, 90, 2, ['油烟机清洗'], 'reviewing', 1],
  ['同城搬家（小型）', 35_000, 180, 1, ['搬家'], 'draft', 1],
  ['月嫂咨询', 19_900, 60, 1, ['月嫂'], 'rejected', 1],
  ['管道疏通', 12_000, 60, 2, ['管道疏通'], 'off_shelf', 1],
];

/** Services of the merchants that trade, in every state, with openings, reviews and a change that waits. */
export const demo = defineDemo({
  key: 'homeServices',
  after: ['servicePeople'],
  run: async ({ tx, insert, tell, now, as }) => {
    const author = as('mall1');
    const merchants = await run<{ id: number; projects: number[]; business: number }>(
      tx,
      `SELECT t.id, array_agg(DISTINCT p.project_id) AS projects, min(b.business_id) AS business FROM tenant t
         JOIN tenant_project p ON p.tenant_id = t.id JOIN tenant_business b ON b.tenant_id = t.id
         JOIN business x ON x.id = b.business_id AND x.enabled AND x.type IN (1, 3)
        WHERE t.kind = 2 AND t.merchant_state = 'operating' GROUP BY t.id ORDER BY t.id LIMIT 4`,
    );
    if (merchants.length === 0) return;
    const at = (days: number) => new Date(now.getTime() - days * DAY);
    const pictures = await run<{ logo_ids: string[] }>(
      tx,
      `SELECT logo_ids FROM product WHERE kind = 'goods' AND cardinality(logo_ids) > 0 ORDER BY id LIMIT 9`,
    );
    const ids = await insert(
      'product',
      SERVICES.map(([name, , , , , status], index) => {
        const merchant = merchants[index % merchants.length]!;
        return {
          code: `PDS${String(2_026_000 + index)}`,
          kind: 'service',
          tenant_id: merchant.id,
          business_id: merchant.business,
          name,
          summary: '持证上岗，不满意重做',
          logo_ids: pictures[index % Math.max(1, pictures.length)]?.logo_ids ?? [],
          detail_html: '<p>服务包含所需工具与耗材；服务完成后请当面验收。</p>',
          labels: index % 2 === 0 ? ['热门'] : [],
          status,
          off_reason: status === 'off_shelf' ? '人员调整，暂停接单' : '',
          applied_at: status === 'draft' ? null : at(40 - index * 3),
          applied_by: status === 'draft' ? null : author.staffId,
          published_at: status === 'published' || status === 'off_shelf' ? at(38 - index * 3) : null,
          created_at: at(60 - index * 3),
          created_by: author.staffId,
          updated_at: at(30 - index * 3),
        };
      }),
    );
    for (const [index, id] of ids.entries()) {
      const [, price, minutes, places, skills, status, times] = SERVICES[index]!;
      const merchant = merchants[index % merchants.length]!;
      await insert(
        'product_project',
        merchant.projects.slice(0, 4).map((project) => ({ product_id: id, project_id: project })),
      );
      await run(
        tx,
        `INSERT INTO product_class_member (product_id, class_id) SELECT $1, id FROM product_class WHERE business_id = $2 AND enabled ORDER BY id LIMIT 1`,
        [id, merchant.business],
      );
      await insert('product_spec', [
        { product_id: id, code: 'S01', name: '标准', price, stock: 0, unit: '次' },
      ]);
      await run(
        tx,
        `INSERT INTO service_setting (product_id, duration_min, step_min, buffer_after, slot_capacity, times, skills, notes)
         VALUES ($1, $2, 60, 15, $3, $4, $5, '请提前清理贵重物品，服务时家中需有人。')`,
        [id, minutes, places, times, skills],
      );
      await insert(
        'service_template',
        [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({
          product_id: id,
          weekday,
          from_minute: 9 * 60,
          to_minute: weekday > 5 ? 17 * 60 : 19 * 60,
          capacity: weekday > 5 ? places + 1 : null,
        })),
      );
      const told = { entity: service.name, entityId: id, caller: author };
      await tell({
        ...told,
        action: 'create',
        label: ['新增', 'Added'],
        to: 'draft',
        at: at(60 - index * 3),
      });
      if (status === 'draft') continue;
      await tell({
        ...told,
        action: 'apply',
        label: ['提交审核', 'Sent for review'],
        from: 'draft',
        to: 'reviewing',
        at: at(40 - index * 3),
      });
      await insert('product_review', [
        {
          product_id: id,
          kind: 'publish',
          payload: { applicants: [author.staffId] },
          state: status === 'reviewing' ? 'waiting' : status === 'rejected' ? 'rejected' : 'passed',
          applied_by: author.staffId,
          applied_at: at(40 - index * 3),
          reviewed_at: status === 'reviewing' ? null : at(38 - index * 3),
          reason: status === 'rejected' ? '服务资质未上传，请补充后再提交' : '',
        },
      ]);
    }
    await run(
      tx,
      `INSERT INTO product_review (product_id, kind, payload, difference, applied_by, applied_at)
       SELECT $1, 'change', jsonb_build_object('specsChanged', jsonb_build_array(jsonb_build_object('id', s.id, 'price', 13800)), 'applicants', jsonb_build_array($2::bigint)),
              '[{"field": "price", "spec": "标准", "before": "128.00", "after": "138.00", "percent": "+7.81"}]', $2, $3
         FROM product_spec s WHERE s.product_id = $1`,
      [ids[0], author.staffId, at(1)],
    );
    await run(
      tx,
      `INSERT INTO recommended_product (kind, project_id, product_id, position, starts_at, ends_at, state)
       SELECT 'service', p.project_id, p.product_id, row_number() OVER (PARTITION BY p.project_id ORDER BY p.product_id) * 10, $2, CASE WHEN x.status = 'off_shelf' THEN $4::timestamptz ELSE $3::timestamptz END, CASE WHEN x.status = 'off_shelf' THEN 'ended' ELSE 'running' END
         FROM product_project p JOIN product x ON x.id = p.product_id WHERE p.product_id = ANY($1::bigint[]) AND x.status IN ('published', 'off_shelf')`,
      [ids, at(10), at(-30), at(1)],
    );
  },
});
