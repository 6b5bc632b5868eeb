import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { tradeWorkOrder } from './work-order.contract.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

type State = 'placed' | 'processing' | 'to_pay' | 'cancelled' | 'completed' | 'to_confirm';

/** title, type, what is wanted, amount in fen, what it is for. */
const KINDS: readonly (readonly [string, 'goods' | 'service', string, number, string])[] = [
  ['定制纱窗两扇', 'goods', '客厅与次卧纱窗，需上门量尺', 46_000, '金刚网纱窗 2 扇含安装'],
  ['桶装水 10 桶', 'goods', '每次送 2 桶，电话联系', 22_000, '18.9L 桶装水 10 桶'],
  ['儿童书桌', 'goods', '可升降，送货上楼', 89_900, '1.2 米升降书桌一套'],
  ['绿植盆栽租摆', 'goods', '入户花园，三盆大型绿植', 36_000, '绿植三盆，含三个月养护'],
  ['净水器滤芯', 'goods', '型号见图片', 18_800, 'RO 滤芯一套'],
  ['阳台防水材料', 'goods', '渗水点两处', 27_500, '防水涂料与辅材'],
  ['门锁更换配件', 'goods', '入户门锁舌损坏', 15_800, '锁体一套'],
  ['空调深度清洗', 'service', '挂机两台、柜机一台', 32_000, '挂机 2 台、柜机 1 台'],
  ['开荒保洁', 'service', '新房 98 平米，已通水电', 88_000, '98 平米开荒保洁'],
  ['管道疏通', 'service', '厨房下水缓慢', 12_000, '厨房主管疏通'],
  ['家电维修上门', 'service', '洗衣机不脱水', 16_500, '更换排水泵含人工'],
  ['钢琴搬运', 'service', '同小区 5 号楼到 9 号楼', 45_000, '立式钢琴搬运'],
  ['除螨服务', 'service', '床垫两张、沙发一组', 26_000, '床垫 2 张、沙发 1 组'],
  ['收纳整理', 'service', '主卧衣帽间', 59_900, '整理师两名一天'],
];
const STATES: readonly State[] = [
  'placed',
  'completed',
  'processing',
  'completed',
  'to_pay',
  'to_confirm',
  'completed',
  'cancelled',
];
const PERSONS = ['周师傅', '韩师傅', '刘姐', '陈师傅'];
const COMMENTS = ['师傅很专业，准时上门', '东西不错，送货快', '整体满意', ''];

/** Orders of goods and services created as work orders over two months, in every state people work with. */
export const demo = defineDemo({
  key: 'tradeWorkOrders',
  after: ['merchants'],
  run: async ({ tx, insert, tell, random, now, as }) => {
    const handler = as('mall1');
    // Lines of trade whose orders are work orders, one for goods and one for services.
    const [goods, services] = await insert('business', [
      {
        code: 'wo_goods',
        name: '便民定制',
        name_en: 'Made to order',
        type: 1,
        create_type: 1,
        description: '先受理报价、再付款的定制与配送商品',
        sort: 60,
      },
      {
        code: 'wo_service',
        name: '到家维修',
        name_en: 'Repairs at home',
        type: 1,
        create_type: 1,
        description: '按预约上门，现场报价的维修与清洗',
        sort: 65,
      },
    ]);
    const homes = await run<{
      member_id: number;
      name: string;
      phone: string;
      project_id: number;
      house_id: number;
      address: string;
    }>(
      tx,
      `SELECT m.id AS member_id, m.name, m.phone, h.project_id, h.id AS house_id, p.name || ' ' || b.name || ' ' || h.number AS address
         FROM household x JOIN member m ON m.id = x.member_id JOIN house h ON h.id = x.house_id JOIN project p ON p.id = h.project_id
         JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id ORDER BY m.id, h.id LIMIT 200`,
    );
    const merchants = await run<{ id: number }>(
      tx,
      `SELECT id FROM tenant WHERE kind = 2 AND merchant_state = 'operating' ORDER BY id LIMIT 8`,
    );
    const counts: Record<string, number> = {};
    for (let number = 0; number < 72; number += 1) {
      const [title, type, description, amount, quoted] = KINDS[number % KINDS.length]!;
      const home = random.pick(homes);
      const turn = (counts[type] = (counts[type] ?? 0) + 1);
      // More of them lately; placed in the hours people are awake.
      const back = Math.round(60 * (1 - number / 72) ** 1.6);
      const at = awake(new Date(now.getTime() - (back + 1) * DAY), random.int(8, 21), random.int(0, 59));
      const state: State =
        back > 9 ? (turn % 9 === 4 ? 'cancelled' : 'completed') : STATES[turn % STATES.length]!;
      const step = (hours: number) => new Date(Math.min(at.getTime() + hours * HOUR, now.getTime() - 60_000));
      const accepted = !['placed', 'cancelled'].includes(state);
      const wasQuoted = accepted && !(state === 'processing' && turn % 2 === 0);
      const paid = ['completed', 'to_confirm'].includes(state);
      const scored = state === 'completed' && random.chance(0.7);
      const worker = type === 'service' && accepted ? random.pick(PERSONS) : '';
      const status = {
        placed: 'pending_system',
        processing: 'processing',
        to_pay: 'processing',
        cancelled: 'cancelled_by_staff',
        completed: 'finished',
        to_confirm: 'finished',
      }[state];
      const [id] = await insert('work_order', [
        {
          code: await nextCode(tx, 'WO', at),
          type,
          status,
          sub_status: state === 'processing' && wasQuoted ? 'to_pay' : state,
          source: random.weighted([1, 4], (one) => (one === 1 ? 8 : 2)),
          tenant_id: merchants[number % merchants.length]!.id,
          business_id: type === 'goods' ? goods : services,
          project_id: home.project_id,
          house_id: home.house_id,
          member_id: home.member_id,
          title,
          description,
          contact_name: home.name,
          contact_phone: home.phone,
          address: home.address,
          remark: random.chance(0.25) ? '请提前一小时电话联系' : '',
          expected_at:
            type === 'goods'
              ? null
              : paid
                ? step(40)
                : awake(new Date(at.getTime() + random.int(1, 4) * DAY), random.int(9, 17), 30),
          handler_id: accepted ? handler.staffId : null,
          service_person: worker,
          accepted_at: accepted ? step(2) : null,
          started_at: accepted ? step(2) : null,
          finished_at: paid ? step(48) : null,
          completed_at: state === 'completed' ? step(72) : null,
          result: paid ? '已按要求完成，现场已清理' : '',
          cancel_reason: state === 'cancelled' ? '买家行程有变，改期再约' : '',
          amount: wasQuoted ? amount : null,
          quote_note: wasQuoted ? quoted : '',
          paid: paid ? amount : 0,
          pay_way: paid ? (number % 2 === 0 ? 'wechat' : 'alipay') : null,
          trade_no: paid ? `42${random.digits(16)}` : '',
          paid_at: paid ? step(20) : null,
          score_overall: scored ? random.int(3, 5) : null,
          comment: scored ? random.pick(COMMENTS) : '',
          version: 1,
          created_at: at,
          updated_at: state === 'placed' ? at : step(state === 'completed' ? 72 : 20),
        },
      ]);
      const actions = tradeWorkOrder.actions!;
      const steps: [keyof typeof actions, number, string, string, string][] = [];
      if (accepted) steps.push(['accept', 2, 'placed', 'processing', '']);
      if (wasQuoted) steps.push(['quote', 5, 'processing', 'to_pay', quoted]);
      if (paid)
        steps.push(
          ['pay', 20, 'to_pay', 'processing', ''],
          ['finish', 48, 'processing', 'to_confirm', '已按要求完成'],
        );
      if (state === 'completed')
        steps.push([scored ? 'confirm' : 'autoConfirm', 72, 'to_confirm', 'completed', '']);
      if (state === 'cancelled') steps.push(['cancel', 6, 'placed', 'cancelled', '买家行程有变，改期再约']);
      await insert('work_order_event', [
        { order_id: id, at, who: home.name, staff_id: null, action: 'create', content: description },
        ...steps.map(([action, hours, , , content]) => ({
          order_id: id,
          at: step(hours),
          who: action === 'autoConfirm' ? '系统' : handler.name,
          staff_id: action === 'autoConfirm' ? null : handler.staffId,
          action,
          content,
        })),
      ]);
      const told = { entity: 'tradeWorkOrder', entityId: id! };
      await tell({ ...told, action: 'create', label: ['下单', 'Placed'], to: 'placed', at });
      for (const [action, hours, from, to, remark] of steps)
        await tell({
          ...told,
          ...(action === 'autoConfirm' ? {} : { caller: handler }),
          action,
          label: actions[action].label,
          from,
          to,
          remark,
          at: step(hours),
        });
    }
  },
});

/** The same business day at an hour and a minute. */
function awake(day: Date, hour: number, minute: number): Date {
  const midnight = Math.floor((day.getTime() + 8 * HOUR) / DAY) * DAY - 8 * HOUR;
  return new Date(midnight + hour * HOUR + minute * 60_000);
}
