import { STAGE_ORDER, STAGES } from '../../../domain/decoration/decoration.rules.ts';
import { bookDecorationDeposit } from '../../../domain/decoration/deposit.server.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { decorationApplication } from './decoration-application.contract.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const PHOTOS = ['0a992000-0000-4000-8000-000000000001', '0a992000-0000-4000-8000-000000000003'];
const COMPANIES = ['家和装饰', '尚品空间设计', '匠心装修', '业主自装', '恒美家装'];
const FAULTS = [
  ['承重墙开槽超过规定深度', '已恢复并加固，结构复核合格'],
  ['卫生间防水高度不足1.8米', '已补刷至1.8米，闭水48小时无渗漏'],
  ['装修垃圾堆放在消防通道', '当日清运完毕'],
] as const;

interface Sample {
  readonly state: 'to_pay' | 'to_take' | 'supervising' | 'done' | 'rated' | 'cancelled';
  /** Days since it was entered. */
  readonly days: number;
  /** Days of the works. */
  readonly length: number;
  readonly passed?: number;
  /** Days since the works were done. */
  readonly done?: number;
  readonly deposit?: boolean;
  readonly fault?: 'open' | 'fixed' | 'deducted';
  readonly score?: number;
  readonly paid?: boolean;
  readonly refunded?: boolean;
  readonly returned?: boolean;
}

const SAMPLES: readonly Sample[] = [
  { state: 'to_pay', days: 0.1, length: 90 },
  { state: 'to_pay', days: 0.6, length: 75 },
  { state: 'to_take', days: 1, length: 90, deposit: true },
  { state: 'to_take', days: 0.5, length: 60 },
  { state: 'supervising', days: 12, length: 90, passed: 1, deposit: true },
  { state: 'supervising', days: 30, length: 80, passed: 2, deposit: true, fault: 'open' },
  { state: 'supervising', days: 48, length: 90, passed: 3, deposit: true, fault: 'fixed' },
  { state: 'supervising', days: 70, length: 60, passed: 4, deposit: true },
  { state: 'supervising', days: 85, length: 100, passed: 6, deposit: true },
  { state: 'done', days: 110, length: 90, passed: 6, done: 12, deposit: true },
  { state: 'done', days: 150, length: 90, passed: 6, done: 45, deposit: true, fault: 'deducted' },
  { state: 'rated', days: 190, length: 100, passed: 6, done: 80, deposit: true, score: 5, returned: true },
  {
    state: 'rated',
    days: 220,
    length: 120,
    passed: 6,
    done: 95,
    deposit: true,
    fault: 'fixed',
    score: 4,
    returned: true,
  },
  { state: 'cancelled', days: 3, length: 60 },
  { state: 'cancelled', days: 2, length: 60, paid: true },
  { state: 'cancelled', days: 25, length: 60, paid: true, refunded: true },
];

/** Applications in every state, with checks, violations and deposits. */
export const demo = defineDemo({
  key: 'decorationApplications',
  after: ['decorationOffers', 'workOrders'],
  run: async ({ tx, insert, tell, now, as }) => {
    const [desk, second] = [as('mall1'), as('centre1')];
    const homes = await run<{
      household: number;
      house: number;
      project: number;
      tenant: number;
      offer: number;
      price: number;
      area: string;
      supervisor: number;
      name: string;
    }>(
      tx,
      `SELECT DISTINCT ON (x.id) hh.id AS household, x.id AS house, x.project_id AS project, c.tenant_id AS tenant, o.id AS offer, o.price, coalesce(x.built_area, 90)::text AS area, s.id AS supervisor, s.name
         FROM household hh JOIN house x ON x.id = hh.house_id JOIN decoration_offer o ON o.project_id = x.project_id AND o.state = 'published'
         JOIN LATERAL (SELECT min(tp.tenant_id) AS tenant_id FROM tenant_project tp JOIN tenant n ON n.id = tp.tenant_id AND n.kind = 1 WHERE tp.project_id = x.project_id) c ON c.tenant_id IS NOT NULL
         JOIN LATERAL (SELECT s.id, s.name FROM staff s WHERE s.tenant_id = c.tenant_id AND s.state = 'normal' AND s.is_service_staff
            AND (s.all_projects OR EXISTS (SELECT FROM staff_project w WHERE w.staff_id = s.id AND w.project_id = x.project_id)) ORDER BY (s.id + x.id) % 5, s.id LIMIT 1) s ON true
        WHERE hh.status = 'normal' AND hh.identity = 'owner' ORDER BY x.id, hh.id LIMIT $1`,
      [SAMPLES.length * 3],
    );
    const actions = decorationApplication.actions!;
    for (const [index, one] of SAMPLES.entries()) {
      const home = homes[index * 3] ?? homes[index];
      if (!home) return;
      const made = new Date(now.getTime() - one.days * DAY);
      const at = (hours: number) => new Date(Math.min(made.getTime() + hours * HOUR, now.getTime() - 60_000));
      const paid = one.paid ?? (one.state !== 'to_pay' && one.state !== 'cancelled');
      const taken = one.state === 'supervising' || one.done !== undefined;
      const doneAt = one.done === undefined ? null : new Date(now.getTime() - one.done * DAY);
      const day = (days: number) => new Date(made.getTime() + days * DAY).toISOString().slice(0, 10);
      const passed = one.passed ?? 0;
      const [id] = await insert('decoration_application', [
        {
          code: await nextCode(tx, 'DC', made),
          tenant_id: home.tenant,
          project_id: home.project,
          offer_id: home.offer,
          house_id: home.house,
          household_id: home.household,
          area: home.area,
          company: COMPANIES[index % COMPANIES.length],
          starts_on: day(3),
          ends_on: day(3 + one.length),
          price: home.price,
          deposit: 300_000,
          remark: index % 4 === 0 ? '周末不施工，进场前请电话联系' : '',
          stage: STAGE_ORDER[Math.min(passed, 5)],
          stages_passed: passed,
          state: one.state,
          supervisor_id: taken ? home.supervisor : null,
          channel: paid ? (index % 2 === 0 ? 'pos' : 'transfer') : null,
          trade_no: paid ? `DECO${20_260_000 + index}` : '',
          paid_at: paid ? at(2) : null,
          paid_by: paid ? desk.staffId : null,
          taken_at: taken ? at(6) : null,
          done_at: doneAt,
          score: one.score ?? null,
          comment: one.score ? '监理师傅每周都来，问题都盯着整改了' : '',
          cancel_reason: one.state === 'cancelled' ? (paid ? '业主改期，暂不装修' : '24小时未支付') : '',
          cancelled_at: one.state === 'cancelled' ? at(26) : null,
          cancelled_by: one.state === 'cancelled' && paid ? desk.staffId : null,
          refund_state: one.state === 'cancelled' && paid ? (one.refunded ? 'refunded' : 'waiting') : 'none',
          refunded_at: one.refunded ? at(30) : null,
          refunded_by: one.refunded ? second.staffId : null,
          created_at: made,
          created_by: desk.staffId,
          updated_at: doneAt ?? at(6),
        },
      ]);
      const told = { entity: decorationApplication.name, entityId: id!, caller: desk };
      const worker = { ...desk, staffId: home.supervisor, name: home.name };
      await tell({ ...told, action: 'create', label: actions.create.label, to: 'to_pay', at: made });
      if (paid)
        await tell({
          ...told,
          action: 'pay',
          label: actions.pay.label,
          from: 'to_pay',
          to: 'to_take',
          at: at(2),
        });
      if (one.deposit) {
        await bookDecorationDeposit(tx, {
          applicationId: id!,
          move: 'receive',
          amount: 300_000,
          reference: 'receive:2',
          staffId: desk.staffId,
          note: `DEPO${20_260_000 + index}`,
          at: at(3),
        });
        await tell({
          ...told,
          action: 'receive',
          label: actions.receive.label,
          remark: '+3000.00 = 3000.00',
          at: at(3),
        });
      }
      if (taken)
        await tell({
          ...told,
          caller: worker,
          action: 'take',
          label: actions.take.label,
          from: 'to_take',
          to: 'supervising',
          at: at(6),
        });
      const until = (doneAt ?? now).getTime();
      const step = (until - made.getTime()) / (passed + 2);
      for (const [turn, stage] of STAGE_ORDER.slice(0, passed).entries()) {
        const when = new Date(made.getTime() + (turn + 1) * step);
        await insert('decoration_check', [
          {
            application_id: id,
            stage,
            result: 'pass',
            note: '现场抽检合格',
            image_ids: PHOTOS,
            at: when,
            staff_id: home.supervisor,
          },
        ]);
        await tell({
          ...told,
          caller: worker,
          action: 'check',
          label: actions.check.label,
          remark: `${STAGES[stage].label[0]} · 通过`,
          at: when,
        });
      }
      if (one.fault) {
        const [violation, how] = FAULTS[index % FAULTS.length]!;
        const when = new Date(made.getTime() + (passed + 0.5) * step);
        const fixed = one.fault === 'open' ? null : new Date(when.getTime() + step * 0.2);
        const [check] = await insert('decoration_check', [
          {
            application_id: id,
            // Before the last of the stages that passed, so that those stand.
            stage: STAGE_ORDER[Math.min(passed, 5)],
            result: 'fail',
            image_ids: PHOTOS.slice(0, 1),
            violation,
            fix_by: new Date(when.getTime() + 7 * DAY).toISOString().slice(0, 10),
            fixed_at: fixed,
            fixed_by: fixed ? home.supervisor : null,
            fix_note: fixed ? how : '',
            fix_image_ids: fixed ? PHOTOS.slice(1) : [],
            at: when,
            staff_id: home.supervisor,
          },
        ]);
        if (passed === 6)
          await insert('decoration_check', [
            {
              application_id: id,
              stage: 'completion',
              result: 'pass',
              note: '复验合格',
              image_ids: PHOTOS,
              at: fixed ?? when,
              staff_id: home.supervisor,
            },
          ]);
        await tell({
          ...told,
          caller: worker,
          action: 'check',
          label: actions.check.label,
          remark: `不通过 · ${violation}`,
          at: when,
        });
        if (fixed)
          await tell({
            ...told,
            caller: worker,
            action: 'fix',
            label: actions.fix.label,
            remark: `${violation} → ${how}`,
            at: fixed,
          });
        if (one.fault === 'deducted') {
          const then = new Date(when.getTime() + step * 0.3);
          await bookDecorationDeposit(tx, {
            applicationId: id!,
            move: 'deduct',
            amount: 50_000,
            reference: `deduct:${check}`,
            staffId: desk.staffId,
            note: violation,
            at: then,
          });
          await tell({
            ...told,
            action: 'deduct',
            label: actions.deduct.label,
            remark: `-500.00 = 2500.00 · ${violation}`,
            at: then,
          });
        }
      }
      if (doneAt)
        await tell({
          ...told,
          caller: worker,
          action: 'finish',
          label: actions.finish.label,
          from: 'supervising',
          to: 'done',
          at: doneAt,
        });
      if (one.score)
        await tell({
          ...told,
          action: 'rate',
          label: actions.rate.label,
          from: 'done',
          to: 'rated',
          remark: `代录 · ${one.score}★`,
          at: new Date(until + 2 * DAY),
        });
      if (one.returned) {
        const then = new Date(until + 33 * DAY);
        const { payee } = (await runOne<{ payee: string }>(
          tx,
          `SELECT coalesce(nullif(m.name, ''), m.nickname) || ' 6222****8888' AS payee FROM household hh JOIN member m ON m.id = hh.member_id WHERE hh.id = $1`,
          [home.household],
        ))!;
        const [back] = await insert('decoration_deposit_return', [
          {
            application_id: id,
            amount: 300_000,
            payee,
            reason: '完工满期',
            state: 'passed',
            created_at: then,
            created_by: desk.staffId,
            ended_at: then,
          },
        ]);
        await bookDecorationDeposit(tx, {
          applicationId: id!,
          move: 'return',
          amount: 300_000,
          reference: `return:${back}`,
          staffId: second.staffId,
          note: payee,
          at: then,
        });
        await tell({
          ...told,
          caller: second,
          action: 'depositReturn',
          label: ['押金已退还', 'Deposit returned'],
          remark: '3000.00',
          at: then,
        });
      }
      if (one.state === 'cancelled')
        await tell({
          entity: decorationApplication.name,
          entityId: id!,
          ...(paid ? { caller: desk } : {}),
          action: paid ? 'cancel' : 'expire',
          label: paid ? actions.cancel.label : actions.expire.label,
          from: paid ? 'to_take' : 'to_pay',
          to: 'cancelled',
          remark: paid ? '业主改期，暂不装修' : '24小时未支付',
          at: at(26),
        });
      if (one.refunded)
        await tell({
          ...told,
          caller: second,
          action: 'refund',
          label: actions.refund.label,
          remark: 'RF-原路',
          at: at(30),
        });
    }
  },
});
