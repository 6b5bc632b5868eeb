import { DECOR_CASE_ENTITY, type CaseState } from '../../../domain/after-sale/case.rules.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { askRefund } from '../decor-order/decor-order-actions.server.ts';
import { decorCase } from './decor-case.contract.ts';

const HOUR = 3_600_000;

const STEPS = decorCase.actions!;

interface Model {
  readonly type: 'refund_only' | 'exchange' | 'repair';
  readonly category: string;
  readonly room: string;
  readonly text: string;
  /** States after 待审核, each with the action that led there. */
  readonly path: readonly (readonly [action: keyof typeof STEPS, to: CaseState])[];
  /** Hours since the application. */
  readonly age: number;
  /** Hours until it is due; below zero it is late. */
  readonly left?: number;
  readonly amount?: number;
  readonly visits?: readonly { readonly hours: number; readonly state: string; readonly note?: string }[];
  readonly late?: true;
}

const AGREED = ['agree', 'agreed'] as const;
const MODELS: readonly Model[] = [
  { type: 'repair', category: 'paint', room: '客厅', text: '客厅阴角处墙漆开裂', path: [], age: 5, left: 30 },
  {
    type: 'repair',
    category: 'utilities',
    room: '厨房',
    text: '水槽下方接头渗水',
    path: [],
    age: 220,
    left: -20,
    late: true,
  },
  {
    type: 'repair',
    category: 'carpentry',
    room: '主卧',
    text: '衣柜移门卡顿',
    path: [AGREED],
    age: 40,
    left: 60,
  },
  {
    type: 'repair',
    category: 'waterproof',
    room: '卫生间',
    text: '淋浴区墙根返潮',
    path: [AGREED],
    age: 60,
    left: 50,
    visits: [{ hours: 26, state: 'planned' }],
  },
  {
    type: 'repair',
    category: 'masonry',
    room: '阳台',
    text: '阳台地砖空鼓两块',
    path: [AGREED],
    age: 300,
    left: 20,
    visits: [
      { hours: -150, state: 'not_fixed', note: '同批次瓷砖缺货' },
      { hours: -60, state: 'not_fixed', note: '更换后仍有一块空鼓' },
    ],
  },
  {
    type: 'repair',
    category: 'utilities',
    room: '次卧',
    text: '插座面板松动无电',
    path: [AGREED, ['result', 'done']],
    age: 400,
    visits: [{ hours: -330, state: 'fixed', note: '已更换面板并测试' }],
  },
  {
    type: 'repair',
    category: 'furniture',
    room: '书房',
    text: '书桌抽屉滑轨异响',
    path: [['withdraw', 'withdrawn']],
    age: 90,
  },
  {
    type: 'exchange',
    category: 'furniture',
    room: '客厅',
    text: '沙发面料与样品不符',
    path: [AGREED],
    age: 70,
    left: 100,
  },
  {
    type: 'exchange',
    category: 'carpentry',
    room: '厨房',
    text: '橱柜门板变形',
    path: [AGREED, ['returned', 'returned']],
    age: 120,
    left: 48,
  },
  {
    type: 'exchange',
    category: 'other',
    room: '玄关',
    text: '门锁指纹识别不灵',
    path: [AGREED, ['returned', 'returned'], ['received', 'received'], ['sent', 'done']],
    age: 360,
  },
  {
    type: 'refund_only',
    category: 'paint',
    room: '主卧',
    text: '墙面色差，协商补偿',
    path: [],
    age: 8,
    left: 36,
    amount: 80_000,
  },
  {
    type: 'refund_only',
    category: 'masonry',
    room: '卫生间',
    text: '瓷砖规格与合同不同，要求退差价',
    path: [['agree', 'refunding']],
    age: 50,
    amount: 120_000,
  },
  {
    type: 'refund_only',
    category: 'other',
    room: '客厅',
    text: '认为施工费偏高，要求退款',
    path: [['refuse', 'refused']],
    age: 140,
    amount: 500_000,
  },
];

/** Cases of decor orders in their states, with visits, a refund in the audit and one that is late. */
export const demo = defineDemo({
  key: 'decorCases',
  after: ['decorOrders', 'afterSales'],
  run: async ({ tx, insert, tell, now, as, platform, facts }) => {
    const desk = as('mall1');
    const picture = await runOne<{ id: string }>(
      tx,
      `SELECT id FROM stored_file WHERE name = 'launch-1.png' LIMIT 1`,
    );
    const orders = await run<{
      id: number;
      sales_order_id: number;
      tenant_id: number;
      project_id: number;
      member_id: number;
      state: string;
      title: string;
      clerk: number | null;
    }>(
      tx,
      `SELECT d.id, d.sales_order_id, d.tenant_id, d.project_id, d.member_id, d.state, v.name AS title,
              (SELECT min(s.id) FROM staff s WHERE s.tenant_id = d.tenant_id AND s.state = 'normal') AS clerk
         FROM decor_order d JOIN decor_version v ON v.id = d.version_id WHERE d.state IN ('tail_due', 'warranty') ORDER BY d.id`,
    );
    if (!picture || orders.length === 0) return;
    const at = (hours: number) => new Date(now.getTime() + hours * HOUR);
    for (const [index, model] of MODELS.entries()) {
      const order = orders[index % orders.length]!;
      const applied = at(-model.age);
      const state = model.path.at(-1)?.[1] ?? 'applied';
      const times = model.path.map((_, step) => at(-model.age * (1 - (step + 1) / (model.path.length + 1))));
      const ended = state === 'done' || state === 'withdrawn' ? times.at(-1)! : null;
      const warranty = await runOne<{ to: string }>(
        tx,
        'SELECT to_on::text AS "to" FROM decor_warranty WHERE order_id = $1 AND category = $2 AND from_on <= $3::date AND to_on >= $3::date',
        [order.id, model.category, businessDayOf(applied)],
      );
      const decided = model.path.length > 0 && state !== 'withdrawn' ? times[0]! : null;
      const code = await nextCode(tx, 'AS', applied);
      const [id] = await insert('after_sale', [
        {
          code,
          order_id: order.sales_order_id,
          order_kind: 'home_decor',
          decor_order_id: order.id,
          tenant_id: order.tenant_id,
          project_id: order.project_id,
          member_id: order.member_id,
          type: model.type,
          stage: order.state === 'warranty' ? 'after' : 'before',
          // The refund below brings its case on.
          state: state === 'refunding' ? 'applied' : state,
          reason_code: model.type === 'refund_only' ? 'other' : 'quality',
          reason: model.text,
          evidence: [picture.id],
          applicant_type: 2,
          applicant_id: desk.staffId,
          applicant_name: desk.name,
          applied_at: applied,
          applied_cash: model.amount ?? 0,
          suggested_cash: model.amount ?? 0,
          category: model.category,
          room: model.room,
          in_warranty: warranty !== undefined,
          warranty_to: warranty?.to ?? null,
          bearer: warranty || model.type === 'refund_only' ? 'merchant' : 'platform',
          bearer_reason: warranty || model.type === 'refund_only' ? '' : '竣工初期报修，平台承担',
          wanted: model.type === 'repair' ? '工作日晚上或周六上午' : '',
          deadline: model.left === undefined ? null : at(model.left),
          escalated: model.late === true,
          escalated_at: model.late ? at(model.left!) : null,
          decided_at: decided,
          audit_minutes: decided ? 180 : null,
          agreed_at: decided && state !== 'refused' ? decided : null,
          refused_at: state === 'refused' ? decided : null,
          refuse_reason: state === 'refused' ? '价格已在合同中确认' : '',
          ended_at: ended,
          product_name: order.title,
          item_count: 0,
          created_at: applied,
          created_by: desk.staffId,
          updated_at: times.at(-1) ?? applied,
          updated_by: desk.staffId,
        },
      ]);
      const told = { entity: DECOR_CASE_ENTITY, entityId: id!, caller: desk };
      await tell({ ...told, action: 'create', label: STEPS.create.label, to: 'applied', at: applied });
      let from: CaseState = 'applied';
      for (const [step, [action, to]] of model.path.entries()) {
        await tell({ ...told, action, label: STEPS[action].label, from, to, at: times[step]! });
        from = to;
      }
      const person = order.clerk ?? desk.staffId;
      for (const visit of model.visits ?? []) {
        // In working hours, each case at an hour of its own, so that nobody is at two places.
        const start = new Date(
          `${businessDayOf(at(visit.hours))}T${String(9 + (index % 9)).padStart(2, '0')}:00:00+08:00`,
        );
        const over = visit.state !== 'planned';
        await insert('after_sale_visit', [
          {
            after_sale_id: id,
            staff_id: person,
            starts_at: start,
            ends_at: new Date(start.getTime() + HOUR),
            state: visit.state,
            photo_ids: over ? [picture.id] : [],
            signature_id: visit.state === 'fixed' ? picture.id : null,
            note: visit.note ?? '',
            result_at: over ? new Date(start.getTime() + HOUR) : null,
            result_by: over ? person : null,
            created_by: desk.staffId,
          },
        ]);
        if (visit.state === 'fixed') {
          const day = businessDayOf(start);
          await insert('decor_repair_warranty', [
            {
              after_sale_id: id,
              order_id: order.id,
              category: model.category,
              room: model.room,
              from_on: day,
              to_on: warranty && warranty.to > addDays(day, 183) ? warranty.to : addDays(day, 183),
            },
          ]);
        }
      }
      if (state === 'refunding') {
        const made = await askRefund(
          { tx, platform, caller: desk, facts },
          order,
          model.amount!,
          `${code} ${model.text}`,
          {
            afterSaleId: id!,
          },
        );
        await run(
          tx,
          `UPDATE after_sale SET state = 'refunding', agreed_cash = applied_cash, agreed_of = applied_cash, refund_id = $2 WHERE id = $1`,
          [id, made.id],
        );
      }
    }
  },
});
