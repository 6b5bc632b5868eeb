import { z } from 'zod';
import { FormulaProblem, readFormula, type Values } from '../../../domain/charging/expression.rules.ts';
import {
  formulaValues,
  METERED,
  principalOf,
  type HouseFacts,
} from '../../../domain/charging/principal.rules.ts';
import { PLACE } from '../../../domain/charging/billing.server.ts';
import { meteredPrincipal } from '../../../domain/charging/metered.rules.ts';
import { houseOptions, residentScope } from '../../../domain/residents/residents.server.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { CHARGING_MENU, feeItem } from './fee-item.contract.ts';
import { ownCompany } from './own-company.server.ts';
import { TODAY } from '../../../kernel/server/today.ts';

/** Fee items with the preview of their formula. */
export const registration = bindResource(feeItem, {
  table: 'fee_item',
  joins: {
    company: { table: 'tenant', column: 'tenant_id' },
    lateFeePolicy: 'late_fee_policy',
    shareItem: { table: 'fee_item', column: 'share_item_id' },
  },
  lines: {
    prices: { table: 'fee_item_price', own: 'fee_item_id' },
    tiers: { table: 'fee_item_tier', own: 'fee_item_id' },
  },
  columns: {
    price: `(SELECT x.price FROM fee_item_price x WHERE x.fee_item_id = t.id AND x.effective_from <= ${TODAY} ORDER BY x.effective_from DESC LIMIT 1)`,
    bills: `(SELECT count(*)::integer FROM bill x WHERE x.fee_item_id = t.id AND x.state <> 'void')`,
  },
  scope: { tenant: 't.tenant_id', project: 'none', owner: 't.created_by' },
  search: 'lower(t.name)',
  unique: {
    fee_item_name: ['该公司已有同名收费项目', 'The company has a fee item of this name'],
    fee_item_price_from: ['同一生效日只能有一个单价', 'A day has one price'],
    fee_item_tier_above: ['阶梯起点重复', 'Two tiers begin at the same usage'],
  },
  usedBy: {
    fee_item_price: false,
    fee_item_tier: false,
    fee_item: ['公摊项目', 'shared fee items'],
    meter: ['表具', 'meters'],
    bill: ['账单', 'bills'],
    fee_assignment: ['收费标准', 'assignments'],
    discount_rule_item: ['优惠规则', 'discounts'],
  },
  before: [ownCompany, checkItem],
  endpoints: [
    endpoint({
      method: 'POST',
      path: '/jinmao/web/feeItem/preview',
      title: ['试算公式', 'Try a formula'],
      access: { code: `${CHARGING_MENU}:btn_item` },
      body: z.strictObject({
        expression: z.string().max(400),
        price: z.string().regex(/^\d{1,6}(\.\d{1,4})?$/),
        extra: z.string().regex(/^\d{1,7}(\.\d{1,2})?$/),
        months: z.number().int().min(1).max(12),
      }),
      handle: async ({ caller, platform, body }) => {
        try {
          readFormula(body.expression);
        } catch (error) {
          throw asInvalid(error);
        }
        const terms = {
          formula: 'custom',
          expression: body.expression,
          rounding: 'fen',
          stepPpm: 0,
          stepMonths: 0,
          months: body.months,
        } as const;
        const [price, extra] = [
          Math.round(Number(body.price) * 10_000),
          Math.round(Number(body.extra) * 100),
        ];
        const day = '2000-01-01';
        const houses = await exampleHouses(platform.database.db, caller);
        return houses.map(({ title, ...house }) => {
          const values = formulaValues(
            terms,
            { price, extra },
            house,
            { days: 30, daysInPeriod: 30 },
            READ_EXAMPLE,
          );
          try {
            const found = READS.test(body.expression)
              ? meteredPrincipal(
                  { ...terms, tiers: [] },
                  [{ from: day, price, extra }],
                  null,
                  [{ ...READ_EXAMPLE, from: day, to: day, counter: false, base: 0 }],
                  house,
                )
              : principalOf(
                  terms,
                  [{ from: day, price, extra }],
                  house,
                  { from: day, to: null, price: null },
                  { from: day, to: day },
                );
            return {
              house: title,
              values: readable(values),
              amount: 'amount' in found ? yuanFromFen(found.amount) : null,
              problem: null,
            };
          } catch (error) {
            if (!(error instanceof FormulaProblem)) throw error;
            return { house: title, values: readable(values), amount: null, problem: error.label };
          }
        });
      },
    }),
  ],
  also: { options: [houseOptions('chargedHouse', [CHARGING_MENU])] },
}).registration;

/** What a meter shows while a formula is tried: 10 units from 100 to 110. */
const READ_EXAMPLE = { last: 100_000, this: 110_000, multiplier: 1, usage: 10_000 };
/** Variables only readings give. */
const READS = /\b(usage|lastReading|thisReading|multiplier)\b/;

/** Why a formula is refused, at its field. */
function asInvalid(error: unknown): unknown {
  return error instanceof FormulaProblem ? invalid({ expression: error.label }) : error;
}

const readable = (values: Values): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, String(Number(value) / 1_000_000)]),
  );

/** The smallest, the median and the largest house the caller sees. */
async function exampleHouses(
  db: Executor,
  caller: Caller,
): Promise<(HouseFacts & { readonly title: string })[]> {
  const parameters = new Parameters();
  const where = placeCondition(caller, residentScope('h.project_id'), parameters);
  const rows = await run<{
    title: string;
    built: number;
    inner_area: number | null;
    floor: number;
    residents: number;
  }>(
    db,
    `WITH seen AS (SELECT h.id, row_number() OVER (ORDER BY h.built_area, h.id) AS place, count(*) OVER () AS houses FROM house h WHERE ${where})
     SELECT ${PLACE} AS title, round(h.built_area * 100)::integer AS built, round(h.inner_area * 100)::integer AS inner_area, h.floor,
            (SELECT count(*)::integer FROM household r WHERE r.house_id = h.id AND r.status = 'normal') AS residents
       FROM seen s JOIN house h ON h.id = s.id JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id
      WHERE s.place IN (1, (s.houses + 1) / 2, s.houses) ORDER BY s.place`,
    parameters.values,
  );
  return rows.map(({ title, built, inner_area: innerArea, floor, residents }) => ({
    title,
    builtArea: built,
    innerArea,
    floor,
    residents,
  }));
}

async function checkItem({ tx, action, id, input, row, columns }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  const formula = String(input.formula ?? row.formula);
  const expression = formula === 'custom' ? String(input.expression ?? row.expression ?? '') : '';
  columns.expression = expression;
  if (formula === 'custom')
    try {
      readFormula(expression);
    } catch (error) {
      throw asInvalid(error);
    }
  if (formula === 'rent_step') {
    if (!Number(columns.step_months ?? row.step_months ?? 0))
      throw invalid({ stepMonths: ['递增租金须填间隔', 'A rising rent needs its interval'] });
  } else {
    columns.step_months = 0;
    columns.step_percent = 0;
  }
  for (const name of ['step_months', 'step_percent']) columns[name] ??= 0;
  const cycle = String(input.cycle ?? row.cycle);
  const metered = (METERED as readonly string[]).includes(formula);
  if (metered && cycle !== 'indirect')
    throw invalid({ cycle: ['该计费方式须按读数', 'This formula goes by readings'] });
  if (cycle === 'indirect' && !metered && formula !== 'custom')
    throw invalid({ cycle: ['该计费方式不按读数', 'This formula does not go by readings'] });
  if (formula === 'custom' && cycle !== 'indirect' && READS.test(expression))
    throw invalid({
      expression: ['读数变量须周期为按读数', 'Variables of readings need the cycle by readings'],
    });
  if (formula === 'meter_tier' && (input.tiers === undefined ? action === 'create' : empty(input.tiers)))
    throw invalid({ tiers: ['请填写阶梯', 'Write the tiers'] });
  if (formula !== 'meter_tier' && !empty(input.tiers))
    throw invalid({ tiers: ['只有抄表阶梯项目有阶梯', 'Only meters with tiers have them'] });
  await checkShare(tx, id, formula, row, columns);
  if (action === 'update') await refuseBilledFormula(tx, id, row, columns);
}

const empty = (lines: unknown) => !Array.isArray(lines) || lines.length === 0;

/** Shared amounts say by what they are parted; others keep nothing of it. */
async function checkShare(
  tx: ActionContext['tx'],
  id: number,
  formula: string,
  row: ActionContext['row'],
  columns: ActionContext['columns'],
): Promise<void> {
  const shareBy = formula === 'shared' ? (columns.share_by ?? row.share_by) : null;
  if (formula === 'shared' && !shareBy)
    throw invalid({ shareBy: ['请选择分摊方式', 'Choose how it is shared'] });
  const item = shareBy === 'usage' ? (columns.share_item_id ?? row.share_item_id) : null;
  if (shareBy === 'usage') {
    const of = await runOne<{ tenant_id: number; formula: string }>(
      tx,
      'SELECT tenant_id, formula FROM fee_item WHERE id = $1 AND id <> $2',
      [item ?? 0, id],
    );
    if (
      !of ||
      of.tenant_id !== Number(columns.tenant_id ?? row.tenant_id) ||
      !['usage', 'meter', 'meter_tier'].includes(of.formula)
    )
      throw invalid({
        shareItem: ['请选择本公司按表收费的项目', 'Choose an item of the company that goes by meters'],
      });
  }
  Object.assign(columns, { share_by: shareBy, share_item_id: item });
}

async function refuseBilledFormula(
  tx: ActionContext['tx'],
  id: number,
  row: ActionContext['row'],
  columns: ActionContext['columns'],
): Promise<void> {
  const changed = ['formula', 'expression', 'cycle'].filter(
    (name) => columns[name] !== undefined && columns[name] !== row[name],
  );
  if (changed.length === 0) return;
  const billed = await runOne(tx, `SELECT 1 FROM bill WHERE fee_item_id = $1 AND state <> 'void' LIMIT 1`, [
    id,
  ]);
  if (billed)
    throw ruleBroken([
      '已出账的收费项目不能修改公式与周期，请新建项目',
      'Formula and cycle are fixed once it was billed; add a new item',
    ]);
}
