import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { productClass } from './product-class.contract.ts';

const DAY = 86_400_000;

/** Suggested commission of the classes at the top, in basis points. */
const COMMISSIONS: Readonly<Record<string, number>> = {
  粮油副食: 400,
  家居日用: 600,
  时令水果: 800,
  家用电器: 300,
  茶叶礼品: 1000,
};

/** A third level, a class of one merchant, and one that is out of season. */
export const demo = defineDemo({
  key: 'productClass',
  after: ['business'],
  run: async ({ tx, insert, tell, base, now, as }) => {
    const author = as('mall1');
    const at = (days: number) => new Date(now.getTime() - days * DAY);
    for (const [name, bp] of Object.entries(COMMISSIONS))
      await run(tx, 'UPDATE product_class SET commission_bp = $2 WHERE name = $1 AND parent_id IS NULL', [
        name,
        bp,
      ]);
    const above = async (name: string) =>
      runOne<{ id: number; business_id: number }>(
        tx,
        `SELECT c.id, c.business_id FROM product_class c JOIN business b ON b.id = c.business_id WHERE c.name = $1 AND b.code = 'goods' ORDER BY c.id LIMIT 1`,
        [name],
      );
    const [rice, gifts] = [await above('大米'), await above('茶叶礼品')];
    if (!rice || !gifts) return;
    const stamps = (days: number) => ({
      created_at: at(days),
      created_by: author.staffId,
      updated_at: at(days),
      updated_by: author.staffId,
    });
    const ids = await insert(
      'product_class',
      [
        { above: rice, name: '东北大米', name_en: 'North-east rice', sort: 1, enabled: true, days: 90 },
        { above: rice, name: '有机大米', name_en: 'Organic rice', sort: 2, enabled: true, days: 90 },
        { above: gifts, name: '中秋礼盒', name_en: 'Mid-autumn boxes', sort: 20, enabled: false, days: 110 },
        { above: gifts, name: '定制伴手礼', name_en: 'Made to order', sort: 21, enabled: true, days: 45 },
      ].map(({ above: parent, days, ...row }) => ({
        ...row,
        parent_id: parent.id,
        business_id: parent.business_id,
        ...stamps(days),
      })),
    );
    await run(tx, 'INSERT INTO product_class_tenant (class_id, tenant_id) VALUES ($1, $2)', [
      ids[3],
      base.merchants[0]!.id,
    ]);
    for (const [index, days] of [90, 90, 110, 45].entries())
      await tell({
        entity: 'productClass',
        entityId: ids[index]!,
        caller: author,
        action: 'create',
        label: productClass.actions!.create!.label,
        at: at(days),
      });
    await tell({
      entity: 'productClass',
      entityId: ids[2]!,
      caller: author,
      action: 'disable',
      label: productClass.actions!.disable!.label,
      at: at(50),
    });
  },
});
