import { parkingOptions } from '../../../domain/parking/options.server.ts';
import { parkingInvariants, stayById } from '../../../domain/parking/stay.server.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, transaction } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { parkingPrograms } from './gate-event.server.ts';
import { clock, parkingHandlers, priceNow } from './parking-actions.server.ts';
import { openGateEffect, parkingJobs } from './parking-jobs.server.ts';
import { parkingOrder, type FeeWire } from './parking-order.contract.ts';
import { waive, waiverApproval, waiverSight } from './parking-waiver.server.ts';

const ON_ROOT: Label = ['请在主订单操作', 'Please act on the stay itself'];
const NOT_PAID: Label = ['已支付的订单不能更正入场时间', 'The entry of a paid stay cannot be corrected'];
const INSIDE = `(t.parent_id IS NULL AND t.exit_at IS NULL AND t.state IN ('parked', 'to_pay', 'paid', 'refunded'))`;
const WAITING = `(t.waiting_at > now() - interval '30 minutes' AND (t.state = 'to_pay' OR (t.state = 'abnormal' AND t.exit_at IS NULL)))`;

const bound: BoundResource = bindResource(parkingOrder, {
  table: 'parking_order',
  from: `parking_order t LEFT JOIN parking_lot l ON l.id = t.lot_id LEFT JOIN project p ON p.id = t.project_id
    LEFT JOIN road_gate ga ON ga.id = t.entry_gate_id LEFT JOIN road_gate gb ON gb.id = t.exit_gate_id
    LEFT JOIN parking_order root ON root.id = t.parent_id`,
  scope: residentScope('t.project_id', 't.created_by'),
  search: `lower(t.code || ' ' || t.plate)`,
  columns: {
    project: { id: 't.project_id', title: 'p.name' },
    lot: { id: 't.lot_id', title: 'l.name' },
    stay: `(CASE WHEN t.parent_id IS NULL AND t.entry_at IS NOT NULL THEN
      to_char(floor(extract(epoch FROM coalesce(t.exit_at, now()) - t.entry_at) / 3600), 'FM999990') || 'h ' ||
      to_char(floor(extract(epoch FROM coalesce(t.exit_at, now()) - t.entry_at) / 60)::int % 60, 'FM00') || 'm' END)`,
    entryGate: 'ga.name',
    exitGate: 'gb.name',
    visitMinutes: 't.free_minutes',
    owes: '(t.owed > 0)',
    release: 't.release_kind',
    abnormal: `nullif(t.abnormal, '')`,
    parent: 'root.code',
  },
  // By its beginning.
  filters: {
    plate: (value, parameters) => `t.plate LIKE ${parameters.bind(containing(value.toUpperCase()).slice(1))}`,
  },
  tabs: {
    inside: () => INSIDE,
    waiting: () => WAITING,
    owing: () => 't.owed > 0',
  },
  extra: { rootId: 't.parent_id' },
  ruleReads: ['rootId', 'paid', 'refunded', 'owed'],
  unique: {
    parking_order_inside: ['该车牌已有在场记录', 'A stay of this plate is open already'],
  },
  rowRules: {
    fixPlate: (row) => (row.rootId === null ? undefined : ON_ROOT),
    fixEntry: (row) => (row.rootId !== null ? ON_ROOT : Number(row.paid) > 0 ? NOT_PAID : undefined),
    release: (row) => (row.rootId === null ? undefined : ON_ROOT),
    waive: (row) => (Number(row.owed) > 0 ? undefined : ['没有欠费', 'Nothing is owed']),
    refund: (row) =>
      Number(row.paid) > Number(row.refunded) ? undefined : ['没有可退金额', 'There is nothing to refund'],
  },
  sets: {
    unquote: { gross: 0, discount: 0, carried: 0, coupon_id: null, covered_until: null, quote_until: null },
  },
  handlers: { ...parkingHandlers(() => bound), waive },
  endpoints: [
    ...parkingPrograms(() => bound),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/parkingOrder/:id/fee',
      title: ['停车费计算', 'How the fee is made up'],
      access: { code: parkingOrder.menu },
      handle: async (call): Promise<FeeWire> => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        return transaction(call.platform.database.db, async (tx): Promise<FeeWire> => {
          const stay = (await stayById(tx, id))!;
          const children = await run<{ id: number; code: string; gross: number; state: string }>(
            tx,
            'SELECT id, code, gross, state FROM parking_order WHERE parent_id = $1 ORDER BY id',
            [id],
          );
          const told = children.map((one) => ({
            ...one,
            id: String(one.id),
            gross: yuanFromFen(one.gross),
          }));
          const root = stay.parent_id === null ? stay : (await stayById(tx, stay.parent_id))!;
          if (root.entry_at === null) return { windows: [], children: told };
          const isOpen = stay.state === 'parked' || stay.state === 'to_pay';
          const at = isOpen ? await clock(tx) : (root.exit_at ?? stay.covered_until ?? (await clock(tx)));
          const price = await priceNow(tx, call.platform, stay, at);
          const held = stay.state === 'to_pay' && stay.quote_until! > (await clock(tx));
          const due = held ? stay.gross - stay.discount + stay.carried : price.due;
          return {
            at: isoInstant(at),
            minutes: price.minutes,
            windows: price.windows.map((one) => ({
              ...one,
              raw: yuanFromFen(one.raw),
              fee: yuanFromFen(one.fee),
            })),
            children: told,
            ...(isOpen && {
              due: {
                charged: yuanFromFen(price.charged),
                discount: yuanFromFen(held ? stay.discount : price.discount),
                carried: yuanFromFen(held ? stay.carried : price.carried),
                due: yuanFromFen(due),
              },
            }),
          };
        });
      },
    }),
  ],
  also: {
    options: [parkingOptions('parkedLot', parkingOrder.menu, 'parking_lot')],
    jobs: parkingJobs(() => bound),
    effects: [openGateEffect],
    approvals: [waiverApproval(() => bound)],
    sights: [waiverSight],
    invariants: [...parkingInvariants],
  },
});

/** Stays of cars. */
export const registration = bound.registration;
