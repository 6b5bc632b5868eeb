import { z } from 'zod';
import { FormulaProblem, readFormula, type Values } from '../../../domain/charging/expression.rules.ts';
import { formulaValues, principalOf, type HouseFacts } from '../../../domain/charging/principal.rules.ts';
import { PLACE } from '../../../domain/charging/billing.server.ts';
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
  joins: { company: { table: 'tenant', column: 'tenant_id' }, lateFeePolicy: 'late_fee_policy' },
  lines: { prices: { table: 'fee_item_price', own: 'fee_item_id' } },
  columns: {
    price: `(SELECT x.price FROM fee_item_price x WHERE x.fee_item_id = t.id AND x.effective_from <= ${TODAY} ORDER BY x.effective_from DESC LIMIT 1)`,
    bills: `(SELECT count(*)::integer FROM bill x WHERE x.fee_item_id = t.id AND x.state <> 'void')`,
  },
  scope: { tenant: 't.tenant_id', project: 'none', owner: 't.created_by' },
  search: 'lower(t.name)',
  unique: {
    fee_item_name: ['该公司已有同名收费项目', 'The company has a fee item of this name'],
    fee_item_price_from: ['同一生效日只能有一个单价', 'A day has one price'],
  },
  usedBy: {
    fee_item_price: false,
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
          const values = formulaValues(terms, { price, extra }, house, { days: 30, daysInPeriod: 30 });
          try {
            const found = principalOf(
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
  if (action === 'update') await refuseBilledFormula(tx, id, row, columns);
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
