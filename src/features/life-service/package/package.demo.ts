import { submitApproval } from '../../../domain/approval/approve.server.ts';
import { keepVersion } from '../../../domain/life-service/package-version.server.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { PACKAGE_APPROVAL } from './package-approval.server.ts';
import { servicePackage } from './package.contract.ts';

const DAY = 86_400_000;
type State = 'draft' | 'reviewing' | 'published' | 'rejected' | 'off_shelf';
/** Name, number of uses (none: unlimited), price of a use in fen. */
type Item = readonly [string, number | null, number];
type Plan = readonly [parts: number, firstPercent: number | null, intervalMonths: string];

interface Model {
  readonly name: string;
  readonly state: State;
  readonly price: number;
  /** What it was sold at before. */
  readonly earlier?: number;
  readonly months: number;
  readonly start: string;
  readonly refund: string;
  readonly fee: string;
  readonly items: readonly Item[];
  readonly plans: readonly Plan[];
  readonly merchant?: boolean;
}

const MODELS: readonly Model[] = [
  {
    name: '全年保洁无忧套餐',
    state: 'published',
    price: 138_000,
    earlier: 128_000,
    months: 12,
    start: 'first_payment',
    refund: 'by_times',
    fee: '5.00',
    items: [
      ['日常保洁 2 小时', 12, 12_800],
      ['空调清洗（挂机）', 2, 9_900],
    ],
    plans: [
      [3, null, '1'],
      [4, 40, '3'],
    ],
  },
  {
    name: '长者安心照护套餐',
    state: 'published',
    price: 298_000,
    months: 12,
    start: 'fixed_date',
    refund: 'by_days',
    fee: '0.00',
    items: [
      ['上门探访', null, 5_000],
      ['日常保洁 2 小时', 24, 12_800],
      ['助浴服务', 6, 16_800],
    ],
    plans: [[12, null, '1']],
  },
  {
    name: '家电清洗四件套',
    state: 'published',
    price: 49_900,
    months: 6,
    start: 'first_use',
    refund: 'by_times',
    fee: '10.00',
    items: [
      ['空调清洗（挂机）', 2, 9_900],
      ['油烟机拆洗', 1, 16_800],
      ['洗衣机清洗', 1, 15_000],
    ],
    plans: [],
    merchant: true,
  },
  {
    name: '新居开荒礼包',
    state: 'reviewing',
    price: 89_900,
    months: 3,
    start: 'first_use',
    refund: 'none',
    fee: '0.00',
    items: [
      ['深度保洁（全屋）', 2, 49_900],
      ['甲醛检测', 1, 19_900],
    ],
    plans: [[2, 50, '1']],
  },
  {
    name: '宠物之家月度保洁',
    state: 'rejected',
    price: 59_900,
    months: 1,
    start: 'first_payment',
    refund: 'by_days',
    fee: '30.00',
    items: [['日常保洁 2 小时', 4, 12_800]],
    plans: [],
    merchant: true,
  },
  {
    name: '双周保洁季卡',
    state: 'draft',
    price: 69_900,
    months: 3,
    start: 'first_payment',
    refund: 'by_times',
    fee: '0.00',
    items: [['日常保洁 2 小时', 6, 12_800]],
    plans: [[3, null, '1']],
  },
  {
    name: '疫后深度消杀套餐',
    state: 'off_shelf',
    price: 39_900,
    months: 6,
    start: 'fixed_date',
    refund: 'none',
    fee: '0.00',
    items: [['全屋消杀', 3, 16_000]],
    plans: [],
  },
];

/** Packages of the platform and of a merchant in every state, with the versions they were sold under. */
export const demo = defineDemo({
  key: 'servicePackages',
  after: ['homeServices'],
  run: async ({ tx, insert, tell, now, as, platform }) => {
    const author = as('mall1');
    const auditor = as('mall2');
    const pictures = await run<{ id: string }>(
      tx,
      `SELECT id FROM stored_file WHERE access = 'picture' AND type IN ('image/png', 'image/jpeg') ORDER BY name, id LIMIT 9`,
    );
    if (pictures.length === 0) return;
    const [merchant] = await run<{ id: number }>(
      tx,
      `SELECT DISTINCT p.tenant_id AS id FROM product p JOIN tenant t ON t.id = p.tenant_id AND t.kind = 2 WHERE p.kind = 'service' ORDER BY 1 LIMIT 1`,
    );
    const services = await run<{ id: number; name: string }>(
      tx,
      `SELECT min(id) AS id, name FROM product WHERE kind = 'service' AND status = 'published' GROUP BY name`,
    );
    const ids = new Map(services.map((one) => [one.name, one.id]));
    for (const [index, model] of MODELS.entries()) {
      const at = (days: number) => new Date(now.getTime() - (days - index * 2) * DAY);
      const [made, handed, decided, changed] = [at(58), at(55), at(53), at(24)];
      const own = model.merchant && merchant ? merchant.id : null;
      const submitted = model.state !== 'draft';
      const published = model.state === 'published' || model.state === 'off_shelf';
      const [id] = await insert('service_package', [
        {
          tenant_id: own ?? author.tenantId,
          name: model.name,
          image_ids: [pictures[index % pictures.length]!.id],
          price: model.earlier ?? model.price,
          validity: model.months,
          validity_unit: 'month',
          start_rule: model.start,
          first_use_days: model.start === 'first_use' ? 30 : null,
          refund_method: model.refund,
          cancel_fee: model.fee,
          max_running: index % 2,
          detail: `<p>${model.name}：持证人员上门，服务完成后请当面验收。</p>`,
          terms: '须在有效期内预约使用；预约后如需改期请提前 24 小时联系管家。',
          has_unlimited: model.items.some(([, times]) => times === null),
          off_reason: model.state === 'off_shelf' ? '合作人员调整，暂停销售' : '',
          opinion: model.state === 'rejected' ? '套餐价高于单次合计，请调整价格' : '',
          submitted_by: submitted ? author.staffId : null,
          published_at: published ? decided : null,
          state: model.state,
          created_at: made,
          created_by: author.staffId,
          updated_at: made,
          updated_by: author.staffId,
        },
      ]);
      await insert(
        'service_package_item',
        model.items.map(([name, times, price], position) => ({
          package_id: id!,
          position: position + 1,
          service_id: ids.get(name) ?? null,
          name,
          times,
          unlimited: times === null,
          list_price: price,
        })),
      );
      if (model.plans.length > 0)
        await insert(
          'service_package_plan',
          model.plans.map(([parts, first, interval], position) => ({
            package_id: id!,
            position: position + 1,
            parts,
            first_percent: first,
            interval_months: interval,
          })),
        );
      await run(
        tx,
        `INSERT INTO service_package_project SELECT $1, p.id FROM project p
          WHERE $2::bigint IS NULL OR p.id IN (SELECT project_id FROM tenant_project WHERE tenant_id = $2)`,
        [id, own],
      );
      const told = { entity: servicePackage.name, entityId: id!, caller: author };
      const actions = servicePackage.actions!;
      await tell({ ...told, action: 'create', label: actions.create.label, to: 'draft', at: made });
      if (!submitted) continue;
      await tell({
        ...told,
        action: 'submit',
        label: actions.submit.label,
        from: 'draft',
        to: 'reviewing',
        at: handed,
      });
      if (model.state === 'reviewing') {
        await submitApproval(tx, platform, {
          kind: PACKAGE_APPROVAL,
          bizId: id!,
          tenantId: author.tenantId,
          title: [`生活服务套餐 ${model.name}`, `Service package ${model.name}`],
          summary: [],
          starterId: author.staffId,
          at: handed,
        });
        continue;
      }
      const rejected = model.state === 'rejected';
      await tell({
        ...told,
        caller: auditor,
        action: rejected ? 'reject' : 'approve',
        label: rejected ? actions.reject.label : actions.approve.label,
        from: 'reviewing',
        to: rejected ? 'rejected' : 'published',
        remark: rejected ? '套餐价高于单次合计，请调整价格' : '',
        at: decided,
      });
      if (rejected) continue;
      await keepVersion(tx, id!, auditor.staffId, { at: decided });
      if (model.earlier) {
        await run(tx, 'UPDATE service_package SET price = $2, updated_at = $3 WHERE id = $1', [
          id,
          model.price,
          changed,
        ]);
        await keepVersion(tx, id!, author.staffId, { at: changed });
        await tell({ ...told, action: 'update', label: actions.update.label, at: changed });
      }
      if (model.state === 'off_shelf')
        await tell({
          ...told,
          action: 'off',
          label: actions.off.label,
          from: 'published',
          to: 'off_shelf',
          remark: '合作人员调整，暂停销售',
          at: changed,
        });
    }
  },
});
