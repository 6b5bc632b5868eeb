import { settleReturn } from '../../../domain/points-return/points-return.server.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { returnRule } from './points-return-rule.contract.ts';

const DAY = 86_400_000;
/** Orders of how many days earn in the demonstration. */
const EARNING_DAYS = 45;
/** Orders that earn at most. */
const ORDERS = 150;

/** Rules in every state, with what the orders of the last weeks earned by them. */
export const demo = defineDemo({
  key: 'pointsReturnRules',
  after: ['pointsRules', 'merchants', 'pointsAccounts'],
  run: async ({ tx, insert, tell, now, as, platform }) => {
    const author = as('finance1');
    const projects = await run<{ id: number }>(
      tx,
      `SELECT project_id AS id FROM sales_order WHERE paid_at IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 4`,
    );
    const [budget] = await run<{ id: number }>(tx, 'SELECT id FROM points_budget ORDER BY code LIMIT 1');
    const grades = await run<{ id: number }>(tx, 'SELECT id FROM grade ORDER BY threshold DESC LIMIT 2');
    const classes = await run<{ id: number; name: string }>(
      tx,
      `SELECT m.class_id AS id, c.name FROM order_line l JOIN product_class_member m ON m.product_id = l.product_id JOIN product_class c ON c.id = m.class_id
        GROUP BY 1, 2 ORDER BY count(*) DESC, 1 LIMIT 1`,
    );
    const [merchant] = await run<{ id: number }>(
      tx,
      'SELECT tenant_id AS id FROM sales_order WHERE paid_at IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1',
    );
    if (projects.length === 0 || !budget || !merchant) return;
    const day = (offset: number) => businessDayOf(new Date(now.getTime() + offset * DAY));
    const rules = [
      {
        name: '商城购物返积分',
        asset: 'points',
        give: 5,
        per: 1_000,
        cap_day: 500,
        cap_month: 3_000,
        priority: 100,
        starts_on: day(-60),
        ends_on: day(240),
        state: 'enabled',
        grades: grades.map((grade, index) => [grade.id, index === 0 ? '2.0' : '1.5'] as const),
      },
      {
        name: `${classes[0]?.name ?? '精选'}双倍返积分`,
        asset: 'points',
        give: 10,
        per: 1_000,
        min_paid: 3_000,
        cap_order: 200,
        priority: 200,
        starts_on: day(-40),
        ends_on: day(50),
        state: 'enabled',
        classes,
      },
      {
        name: '新店开业返代币',
        asset: 'coin',
        give: 20,
        per: 1_000,
        cap_total: 50_000,
        grant_at: 'payment',
        valid_days: 90,
        priority: 150,
        starts_on: day(-30),
        ends_on: day(30),
        state: 'enabled',
        merchants: [merchant],
      },
      {
        name: '年货节返积分',
        asset: 'points',
        give: 8,
        per: 1_000,
        cap_total: 200_000,
        grant_at: 'completion',
        priority: 300,
        starts_on: day(25),
        ends_on: day(60),
        state: 'draft',
      },
      {
        name: '国庆满额返积分',
        asset: 'points',
        give: 50,
        per: 10_000,
        min_paid: 10_000,
        priority: 120,
        starts_on: day(-60),
        ends_on: day(-46),
        stop_reason: '活动预算用完，提前结束',
        state: 'stopped',
      },
    ] as const;
    for (const [index, one] of rules.entries()) {
      const {
        grades: multipliers,
        classes: only,
        merchants,
        ...rule
      } = {
        grades: [] as readonly (readonly [number, string])[],
        classes: [] as readonly { id: number }[],
        merchants: [] as readonly { id: number }[],
        ...one,
      };
      const made = new Date(now.getTime() - (61 - index) * DAY);
      const [id] = await insert('points_return_rule', [
        {
          ...rule,
          budget_id: rule.asset === 'points' ? budget.id : null,
          created_at: made,
          created_by: author.staffId,
          updated_at: made,
          updated_by: author.staffId,
        },
      ]);
      const link = (table: string, ids: readonly { readonly id: number }[]) =>
        run(tx, `INSERT INTO points_return_${table} SELECT $1, unnest($2::bigint[])`, [
          id,
          ids.map((row) => row.id),
        ]);
      await link('project', projects);
      await link('class', only);
      await link('merchant', merchants);
      for (const [position, [grade, multiplier]] of multipliers.entries())
        await insert('points_return_grade', [{ rule_id: id, position, grade_id: grade, multiplier }]);
      const told = { entity: returnRule.name, entityId: id!, caller: author };
      await tell({ ...told, action: 'create', label: returnRule.actions!.create.label, at: made });
      if (rule.state === 'draft') continue;
      const enabled = new Date(made.getTime() + 3_600_000);
      await tell({
        ...told,
        action: 'enable',
        label: returnRule.actions!.enable.label,
        from: 'draft',
        to: 'enabled',
        at: enabled,
      });
      await run(
        tx,
        `INSERT INTO points_return_version (rule_id, no, terms, made_at, made_by)
         SELECT t.id, 1, points_return_terms(t), $2, $3 FROM points_return_rule t WHERE t.id = $1`,
        [id, enabled, author.staffId],
      );
      if (rule.state === 'stopped')
        await tell({
          ...told,
          action: 'stop',
          label: returnRule.actions!.stop.label,
          from: 'enabled',
          to: 'stopped',
          remark: '活动预算用完，提前结束',
          at: new Date(now.getTime() - 46 * DAY),
        });
    }
    const orders = await run<{ id: number }>(
      tx,
      `SELECT o.id FROM sales_order o WHERE o.kind IN ('goods', 'service') AND o.project_id = ANY($1::bigint[]) AND o.paid_at >= $2 AND o.state <> 'closed'
        ORDER BY o.paid_at DESC, o.id DESC LIMIT ${ORDERS}`,
      [projects.map((one) => one.id), new Date(now.getTime() - EARNING_DAYS * DAY)],
    );
    for (const order of orders.reverse()) {
      await run(
        tx,
        `INSERT INTO points_return_noted (order_id, rule_id, no)
         SELECT o.id, t.id, 1 FROM sales_order o JOIN points_return_rule t ON t.state = 'enabled' AND (o.created_at AT TIME ZONE 'Asia/Shanghai')::date BETWEEN t.starts_on AND t.ends_on
           JOIN points_return_project p ON p.rule_id = t.id AND p.project_id = o.project_id WHERE o.id = $1`,
        [order.id],
      );
      await settleReturn(tx, platform.settings, order.id);
    }
  },
});
