import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { calendarHours } from '../../../domain/work-order/calendar.server.ts';
import { readClock } from '../../../domain/work-order/sla.rules.ts';
import type { WorkState } from '../../../domain/work-order/work-order-words.rules.ts';
import { workOrder } from './work-order.contract.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Title, category, description, result, class, a public area or none. */
const MATTERS: readonly (readonly [string, number, string, string, 'repair' | 'complaint', string])[] = [
  ['厨房水管漏水', 111, '厨房水槽下方接口滴水，柜子已泡湿', '更换角阀与软管，试水无渗漏', 'repair', ''],
  ['卫生间下水堵塞', 112, '主卫地漏排水慢，洗澡时积水', '机械疏通地漏，清出毛发', 'repair', ''],
  ['马桶底座渗水', 113, '马桶底座四周渗水，有异味', '更换法兰圈并重新打胶', 'repair', ''],
  ['家中跳闸', 121, '开空调就跳闸，怀疑线路老化', '更换漏保开关，测试绝缘正常', 'repair', ''],
  ['插座没电', 122, '客厅两个插座没电', '接线松动，已重新压接', 'repair', ''],
  ['可视对讲无声', 123, '楼下按门铃室内机没有声音', '更换室内机喇叭', 'repair', ''],
  ['入户门锁卡死', 131, '钥匙插入转不动', '清理锁芯并加润滑，建议更换', 'repair', ''],
  ['窗户关不严', 132, '次卧窗户漏风，雨天进水', '调整铰链，更换胶条', 'repair', ''],
  ['电梯运行异响', 212, '电梯上行到8楼有异响', '维保单位更换导靴', 'repair', '2号楼电梯'],
  ['楼道灯不亮', 221, '3楼楼道声控灯不亮', '更换声控灯头', 'repair', '1号楼3层楼道'],
  ['垃圾桶未清运', 231, '东门垃圾桶满溢有异味', '已清运并冲洗', 'repair', '东门垃圾投放点'],
  ['楼上噪音', 32, '晚上十点后仍有敲打声', '已上门沟通，约定作息时间', 'complaint', ''],
  ['保安态度差', 31, '进出盘问时态度生硬', '已约谈当事人并致歉', 'complaint', ''],
  ['电梯困人', 211, '两人被困3号梯，已安抚', '15分钟内放人，停梯检修', 'repair', '3号楼电梯'],
];
const STATES: readonly WorkState[] = [
  'pending_system',
  'to_accept',
  'processing',
  'accepted',
  'finished',
  'paused',
  'processing',
  'pending_system',
  'finished',
  'to_accept',
];
const SKILLS = [
  ['water', 'mason'],
  ['power', 'weak'],
  ['door', 'lock', 'water'],
  ['lift', 'power'],
  ['cleaning', 'green', 'water'],
  ['water', 'power'],
];
const COMMENTS = ['师傅来得很快', '处理得干净', '约定时间晚到了一会儿', ''];
/** Name, spec, unit, price in fen, stock. */
const MATERIALS: readonly (readonly [string, string, string, number, number])[] = [
  ['角阀', '4分', '个', 2_800, 24],
  ['不锈钢软管', '50cm', '根', 1_800, 30],
  ['漏电保护器', '2P 40A', '个', 8_600, 6],
  ['声控灯头', 'E27', '个', 1_500, 3],
  ['门窗胶条', '', '米', 600, 80],
];

/** A month of repairs and complaints in every state, with people, materials and rules of dispatch. */
export const demo = defineDemo({
  key: 'workOrders',
  after: ['tradeWorkOrders'],
  run: async ({ tx, insert, tell, random, now, as }) => {
    const desk = as('mall1');
    const homes = await run<{
      member_id: number;
      name: string;
      phone: string;
      project_id: number;
      project: string;
      house_id: number;
      building_id: number;
      address: string;
      tenant_id: number;
    }>(
      tx,
      `SELECT m.id AS member_id, coalesce(nullif(m.name, ''), m.nickname) AS name, m.phone, h.project_id, p.name AS project, h.id AS house_id, b.id AS building_id,
              p.name || ' ' || b.name || ' ' || u.name || ' ' || h.number AS address, tp.tenant_id
         FROM household x JOIN member m ON m.id = x.member_id JOIN house h ON h.id = x.house_id JOIN project p ON p.id = h.project_id
         JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id
         JOIN LATERAL (SELECT min(t.tenant_id) AS tenant_id FROM tenant_project t JOIN tenant c ON c.id = t.tenant_id AND c.kind = 1 WHERE t.project_id = p.id) tp ON tp.tenant_id IS NOT NULL
        WHERE x.status = 'normal' AND m.phone ~ '^1[0-9]{10}$' ORDER BY m.id, h.id LIMIT 240`,
    );
    const staff = await run<{
      id: number;
      name: string;
      tenant_id: number;
      projects: number[];
      all_projects: boolean;
    }>(
      tx,
      `SELECT s.id, s.name, s.tenant_id, s.all_projects, ARRAY(SELECT p.project_id FROM staff_project p WHERE p.staff_id = s.id) AS projects
         FROM staff s JOIN tenant c ON c.id = s.tenant_id AND c.kind = 1 WHERE s.state = 'normal'
        ORDER BY EXISTS (SELECT FROM staff_station x JOIN station n ON n.id = x.station_id WHERE x.staff_id = s.id AND n.type = 'repair') DESC, s.id`,
    );
    const workers = [...new Set(staff.map((one) => one.tenant_id))].flatMap((tenant) =>
      staff.filter((one) => one.tenant_id === tenant).slice(0, 8),
    );
    if (homes.length === 0 || workers.length === 0) return;
    for (const [index, one] of workers.entries()) {
      await run(tx, 'UPDATE staff SET is_service_staff = true, skills = $2 WHERE id = $1', [
        one.id,
        SKILLS[index % SKILLS.length],
      ]);
      if (index % 2 === 1)
        await insert('staff_certificate', [
          {
            staff_id: one.id,
            kind: '电工证',
            number: `T3101${2_026_000 + index}`,
            expires_on: new Date(now.getTime() + (index % 4 === 3 ? -12 : 300) * DAY)
              .toISOString()
              .slice(0, 10),
          },
        ]);
    }
    const places = new Map(homes.map((home) => [home.project_id, home]));
    const materials = new Map<number, number[]>();
    for (const home of places.values()) {
      const ids = await insert(
        'material',
        MATERIALS.map(([name, spec, unit, price, stock]) => ({
          tenant_id: home.tenant_id,
          project_id: home.project_id,
          name,
          spec,
          unit,
          price,
          stock,
          created_by: desk.staffId,
        })),
      );
      materials.set(home.project_id, ids);
      await insert(
        'material_move',
        ids.map((id, index) => ({
          material_id: id,
          qty: MATERIALS[index]![4],
          reason: '期初入库',
          at: new Date(now.getTime() - 60 * DAY),
          staff_id: desk.staffId,
        })),
      );
    }
    for (const [index, home] of [...places.values()].slice(0, 3).entries())
      await insert('dispatch_rule', [
        {
          tenant_id: home.tenant_id,
          project_id: home.project_id,
          category_id: index === 1 ? 12 : null,
          mode: (['rotate', 'grab', 'assign'] as const)[index]!,
          shift_from: index === 2 ? '08:00' : null,
          shift_to: index === 2 ? '20:00' : null,
          created_by: desk.staffId,
        },
      ]);
    const policies = await run<{
      id: number;
      urgency: string;
      response_min: number;
      resolution_min: number;
      calendar_id: number;
    }>(tx, 'SELECT * FROM sla_policy WHERE tenant_id IS NULL ORDER BY id');
    const hours = new Map<number, Awaited<ReturnType<typeof calendarHours>>>();
    for (const policy of policies) hours.set(policy.calendar_id, await calendarHours(tx, policy.calendar_id));
    for (let number = 0; number < 84; number += 1) {
      const [title, category, description, result, kind, area] = MATTERS[number % MATTERS.length]!;
      const home = homes[(number * 13) % homes.length]!;
      const own = workers.filter((one) => one.tenant_id === home.tenant_id);
      const near = own.filter(
        (one) => one.all_projects || one.projects.map(Number).includes(home.project_id),
      );
      const worker = (near.length > 0 ? near : own)[
        number % Math.max(1, (near.length > 0 ? near : own).length)
      ];
      const urgency = category === 211 ? 'emergency' : number % 5 === 2 ? 'urgent' : 'normal';
      // More of them lately, in the hours people are awake.
      const back = 30 * (1 - number / 84) ** 1.5;
      const at = new Date(Math.min(now.getTime() - (84 - number) * 7 * 60_000, now.getTime() - back * DAY));
      const old = back > 2.5;
      const state: WorkState = !worker
        ? 'pending_system'
        : old
          ? number % 17 === 5
            ? 'cancelled_by_member'
            : number % 19 === 7
              ? 'cancelled_by_staff'
              : number % 23 === 11
                ? 'paused'
                : 'finished'
          : STATES[number % STATES.length]!;
      const spread = now.getTime() - at.getTime();
      const step = (share: number, most: number) =>
        new Date(at.getTime() + Math.min(spread * share, most * HOUR));
      const times = {
        dispatched: step(0.1, 0.1 + (number % 4) * 0.1),
        accepted: step(0.2, 0.3 + (number % 5) * 0.2),
        started: step(0.35, 1 + (number % 6) * 0.5),
        paused: step(0.5, 2 + (number % 4)),
        finished: step(0.7, 3 + (number % 9) * 3),
        rated: step(0.9, 30),
      };
      const reached = (states: readonly WorkState[]) => states.includes(state);
      const given = !reached(['pending_system', 'cancelled_by_member', 'cancelled_by_staff']);
      const accepted = given && state !== 'to_accept';
      const begun = reached(['processing', 'paused', 'finished']);
      const done = state === 'finished';
      const closed = reached(['cancelled_by_member', 'cancelled_by_staff']);
      const rated = done && number % 3 !== 0;
      const overall = rated ? (number % 11 === 4 ? 2 : 4 + (number % 2)) : null;
      const policy = policies.find((one) => one.urgency === urgency)!;
      const [id] = await insert('work_order', [
        {
          code: await nextCode(tx, 'WO', at),
          type: 'complaint_repair',
          class: kind,
          status: state,
          source: random.weighted([1, 2, 4], (one) => (one === 1 ? 6 : 2)),
          on_behalf: number % 7 === 3,
          behalf_name: number % 7 === 3 ? '王管家' : '',
          behalf_phone: number % 7 === 3 ? '13700137000' : '',
          crm_sync: number % 13 === 9 ? 2 : old ? 1 : 0,
          crm_error: number % 13 === 9 ? '客户档案不匹配 / No such customer in the CRM' : '',
          crm_code: old && number % 13 !== 9 ? `CR${20_260_000 + number}` : '',
          tenant_id: home.tenant_id,
          project_id: home.project_id,
          house_id: area ? null : home.house_id,
          building_id: home.building_id,
          area,
          member_id: home.member_id,
          title,
          description,
          category_id: category,
          urgency,
          contact_name: home.name,
          contact_phone: home.phone,
          address: area ? `${home.project} ${area}` : home.address,
          expected_at: number % 4 === 0 ? step(1, 26) : null,
          handler_id: given ? worker!.id : null,
          dispatched_at: given ? times.dispatched : null,
          accept_due: state === 'to_accept' ? new Date(now.getTime() + (20 + number) * 60_000) : null,
          to_dispatch: state === 'pending_system',
          accepted_at: accepted ? times.accepted : null,
          started_at: begun ? times.started : null,
          finished_at: done ? times.finished : null,
          result: done ? result : '',
          pause_reason: state === 'paused' ? (number % 2 === 0 ? 'parts' : 'owner') : null,
          resume_at: state === 'paused' ? new Date(now.getTime() + (1 + (number % 3)) * DAY) : null,
          cancel_reason: closed ? (state === 'cancelled_by_member' ? '自行修复，不需要了' : '误报') : '',
          cancelled_at: closed ? times.accepted : null,
          score_overall: overall,
          score_arrival: rated ? 3 + (number % 3) : null,
          score_worker: rated ? 5 - (number % 2) : null,
          comment: rated ? random.pick(COMMENTS) : '',
          rated_at: rated ? times.rated : null,
          callback_state: done
            ? rated && overall! > 2
              ? 'none'
              : old && number % 2 === 0
                ? 'done'
                : 'to_call'
            : 'none',
          callback_result: done && !(rated && overall! > 2) && old && number % 2 === 0 ? 'satisfied' : null,
          callback_at: done && !(rated && overall! > 2) && old && number % 2 === 0 ? times.rated : null,
          sla_policy_id: policy.id,
          created_at: at,
          updated_at: done ? times.finished : accepted ? times.accepted : at,
        },
      ]);
      // Clocks as they would have run.
      let shown: { due: Date; state: string } | undefined;
      for (const target of ['response', 'resolution'] as const) {
        const minutes = target === 'response' ? policy.response_min : policy.resolution_min;
        const stoppedAt = closed
          ? times.accepted
          : target === 'response'
            ? accepted
              ? times.accepted
              : null
            : done
              ? times.finished
              : null;
        const pausedSince = state === 'paused' && target === 'resolution' ? times.paused : null;
        const reading = readClock(
          { startedAt: at, targetMinutes: minutes, pausedMinutes: 0, pausedSince, stoppedAt },
          now,
          hours.get(policy.calendar_id)!,
        );
        await insert('sla_clock', [
          {
            order_id: id,
            target,
            policy_id: policy.id,
            calendar_id: policy.calendar_id,
            target_minutes: minutes,
            started_at: at,
            used_minutes: reading.usedMinutes,
            paused_since: pausedSince,
            due_at: reading.dueAt,
            next_at: reading.nextAt,
            stopped_at: stoppedAt,
            state: reading.state,
          },
        ]);
        if (!closed && (target === 'response' ? !stoppedAt : !shown))
          shown = { due: reading.dueAt, state: reading.state };
      }
      if (shown)
        await run(tx, 'UPDATE work_order SET sla_due_at = $2, sla_state = $3 WHERE id = $1', [
          id,
          shown.due,
          shown.state,
        ]);
      if (done && category === 111) {
        const material = materials.get(home.project_id)![0]!;
        const left = await runOne(
          tx,
          'UPDATE material SET stock = stock - 1 WHERE id = $1 AND stock > 0 RETURNING id',
          [material],
        );
        if (left) {
          await insert('work_order_material', [
            {
              order_id: id,
              material_id: material,
              qty: 1,
              price: MATERIALS[0]![3],
              amount: MATERIALS[0]![3],
            },
          ]);
          await insert('material_move', [
            {
              material_id: material,
              qty: -1,
              reason: '工单使用',
              order_id: id,
              at: times.finished,
              staff_id: worker!.id,
            },
          ]);
        }
      }
      type Step = readonly [
        keyof NonNullable<typeof workOrder.actions>,
        Date,
        WorkState,
        WorkState,
        string,
        boolean,
      ];
      const steps: Step[] = [];
      if (given)
        steps.push(['dispatch', times.dispatched, 'pending_system', 'to_accept', worker!.name, false]);
      if (accepted) steps.push(['accept', times.accepted, 'to_accept', 'accepted', '', true]);
      if (begun) steps.push(['start', times.started, 'accepted', 'processing', '', true]);
      if (state === 'paused')
        steps.push([
          'pause',
          times.paused,
          'processing',
          'paused',
          number % 2 === 0 ? '等待配件' : '等待业主',
          true,
        ]);
      if (done) steps.push(['finish', times.finished, 'processing', 'finished', result, true]);
      if (state === 'cancelled_by_member')
        steps.push(['cancel', times.accepted, 'pending_system', state, '自行修复，不需要了', false]);
      if (state === 'cancelled_by_staff')
        steps.push(['close', times.accepted, 'pending_system', state, '误报', false]);
      if (rated) steps.push(['evaluate', times.rated, 'finished', 'finished', `${overall}★`, false]);
      await insert('work_order_event', [
        { order_id: id, at, who: home.name, staff_id: null, action: 'create', content: description },
        ...steps.map(([action, when, , , content, byWorker]) => ({
          order_id: id,
          at: when,
          who: byWorker ? worker!.name : desk.name,
          staff_id: byWorker ? worker!.id : desk.staffId,
          action,
          content,
        })),
      ]);
      const told = { entity: 'workOrder', entityId: id! };
      await tell({ ...told, action: 'create', label: ['创建', 'Created'], to: 'pending_system', at });
      for (const [action, when, from, to, remark, byWorker] of steps)
        await tell({
          ...told,
          caller: byWorker ? { ...desk, staffId: worker!.id, name: worker!.name } : desk,
          action,
          label: workOrder.actions![action].label,
          from,
          to,
          remark,
          at: when,
        });
    }
  },
});
