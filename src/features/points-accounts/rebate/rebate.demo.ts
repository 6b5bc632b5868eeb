import { settleRebate } from '../../../domain/rebate/rebate.server.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { rebateRule } from './rebate.contract.ts';

const DAY = 86_400_000;
/** Payments of how many days earn in the demonstration. */
const EARNING_DAYS = 75;

/** Rules in every state, with what the payments of the last weeks earned by them. */
export const demo = defineDemo({
  key: 'paymentRebates',
  after: ['charging', 'pointsRules'],
  run: async ({ tx, insert, tell, now, as, platform }) => {
    const author = as('finance1');
    const items = await run<{ id: number; kind: string }>(
      tx,
      'SELECT DISTINCT i.id, i.kind, i.position FROM fee_item i JOIN bill b ON b.fee_item_id = i.id ORDER BY i.id',
    );
    const projects = await run<{ id: number }>(tx, 'SELECT DISTINCT project_id AS id FROM bill ORDER BY 1');
    if (items.length === 0 || projects.length === 0) return;
    const day = (offset: number) => businessDayOf(new Date(now.getTime() + offset * DAY));
    const common = { receiver: 'payer', basis: 'amount', final_days: 7, created_by: author.staffId };
    const rules = [
      {
        name: '物业费按时缴返积分',
        per_yuan: 100,
        give_points: 50,
        cap_house_year: 3_000,
        priority: 10,
        starts_on: day(-EARNING_DAYS),
        ends_on: day(200),
        state: 'enabled',
        items: items.filter((one) => one.kind === 'management'),
      },
      {
        name: '车位费阶梯返利',
        per_yuan: 100,
        tiers: [
          [0, 10],
          [1_000, 20],
          [3_000, 30],
        ],
        priority: 20,
        starts_on: day(-40),
        ends_on: day(120),
        state: 'enabled',
        items: items.filter((one) => one.kind === 'parking'),
      },
      {
        name: '预缴半年返利',
        basis: 'months',
        month_points: 40,
        min_months: 6,
        priority: 5,
        starts_on: day(20),
        ends_on: day(110),
        state: 'draft',
        items: items.filter((one) => one.kind === 'management'),
      },
      {
        name: '春节缴费返利',
        per_yuan: 200,
        give_points: 100,
        cap_total: 20_000,
        priority: 15,
        starts_on: day(-290),
        ends_on: day(-250),
        state: 'stopped',
        items,
      },
    ];
    for (const [index, { items: held, tiers, ...rule }] of rules.entries()) {
      if (held.length === 0) continue;
      const made = new Date(now.getTime() - (EARNING_DAYS + 5 - index) * DAY);
      const [id] = await insert('payment_rebate_rule', [
        { ...common, ...rule, created_at: made, updated_at: made, updated_by: author.staffId },
      ]);
      await run(tx, 'INSERT INTO payment_rebate_project SELECT $1, unnest($2::bigint[])', [
        id,
        projects.map((one) => one.id),
      ]);
      await run(tx, 'INSERT INTO payment_rebate_item SELECT $1, unnest($2::bigint[])', [
        id,
        held.map((one) => one.id),
      ]);
      for (const [place, [from, points]] of (tiers ?? []).entries())
        await insert('payment_rebate_tier', [
          { rule_id: id, position: place, from_yuan: from!, points: points! },
        ]);
      await tell({
        entity: rebateRule.name,
        entityId: id!,
        caller: author,
        action: 'create',
        label: rebateRule.actions!.create.label,
        at: made,
      });
      if (rule.state === 'draft') continue;
      const enabled = new Date(made.getTime() + 3_600_000);
      await tell({
        entity: rebateRule.name,
        entityId: id!,
        caller: author,
        action: 'enable',
        label: rebateRule.actions!.enable.label,
        from: 'draft',
        to: 'enabled',
        at: enabled,
      });
      await run(
        tx,
        `INSERT INTO payment_rebate_version (rule_id, no, terms, project_ids, item_ids, made_at, made_by)
         SELECT t.id, 1, payment_rebate_terms(t), $2::bigint[], $3::bigint[], $4, $5 FROM payment_rebate_rule t WHERE t.id = $1`,
        [id, projects.map((one) => one.id), held.map((one) => one.id), enabled, author.staffId],
      );
      if (rule.state === 'stopped') {
        await tell({
          entity: rebateRule.name,
          entityId: id!,
          caller: author,
          action: 'stop',
          label: rebateRule.actions!.stop.label,
          from: 'enabled',
          to: 'stopped',
          at: new Date(now.getTime() - 40 * DAY),
        });
        continue;
      }
      await run(
        tx,
        `INSERT INTO payment_rebate_place (rule_id, project_id, fee_item_id, priority, period)
         SELECT t.id, p.project_id, i.fee_item_id, t.priority, daterange(t.starts_on, t.ends_on, '[]')
           FROM payment_rebate_rule t JOIN payment_rebate_project p ON p.rule_id = t.id JOIN payment_rebate_item i ON i.rule_id = t.id WHERE t.id = $1`,
        [id],
      );
      const payments = await run<{ id: number }>(
        tx,
        `SELECT DISTINCT p.id FROM bill_payment p JOIN bill_allocation a ON a.payment_id = p.id JOIN bill b ON b.id = a.bill_id
          WHERE b.fee_item_id = ANY($1::bigint[]) AND p.value_date BETWEEN $2 AND $3
            AND NOT EXISTS (SELECT FROM payment_rebate_grant g WHERE g.payment_id = p.id) ORDER BY p.id`,
        [held.map((one) => one.id), rule.starts_on, day(0)],
      );
      for (const payment of payments) await settleRebate(tx, platform, payment.id, [{ ruleId: id!, no: 1 }]);
    }
  },
});
