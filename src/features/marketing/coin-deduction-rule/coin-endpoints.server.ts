import { z } from 'zod';
import { saidTwice } from '../../../domain/coupon/said-twice.rules.ts';
import {
  leastOf,
  stepProblem,
  trialOf,
  type CoinTerms,
  type OfferedRule,
} from '../../../domain/coin-deduction/coin-deduction.rules.ts';
import { classesAboveSql, scopedProducts } from '../../../domain/order-rule/order-lines.server.ts';
import type { ScopedLine } from '../../../domain/order-rule/order-scope.rules.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { spendablePoints } from '../../../domain/points-ledger/points-ledger.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, transaction, type Executor } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { endpoint, type Endpoint } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import { createExportTask } from '../../../kernel/server/tasks/task-centre.ts';
import { orderByCode, overlapsOf } from '../order-rule/order-rule.server.ts';
import {
  COIN_MENU,
  coinRule,
  type CoinDays,
  type CoinStep,
  type CoinTrial,
} from './coin-deduction-rule.contract.ts';

const ROOT = `/jinmao/web/${coinRule.name}/:id`;
/** Days the chart and the replay look back. */
export const DAYS = 30;

const basket = z.strictObject({
  order: z.string().min(1).max(64).optional(),
  project: z.coerce.number().int().positive().optional(),
  coins: z.number().int().min(0).max(1_000_000_000).optional(),
  lines: z
    .array(
      z.strictObject({
        product: z.coerce.number().int().positive(),
        paid: z.string().regex(/^\d{1,8}(\.\d{1,2})?$/),
      }),
    )
    .max(50)
    .optional(),
});

interface Cart {
  readonly code: string | null;
  readonly projectId: number;
  readonly coins: number;
  readonly lines: readonly (ScopedLine & { readonly left: number })[];
}

/** Overlaps, step, days and simulation of a rule. */
export function coinEndpoints(bound: () => BoundResource): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: `${ROOT}/overlaps`,
      title: ['范围重叠的规则', 'Rules that overlap'],
      access: { code: COIN_MENU },
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound().find(call, id);
        return overlapsOf(call.platform.database.db, 'coin_deduction', id, call.caller);
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/step`,
      title: ['步长检查', 'What one step is worth'],
      access: { code: COIN_MENU },
      handle: async (call): Promise<CoinStep> => {
        const id = idOf(call.params.id);
        await bound().find(call, id);
        const { terms } = (await ruleNow(call.platform.database.db, id))!;
        const { step, most, needs } = stepProblem(terms);
        return {
          step: yuanFromFen(step),
          most: most === null ? null : yuanFromFen(most),
          needs: yuanFromFen(needs),
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/days`,
      title: ['每日抵扣', 'Deducted by day'],
      access: { code: COIN_MENU },
      handle: async (call): Promise<CoinDays> => {
        const id = idOf(call.params.id);
        await bound().find(call, id);
        const today = businessDayOf(new Date());
        const rows = await run<{ day: string; amount: number; back: number }>(
          call.platform.database.db,
          `SELECT used_on::text AS day, sum(amount)::float8 / 100 AS amount, sum(amount_back)::float8 / 100 AS back FROM coin_deduction_use
            WHERE rule_id = $1 AND used_on > $2::date AND state IN ('captured', 'returned') AND ($3::bigint[] IS NULL OR project_id = ANY($3::bigint[])) GROUP BY 1`,
          [id, addDays(today, -DAYS), call.caller.projectIds],
        );
        const known = new Map(rows.map((row) => [row.day, row]));
        return {
          days: Array.from({ length: DAYS }, (_, index) => {
            const day = addDays(today, index - DAYS + 1);
            return known.get(day) ?? { day, amount: 0, back: 0 };
          }),
        };
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/simulate`,
      title: ['代币抵扣试算', 'Try a coin-deduction rule'],
      access: { code: `${COIN_MENU}:btn_simulate` },
      body: basket,
      handle: async (call): Promise<CoinTrial> => {
        const id = idOf(call.params.id);
        await bound().find(call, id);
        const { db } = call.platform.database;
        const cart = call.body.order
          ? await cartOfOrder(db, await orderByCode(db, call.body.order, call.caller), call.body.coins)
          : await cartOfBasket(db, call.body);
        requireProjectsInReach(call.caller, [cart.projectId]);
        const rules = await rulesFor(db, id, cart.projectId);
        const chosen = trialOf(rules, cart).step?.sourceId;
        const names = await scopedProducts(
          db,
          cart.lines.map((line) => line.productId),
        );
        const results = rules.map((rule) => {
          const { step } = trialOf([rule], cart);
          return {
            code: rule.code,
            name: rule.name,
            version: rule.no,
            own: rule.ruleId === id,
            used: String(rule.ruleId) === chosen,
            coins: step?.units ?? 0,
            amount: yuanFromFen(step?.amount ?? 0),
            explain: saidTwice(
              step ? (String(rule.ruleId) === chosen ? step.formula : lost(step.formula)) : NOTHING,
            ),
            lines: (step?.lines ?? []).map((line) => ({
              product: names.get(cart.lines[line.lineNo - 1]!.productId)?.name ?? '',
              left: yuanFromFen(line.base),
              amount: yuanFromFen(line.amount),
              coins: line.units,
            })),
          };
        });
        return {
          order: cart.code,
          coins: cart.coins,
          results: results.sort(
            (a, b) => Number(b.used) - Number(a.used) || b.coins - a.coins || a.code.localeCompare(b.code),
          ),
        };
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/replay`,
      title: ['近30天回放', 'Replay of 30 days'],
      access: { code: `${COIN_MENU}:btn_simulate` },
      body: z.strictObject({}),
      handle: async (call) => {
        const id = idOf(call.params.id);
        const row = await bound().find(call, id);
        return transaction(call.platform.database.db, async (tx) => {
          const taskId = await createExportTask(tx, call.caller, {
            source: 'coinDeductionReplay',
            menu: COIN_MENU,
            name: [`代币抵扣回放${String(row.code)}`, `Coin-deduction replay ${String(row.code)}`],
            query: { rule: String(id) },
            language: call.facts.language,
            element: 'btn_simulate',
          });
          await writeAudit(tx, {
            caller: call.caller,
            facts: call.facts,
            menu: COIN_MENU,
            action: 'replay',
            entity: coinRule.name,
            entityId: id,
            after: { taskId },
          });
          return { taskId };
        });
      },
    }),
  ];
}

const NOTHING: Label = [
  '不可抵扣：范围、最低金额、上限或代币不足一个步长',
  'Takes nothing off: scope, least order, caps, or fewer coins than one step',
];
const lost = ([zh, en]: Label): Label => [
  `${zh}；未采用：另一规则更优`,
  `${en}; not used: another rule is better`,
];

/** SQL: lines of an order `o` with what they were worth before coins. */
export const LINES = `(SELECT jsonb_agg(jsonb_build_object('productId', l.product_id, 'merchantId', o.tenant_id, 'businessId', p.business_id, 'classIds', to_jsonb(${classesAboveSql('l.product_id')}),
                    'left', l.goods - coalesce((SELECT sum(s.amount) FROM order_share s WHERE s.line_id = l.id AND s.step IN (20, 30, 40)), 0)) ORDER BY l.line_no)
               FROM order_line l JOIN product p ON p.id = l.product_id WHERE l.order_id = o.id)`;

/** A paid order with what its lines were worth before coins, and the coins its member has, those it used included. */
async function cartOfOrder(db: Executor, orderId: number, coins: number | undefined): Promise<Cart> {
  const order = (await runOne<{
    code: string;
    projectId: number;
    memberId: number;
    used: number;
    lines: Cart['lines'];
  }>(
    db,
    `SELECT o.code, o.project_id AS "projectId", o.member_id AS "memberId",
            coalesce((SELECT u.coins - u.coins_back FROM coin_deduction_use u WHERE u.order_id = o.id), 0) AS used,
            ${LINES} AS lines
       FROM sales_order o WHERE o.id = $1`,
    [orderId],
  ))!;
  return {
    ...order,
    coins: coins ?? (await spendablePoints(db, order.memberId, 'coin')) + order.used,
  };
}

async function cartOfBasket(db: Executor, body: z.infer<typeof basket>): Promise<Cart> {
  if (!body.project) throw invalid({ project: ['请选择项目', 'Please choose a project'] });
  if (!body.lines?.length) throw invalid({ lines: ['请添加商品', 'Please add goods'] });
  const products = await scopedProducts(
    db,
    body.lines.map((line) => line.product),
  );
  return {
    code: null,
    projectId: body.project,
    coins: body.coins ?? 0,
    lines: body.lines.map((line) => {
      const product = products.get(line.product);
      if (!product) throw invalid({ lines: ['没有此商品', 'There is no such product'] });
      return { ...product, left: fenFromYuan(line.paid)! };
    }),
  };
}

type NamedRule = OfferedRule & { readonly code: string; readonly no: number };

/** Enabled rules of today in a project and the rule itself as it stands, with what their budgets leave. */
async function rulesFor(db: Executor, id: number, projectId: number): Promise<NamedRule[]> {
  const rows = await run<Omit<NamedRule, 'capsLeft'> & { terms: CoinTerms; booked: number }>(
    db,
    `SELECT t.id AS "ruleId", t.code, t.name, t.booked, coalesce((SELECT max(v.no) FROM coin_deduction_version v WHERE v.rule_id = t.id), 0) AS no, coin_deduction_terms(t) AS terms
       FROM coin_deduction_rule t
      WHERE t.id = $1 OR t.state = 'enabled' AND (now() AT TIME ZONE 'Asia/Shanghai')::date BETWEEN t.starts_on AND t.ends_on
        AND EXISTS (SELECT FROM coin_deduction_project p WHERE p.rule_id = t.id AND p.project_id = $2) ORDER BY t.id`,
    [id, projectId],
  );
  return rows.map(({ booked, ...row }) => ({
    ...row,
    capsLeft: leastOf(
      row.terms.budget === null ? null : row.terms.budget - booked,
      row.terms.capDay,
      row.terms.capMonth,
    ),
  }));
}

/** A rule as it stands now. */
export const ruleNow = (db: Executor, id: number) =>
  runOne<{ name: string; terms: CoinTerms }>(
    db,
    'SELECT t.name, coin_deduction_terms(t) AS terms FROM coin_deduction_rule t WHERE t.id = $1',
    [id],
  );
