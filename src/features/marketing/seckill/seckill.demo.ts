import { settleCheckout } from '../../../domain/checkout/take-payment.server.ts';
import { submitApproval } from '../../../domain/approval/approve.server.ts';
import { takeFromShelf } from '../../../domain/group-buy/group-stock.server.ts';
import { closeSeckill, planClock } from '../../../domain/seckill/activity.server.ts';
import { claimIn } from '../../../domain/seckill/claim.server.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo, type DemoContext } from '../../../kernel/server/demo.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { SECKILL_APPROVAL } from './seckill-approval.server.ts';
import { seckillActivity } from './seckill.contract.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface Spec {
  readonly id: number;
  readonly product_id: number;
  readonly tenant_id: number;
  readonly price: number;
  readonly stock: number;
  readonly name: string;
  readonly cover: string | null;
}

/** One activity: where it stands, its sessions in hours from now, and how much of its first session was claimed. */
interface Story {
  readonly name: string;
  readonly state:
    'draft' | 'reviewing' | 'rejected' | 'scheduled' | 'running' | 'paused' | 'ended' | 'cancelled';
  /** Of the platform over goods of several merchants, else of the merchant of its goods. */
  readonly platform: boolean;
  readonly goods: number;
  readonly sessions: readonly (readonly [from: number, to: number])[];
  readonly percent: number;
  readonly copies: number;
  readonly paid?: number;
  readonly unpaid?: number;
  readonly reason?: string;
}

const STORIES: readonly Story[] = [
  {
    name: '周一抢鲜·粮油秒杀',
    state: 'running',
    platform: true,
    goods: 2,
    sessions: [
      [-2, 6],
      [22, 26],
    ],
    percent: 55,
    copies: 12,
    paid: 7,
    unpaid: 2,
  },
  {
    name: '晚八点整点秒杀',
    state: 'scheduled',
    platform: true,
    goods: 2,
    sessions: [
      [26, 28],
      [50, 52],
    ],
    percent: 60,
    copies: 15,
  },
  {
    name: '会员日限量专场',
    state: 'reviewing',
    platform: false,
    goods: 1,
    sessions: [[20, 22]],
    percent: 50,
    copies: 10,
  },
  {
    name: '周末家清囤货',
    state: 'reviewing',
    platform: true,
    goods: 2,
    sessions: [
      [70, 74],
      [94, 98],
    ],
    percent: 65,
    copies: 8,
  },
  {
    name: '新品尝鲜秒杀',
    state: 'rejected',
    platform: false,
    goods: 1,
    sessions: [[60, 62]],
    percent: 20,
    copies: 20,
    reason: '秒杀价低于成本，请核对价格后重新提交',
  },
  {
    name: '早餐好物草稿',
    state: 'draft',
    platform: false,
    goods: 1,
    sessions: [[90, 92]],
    percent: 70,
    copies: 10,
  },
  {
    name: '生鲜午间场',
    state: 'paused',
    platform: true,
    goods: 1,
    sessions: [[-3, 5]],
    percent: 58,
    copies: 10,
    paid: 3,
    unpaid: 1,
    reason: '供应商到货延迟，先暂停核实',
  },
  {
    name: '上周清仓秒杀',
    state: 'ended',
    platform: false,
    goods: 1,
    sessions: [[-170, -166]],
    percent: 45,
    copies: 9,
    paid: 6,
  },
  {
    name: '节前预热（取消）',
    state: 'cancelled',
    platform: true,
    goods: 1,
    sessions: [[40, 42]],
    percent: 62,
    copies: 10,
    reason: '与总部活动档期重合',
  },
];

const PUBLISHED = new Set(['scheduled', 'running', 'paused', 'ended', 'cancelled']);

/** Seckills of the platform and of merchants in every state, with paid and unpaid orders. */
export const demo = defineDemo({
  key: 'seckill',
  after: ['group-buy'],
  run: async (context) => {
    const left = await run<Spec>(
      context.tx,
      `SELECT s.id, s.product_id, p.tenant_id, s.price, s.stock, p.name, p.logo_ids[1]::text AS cover FROM product_spec s JOIN product p ON p.id = s.product_id
         JOIN business b ON b.id = p.business_id JOIN tenant m ON m.id = p.tenant_id
        WHERE b.type IN (1, 4) AND b.enabled AND p.kind = 'goods' AND p.status = 'published' AND p.recycled_at IS NULL AND s.enabled
          AND p.account_limit = 0 AND m.enabled AND m.state = 'open' AND m.merchant_state = 'operating' AND s.stock >= 60 AND s.price >= 500
          AND NOT EXISTS (SELECT FROM promotion_occupancy o WHERE o.spec_id = s.id) ORDER BY s.price % 11, s.id`,
    );
    for (const story of STORIES) {
      const goods = left.splice(0, story.goods);
      if (goods.length === story.goods) await tellStory(context, story, goods);
    }
  },
});

async function tellStory(context: DemoContext, story: Story, goods: readonly Spec[]): Promise<void> {
  const { tx, platform, insert, tell, now, as, base } = context;
  const author = as('mall1');
  const hour = Math.floor(now.getTime() / HOUR) * HOUR;
  const at = (hours: number) => new Date(hour + hours * HOUR);
  const first = story.sessions[0]![0];
  const made = at(Math.min(first, 0) - 30);
  const submitted = new Date(made.getTime() + 2 * HOUR);
  const decided = new Date(made.getTime() + 5 * HOUR);
  const isPublished = PUBLISHED.has(story.state);
  const wasDecided = isPublished || story.state === 'rejected';
  const projects = await run<{ id: number }>(
    tx,
    `SELECT project_id AS id FROM product_project WHERE product_id = ANY($1::bigint[]) GROUP BY 1 HAVING count(DISTINCT product_id) = $2 ORDER BY 1`,
    [goods.map((spec) => spec.product_id), new Set(goods.map((spec) => spec.product_id)).size],
  );
  if (projects.length === 0) return;
  // Members order by the clock of the database: what is over was on sale while they did.
  const isOver = story.state === 'ended';
  const sessions = isOver ? [[-2, 6] as const] : story.sessions;
  const [id] = await insert('seckill_activity', [
    {
      code: await nextCode(tx, 'SK', made),
      name: story.name,
      tenant_id: story.platform ? base.platformId : goods[0]!.tenant_id,
      cover_id: goods[0]!.cover,
      rules_text: '每人限购以页面为准，下单后请在时限内付款，超时名额自动释放。',
      state: story.state === 'paused' || isOver || story.state === 'cancelled' ? 'running' : story.state,
      state_reason: story.state === 'rejected' ? story.reason! : '',
      submitted_by: story.state === 'draft' ? null : author.staffId,
      submitted_at: story.state === 'draft' ? null : submitted,
      decided_by: null,
      decided_at: wasDecided ? decided : null,
      created_at: made,
      updated_at: made,
      created_by: author.staffId,
      updated_by: author.staffId,
    },
  ]);
  for (const project of projects)
    await run(tx, 'INSERT INTO seckill_project VALUES ($1, $2)', [id, project.id]);
  for (const [index, spec] of goods.entries())
    await insert('seckill_entry', [
      {
        activity_id: id,
        position: index + 1,
        spec_id: spec.id,
        price: priceOf(spec, story),
        reserved: story.copies,
        per_order_limit: 1,
        per_member_limit: 2,
      },
    ]);
  const items: number[] = [];
  for (const [index, [from, to]] of sessions.entries()) {
    const [sessionId] = await insert('seckill_session', [
      { activity_id: id, position: index + 1, starts_at: at(from), ends_at: at(to) },
    ]);
    for (const [n, spec] of goods.entries()) {
      const [itemId] = await insert('seckill_item', [
        {
          activity_id: id,
          session_id: sessionId,
          position: n + 1,
          product_id: spec.product_id,
          spec_id: spec.id,
          base_price: spec.price,
          price: priceOf(spec, story),
          reserved: story.copies,
          remaining: story.copies,
          per_order_limit: 1,
          per_member_limit: 2,
          state: story.state === 'paused' || isOver || story.state === 'cancelled' ? 'running' : story.state,
          starts_at: at(from),
          ends_at: at(to),
          updated_at: made,
        },
      ]);
      items.push(itemId!);
      if (!isPublished) continue;
      await takeFromShelf(tx, spec.id, story.copies, {
        type: 'seckill_item',
        id: String(itemId),
        reason: `活动预留：${story.name}`,
        staffId: author.staffId,
      });
      await insert('promotion_occupancy', [
        {
          spec_id: spec.id,
          period: `[${at(from).toISOString()},${at(to).toISOString()})`,
          kind: 'seckill',
          source_id: id,
          name: story.name,
        },
      ]);
    }
  }
  const entity = { entity: seckillActivity.name, entityId: id! } as const;
  await tell({
    ...entity,
    caller: author,
    action: 'create',
    label: ['新增', 'Added'],
    to: 'draft',
    at: made,
  });
  if (story.state === 'draft') return;
  await tell({
    ...entity,
    caller: author,
    action: 'submit',
    label: ['提交审核', 'Submit'],
    from: 'draft',
    to: 'reviewing',
    at: submitted,
  });
  if (story.state === 'reviewing') {
    await submitApproval(tx, platform, {
      kind: SECKILL_APPROVAL,
      bizId: id!,
      tenantId: author.tenantId,
      title: [`秒杀活动 ${story.name}`, `Seckill ${story.name}`],
      summary: [{ label: ['总份数', 'Copies'], value: [String(story.copies), String(story.copies)] }],
      starterId: author.staffId,
      at: submitted,
    });
    return;
  }
  await tell({
    ...entity,
    action: story.state === 'rejected' ? 'reject' : 'publish',
    label: story.state === 'rejected' ? ['驳回', 'Reject'] : ['通过并发布', 'Publish'],
    from: 'reviewing',
    to: story.state === 'rejected' ? 'rejected' : 'scheduled',
    remark: story.state === 'rejected' ? story.reason! : '',
    at: decided,
  });
  if (story.state === 'rejected') return;
  if (story.paid) await order(context, story, id!, items.slice(0, goods.length), projects[0]!.id);
  if (first < 0)
    await tell({
      ...entity,
      action: 'start',
      label: ['活动开始', 'Started'],
      from: 'scheduled',
      to: 'running',
      at: at(first),
    });
  await finish(context, story, id!, at);
}

const priceOf = (spec: Spec, story: Story): number => Math.floor((spec.price * story.percent) / 1_000) * 10;

/** Members claim items of the first session in turn; times are set to those of the story. */
async function order(
  { tx, platform, now }: DemoContext,
  story: Story,
  activityId: number,
  items: readonly number[],
  projectId: number,
): Promise<void> {
  const count = (story.paid ?? 0) + (story.unpaid ?? 0);
  const members = await run<{ id: number; name: string; phone: string }>(
    tx,
    `SELECT m.id, coalesce(nullif(m.name, ''), m.nickname) AS name, m.phone FROM member m WHERE m.project_id = $1 ORDER BY m.id % 17, m.id LIMIT $2`,
    [projectId, count],
  );
  for (const [n, member] of members.entries()) {
    const claimed = await claimIn(tx, platform, {
      activityId,
      itemId: items[n % items.length]!,
      qty: 1,
      memberId: member.id,
      requestKey: `demo-${n}`,
      receiver: { name: member.name, phone: member.phone, regionId: null, address: '小区自提点' },
      source: 1,
    }).catch(() => undefined);
    if (!claimed) continue;
    const isPaid = n < (story.paid ?? 0);
    const { payment_id: paymentId } = (await runOne<{ payment_id: number }>(
      tx,
      'SELECT payment_id FROM sales_order WHERE id = $1',
      [claimed.orderId],
    ))!;
    if (isPaid) {
      const tradeNo = `DEMOSK${activityId}N${n}`;
      await run(
        tx,
        'INSERT INTO sandbox_trade (trade_no, checkout_code, amount) SELECT $1, checkout_code, amount FROM payment WHERE id = $2',
        [tradeNo, paymentId],
      );
      await settleCheckout(tx, platform, {
        paymentId,
        channel: 1,
        tradeNo,
        paidAt: undefined,
        who: member.name,
      });
    }
    const start = story.sessions[0]![0] * HOUR;
    const ordered = isPaid
      ? new Date(now.getTime() + start + (n + 1) * 3 * MINUTE)
      : new Date(now.getTime() - MINUTE);
    const paid = new Date(ordered.getTime() + MINUTE);
    const until = new Date(ordered.getTime() + 5 * MINUTE);
    await run(
      tx,
      `UPDATE sales_order SET created_at = $2, updated_at = $3, pay_deadline = $4, paid_at = CASE WHEN paid_at IS NOT NULL THEN $3::timestamptz END WHERE id = $1`,
      [claimed.orderId, ordered, paid, until],
    );
    await run(
      tx,
      `UPDATE payment SET created_at = $2, deadline = $4, paid_at = CASE WHEN paid_at IS NOT NULL THEN $3::timestamptz END WHERE id = $1`,
      [paymentId, ordered, paid, until],
    );
    await run(
      tx,
      `UPDATE order_event SET at = CASE WHEN code = 5 THEN $2::timestamptz ELSE $3 END WHERE order_id = $1`,
      [claimed.orderId, ordered, paid],
    );
    await run(
      tx,
      `UPDATE seckill_claim SET created_at = $2, paid_at = CASE WHEN paid_at IS NOT NULL THEN $3::timestamptz END WHERE order_id = $1`,
      [claimed.orderId, ordered, paid],
    );
  }
}

/** The last step of a story, and the clock of what goes on. */
async function finish(
  { tx, tell, now, as }: DemoContext,
  story: Story,
  id: number,
  at: (hours: number) => Date,
): Promise<void> {
  const author = as('mall1');
  const entity = { entity: seckillActivity.name, entityId: id } as const;
  if (story.state === 'paused') {
    const paused = new Date(now.getTime() - 25 * MINUTE);
    await run(
      tx,
      `UPDATE seckill_activity SET state = 'paused', state_reason = $2, paused_at = $3, paused_by = $4, paused_by_platform = true, updated_at = $3 WHERE id = $1`,
      [id, story.reason, paused, author.staffId],
    );
    await tell({
      ...entity,
      caller: author,
      action: 'pause',
      label: ['暂停', 'Pause'],
      from: 'running',
      to: 'paused',
      remark: story.reason!,
      at: paused,
    });
  }
  if (story.state === 'cancelled' || story.state === 'ended') {
    const over = story.state === 'ended' ? at(story.sessions[0]![1]) : new Date(now.getTime() - 8 * HOUR);
    await closeSeckill(tx, id, { reason: story.reason ?? '活动结束归还', staffId: author.staffId });
    await run(
      tx,
      `UPDATE seckill_activity SET state = $2, state_reason = $3, ended_at = $4, updated_at = $4 WHERE id = $1`,
      [id, story.state, story.reason ?? '', over],
    );
    await run(tx, `DELETE FROM promotion_occupancy WHERE kind = 'seckill' AND source_id = $1`, [id]);
    const [from, to] = story.sessions[0]!;
    await run(
      tx,
      `UPDATE seckill_session SET starts_at = $2, ends_at = $3, closed_at = $4 WHERE activity_id = $1`,
      [id, at(from), at(to), over],
    );
    await tell({
      ...entity,
      ...(story.state === 'ended' ? {} : { caller: author }),
      action: story.state === 'ended' ? 'end' : 'cancel',
      label: story.state === 'ended' ? ['活动结束', 'Ended'] : ['取消活动', 'Cancel'],
      from: story.state === 'ended' ? 'running' : 'scheduled',
      to: story.state,
      remark: story.reason ?? '',
      at: over,
    });
    return;
  }
  await planClock(tx, id);
}
