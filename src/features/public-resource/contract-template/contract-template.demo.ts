import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { contractTemplate } from './contract-template.contract.ts';

const BODIES: Readonly<Record<string, string>> = {
  ad: `<p>合同编号：{code}</p><p>甲方：{partyA}</p><p>乙方：{partyB}（{licenceNo}）</p>
<h3>一、点位与期限</h3><p>甲方将{project}的点位 {positions} 提供给乙方发布广告，期限自 {startsOn} 起至 {endsOn} 止。</p>
<h3>二、费用</h3><p>合同总额 {amount} 元，押金 {deposit} 元，按收付计划支付。</p>
<h3>三、发布内容</h3><p>乙方发布的内容须符合广告法及小区公约；内容违规的，甲方有权先行撤下。</p>
<h3>四、联系</h3><p>乙方联系人：{contact} {contactPhone}</p>`,
  shop: `<p>合同编号：{code}</p><p>出租方（甲方）：{partyA}</p><p>承租方（乙方）：{partyB}</p>
<h3>一、铺位</h3><p>乙方承租{project}铺位 {positions}，租期自 {startsOn} 起至 {endsOn} 止。</p>
<h3>二、租金与押金</h3><p>租金总额 {amount} 元，押金 {deposit} 元。租期届满且无欠费的，押金无息退还。</p>
<h3>三、使用</h3><p>乙方不得转租；装修须经甲方书面同意，并遵守消防规定。</p>`,
};

/** Texts of two kinds of contracts; the others are printed with their facts. */
export const demo = defineDemo({
  key: 'contract-template',
  run: async ({ tx, insert, tell, as, now }) => {
    const kinds = await run<{ id: number; code: string }>(
      tx,
      `SELECT v.id, v.val AS code FROM biz_dict v JOIN biz_dict r ON r.id = v.root_id WHERE r.code = 'contract_kind' AND v.parent_id IS NOT NULL AND v.val = ANY($1::text[]) ORDER BY v.id`,
      [Object.keys(BODIES)],
    );
    const at = new Date(now.getTime() - 40 * 86_400_000);
    const { staffId } = as('finance1');
    const ids = await insert(
      'contract_template',
      kinds.map((kind) => ({
        kind_id: kind.id,
        body: BODIES[kind.code],
        created_at: at,
        created_by: staffId,
        updated_at: at,
        updated_by: staffId,
      })),
    );
    for (const id of ids)
      await tell({
        entity: contractTemplate.name,
        entityId: id,
        caller: as('finance1'),
        action: 'create',
        label: contractTemplate.actions!.create.label,
        at,
      });
  },
});
