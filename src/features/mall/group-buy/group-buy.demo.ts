import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { defineDemo, type DemoContext } from '../../../kernel/server/demo.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { createCheckout } from '../../../domain/checkout/create-checkout.server.ts';
import { settleCheckout } from '../../../domain/checkout/take-payment.server.ts';
import { endActivity, publishActivity } from '../../../domain/group-buy/activity.server.ts';
import { disbandTeam } from '../../../domain/group-buy/teams.server.ts';
import { groupBuyItem } from './group-buy.contract.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface Spec {
  readonly id: number;
  readonly product_id: number;
  readonly tenant_id: number;
  readonly price: number;
  readonly stock: number;
  readonly name: string;
}

/** One activity: how it stands and what was ordered of it; `paid` lists the members of each team who paid. */
interface Story {
  readonly state: 'draft' | 'rejected' | 'published' | 'ended';
  readonly mode: 'team' | 'total';
  readonly size: number;
  readonly percent: number;
  readonly copies: number;
  readonly from: number;
  readonly days: number;
  readonly teams?: readonly { readonly paid: number; readonly unpaid?: number; readonly disband?: string }[];
  readonly paid?: number;
  readonly more?: Record<string, unknown>;
}

const STORIES: readonly Story[] = [
  {
    state: 'published',
    mode: 'team',
    size: 3,
    percent: 85,
    copies: 40,
    from: -3,
    days: 12,
    teams: [{ paid: 3 }, { paid: 3 }, { paid: 2 }, { paid: 1, unpaid: 1 }],
    more: { form_at_deadline_from: 2 },
  },
  {
    state: 'published',
    mode: 'team',
    size: 5,
    percent: 80,
    copies: 30,
    from: -2,
    days: 10,
    teams: [{ paid: 4 }, { paid: 2, disband: '活动规则有误，团长申请解散' }, { paid: 1 }],
  },
  { state: 'published', mode: 'total', size: 20, percent: 78, copies: 30, from: -4, days: 9, paid: 8 },
  {
    state: 'published',
    mode: 'team',
    size: 2,
    percent: 88,
    copies: 4,
    from: -1,
    days: 6,
    teams: [{ paid: 2 }, { paid: 2 }],
  },
  { state: 'published', mode: 'team', size: 2, percent: 82, copies: 20, from: 2, days: 8 },
  {
    state: 'ended',
    mode: 'team',
    size: 2,
    percent: 90,
    copies: 15,
    from: -9,
    days: 20,
    teams: [{ paid: 2 }, { paid: 2 }],
  },
  { state: 'draft', mode: 'team', size: 3, percent: 86, copies: 25, from: 3, days: 7 },
  {
    state: 'rejected',
    mode: 'total',
    size: 10,
    percent: 60,
    copies: 12,
    from: 4,
    days: 7,
    more: { state_reason: '团购价低于成本，请核对后重新提交' },
  },
];

/** Group-buys of several merchants in every state, with teams that formed, form and were disbanded. */
export const demo = defineDemo({
  key: 'group-buy',
  run: async (context) => {
    const { tx } = context;
    const specs = await run<Spec>(
      tx,
      `SELECT s.id, s.product_id, p.tenant_id, s.price, s.stock, p.name FROM product_spec s JOIN product p ON p.id = s.product_id
         JOIN business b ON b.id = p.business_id JOIN tenant m ON m.id = p.tenant_id
        WHERE b.type = 2 AND b.enabled AND p.kind = 'goods' AND p.status = 'published' AND p.recycled_at IS NULL AND s.enabled
          AND m.enabled AND m.state = 'open' AND m.merchant_state = 'operating' ORDER BY s.price % 7, s.id`,
    );
    const { clock } = (await runOne<{ clock: Date }>(tx, 'SELECT clock_timestamp() AS clock'))!;
    const left = [...specs];
    for (const story of STORIES) {
      const at = left.findIndex((spec) => spec.stock >= story.copies);
      if (at < 0) continue;
      await tellStory(context, story, left.splice(at, 1)[0]!);
    }
    await settleTimes(context, clock);
  },
});

async function tellStory(context: DemoContext, story: Story, spec: Spec): Promise<void> {
  const { tx, insert, tell, now, as } = context;
  const author = as('mall1');
  const starts = new Date(Math.floor(now.getTime() / HOUR) * HOUR + story.from * DAY);
  const made = new Date(Math.min(starts.getTime(), now.getTime()) - 26 * HOUR);
  const projects = await run<{ id: number }>(
    tx,
    'SELECT project_id AS id FROM product_project WHERE product_id = $1 ORDER BY 1',
    [spec.product_id],
  );
  const [id] = await insert('group_buy', [
    {
      code: await nextCode(tx, 'GB', made),
      name: spec.name,
      tenant_id: spec.tenant_id,
      mode: story.mode,
      group_size: story.size,
      valid_hours: 48,
      starts_at: starts,
      ends_at: new Date(starts.getTime() + story.days * DAY),
      state: story.state === 'rejected' ? 'rejected' : 'draft',
      created_at: made,
      updated_at: made,
      created_by: author.staffId,
      ...story.more,
    },
  ]);
  for (const project of projects)
    await run(tx, 'INSERT INTO group_buy_project VALUES ($1, $2)', [id, project.id]);
  const [itemId] = await insert('group_buy_item', [
    {
      group_buy_id: id,
      tenant_id: spec.tenant_id,
      product_id: spec.product_id,
      spec_id: spec.id,
      base_price: spec.price,
      price: Math.floor((spec.price * story.percent) / 1_000) * 10,
      reserved: story.copies,
      remaining: story.copies,
      per_member_limit: 1,
      state: story.state === 'rejected' ? 'rejected' : 'draft',
      created_at: made,
      updated_at: made,
      created_by: author.staffId,
    },
  ]);
  const entity = { entity: groupBuyItem.name, entityId: itemId! } as const;
  await tell({
    ...entity,
    caller: author,
    action: 'create',
    label: ['新增', 'Added'],
    to: 'draft',
    at: made,
  });
  if (story.state === 'rejected') {
    const at = new Date(made.getTime() + 5 * HOUR);
    await tell({
      ...entity,
      action: 'rejected',
      label: ['驳回', 'Rejected'],
      from: 'reviewing',
      to: 'rejected',
      remark: String(story.more!.state_reason),
      at,
    });
  }
  if (story.state === 'draft' || story.state === 'rejected') return;
  await publishActivity(tx, id!, author.staffId);
  const published = new Date(made.getTime() + 2 * HOUR);
  await run(tx, 'UPDATE group_buy SET published_at = $2 WHERE id = $1', [id, published]);
  await tell({
    ...entity,
    caller: author,
    action: 'submit',
    label: ['发布', 'Published'],
    from: 'draft',
    to: 'published',
    at: published,
  });
  await buy(context, story, itemId!, projects[0]!.id);
  if (story.state !== 'ended') return;
  await endActivity(tx, id!, { reason: '供应商断货', staffId: author.staffId });
  await tell({
    ...entity,
    caller: author,
    action: 'end',
    label: ['提前结束', 'Ended early'],
    from: 'published',
    to: 'ended',
    remark: '供应商断货',
    at: now,
  });
}

/** Orders the seats of a story for members of one project, pays most of them and moves them into the past. */
async function buy(context: DemoContext, story: Story, itemId: number, projectId: number): Promise<void> {
  const { tx, platform, random } = context;
  const members = await run<{ id: number; name: string; phone: string }>(
    tx,
    `SELECT m.id, coalesce(nullif(m.name, ''), m.nickname) AS name, m.phone FROM member m
      WHERE m.project_id = $1 ORDER BY m.id % 13, m.id LIMIT 40`,
    [projectId],
  );
  let next = 0;
  const seat = async (teamId: number | null, paid: boolean, hours: number): Promise<number | null> => {
    const member = members[next++];
    if (!member) return null;
    const orderId = await order(context, itemId, teamId, member, projectId, paid);
    if (orderId === undefined) return null;
    // Unpaid ones were made just now: their time to pay runs.
    if (paid) await moveBack(tx, orderId, hours);
    return (await runOne<{ id: number | null }>(
      tx,
      'SELECT team_id AS id FROM group_buy_member WHERE order_id = $1',
      [orderId],
    ))!.id;
  };
  const oldest = Math.max(1, Math.min(40, -story.from * 24 - 2));
  for (let n = 0; n < (story.paid ?? 0); n++) await seat(null, true, random.int(1, oldest));
  for (const team of story.teams ?? []) {
    const hours = random.int(2, oldest);
    const teamId = await seat(null, true, hours);
    if (teamId === null) continue;
    for (let n = 1; n < team.paid; n++) await seat(teamId, true, Math.max(1, hours - n));
    for (let n = 0; n < (team.unpaid ?? 0); n++) await seat(teamId, false, 0);
    await run(
      tx,
      `UPDATE group_buy_team SET opened_at = opened_at - make_interval(hours => $2), deadline = deadline - make_interval(hours => $2),
              ended_at = ended_at - make_interval(hours => $3) WHERE id = $1`,
      [teamId, hours, Math.max(1, hours - team.paid + 1)],
    );
    if (team.disband) await disbandTeam(tx, platform, teamId, team.disband);
  }
}

/** One seat; undefined where it is refused: nothing was written then. */
async function order(
  { tx, platform }: DemoContext,
  itemId: number,
  teamId: number | null,
  member: { readonly id: number; readonly name: string; readonly phone: string },
  projectId: number,
  paid: boolean,
): Promise<number | undefined> {
  const item = (await runOne<{ spec_id: number; price: number; freight: number }>(
    tx,
    `SELECT i.spec_id, i.price, coalesce((SELECT r.freight FROM postage_rule r WHERE r.tenant_id = i.tenant_id
        AND r.start_fen <= i.price AND (r.end_fen IS NULL OR r.end_fen > i.price) LIMIT 1), 0) AS freight
       FROM group_buy_item i WHERE i.id = $1`,
    [itemId],
  ))!;
  const made = await createCheckout(tx, platform, {
    memberId: member.id,
    projectId,
    lines: [{ specId: item.spec_id, qty: 1 }],
    group: { itemId, teamId, openNewIfFull: false },
    coupons: [],
    pointsWanted: 0,
    contactName: member.name,
    contactPhone: member.phone,
    address: '小区自提点',
    remark: '',
    source: 1,
    onBehalf: false,
    who: member.name,
    shownTotal: item.price + item.freight,
  }).catch(() => undefined);
  if (made && paid) {
    const tradeNo = `DEMO${made.checkoutCode}`;
    await run(tx, 'INSERT INTO sandbox_trade (trade_no, checkout_code, amount) VALUES ($1, $2, $3)', [
      tradeNo,
      made.checkoutCode,
      made.payable,
    ]);
    await settleCheckout(tx, platform, {
      paymentId: made.paymentId,
      channel: 1,
      tradeNo,
      paidAt: undefined,
      who: member.name,
    });
  }
  return made?.orderIds[0];
}

async function moveBack(tx: Tx, orderId: number, hours: number): Promise<void> {
  const back = (columns: readonly string[]) =>
    columns.map((column) => `${column} = ${column} - make_interval(hours => $2)`).join(', ');
  const values = [orderId, hours];
  await run(
    tx,
    `UPDATE sales_order SET ${back(['created_at', 'paid_at', 'pay_deadline', 'updated_at'])} WHERE id = $1`,
    values,
  );
  await run(
    tx,
    `UPDATE payment SET ${back(['created_at', 'paid_at', 'deadline'])} WHERE id = (SELECT payment_id FROM sales_order WHERE id = $1)`,
    values,
  );
  await run(tx, `UPDATE order_event SET ${back(['at'])} WHERE order_id = $1`, values);
  await run(
    tx,
    `UPDATE group_buy_member SET ${back(['created_at', 'joined_at'])} WHERE order_id = $1`,
    values,
  );
}

const ORDERS = 'SELECT order_id FROM group_buy_member';
const TIMED = {
  group_buy: 'ended_at IS NOT NULL',
  group_buy_team: 'TRUE',
  group_buy_member: 'TRUE',
  sales_order: `id IN (${ORDERS})`,
  payment: `id IN (SELECT payment_id FROM sales_order WHERE id IN (${ORDERS}))`,
  refund: `order_id IN (${ORDERS})`,
} as const;

/**
 * The commands that made the orders went by the clock of the database. Their instants are moved to the moment the rows are
 * alive at, in steps of a quarter of an hour, so that the same moment gives the same rows.
 */
async function settleTimes({ tx, now }: DemoContext, clock: Date): Promise<void> {
  const settled = (column: string) =>
    `$1::timestamptz + make_interval(mins => (15 * round(extract(epoch FROM ${column} - $2::timestamptz) / 900))::integer)`;
  for (const [table, rows] of Object.entries(TIMED)) {
    const columns = await run<{ name: string }>(
      tx,
      `SELECT a.attname::text AS name FROM pg_attribute a WHERE a.attrelid = $1::text::regclass AND a.atttypid = 'timestamptz'::regtype
          AND a.attnum > 0 AND NOT a.attisdropped AND NOT ($1::text = 'group_buy' AND a.attname IN ('starts_at', 'ends_at', 'created_at', 'published_at'))`,
      [table],
    );
    await run(
      tx,
      `UPDATE ${table} SET ${columns.map(({ name }) => `${name} = ${settled(name)}`).join(', ')} WHERE ${rows}`,
      [now, clock],
    );
  }
  await run(
    tx,
    `UPDATE promotion_occupancy o SET period = tstzrange(lower(period), ${settled('upper(period)')})
      WHERE NOT EXISTS (SELECT FROM group_buy b WHERE b.ends_at = upper(o.period) AND b.starts_at = lower(o.period))`,
    [now, clock],
  );
}
