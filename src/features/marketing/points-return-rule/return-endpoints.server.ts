import { z } from 'zod';
import { saidTwice } from '../../../domain/coupon/said-twice.rules.ts';
import { scopedProducts } from '../../../domain/order-rule/order-lines.server.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import {
  explainReturn,
  returnOrder,
  ruleCodes,
  seeRoom,
} from '../../../domain/points-return/points-return.server.ts';
import {
  returnsOf,
  splitReturn,
  type PaidLine,
  type ReturnRule,
} from '../../../domain/points-return/points-return.rules.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, transaction, type Executor } from '../../../kernel/server/database.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { endpoint, type Endpoint } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import { createExportTask } from '../../../kernel/server/tasks/task-centre.ts';
import { orderByCode, overlapsOf } from '../order-rule/order-rule.server.ts';
import { RETURN_MENU, returnRule, type ReturnDays, type ReturnTrial } from './points-return-rule.contract.ts';

const ROOT = `/jinmao/web/${returnRule.name}/:id`;
const SIMULATE = `${RETURN_MENU}:btn_simulate`;
/** Days the chart and the replay look back. */
export const DAYS = 30;

const basket = z.strictObject({
  order: z.string().min(1).max(64).optional(),
  project: z.coerce.number().int().positive().optional(),
  grade: z.coerce.number().int().positive().optional(),
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

/** Overlaps, days, simulation and replay of a rule. */
export function returnEndpoints(bound: () => BoundResource): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: `${ROOT}/overlaps`,
      title: ['范围重叠的规则', 'Rules that overlap'],
      access: { code: RETURN_MENU },
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound().find(call, id);
        return overlapsOf(call.platform.database.db, 'points_return', id, call.caller);
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/days`,
      title: ['每日返还', 'Given by day'],
      access: { code: RETURN_MENU },
      handle: async (call): Promise<ReturnDays> => {
        const id = idOf(call.params.id);
        await bound().find(call, id);
        const today = businessDayOf(new Date());
        const rows = await run<{ day: string; granted: number; takenBack: number }>(
          call.platform.database.db,
          `SELECT paid_on::text AS day, sum(granted)::int AS granted, sum(taken_back)::int AS "takenBack" FROM points_return_grant
            WHERE rule_id = $1 AND paid_on > $2::date AND ($3::bigint[] IS NULL OR project_id = ANY($3::bigint[])) GROUP BY 1`,
          [id, addDays(today, -DAYS), call.caller.projectIds],
        );
        const known = new Map(rows.map((row) => [row.day, row]));
        return {
          days: Array.from({ length: DAYS }, (_, index) => {
            const day = addDays(today, index - DAYS + 1);
            return known.get(day) ?? { day, granted: 0, takenBack: 0 };
          }),
        };
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/simulate`,
      title: ['返积分试算', 'Try a points-return rule'],
      access: { code: SIMULATE },
      body: basket,
      handle: async (call): Promise<ReturnTrial> => {
        const id = idOf(call.params.id);
        await bound().find(call, id);
        const { db } = call.platform.database;
        const order = call.body.order
          ? (await returnOrder(db, await orderByCode(db, call.body.order, call.caller)))!
          : undefined;
        const asked = order ?? (await basketOf(db, call.body));
        requireProjectsInReach(call.caller, [asked.projectId]);
        const rules = await rulesFor(db, id, asked.projectId);
        const { results, losses } = returnsOf(rules, asked);
        const codes = await ruleCodes(
          db,
          rules.map((rule) => rule.ruleId),
        );
        const names = await scopedProducts(
          db,
          asked.lines.map((line) => line.productId),
        );
        const titles = new Map(
          (
            await run<{ id: number; name: string }>(
              db,
              'SELECT id, name FROM points_return_rule WHERE id = ANY($1::bigint[])',
              [rules.map((rule) => rule.ruleId)],
            )
          ).map((row) => [row.id, row.name]),
        );
        const shown = [];
        for (const result of results) {
          const room = order
            ? await seeRoom(db, result.rule, result.points, order.memberId, businessDayOf(new Date()))
            : { granted: result.points };
          const why = ('why' in room ? room.why : undefined) ?? result.why;
          const parts = splitReturn(room.granted, result.lines);
          shown.push({
            code: codes.get(result.rule.ruleId)!,
            name: titles.get(result.rule.ruleId)!,
            version: result.rule.no,
            own: result.rule.ruleId === id,
            asset: result.rule.terms.asset,
            base: yuanFromFen(result.base),
            explain: saidTwice(
              explainReturn(
                result,
                room.granted,
                why,
                losses.filter((loss) => loss.to === result.rule.ruleId),
                codes,
              ),
            ),
            granted: room.granted,
            lines: result.lines.map((line, index) => ({
              product: names.get(line.productId)?.name ?? '',
              paid: yuanFromFen(line.cash),
              points: parts[index]!,
            })),
          });
        }
        return {
          order: order?.code ?? null,
          base: yuanFromFen(asked.lines.reduce((sum, line) => sum + line.cash, 0)),
          results: shown,
        };
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/replay`,
      title: ['近30天回放', 'Replay of 30 days'],
      access: { code: SIMULATE },
      body: z.strictObject({}),
      handle: async (call) => {
        const id = idOf(call.params.id);
        const row = await bound().find(call, id);
        return transaction(call.platform.database.db, async (tx) => {
          const taskId = await createExportTask(tx, call.caller, {
            source: 'pointsReturnReplay',
            menu: RETURN_MENU,
            name: [`返积分回放${String(row.code)}`, `Points-return replay ${String(row.code)}`],
            query: { rule: String(id) },
            language: call.facts.language,
            element: 'btn_simulate',
          });
          await writeAudit(tx, {
            caller: call.caller,
            facts: call.facts,
            menu: RETURN_MENU,
            action: 'replay',
            entity: returnRule.name,
            entityId: id,
            after: { taskId },
          });
          return { taskId };
        });
      },
    }),
  ];
}

async function basketOf(
  db: Executor,
  body: z.infer<typeof basket>,
): Promise<{ projectId: number; gradeId: number | null; lines: readonly PaidLine[] }> {
  if (!body.project) throw invalid({ project: ['请选择项目', 'Please choose a project'] });
  if (!body.lines?.length) throw invalid({ lines: ['请添加商品', 'Please add goods'] });
  const products = await scopedProducts(
    db,
    body.lines.map((line) => line.product),
  );
  const lines = body.lines.map((line, index) => {
    const product = products.get(line.product);
    if (!product) throw invalid({ lines: ['没有此商品', 'There is no such product'] });
    return { ...product, lineId: index + 1, cash: fenFromYuan(line.paid)! };
  });
  return { projectId: body.project, gradeId: body.grade ?? null, lines };
}

/** Enabled rules of today in a project, and the rule itself as it stands, enabled or not. */
async function rulesFor(db: Executor, id: number, projectId: number): Promise<ReturnRule[]> {
  return run<ReturnRule>(
    db,
    `SELECT t.id AS "ruleId", coalesce((SELECT max(v.no) FROM points_return_version v WHERE v.rule_id = t.id), 0) AS no, points_return_terms(t) AS terms
       FROM points_return_rule t
      WHERE t.id = $1 OR t.state = 'enabled' AND (now() AT TIME ZONE 'Asia/Shanghai')::date BETWEEN t.starts_on AND t.ends_on
        AND EXISTS (SELECT FROM points_return_project p WHERE p.rule_id = t.id AND p.project_id = $2) ORDER BY t.id`,
    [id, projectId],
  );
}

/** A rule as it stands now. */
export async function ruleNow(db: Executor, id: number): Promise<ReturnRule | undefined> {
  return runOne<ReturnRule>(
    db,
    `SELECT t.id AS "ruleId", 0 AS no, points_return_terms(t) AS terms FROM points_return_rule t WHERE t.id = $1`,
    [id],
  );
}
