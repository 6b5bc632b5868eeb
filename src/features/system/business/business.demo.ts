import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { business } from './business.contract.ts';

const DAY = 86_400_000;

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  goods: '社区优选商品，下单后由商户配送到家',
  group_buy: '邻里拼团，成团后发货，未成团自动退款',
  find_goods: '产地直采与匠心好物，先看探访文章再下单',
  rush: '限时限量，15 分钟未支付释放库存',
  service: '保洁、维修、搬家等到家服务，按预约时间上门',
};

/** What the businesses are about, and one that is prepared but not open yet. */
export const demo = defineDemo({
  key: 'business',
  run: async ({ tx, insert, tell, now, as }) => {
    const author = as('mall1');
    const at = (days: number) => new Date(now.getTime() - days * DAY);
    for (const [code, description] of Object.entries(DESCRIPTIONS)) {
      const row = await runOne<{ id: number }>(
        tx,
        'UPDATE business SET description = $2, updated_at = $3, updated_by = $4 WHERE code = $1 RETURNING id',
        [code, description, at(120), author.staffId],
      );
      if (row)
        await tell({
          entity: 'business',
          entityId: row.id,
          caller: author,
          action: 'update',
          label: business.actions!.update!.label,
          changes: [{ field: 'description', before: '', after: description }],
          at: at(120),
        });
    }
    await run(tx, `UPDATE business SET lead_hours = 4 WHERE code = 'service'`);
    const [id] = await insert('business', [
      {
        code: 'second_hand',
        name: '邻里闲置',
        name_en: 'Second hand',
        description: '业主之间转让闲置，试点前停用',
        type: 1,
        create_type: 2,
        sort: 30,
        enabled: false,
        created_at: at(18),
        created_by: author.staffId,
        updated_at: at(17),
        updated_by: author.staffId,
      },
    ]);
    for (const [action, days] of [
      ['create', 18],
      ['disable', 17],
    ] as const)
      await tell({
        entity: 'business',
        entityId: id!,
        caller: author,
        action,
        label: business.actions![action]!.label,
        at: at(days),
      });
  },
});
