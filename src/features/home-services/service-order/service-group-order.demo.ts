import { addDays, businessDayOf, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo, type DemoContext } from '../../../kernel/server/demo.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { orderEventLabel } from '../../../domain/checkout/order-events.rules.ts';
import { VISIT_STATES, type VisitState } from '../../../domain/home-service/appointment/visit-words.rules.ts';
import { pricedOf } from './service-order.demo.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SIZE = 3;

/** A seat: what became of its visit, days from now, hour. */
type SeatStory = readonly [visit: VisitState, days: number, hour: number, unpaid?: 'open' | 'closed'];

/** Teams by the hours since they were opened. */
const TEAMS: readonly {
  readonly hours: number;
  readonly formed?: true;
  readonly seats: readonly SeatStory[];
}[] = [
  {
    hours: 6,
    seats: [
      ['held', 3, 9],
      ['held', 4, 14],
      ['held', 4, 16, 'open'],
      ['released', 5, 10, 'closed'],
    ],
  },
  {
    hours: 70,
    formed: true,
    seats: [
      ['done', -1, 9],
      ['assigned', 2, 14],
      ['to_accept', 3, 16],
    ],
  },
  {
    hours: 41,
    formed: true,
    seats: [
      ['choose_again', 1, 8],
      ['to_accept', 4, 9],
      ['assigned', 5, 16],
    ],
  },
  // The visit was too near: its time was given back while the team goes on.
  { hours: 20, seats: [['released', 0, 20]] },
];

const ORDER_STATE: Partial<Record<VisitState, string>> = {
  to_accept: 'to_accept',
  choose_again: 'to_accept',
  assigned: 'to_visit',
  done: 'completed',
};

interface Offer {
  readonly product: number;
  readonly spec: number;
  readonly name: string;
  readonly price: number;
  readonly minutes: number;
  readonly person: { readonly id: number; readonly tenant_id: number; readonly project_id: number };
}

/** Group orders of services: teams that form, formed, and formed too late for the chosen time. */
export const demo = defineDemo({
  key: 'serviceGroupOrders',
  after: ['serviceOrders', 'group-buy'],
  run: async (context) => {
    const offers = await run<Omit<Offer, 'person'> & { person: number; tenant: number; project: number }>(
      context.tx,
      `SELECT DISTINCT ON (x.rank) x.* FROM (
         SELECT p.id AS product, s.id AS spec, p.name, s.price, v.duration_min AS minutes, e.id AS person, p.tenant_id AS tenant,
                pp.project_id AS project, dense_rank() OVER (ORDER BY p.id) AS rank
           FROM product p JOIN product_spec s ON s.product_id = p.id JOIN service_setting v ON v.product_id = p.id
           JOIN product_project pp ON pp.product_id = p.id
           JOIN service_person e ON e.tenant_id = p.tenant_id AND e.enabled AND e.skills @> v.skills
           JOIN service_person_project ep ON ep.person_id = e.id AND ep.project_id = pp.project_id
          WHERE p.kind = 'service' AND p.status = 'published' AND v.times = 1 AND s.price > 2000 AND NOT EXISTS (
            SELECT FROM promotion_occupancy o WHERE o.spec_id = s.id)) x ORDER BY x.rank, x.person, x.project LIMIT 2`,
    );
    for (const [index, offer] of offers.entries())
      await tellActivity(
        context,
        {
          ...offer,
          person: { id: offer.person, tenant_id: offer.tenant, project_id: offer.project },
        },
        index,
      );
  },
});

async function tellActivity(context: DemoContext, offer: Offer, index: number): Promise<void> {
  const { tx, insert, now, as } = context;
  const teams = TEAMS.slice(0, index === 0 ? TEAMS.length : 2);
  const live = teams.flatMap((team) => team.seats).filter((seat) => seat[3] !== 'closed');
  const held = live.filter((seat) => seat[3] === 'open').length;
  const starts = new Date(Math.floor(now.getTime() / HOUR) * HOUR - 96 * HOUR);
  const ends = new Date(starts.getTime() + 20 * 24 * HOUR);
  const price = Math.floor((offer.price * 8) / 1_000) * 100;
  const author = as('mall1');
  const [activity] = await insert('group_buy', [
    {
      code: await nextCode(tx, 'GB'),
      name: `${offer.name}三人团`,
      tenant_id: offer.person.tenant_id,
      mode: 'team',
      group_size: SIZE,
      valid_hours: 72,
      starts_at: starts,
      ends_at: ends,
      state: 'published',
      published_at: starts,
      created_at: starts,
      updated_at: starts,
      created_by: author.staffId,
    },
  ]);
  await run(tx, 'INSERT INTO group_buy_project VALUES ($1, $2)', [activity, offer.person.project_id]);
  const [item] = await insert('group_buy_item', [
    {
      group_buy_id: activity,
      tenant_id: offer.person.tenant_id,
      product_id: offer.product,
      spec_id: offer.spec,
      base_price: offer.price,
      price,
      reserved: 60,
      remaining: 60 - live.length,
      held,
      sold: live.length - held,
      takes_stock: false,
      state: 'published',
      created_at: starts,
      updated_at: starts,
      created_by: author.staffId,
    },
  ]);
  await insert('promotion_occupancy', [
    {
      spec_id: offer.spec,
      period: `[${starts.toISOString()},${ends.toISOString()})`,
      kind: 'group',
      source_id: activity,
      name: `${offer.name}三人团`,
    },
  ]);
  const members = await run<{ id: number; name: string; phone: string }>(
    tx,
    `SELECT id, coalesce(nullif(name, ''), nickname) AS name, phone FROM member WHERE phone ~ '^1[0-9]{10}$'
      ORDER BY (project_id = $1) DESC NULLS LAST, id % 11, id LIMIT 20`,
    [offer.person.project_id],
  );
  if (members.length === 0) return;
  let next = 0;
  for (const team of teams) {
    const opened = new Date(now.getTime() - team.hours * HOUR);
    const formedAt = team.formed ? new Date(opened.getTime() + 16 * HOUR) : null;
    const joined = team.seats.filter((seat) => seat[3] === undefined).length;
    const [teamId] = await insert('group_buy_team', [
      {
        code: await nextCode(tx, 'GT'),
        item_id: item,
        leader_id: members[next % members.length]!.id,
        size: SIZE,
        held_seats: team.seats.filter((seat) => seat[3] === 'open').length,
        joined,
        deadline: new Date(opened.getTime() + 72 * HOUR),
        state: team.formed ? 'formed' : 'forming',
        opened_at: opened,
        ended_at: formedAt,
        updated_at: opened,
      },
    ]);
    for (const [at, seat] of team.seats.entries()) {
      const ordered =
        seat[3] === 'open'
          ? new Date(now.getTime() - 12 * MINUTE)
          : new Date(opened.getTime() + at * (team.formed ? 5 : 1) * HOUR);
      await tellSeat(context, {
        offer,
        price,
        item: item!,
        team: teamId!,
        leader: at === 0,
        seat,
        member: members[next++ % members.length]!,
        ordered,
        formedAt,
      });
    }
  }
}

async function tellSeat(
  { tx, insert, tell, now, as }: DemoContext,
  told: {
    readonly offer: Offer;
    readonly price: number;
    readonly item: number;
    readonly team: number;
    readonly leader: boolean;
    readonly seat: SeatStory;
    readonly member: { readonly id: number; readonly name: string; readonly phone: string };
    readonly ordered: Date;
    readonly formedAt: Date | null;
  },
): Promise<void> {
  const { offer, price, member, ordered, formedAt } = told;
  const [visitState, days, hour, unpaid] = told.seat;
  const desk = as('mall1');
  const paid = unpaid ? null : new Date(ordered.getTime() + 4 * MINUTE);
  const deadline = new Date(ordered.getTime() + 30 * MINUTE);
  const state = unpaid
    ? { open: 'pending_payment', closed: 'closed' }[unpaid]
    : formedAt
      ? ORDER_STATE[visitState]!
      : 'grouping';
  const start = new Date(
    startOfBusinessDay(addDays(businessDayOf(now), days)).getTime() + hour * 60 * MINUTE,
  );
  const end = new Date(start.getTime() + offer.minutes * MINUTE);
  const [payment] = await insert('payment', [
    {
      checkout_code: await nextCode(tx, 'CK'),
      channel: 1,
      state: paid ? 2 : unpaid === 'closed' ? 3 : 1,
      amount: price,
      trade_no: paid ? `DEMO-SG-${told.team}-${member.id}` : null,
      paid_at: paid,
      deadline,
      created_at: ordered,
    },
  ]);
  const address = `${1 + (member.id % 9)}号楼 1单元 ${(2 + (member.id % 8)) * 100 + 2}`;
  const [order] = await insert('sales_order', [
    {
      code: await nextCode(tx, 'SO'),
      kind: 'service',
      type: 'group',
      source: 1,
      tenant_id: offer.person.tenant_id,
      project_id: offer.person.project_id,
      member_id: member.id,
      payment_id: payment,
      title: offer.name,
      contact_name: member.name,
      contact_phone: member.phone,
      address,
      state,
      goods: price,
      payable: price,
      quote: pricedOf({ ...offer, price }, offer.person, now),
      pay_deadline: deadline,
      paid_at: paid,
      pay_channel: paid ? 1 : 0,
      completed_at: state === 'completed' ? end : null,
      closed_at: unpaid === 'closed' ? deadline : null,
      close_reason: unpaid === 'closed' ? '超时未支付，系统自动关闭' : '',
      created_at: ordered,
      updated_at: ordered,
    },
  ]);
  const [line] = await insert('order_line', [
    {
      order_id: order,
      line_no: 1,
      product_id: offer.product,
      spec_id: offer.spec,
      product_name: offer.name,
      spec_name: '标准',
      list_price: offer.price,
      unit_price: price,
      qty: 1,
      times: 1,
      goods: price,
      cash: price,
    },
  ]);
  await insert('group_buy_member', [
    {
      item_id: told.item,
      team_id: told.team,
      member_id: member.id,
      order_id: order,
      qty: 1,
      role: told.leader ? 'leader' : 'member',
      state: unpaid === 'open' ? 'held' : unpaid === 'closed' ? 'released' : 'joined',
      created_at: ordered,
      joined_at: paid,
    },
  ]);
  if (unpaid !== 'closed')
    await run(
      tx,
      `INSERT INTO purchase_counter AS c (member_id, subject, subject_id, qty) VALUES ($1, 'group_buy_item', $2, 1)
       ON CONFLICT (member_id, subject, subject_id) DO UPDATE SET qty = c.qty + 1`,
      [member.id, told.item],
    );
  const holds = !['released', 'choose_again'].includes(visitState);
  const slot = await runOne<{ id: number }>(
    tx,
    `INSERT INTO service_slot (product_id, project_id, starts_at, ends_at, capacity, taken) VALUES ($1, $2, $3, $4, 3, $5)
     ON CONFLICT (product_id, project_id, starts_at) DO UPDATE SET taken = service_slot.taken + excluded.taken,
       capacity = greatest(service_slot.capacity, service_slot.taken + excluded.taken) RETURNING id`,
    [offer.product, offer.person.project_id, start, end, holds ? 1 : 0],
  );
  const range = (around: number) =>
    `[${new Date(start.getTime() - around * MINUTE).toISOString()},${new Date(end.getTime() + around * MINUTE).toISOString()})`;
  // A demonstration may not meet another visit of the same person.
  const free = await runOne(
    tx,
    `SELECT 1 AS one WHERE NOT EXISTS (SELECT FROM appointment a WHERE a.person_id = $1 AND a.busy && $2::tstzrange)`,
    [offer.person.id, range(15)],
  );
  const manned = ['assigned', 'done'].includes(visitState);
  const assigned = formedAt ? new Date(formedAt.getTime() + 35 * MINUTE) : null;
  const person = manned ? (free ? offer.person.id : await otherPerson(tx, offer, range(15))) : null;
  const [visit] = await insert('appointment', [
    {
      code: await nextCode(tx, 'BK'),
      order_id: order,
      line_id: line,
      product_id: offer.product,
      tenant_id: offer.person.tenant_id,
      project_id: offer.person.project_id,
      slot_id: visitState === 'choose_again' ? null : slot!.id,
      person_id: person,
      contact_name: member.name,
      contact_phone: member.phone,
      address,
      period: range(0),
      busy: range(15),
      state: visitState,
      choose_until: visitState === 'choose_again' ? new Date(now.getTime() + 22 * HOUR) : null,
      paid_at: formedAt ? paid : null,
      accepted_at: manned ? assigned : null,
      assigned_at: manned ? assigned : null,
      accept_due: visitState === 'to_accept' ? new Date(now.getTime() + 9 * HOUR) : null,
      started_at: visitState === 'done' ? start : null,
      finished_at: visitState === 'done' ? end : null,
      reminded: days <= 0 ? 2 : 0,
      created_at: ordered,
      updated_at: ordered,
    },
  ]);
  const steps: (readonly [number, Date])[] = [[5, ordered]];
  if (paid) steps.push([10, paid]);
  if (unpaid === 'closed') steps.push([40, deadline]);
  if (formedAt) steps.push([16, formedAt]);
  if (visitState === 'choose_again') steps.push([28, formedAt!]);
  if (manned) steps.push([18, assigned!]);
  if (visitState === 'done') steps.push([23, start], [27, end]);
  for (const [step, [code, at]] of steps.entries()) {
    await run(tx, 'INSERT INTO order_event (order_id, code, at, who) VALUES ($1, $2, $3, $4)', [
      order,
      code,
      at,
      code === 5 || code === 10 ? member.name : desk.name,
    ]);
    await tell({
      entity: 'serviceOrder',
      entityId: order!,
      at,
      caller: desk,
      action: `event_${code}`,
      label: orderEventLabel(code),
      to: step === steps.length - 1 ? state : '',
    });
  }
  await tell({
    entity: 'appointment',
    entityId: visit!,
    at: ordered,
    caller: desk,
    action: visitState,
    label: VISIT_STATES[visitState].label,
    to: visitState,
  });
  if (visitState === 'done' && person !== null)
    await run(tx, 'UPDATE service_person SET visits = visits + 1 WHERE id = $1', [person]);
}

async function otherPerson(tx: DemoContext['tx'], offer: Offer, busy: string): Promise<number> {
  const other = await runOne<{ id: number }>(
    tx,
    `INSERT INTO service_person (tenant_id, name, sex, phone, skills)
     SELECT p.tenant_id, '周敏', 2, '1360000' || lpad((p.id % 10000)::text, 4, '0'), p.skills FROM service_person p WHERE p.id = $1
     ON CONFLICT DO NOTHING RETURNING id`,
    [offer.person.id],
  );
  if (other) {
    await run(tx, 'INSERT INTO service_person_project VALUES ($1, $2)', [other.id, offer.person.project_id]);
    return other.id;
  }
  return (await runOne<{ id: number }>(
    tx,
    `SELECT p.id FROM service_person p WHERE p.tenant_id = $1 AND NOT EXISTS (
       SELECT FROM appointment a WHERE a.person_id = p.id AND a.busy && $2::tstzrange) ORDER BY p.id LIMIT 1`,
    [offer.person.tenant_id, busy],
  ))!.id;
}
