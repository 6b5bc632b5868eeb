import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { couponPush } from './coupon-push.contract.ts';
import { needOf } from './push-audience.server.ts';

const DAY = 86_400_000;

interface Task {
  readonly name: string;
  readonly reason: string;
  readonly state: 'draft' | 'scheduled' | 'done' | 'part_failed' | 'cancelled';
  readonly daysAgo: number;
  /** Members by their place in the list, none: nobody yet. */
  readonly people: number;
  readonly failed?: number;
}

const TASKS: readonly Task[] = [
  { name: '新入住业主见面礼', reason: '11 月新交付楼栋欢迎', state: 'draft', daysAgo: 0, people: 0 },
  { name: '感恩节会员回馈', reason: '节日活动', state: 'scheduled', daysAgo: 1, people: 18 },
  { name: '停水补偿券', reason: '二次供水检修停水补偿', state: 'done', daysAgo: 6, people: 9 },
  { name: '快递延误安抚', reason: '双十一配送延误', state: 'part_failed', daysAgo: 9, people: 8, failed: 2 },
  { name: '沉睡会员唤醒', reason: '90 天未下单会员', state: 'cancelled', daysAgo: 15, people: 0 },
];

/** Tasks in their states, with what each member got. */
export const demo = defineDemo({
  key: 'couponPushes',
  after: ['coupons'],
  run: async ({ tx, insert, tell, now, as }) => {
    const author = as('mall1');
    const at = (days: number) => new Date(now.getTime() - days * DAY);
    const [coupon] = await run<{ id: number; tenant_id: number; ends_at: Date }>(
      tx,
      `SELECT id, tenant_id, ends_at FROM coupon WHERE name = '新邻居见面礼' ORDER BY id LIMIT 1`,
    );
    const projects = await run<{ id: number }>(tx, 'SELECT id FROM project ORDER BY id LIMIT 2');
    const members = await run<{ id: number }>(
      tx,
      `SELECT id FROM member m WHERE NOT EXISTS (SELECT FROM member_coupon c WHERE c.member_id = m.id AND c.coupon_id = $1) ORDER BY id LIMIT 60`,
      [coupon!.id],
    );
    let used = 0;
    for (const [index, task] of TASKS.entries()) {
      const made = at(task.daysAgo + 0.2);
      const sent = new Date(made.getTime() + 2 * 3_600_000);
      const given = task.state === 'done' || task.state === 'part_failed';
      const people = members.slice(used, used + task.people);
      used += task.people;
      const [id] = await insert('coupon_push', [
        {
          code: `CTD${String(index + 1).padStart(5, '0')}`,
          name: task.name,
          coupon_id: coupon!.id,
          tenant_id: coupon!.tenant_id,
          audience: 'projects',
          project_ids: projects.map((one) => one.id),
          reason: task.reason,
          people: people.length,
          send_at: task.state === 'scheduled' ? new Date(now.getTime() + 3 * DAY) : null,
          state: task.state,
          finished_at: given ? sent : null,
          created_at: made,
          created_by: author.staffId,
          updated_at: given ? sent : made,
          updated_by: author.staffId,
        },
      ]);
      const lucky = given ? people.slice(task.failed ?? 0) : [];
      const coupons = await insert(
        'member_coupon',
        lucky.map((member, n) => ({
          code: `97${String(index).padStart(2, '0')}${String(n).padStart(8, '0')}`,
          coupon_id: coupon!.id,
          member_id: member.id,
          claim_seq: 1,
          ends_at: coupon!.ends_at,
          claimed_at: sent,
        })),
      );
      if (lucky.length > 0)
        await run(tx, 'UPDATE coupon SET claimed = claimed + $2 WHERE id = $1', [coupon!.id, lucky.length]);
      await insert(
        'coupon_push_item',
        people.map((member, n) => {
          const place = n - (task.failed ?? 0);
          const state = !given ? 'pending' : place < 0 ? 'failed' : 'success';
          return {
            push_id: id,
            member_id: member.id,
            n: 1,
            state,
            reason_zh: state === 'failed' ? '达到上限' : '',
            reason_en: state === 'failed' ? 'Limit reached' : '',
            member_coupon_id: state === 'success' ? coupons[place] : null,
            done_at: given ? sent : null,
          };
        }),
      );
      const told = { entity: 'couponPush', entityId: id! };
      if (task.state === 'draft')
        await run(tx, 'UPDATE coupon_push SET people = $2 WHERE id = $1', [
          id,
          (await needOf(tx, id!)).people,
        ]);
      const { create, send, cancel, finish } = couponPush.actions!;
      await tell({ ...told, caller: author, action: 'create', label: create.label, to: 'draft', at: made });
      if (task.state === 'draft') continue;
      const ended = task.state === 'cancelled';
      await tell({
        ...told,
        caller: author,
        action: ended ? 'cancel' : 'send',
        label: ended ? cancel.label : send.label,
        from: 'draft',
        to: ended ? 'cancelled' : 'scheduled',
        at: new Date(made.getTime() + 3_600_000),
      });
      if (given)
        await tell({
          ...told,
          caller: undefined,
          action: 'finish',
          label: finish.label,
          from: 'sending',
          to: task.state,
          at: sent,
        });
    }
  },
});
