import { CHANNEL_OF, lateness, plateOf, type ParkingWay } from '../../../domain/parking/parking.rules.ts';
import {
  owedBefore,
  planInForce,
  priceOf,
  takeCoupon,
  type Price,
  type Stay,
} from '../../../domain/parking/stay.server.ts';
import { isSandbox } from '../../../domain/payment-channel/channels.server.ts';
import { openSandboxTrade } from '../../../domain/payment-channel/sandbox-channel.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { addEffect } from '../../../kernel/server/tasks/outbox.ts';

/** Effect that opens a gate from afar. */
export const OPEN_GATE = 'parking.open_gate';
/** A car that asked to leave stands at the gate this long. */
const WAITING_MINUTES = 30;

const EXPIRED: Label = ['报价已过期，请重新获取', 'The price is no longer held, please ask again'];
const CHANGED: Label = [
  '应收金额已变化，请重新获取报价',
  'What is due has changed, please ask for the price again',
];
const FUTURE: Label = ['入场时间不能晚于现在', 'The entry cannot lie ahead'];

const stayOf = (row: ActionContext['row']) => row as unknown as Stay;

/** The price of a stay with the settings of its project. */
export async function priceNow(tx: Tx, platform: Platform, stay: Stay, at: Date): Promise<Price> {
  const coupons = await platform.settings.numberIn(tx, 'parking.coupon.max', { projectId: stay.project_id });
  return priceOf(tx, platform, stay, at, coupons);
}

/** The database's clock. */
export async function clock(tx: Tx): Promise<Date> {
  return (await runOne<{ now: Date }>(tx, 'SELECT clock_timestamp() AS now'))!.now;
}

const priceColumns = (price: Price) => ({
  gross: price.gross,
  discount: price.discount,
  carried: price.carried,
  coupon_id: price.couponId,
  covered_until: price.coveredUntil,
});

/** Told to a gate, and asked of its device where it does not wait for an answer. */
export async function command(
  tx: Tx,
  what: {
    readonly orderId: number;
    readonly projectId: number;
    readonly gateId: number | null;
    readonly origin: 'entry' | 'exit' | 'payment' | 'release';
    readonly opens: boolean;
    readonly due?: number;
  },
): Promise<void> {
  const asked = what.origin === 'payment' || what.origin === 'release';
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO parking_command (order_id, project_id, gate_id, origin, opens, due, outcome) VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`,
    [
      what.orderId,
      what.projectId,
      what.gateId,
      what.origin,
      what.opens,
      what.due ?? 0,
      asked ? 'sent' : 'answered',
    ],
  );
  if (asked && what.gateId !== null)
    await addEffect(tx, OPEN_GATE, { commandId: row!.id }, { key: `${OPEN_GATE}:${row!.id}` });
}

/** Handlers of the actions of a stay. */
export function parkingHandlers(bound: () => BoundResource) {
  const system = (tx: Tx, platform: Platform, action: string, id: number, input: object = {}) =>
    bound().actAsSystem(tx, platform, action, id, input);

  /** Closes the further payments of a stay that nobody made. */
  const dropChildren = async (tx: Tx, platform: Platform, rootId: number) => {
    for (const child of await run<{ id: number }>(
      tx,
      `SELECT id FROM parking_order WHERE parent_id = $1 AND state = 'to_pay' ORDER BY id`,
      [rootId],
    ))
      await system(tx, platform, 'drop', child.id);
  };

  /** Writes the money of an order whose price stands; a car that waits at the gate leaves. */
  const settle = async (
    context: ActionContext,
    price: Pick<Price, 'gross' | 'discount' | 'carried' | 'couponId' | 'due' | 'coveredUntil'>,
    payment: { readonly way: ParkingWay; readonly number: string; readonly at: Date },
  ): Promise<ActionResult> => {
    const { tx, platform, row, id, caller } = context;
    const stay = stayOf(row);
    const refused = await takeCoupon(tx, price.couponId, id);
    if (refused) throw ruleBroken(refused);
    if (price.carried > 0) {
      const owing = await owedBefore(tx, stay, 'FOR UPDATE');
      if (owing.reduce((sum, one) => sum + one.owed, 0) !== price.carried) throw ruleBroken(CHANGED);
      for (const one of owing) {
        await run(
          tx,
          'UPDATE parking_order SET moved = moved + owed, owed = 0, version = version + 1, updated_at = now() WHERE id = $1',
          [one.id],
        );
        await writeTimeline(tx, {
          entity: 'parkingOrder',
          entityId: one.id,
          caller,
          action: 'moved',
          label: ['欠费随后续停车支付', 'Paid with a later stay'],
          remark: `${yuanFromFen(one.owed)} · ${stay.code}`,
        });
      }
    }
    await run(
      tx,
      `INSERT INTO parking_payment (order_id, project_id, kind, way, amount, number, state, at, ended_at, operator_id)
       VALUES ($1, $2, 'payment', $3, $4, $5, 'succeeded', $6, clock_timestamp(), $7)`,
      [id, stay.project_id, payment.way, price.due, payment.number, payment.at, staffIdOf(caller)],
    );
    const channel = CHANNEL_OF[payment.way];
    if (channel !== undefined && isSandbox(platform, channel))
      await openSandboxTrade(tx, {
        tradeNo: payment.number,
        checkoutCode: stay.code,
        amount: price.due,
      });
    platform.changed('parkingPayment');
    const set = { paid: price.due, pay_way: payment.way, quote_until: null };
    const now = await clock(tx);
    const waits =
      stay.waiting_at !== null && now.getTime() - stay.waiting_at.getTime() <= WAITING_MINUTES * 60_000;
    const remark = yuanFromFen(price.due);
    if (stay.parent_id !== null)
      await run(tx, 'UPDATE parking_order SET covered_until = greatest(covered_until, $2) WHERE id = $1', [
        stay.parent_id,
        price.coveredUntil,
      ]);
    if (!waits) return { to: 'paid', set, remark };
    await command(tx, {
      orderId: stay.parent_id ?? id,
      projectId: stay.project_id,
      gateId: stay.waiting_gate_id,
      origin: 'payment',
      opens: true,
    });
    platform.changed('parkingCommand');
    if (stay.parent_id !== null)
      await system(tx, platform, 'leave', stay.parent_id, {
        at: now.toISOString(),
        ...(stay.waiting_gate_id !== null && { gate: stay.waiting_gate_id }),
      });
    return {
      to: 'left',
      set: { ...set, exit_at: now, exit_gate_id: stay.waiting_gate_id, release_kind: 'paid' },
      remark,
    };
  };

  return {
    quote: async ({ tx, platform, row, input }: ActionContext): Promise<ActionResult> => {
      const stay = stayOf(row);
      const now = await clock(tx);
      const at = input.at ? new Date(String(input.at)) : now;
      const price = await priceNow(tx, platform, stay, at);
      if (price.due === 0) throw ruleBroken(['无需支付', 'Nothing is due']);
      const minutes = await platform.settings.numberIn(tx, 'parking.quote.minutes', {
        projectId: stay.project_id,
      });
      return {
        set: {
          ...priceColumns(price),
          quoted_at: at,
          quote_until: new Date(now.getTime() + minutes * 60_000),
          ...(input.gate ? { waiting_gate_id: input.gate, waiting_at: now } : {}),
        },
        remark: yuanFromFen(price.due),
        result: { due: price.due },
      };
    },
    pay: async (context: ActionContext): Promise<ActionResult> => {
      const { row, input } = context;
      const stay = stayOf(row);
      const at = new Date(String(input.at));
      const due = stay.gross - stay.discount + stay.carried;
      if (at > stay.quote_until!) throw ruleBroken(EXPIRED);
      if (Number(input.amount) !== due) throw ruleBroken(CHANGED, { due: yuanFromFen(due) });
      return settle(
        context,
        {
          gross: stay.gross,
          discount: stay.discount,
          carried: stay.carried,
          couponId: stay.coupon_id,
          due,
          coveredUntil: stay.covered_until!,
        },
        { way: input.way as ParkingWay, number: String(input.number), at },
      );
    },
    collect: async (context: ActionContext): Promise<ActionResult> => {
      const { tx, platform, row, input } = context;
      const stay = stayOf(row);
      const now = await clock(tx);
      const held = stay.state === 'to_pay' && stay.quote_until !== null && stay.quote_until > now;
      const price = held
        ? {
            gross: stay.gross,
            discount: stay.discount,
            carried: stay.carried,
            couponId: stay.coupon_id,
            due: stay.gross - stay.discount + stay.carried,
            coveredUntil: stay.covered_until!,
          }
        : await priceNow(tx, platform, stay, now);
      if (Number(input.amount) !== price.due) {
        const text: Label = [`当前应收 ${yuanFromFen(price.due)}`, `${yuanFromFen(price.due)} is due now`];
        throw invalid({ amount: text });
      }
      const done = await settle(context, price, {
        way: 'cash',
        number: await nextCode(tx, 'TCP'),
        at: now,
      });
      return {
        ...done,
        set: {
          gross: price.gross,
          discount: price.discount,
          carried: price.carried,
          coupon_id: price.couponId,
          covered_until: price.coveredUntil,
          ...done.set,
        },
      };
    },
    fixPlate: ({ row, input }: ActionContext): Promise<ActionResult> => {
      const stay = stayOf(row);
      const plate = plateOf(String(input.newPlate));
      return Promise.resolve({
        to: stay.state === 'to_pay' ? 'parked' : stay.state,
        // The price was that of another plate's coupons and debts.
        set: {
          plate,
          ...(stay.state === 'to_pay'
            ? { gross: 0, discount: 0, carried: 0, coupon_id: null, covered_until: null, quote_until: null }
            : {}),
        },
        changes: [{ field: 'plate', before: stay.plate, after: plate }],
      });
    },
    fixEntry: async ({ tx, row, input }: ActionContext): Promise<ActionResult> => {
      const stay = stayOf(row);
      const entry = new Date(String(input.entry));
      if (entry > (await clock(tx))) throw invalid({ entry: FUTURE });
      return {
        set: {
          entry_at: entry,
          plan_id: await planInForce(tx, stay.lot_id, stay.vehicle_class, entry),
          abnormal: '',
          gross: 0,
          discount: 0,
          carried: 0,
          coupon_id: null,
          covered_until: null,
          quote_until: null,
        },
        changes: [
          { field: 'entryAt', before: stay.entry_at?.toISOString() ?? null, after: entry.toISOString() },
        ],
        remark: String(input.reason),
      };
    },
    release: async ({ tx, platform, row, id, input }: ActionContext): Promise<ActionResult> => {
      const stay = stayOf(row);
      const now = await clock(tx);
      await dropChildren(tx, platform, id);
      let money: Record<string, unknown>;
      let owed = 0;
      if (stay.entry_at === null) money = { gross: 0, discount: 0, carried: 0, coupon_id: null };
      else {
        const price = await priceNow(tx, platform, stay, now);
        owed = price.gross - price.discount;
        if (stay.paid > 0) money = { gross: stay.gross + owed };
        else {
          const refused = await takeCoupon(tx, price.couponId, id);
          if (refused) throw ruleBroken(refused);
          // What was owed before stays where it is: nobody paid it.
          money = { ...priceColumns(price), carried: 0 };
        }
      }
      await command(tx, {
        orderId: id,
        projectId: stay.project_id,
        gateId: stay.waiting_gate_id,
        origin: 'release',
        opens: true,
      });
      platform.changed('parkingCommand');
      return {
        set: {
          ...money,
          owed,
          exit_at: now,
          exit_gate_id: stay.waiting_gate_id,
          release_kind: 'manual',
          quote_until: null,
        },
        remark: String(input.reason),
        result: { owed: yuanFromFen(owed) },
      };
    },
    leave: async ({ tx, platform, row, input }: ActionContext): Promise<ActionResult> => {
      const stay = stayOf(row);
      const at = new Date(String(input.at));
      const exit = { exit_at: at, exit_gate_id: input.gate || null, exit_image: input.image ?? '' };
      if (stay.state === 'paid' || stay.state === 'refunded') {
        const grace = await platform.settings.numberIn(tx, 'parking.overtime.grace_minutes', {
          projectId: stay.project_id,
        });
        // Beyond the grace the difference was paid by an order of its own, which carries that kind.
        const late = lateness(stay.covered_until!, at, grace);
        return {
          to: stay.state === 'paid' ? 'left' : 'refunded',
          set: { ...exit, release_kind: 'paid', kind: late === 'grace' ? 'grace' : 'normal' },
        };
      }
      const price = await priceNow(tx, platform, stay, at);
      if (price.due > 0) throw ruleBroken(CHANGED);
      const refused = await takeCoupon(tx, price.couponId, Number(row.id));
      if (refused) throw ruleBroken(refused);
      return {
        to: 'left',
        set: {
          ...exit,
          ...priceColumns(price),
          release_kind: price.byPass ? 'pass' : 'free',
          quote_until: null,
        },
      };
    },
    suspect: async ({ tx, platform, id, input }: ActionContext): Promise<ActionResult> => {
      await dropChildren(tx, platform, id);
      return { set: { abnormal: input.why } };
    },
    heal: async ({ tx, platform, row, id, input }: ActionContext): Promise<ActionResult> => {
      const stay = stayOf(row);
      const entry = input.entry ? new Date(String(input.entry)) : stay.entry_at!;
      const exit = input.exit ? new Date(String(input.exit)) : stay.exit_at;
      const plan = stay.plan_id ?? (await planInForce(tx, stay.lot_id, stay.vehicle_class, entry));
      const set = { entry_at: entry, plan_id: plan, abnormal: '' };
      if (exit === null) return { to: 'parked', set };
      const price = await priceNow(tx, platform, { ...stay, entry_at: entry, plan_id: plan }, exit);
      const owed = price.gross - price.discount;
      if (stay.paid > 0)
        return {
          to: 'left',
          set: {
            ...set,
            exit_at: exit,
            exit_gate_id: input.gate || null,
            gross: stay.gross + owed,
            owed,
            release_kind: 'paid',
          },
          remark: yuanFromFen(owed),
        };
      const refused = await takeCoupon(tx, price.couponId, id);
      if (refused) throw ruleBroken(refused);
      return {
        to: 'left',
        // Nobody was asked for it at the gate: it is owed, less what was let off since.
        set: {
          ...set,
          ...priceColumns(price),
          carried: 0,
          owed,
          exit_at: exit,
          exit_gate_id: input.gate || stay.waiting_gate_id,
          release_kind: stay.state === 'left' ? 'manual' : price.byPass ? 'pass' : 'free',
          quote_until: null,
        },
        remark: yuanFromFen(owed),
      };
    },
    refund: async ({ tx, platform, row, id, input, caller }: ActionContext): Promise<ActionResult> => {
      const stay = stayOf(row);
      const amount = Number(input.amount);
      if (amount > stay.paid - stay.refunded)
        throw invalid({ amount: ['不能超过可退金额', 'More than what is left of the payment'] });
      const way = String(row.pay_way) as ParkingWay;
      const isCash = way === 'cash';
      await run(
        tx,
        `INSERT INTO parking_payment (order_id, project_id, kind, way, amount, number, state, reason, ended_at, operator_id)
         VALUES ($1, $2, 'refund', $3, $4, $5, $6, $7, CASE WHEN $6 = 'succeeded' THEN clock_timestamp() END, $8)`,
        [
          id,
          stay.project_id,
          way,
          amount,
          await nextCode(tx, 'TCR'),
          isCash ? 'succeeded' : 'pending',
          String(input.reason),
          staffIdOf(caller),
        ],
      );
      platform.changed('parkingPayment');
      const refunded = stay.refunded + amount;
      return {
        to: refunded === stay.paid && stay.owed === 0 ? 'refunded' : stay.state,
        set: { refunded },
        remark: `${yuanFromFen(amount)} · ${String(input.reason)}`,
      };
    },
    refundFailed: ({ row, input }: ActionContext): Promise<ActionResult> => {
      const stay = stayOf(row);
      return Promise.resolve({
        to:
          stay.state === 'abnormal' || stay.state === 'closed'
            ? stay.state
            : stay.exit_at === null
              ? 'paid'
              : 'left',
        set: { refunded: stay.refunded - Number(input.amount) },
        remark: yuanFromFen(Number(input.amount)),
      });
    },
    waived: ({ row, input }: ActionContext): Promise<ActionResult> => {
      const stay = stayOf(row);
      const amount = Math.min(Number(input.amount), stay.owed);
      return Promise.resolve({
        set: { owed: stay.owed - amount, waived: Number(row.waived) + amount },
        remark: yuanFromFen(amount),
      });
    },
  };
}
