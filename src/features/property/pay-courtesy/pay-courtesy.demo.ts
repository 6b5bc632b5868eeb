import { settleGifts } from '../../../domain/payment-gift/payment-gift.server.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { payCourtesy } from './pay-courtesy.contract.ts';

const DAY = 86_400_000;
/** Most payments of the demonstration that are given something by one activity. */
const MOST = 40;

interface Sample {
  readonly name: string;
  readonly condition: 'amount' | 'months' | 'early';
  readonly gift: 'points' | 'prepaid';
  readonly tiers: readonly (readonly [threshold: number, quantity: number])[];
  readonly days: readonly [from: number, to: number];
  readonly limit: number;
  readonly total: number;
  readonly state: 'draft' | 'scheduled' | 'running' | 'ended' | 'stopped';
  readonly text: string;
  readonly reason?: string;
}

const SAMPLES: readonly Sample[] = [
  {
    name: '物业费满额送积分',
    condition: 'amount',
    gift: 'points',
    tiers: [
      [200, 20],
      [500, 60],
      [1_000, 150],
    ],
    days: [-45, 60],
    limit: 3,
    total: 500,
    state: 'running',
    text: '单笔缴纳物业费满 200 元起送积分，积分可在商城抵现',
  },
  {
    name: '预缴一季度送预存',
    condition: 'months',
    gift: 'prepaid',
    tiers: [
      [3, 20],
      [6, 50],
      [12, 120],
    ],
    days: [12, 75],
    limit: 1,
    total: 300,
    state: 'scheduled',
    text: '预缴 3 个月送 20 元，半年送 50 元，全年送 120 元，存入通用预存',
  },
  {
    name: '早缴早得',
    condition: 'early',
    gift: 'points',
    tiers: [
      [0, 10],
      [7, 30],
    ],
    days: [-160, -70],
    limit: 2,
    total: 200,
    state: 'ended',
    text: '账单到期前缴清即送积分',
  },
  {
    name: '元旦缴费礼',
    condition: 'amount',
    gift: 'points',
    tiers: [[300, 88]],
    days: [38, 52],
    limit: 1,
    total: 1_000,
    state: 'draft',
    text: '方案待确认',
  },
  {
    name: '小额缴费送预存',
    condition: 'amount',
    gift: 'prepaid',
    tiers: [[300, 10]],
    days: [-30, 30],
    limit: 1,
    total: 50,
    state: 'stopped',
    text: '',
    reason: '改为使用返利规则，避免重复优惠',
  },
];

/** Activities in every state, with what the payments of their time got. */
export const demo = defineDemo({
  key: 'payCourtesy',
  after: ['charging', 'pointsRules', 'paymentRebates'],
  run: async ({ tx, insert, tell, now, as, platform }) => {
    const author = as('finance1');
    const items = await run<{ id: number }>(
      tx,
      `SELECT DISTINCT i.id FROM fee_item i JOIN bill b ON b.fee_item_id = i.id WHERE i.kind = 'management' ORDER BY i.id`,
    );
    const projects = await run<{ id: number }>(tx, 'SELECT DISTINCT project_id AS id FROM bill ORDER BY 1');
    if (items.length === 0 || projects.length === 0) return;
    const at = (offset: number) => new Date(now.getTime() + offset * DAY);
    const day = (offset: number) => businessDayOf(at(offset));
    const actions = payCourtesy.actions!;
    for (const [index, sample] of SAMPLES.entries()) {
      const made = at(Math.min(sample.days[0], 0) - 6 + index * 0.1);
      const [id] = await insert('payment_gift', [
        {
          name: sample.name,
          condition: sample.condition,
          gift: sample.gift,
          house_limit: sample.limit,
          total: sample.total,
          starts_on: day(sample.days[0]),
          ends_on: day(sample.days[1]),
          text: sample.text,
          state: sample.state,
          stop_reason: sample.reason ?? '',
          created_at: made,
          created_by: author.staffId,
          updated_at: made,
          updated_by: author.staffId,
        },
      ]);
      await run(tx, 'INSERT INTO payment_gift_project SELECT $1, unnest($2::bigint[])', [
        id,
        projects.map((one) => one.id),
      ]);
      await run(tx, 'INSERT INTO payment_gift_item SELECT $1, unnest($2::bigint[])', [
        id,
        items.map((one) => one.id),
      ]);
      for (const [position, [threshold, quantity]] of sample.tiers.entries())
        await insert('payment_gift_tier', [{ gift_id: id!, position, threshold, quantity }]);
      const told = { entity: payCourtesy.name, entityId: id! };
      await tell({
        ...told,
        caller: author,
        action: 'create',
        label: actions.create.label,
        to: 'draft',
        at: made,
      });
      if (sample.state === 'draft') continue;
      const first = sample.days[0] > 0 ? 'scheduled' : 'running';
      await tell({
        ...told,
        caller: author,
        action: 'publish',
        label: actions.publish.label,
        from: 'draft',
        to: first,
        at: new Date(made.getTime() + 3_600_000),
      });
      if (sample.state === 'stopped')
        await tell({
          ...told,
          caller: author,
          action: 'stop',
          label: actions.stop.label,
          from: first,
          to: 'stopped',
          remark: sample.reason!,
          at: at(-12),
        });
      if (sample.state !== 'running' && sample.state !== 'ended') continue;
      const payments = await run<{ id: number }>(
        tx,
        `SELECT DISTINCT p.id FROM bill_payment p JOIN bill_allocation a ON a.payment_id = p.id JOIN bill b ON b.id = a.bill_id
          WHERE b.fee_item_id = ANY($1::bigint[]) AND p.value_date BETWEEN $2 AND $3 AND p.state = 'valid' ORDER BY p.id LIMIT ${MOST}`,
        [items.map((one) => one.id), day(sample.days[0]), day(Math.min(sample.days[1], 0))],
      );
      for (const payment of payments) await settleGifts(tx, platform, payment.id, [id!]);
      await run(
        tx,
        `UPDATE payment_gift_grant g SET created_at = p.created_at FROM bill_payment p WHERE p.id = g.payment_id AND g.gift_id = $1`,
        [id],
      );
      if (sample.state === 'ended')
        await tell({
          ...told,
          action: 'end',
          label: actions.end.label,
          from: 'running',
          to: 'ended',
          at: at(sample.days[1] + 1),
        });
    }
  },
});
