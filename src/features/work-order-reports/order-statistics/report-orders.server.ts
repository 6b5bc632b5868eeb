import { invalid } from '../../../kernel/server/http/errors.ts';
import type { Parameters } from '../../../kernel/server/people/scope.ts';
import type { Binding } from '../../../kernel/server/resource/binding.ts';
import { readSeen, seenCondition } from '../../../domain/work-order-report/as-of.server.ts';
import {
  FAMILY_WHERE,
  METRIC_WHERE,
  MINUTES_BY,
  NOW,
  REPORT_FROM,
  RESPONSE_MINUTES,
  SOLVE_MINUTES,
  type Family,
} from '../../../domain/work-order-report/figures.server.ts';
import type { Metric } from '../../../domain/work-order-report/figures.rules.ts';
import { workOrderScope } from '../../../domain/work-order/work-order-scope.server.ts';

const NO_SUCH = ['没有此选项', 'There is no such choice'] as const;

/** Column of a reference that is only filtered by. */
export const NO_ROW = { id: 'NULL::bigint', title: 'NULL::text' } as const;

/** A category finds what stands below it too. */
export function inCategories(value: string, parameters: Parameters): string {
  const ids = idsOf('category', value);
  return `(t.category_id IN (WITH RECURSIVE down AS (SELECT id FROM work_category WHERE id = ANY(${parameters.bind(ids)}::bigint[])
    UNION SELECT k.id FROM work_category k JOIN down ON k.parent_id = down.id) SELECT id FROM down))`;
}

/** SQL: weekday and hour an order was taken in at. */
export const WEEKDAY = `extract(isodow FROM t.created_at AT TIME ZONE 'Asia/Shanghai')::integer`;
export const HOUR = `extract(hour FROM t.created_at AT TIME ZONE 'Asia/Shanghai')::integer`;

/** Orders of projects under a centre city. */
export const inCentre = (value: string, parameters: Parameters): string =>
  `t.project_id IN (SELECT id FROM project WHERE centre_id = ANY(${parameters.bind(idsOf('centre', value))}::bigint[]))`;

/** Minutes a first-round clock allows. */
const target = (which: 'response' | 'resolution') =>
  `(SELECT k.target_minutes FROM sla_clock k WHERE k.order_id = t.id AND k.target = '${which}' AND k.round = 1)`;

function numberFilter(name: string, column: string, least: number, most: number) {
  return (value: string, parameters: Parameters) => {
    if (!/^\d{1,2}$/.test(value) || Number(value) < least || Number(value) > most)
      throw invalid({ [name]: NO_SUCH });
    return `${column} = ${parameters.bind(Number(value))}`;
  };
}

/** The orders of a metric, by the definition the figures are counted with. */
export function ofMetric(value: string): string {
  const wanted = value.split(',');
  if (!wanted.every((one) => Object.hasOwn(METRIC_WHERE, one))) throw invalid({ metric: NO_SUCH });
  return `(${wanted.map((one) => METRIC_WHERE[one as Metric]).join(' OR ')})`;
}

/** With or without cancelled orders. */
export function withCancelled(value: string): string {
  const wanted = value.split(',');
  if (!wanted.every((one) => one === 'with' || one === 'without')) throw invalid({ cancelled: NO_SUCH });
  return wanted.includes('with') ? 'true' : METRIC_WHERE.due;
}

/** How the list behind the figures of a family stands in the database. */
export const reportOrderBinding = (family: Family, menu: string): Binding => ({
  table: 'work_order',
  from: `${REPORT_FROM} LEFT JOIN project p ON p.id = t.project_id LEFT JOIN work_category c ON c.id = t.category_id${family === 'operations' ? ' LEFT JOIN business z ON z.id = t.business_id LEFT JOIN tenant m ON m.id = t.tenant_id LEFT JOIN work_order w ON w.id = t.id' : ''} LEFT JOIN organisation o ON o.id = p.centre_id`,
  where: FAMILY_WHERE[family],
  unfiltered: { asOf: NOW },
  scope: workOrderScope(menu),
  stateColumn: 'status',
  columns: {
    state: 't.status',
    project: { id: 't.project_id', title: 'p.name' },
    category: { id: 't.category_id', title: 'c.name', titleEn: 'c.name_en' },
    source: 't.source::text',
    handlerName: `coalesce(h.name, '')`,
    centre: { id: 'p.centre_id', title: 'o.name' },
    paused: `(floor(t.paused_minutes)::integer)`,
    responseTarget: target('response'),
    solveTarget: target('resolution'),
    responseUsed: `(floor(${RESPONSE_MINUTES})::integer)`,
    responseBusiness: `(floor(${MINUTES_BY.business.response})::integer)`,
    responseState: 't.response_state',
    solveUsed: `(floor(${SOLVE_MINUTES})::integer)`,
    solveBusiness: `(floor(${MINUTES_BY.business.solve})::integer)`,
    solveState: 't.solve_state',
    returned: 't.returned_count',
    transfers: 't.transfer_count',
    reopened: 't.reopen_count',
    score: 't.score_overall',
    ...(family === 'operations' && {
      business: `coalesce(z.name, '')`,
      customer: 'w.contact_name',
      businessId: NO_ROW,
      merchant: `coalesce(m.name, '')`,
      merchantId: NO_ROW,
    }),
    // Filters without a value of their own.
    departmentId: NO_ROW,
    weekday: 'NULL::text',
    hour: 'NULL::text',
    asOf: 'NULL::text',
    metric: 'NULL::text',
    handlerId: NO_ROW,
    exactCategory: NO_ROW,
    cancelled: 'NULL::text',
  },
  search: 't.search',
  filters: {
    metric: ofMetric,
    cancelled: withCancelled,
    category: inCategories,
    source: (value, parameters) => {
      const wanted = value.split(',');
      if (!wanted.every((one) => /^[1-4]$/.test(one))) throw invalid({ source: NO_SUCH });
      return `t.source = ANY(${parameters.bind(wanted.map(Number))}::smallint[])`;
    },
    centre: inCentre,
    weekday: numberFilter('weekday', WEEKDAY, 1, 7),
    hour: numberFilter('hour', HOUR, 0, 23),
    asOf: (value, parameters) => seenCondition(readSeen(value), family, parameters),
    departmentId: (value, parameters) => oneOf('departmentId', 'h.department_id', value, parameters),
    ...(family === 'operations' && {
      merchantId: (value: string, parameters: Parameters) =>
        oneOf('merchantId', 't.tenant_id', value, parameters),
      businessId: (value: string, parameters: Parameters) =>
        oneOf('businessId', 't.business_id', value, parameters),
    }),
    // 0 stands for orders that have none.
    handlerId: (value, parameters) => oneOf('handlerId', 't.handler_id', value, parameters),
    exactCategory: (value, parameters) => oneOf('exactCategory', 't.category_id', value, parameters),
  },
});

/** Ids of a filter; anything else is refused, so that a bad value never lists everything. */
export function idsOf(name: string, value: string): number[] {
  const wanted = value.split(',');
  if (wanted.length > 500 || !wanted.every((id) => /^\d{1,15}$/.test(id))) throw invalid({ [name]: NO_SUCH });
  return wanted.map(Number);
}

/** One of some ids; 0 stands for none. */
export function oneOf(name: string, column: string, value: string, parameters: Parameters): string {
  const wanted = idsOf(name, value);
  const some = `${column} = ANY(${parameters.bind(wanted)}::bigint[])`;
  return wanted.includes(0) ? `(${column} IS NULL OR ${some})` : some;
}
