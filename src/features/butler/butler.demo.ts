import { settleButler, unfreeze } from '../../domain/butler/attribution.server.ts';
import { fillBatch, freeRows, payRows } from '../../domain/butler/batch.server.ts';
import { startOfBusinessDay } from '../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../kernel/server/database.ts';
import { defineDemo } from '../../kernel/server/demo.ts';
import { nextCode } from '../../kernel/server/resource/codes.ts';
import { butlerAppraisal, incentivePlan } from './configuration/configuration.contract.ts';
import { incentiveBatch } from './distribution/distribution.contract.ts';
import { butlerReminder } from './remind/remind.contract.ts';

const DAY = 86_400_000;
const LETTERS = 'ABCDEFGHJKMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789';

/** Two versions of the plan, links with visits, the results of the last orders, scores and batches in their states. */
export const demo = defineDemo({
  key: 'butlerResults',
  after: ['housekeepers', 'butlerGoods', 'afterSales'],
  run: async ({ tx, platform, insert, tell, now, as, random, base }) => {
    const author = as('mall1');
    const boss = as('mall2');
    const at = (days: number) => new Date(now.getTime() - days * DAY);
    const plan = async (name: string, made: Date, defaultBp: number) => {
      const [id] = await insert('incentive_plan', [
        {
          name,
          default_bp: defaultBp,
          created_at: made,
          created_by: author.staffId,
          updated_at: made,
          updated_by: author.staffId,
        },
      ]);
      await insert(
        'incentive_plan_tier',
        [
          [1_000_000, 100],
          [3_000_000, 200],
        ].map(([from, bp], position) => ({ plan_id: id, position, from_fen: from, extra_bp: bp })),
      );
      await insert(
        'incentive_plan_step',
        [
          [90, 11_000],
          [80, 10_000],
          [60, 8000],
          [0, 5000],
        ].map(([score, bp], position) => ({ plan_id: id, position, from_score: score, coefficient_bp: bp })),
      );
      await insert(
        'incentive_plan_item',
        (
          [
            ['分享转化', 'conversion', 30],
            ['住户满意度', 'satisfaction', 40],
            ['服务规范', 'manual', 30],
          ] as const
        ).map(([item, source, weight], position) => ({ plan_id: id, position, name: item, source, weight })),
      );
      await tell({
        entity: incentivePlan.name,
        entityId: id!,
        at: made,
        caller: author,
        action: 'create',
        label: incentivePlan.actions!.create.label,
        to: 'draft',
      });
      return id!;
    };
    const first = await plan('管家激励方案 2026', at(160), 300);
    await run(
      tx,
      `UPDATE incentive_plan SET no = 1, state = 'active', effective_from = $2, activated_at = $3, activated_by = $4 WHERE id = $1`,
      [first, at(150), at(152), boss.staffId],
    );
    await tell({
      entity: incentivePlan.name,
      entityId: first,
      at: at(152),
      caller: boss,
      action: 'activate',
      label: incentivePlan.actions!.activate.label,
      from: 'draft',
      to: 'active',
      remark: 'V1',
    });
    await plan('管家激励方案 2027（草案）', at(6), 350);

    const month = (back: number) => {
      const day = new Date(now.getTime() + 8 * 3_600_000);
      return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() - back, 1)).toISOString().slice(0, 7);
    };
    // From the start of last month at the latest: whatever day it is, its batches hold what was free before its end.
    const since = new Date(Math.min(at(39).getTime(), startOfBusinessDay(`${month(1)}-01`).getTime()));
    const orders = await run<{
      id: number;
      memberId: number;
      projectId: number;
      paidAt: Date;
      productId: number;
      name: string;
      butler: number | null;
    }>(
      tx,
      `WITH looks_after AS MATERIALIZED (
         SELECT DISTINCT h.project_id, x.housekeeper_id, x.days FROM housekeeper_house x JOIN house h ON h.id = x.house_id WHERE x.kind = 'main')
       SELECT o.id, o.member_id AS "memberId", o.project_id AS "projectId", o.paid_at AS "paidAt", l.product_id AS "productId", l.product_name AS name,
              (SELECT x.housekeeper_id FROM looks_after x WHERE x.project_id = o.project_id AND x.days @> (o.paid_at AT TIME ZONE 'Asia/Shanghai')::date
                ORDER BY (x.housekeeper_id * 7919 + o.id) % 101, x.housekeeper_id LIMIT 1) AS butler
         FROM sales_order o JOIN LATERAL (SELECT z.product_id, z.product_name FROM order_line z WHERE z.order_id = o.id AND z.product_id IS NOT NULL
                ORDER BY EXISTS (SELECT FROM butler_goods g WHERE g.product_id = z.product_id) DESC, z.line_no LIMIT 1) l ON true
        WHERE o.kind IN ('goods', 'service') AND o.paid_at >= $1 AND o.state <> 'pending_payment' ORDER BY o.paid_at, o.id LIMIT 800`,
      [since],
    );
    const codes = new Set<string>();
    const code = () => {
      let text = '';
      do text = Array.from({ length: 10 }, () => random.pick([...LETTERS])).join('');
      while (codes.has(text));
      codes.add(text);
      return text;
    };
    for (const [index, order] of orders.entries()) {
      if (order.butler === null || index % 5 > 1) continue;
      const shared = new Date(order.paidAt.getTime() - random.int(6, 90) * 3_600_000);
      const [share] = await insert('butler_share', [
        {
          code: code(),
          housekeeper_id: order.butler,
          project_id: order.projectId,
          target_kind: 'product',
          product_id: order.productId,
          target_id: order.productId,
          target_name: order.name,
          channel: random.pick(['link', 'link', 'poster', 'qr']),
          shared_at: shared,
          expires_at: new Date(shared.getTime() + 90 * DAY),
          updated_at: shared,
        },
      ]);
      const until = order.paidAt.getTime();
      const visits = Array.from({ length: random.int(3, 14) }, (_, n) => {
        const when = new Date(shared.getTime() + random.next() * (until - shared.getTime()));
        return { when, key: `demo-anonymous-visitor-${share}-${n}`, member: null as number | null };
      });
      // The buyer came too, most of the time in time.
      visits.push({
        when: new Date(Math.max(shared.getTime(), until - random.int(1, 80) * 3_600_000)),
        key: `demo-member-visitor-${order.memberId}`,
        member: order.memberId,
      });
      for (const visit of visits)
        await run(
          tx,
          `INSERT INTO butler_share_visit (share_id, visitor_key, member_id, at, until, address_key, source, counted)
           VALUES ($1, $2, $3, $4, $4::timestamptz + interval '30 minutes', $5, $6, true) ON CONFLICT DO NOTHING`,
          [
            share,
            visit.key,
            visit.member,
            visit.when,
            `demo-${random.int(1, 60)}`,
            random.pick(['link', 'chat', 'moments']),
          ],
        );
      if (index % 15 === 0)
        await run(
          tx,
          `INSERT INTO butler_share_visit (share_id, visitor_key, at, until, source, counted, reason)
           SELECT $1, 'demo-machine-visitor', $2::timestamptz + n * interval '1 second', $2::timestamptz + n * interval '1 second' + interval '30 minutes', 'link', false, 'bot' FROM generate_series(1, 4) n`,
          [share, shared],
        );
    }
    for (const id of new Set(orders.map((order) => order.id))) await settleButler(tx, platform.settings, id);
    await unfreeze(tx, now);
    await run(
      tx,
      `UPDATE incentive i SET payable_at = o.completed_at + make_interval(days => p.freeze_days) FROM butler_performance p JOIN sales_order o ON o.id = p.order_id
        WHERE p.id = i.performance_id AND i.kind = 'sale' AND i.state = 'payable'`,
    );

    const butlers = await run<{ id: number }>(
      tx,
      'SELECT DISTINCT housekeeper_id AS id FROM butler_performance WHERE housekeeper_id IS NOT NULL ORDER BY 1 LIMIT 12',
    );
    for (const back of [2, 1])
      for (const [index, butler] of butlers.entries()) {
        const total = 58 + ((index * 7 + back * 5) % 41);
        const confirmed = back === 2 || index % 3 !== 0;
        const made = new Date(now.getTime() - (back - 1) * 30 * DAY - 2 * DAY);
        const [id] = await insert('butler_appraisal', [
          {
            housekeeper_id: butler.id,
            month: month(back),
            plan_id: first,
            scores: ['分享转化', '住户满意度', '服务规范'].map((name) => ({
              name,
              score: total.toFixed(2),
              auto: name !== '服务规范',
            })),
            total,
            coefficient_bp: total >= 90 ? 11_000 : total >= 80 ? 10_000 : total >= 60 ? 8000 : 5000,
            state: confirmed ? 'confirmed' : 'scored',
            confirmed_by: confirmed ? boss.staffId : null,
            confirmed_at: confirmed ? made : null,
            created_at: made,
            created_by: author.staffId,
            updated_at: made,
            updated_by: author.staffId,
          },
        ]);
        await tell({
          entity: butlerAppraisal.name,
          entityId: id!,
          at: made,
          caller: author,
          action: 'create',
          label: butlerAppraisal.actions!.create.label,
          to: 'scored',
        });
        if (confirmed)
          await tell({
            entity: butlerAppraisal.name,
            entityId: id!,
            at: made,
            caller: boss,
            action: 'confirm',
            label: butlerAppraisal.actions!.confirm.label,
            from: 'scored',
            to: 'confirmed',
          });
      }
    const proof = await runOne<{ id: string }>(
      tx,
      `SELECT id FROM stored_file WHERE access = 'picture' ORDER BY id LIMIT 1`,
    );
    const batch = async (back: number, centreId: number, state: 'paid' | 'draft' | 'void') => {
      const made = new Date(now.getTime() - (back - 1) * 30 * DAY - DAY);
      const [id] = await insert('incentive_batch', [
        {
          code: await nextCode(tx, 'IB', made),
          month: month(back),
          centre_id: centreId,
          tenant_id: author.tenantId,
          maker_id: author.staffId,
          created_at: made,
          created_by: author.staffId,
          updated_at: made,
          updated_by: author.staffId,
        },
      ]);
      await fillBatch(tx, { id: id!, centreId, month: month(back) });
      const say = (
        action: keyof NonNullable<typeof incentiveBatch.actions>,
        by: typeof author,
        from: string,
        to: string,
      ) =>
        tell({
          entity: incentiveBatch.name,
          entityId: id!,
          at: made,
          caller: by,
          action,
          label: incentiveBatch.actions![action]!.label,
          from,
          to,
        });
      await tell({
        entity: incentiveBatch.name,
        entityId: id!,
        at: made,
        caller: author,
        action: 'create',
        label: incentiveBatch.actions!.create.label,
        to: 'draft',
      });
      if (state === 'void') {
        await freeRows(tx, id!);
        await run(
          tx,
          `UPDATE incentive_batch SET state = 'void', void_reason = '明细有误，重新制单' WHERE id = $1`,
          [id],
        );
        await say('void', author, 'draft', 'void');
      } else if (state === 'paid' && proof) {
        await payRows(tx, id!);
        await run(
          tx,
          `UPDATE incentive_batch SET state = 'paid', payer_id = $2, paid_on = $3, proof_id = $4 WHERE id = $1`,
          [id, boss.staffId, made.toISOString().slice(0, 10), proof.id],
        );
        await say('submit', author, 'draft', 'in_review');
        await say('approve', boss, 'in_review', 'approved');
        await say('pay', boss, 'approved', 'paid');
      }
    };
    for (const [index, centre] of base.centres.entries()) {
      if (index === 0) await batch(1, centre.id, 'void');
      await batch(1, centre.id, index === 0 ? 'draft' : 'paid');
    }

    const goods = await run<{ id: number; productId: number; name: string; projects: number[] }>(
      tx,
      `SELECT g.id, g.product_id AS "productId", p.name, ARRAY(SELECT x.project_id FROM butler_goods_project x WHERE x.goods_id = g.id ORDER BY 1) AS projects
         FROM butler_goods g JOIN product p ON p.id = g.product_id WHERE g.enabled AND p.status = 'published' ORDER BY g.id LIMIT 6`,
    );
    const remind = async (
      title: string,
      body: string,
      days: number,
      state: 'draft' | 'scheduled' | 'sent' | 'withdrawn',
      chosen: typeof goods,
      kind: 'share_goods' | 'fee' | 'activity' | 'notice' = 'share_goods',
    ) => {
      const made = at(days);
      const isOut = state === 'sent' || state === 'withdrawn';
      const projects = chosen[0]?.projects ?? base.projects.map((one) => one.id);
      const [id] = await insert('butler_reminder', [
        {
          kind,
          title,
          body,
          state,
          send_at: state === 'scheduled' ? at(-2) : null,
          sent_at: isOut ? made : null,
          withdraw_reason: state === 'withdrawn' ? '价格有误，更正后重新发送' : '',
          created_at: made,
          created_by: author.staffId,
          updated_at: made,
          updated_by: author.staffId,
        },
      ]);
      await run(
        tx,
        'INSERT INTO butler_reminder_project (reminder_id, project_id) SELECT $1, unnest($2::bigint[])',
        [id, projects],
      );
      for (const one of chosen)
        await run(tx, 'INSERT INTO butler_reminder_goods (reminder_id, goods_id) VALUES ($1, $2)', [
          id,
          one.id,
        ]);
      const { actions } = butlerReminder;
      const said = { entity: butlerReminder.name, entityId: id!, caller: author };
      await tell({ ...said, at: made, action: 'create', label: actions!.create.label, to: 'draft' });
      if (state === 'scheduled')
        await tell({
          ...said,
          at: made,
          action: 'schedule',
          label: actions!.schedule.label,
          from: 'draft',
          to: state,
        });
      if (!isOut) return;
      await tell({
        ...said,
        at: made,
        action: 'send',
        label: actions!.send.label,
        from: 'draft',
        to: 'sent',
      });
      if (state === 'withdrawn')
        await tell({
          ...said,
          at: new Date(made.getTime() + 3_600_000),
          action: 'withdraw',
          label: actions!.withdraw.label,
          from: 'sent',
          to: state,
        });
      const reached = await run<{ id: number }>(
        tx,
        `INSERT INTO butler_reminder_recipient (reminder_id, housekeeper_id, project_ids, delivered_at, read_at)
         SELECT $1, x.id, x.projects, $3::timestamptz, CASE WHEN x.id % 4 <> 0 THEN $3::timestamptz + make_interval(mins => (x.id * 17 % 600)::int) END
           FROM (SELECT a.housekeeper_id AS id, array_agg(DISTINCT a.project_id ORDER BY a.project_id) AS projects FROM housekeeper_building a
                  WHERE a.kind = 'main' AND a.project_id = ANY($2::bigint[]) AND a.valid_from <= ($3::timestamptz)::date GROUP BY 1) x ORDER BY x.id RETURNING id`,
        [id, projects, made],
      );
      for (const recipient of reached)
        await run(
          tx,
          `INSERT INTO butler_reminder_item (recipient_id, reminder_id, housekeeper_id, product_id, sent_at)
           SELECT r.id, r.reminder_id, r.housekeeper_id, p.id, $3 FROM butler_reminder_recipient r LEFT JOIN unnest($2::bigint[]) p (id) ON true WHERE r.id = $1 ORDER BY p.id`,
          [recipient.id, chosen.map((one) => one.productId), made],
        );
      // What these butlers shared of the goods in the days after was shared for it.
      await run(
        tx,
        `UPDATE butler_share s SET reminder_id = $1 FROM butler_reminder_item i
          WHERE i.reminder_id = $1 AND s.housekeeper_id = i.housekeeper_id AND s.product_id = i.product_id AND s.reminder_id IS NULL
            AND s.shared_at >= $2::timestamptz AND s.shared_at < $2::timestamptz + interval '40 days'`,
        [id, made],
      );
    };
    await remind(
      '本周好物，邻里专享',
      '请把下列商品分享给您管辖的住户，附上配送时间说明。',
      40,
      'sent',
      goods.slice(0, 3),
    );
    await remind('物业费催缴协助', '请联系本楼栋尚未缴费的住户，协助线上缴费。', 12, 'sent', [], 'fee');
    await remind(
      '周末亲子活动邀约',
      '周六上午中心花园亲子活动，请邀请有孩子的家庭。',
      5,
      'withdrawn',
      [],
      'activity',
    );
    await remind('冬季家清上新', '新品到货，分享可得激励。', 1, 'scheduled', goods.slice(2, 4));
    await remind('年货预告', '年货节商品清单，等待确认。', 0, 'draft', goods.slice(0, 1));
    // The same rows for the same moment: nothing says when they were written.
    await run(tx, 'UPDATE butler_performance SET updated_at = paid_at');
    await run(
      tx,
      `UPDATE incentive i SET updated_at = coalesce(i.payable_at, i.created_at) WHERE i.batch_id IS NULL`,
    );
    await run(
      tx,
      `UPDATE incentive i SET created_at = CASE WHEN i.performance_id IS NULL THEN b.created_at ELSE i.created_at END,
              payable_at = CASE WHEN i.performance_id IS NULL THEN b.created_at ELSE i.payable_at END, updated_at = b.updated_at
         FROM incentive_batch b WHERE b.id = i.batch_id`,
    );
  },
});
