import type { Label } from '../../../kernel/contract/label.ts';
import { endOfBusinessDay, isBusinessDay, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { Parameters } from '../../../kernel/server/people/scope.ts';

/*
 * What the drills of the sales analysis ask the order list and the refund list: conditions for `Binding.filters`, so
 * that a list shows exactly the rows a figure counted. The lists alias their table `t`.
 */

/** Orders (`t` is sales_order) with a line of the product. */
export function ordersOfProduct(value: string, parameters: Parameters): string {
  return `EXISTS (SELECT 1 FROM order_line drill_line WHERE drill_line.order_id = t.id AND drill_line.product_id = ANY(${ids(value, parameters)}::bigint[]))`;
}

/** Orders (`t` is sales_order) that count as sold in the days: paid, a group order when its team formed. */
export function ordersSoldAt(value: string, parameters: Parameters): string {
  return soldAt('t', value, parameters);
}

/** Refunds (`t` is refund) with a line of the product. */
export function refundsOfProduct(value: string, parameters: Parameters): string {
  return `EXISTS (SELECT 1 FROM refund_line drill_part JOIN order_line drill_line ON drill_line.id = drill_part.line_id
    WHERE drill_part.refund_id = t.id AND drill_line.product_id = ANY(${ids(value, parameters)}::bigint[]))`;
}

/** Refunds (`t` is refund) of sales that succeeded in the days; those of failed teams were no sale. */
export function refundsSucceededAt(value: string, parameters: Parameters): string {
  return `t.state = 'succeeded' AND ${inDays('t.succeeded_at', value, parameters)} AND EXISTS (SELECT 1 FROM sales_order drill_order
    WHERE drill_order.id = t.order_id AND drill_order.paid_at IS NOT NULL AND (drill_order.type <> 'group' OR ${formedAt('drill_order')} IS NOT NULL))`;
}

/** Refunds (`t` is refund) of orders that count as sold in the days. */
export function refundsSoldAt(value: string, parameters: Parameters): string {
  return `EXISTS (SELECT 1 FROM sales_order drill_order WHERE drill_order.id = t.order_id AND ${soldAt('drill_order', value, parameters)})`;
}

function soldAt(alias: string, value: string, parameters: Parameters): string {
  return `${alias}.paid_at IS NOT NULL AND ((${alias}.type <> 'group' AND ${inDays(`${alias}.paid_at`, value, parameters)})
    OR (${alias}.type = 'group' AND ${inDays(formedAt(alias), value, parameters)}))`;
}

function formedAt(alias: string): string {
  return `(SELECT drill_event.at FROM order_event drill_event WHERE drill_event.order_id = ${alias}.id AND drill_event.code = 16 ORDER BY drill_event.id LIMIT 1)`;
}

function inDays(expression: string, value: string, parameters: Parameters): string {
  const [from = '', to = '', more] = value.split('~');
  if (more !== undefined || !isBusinessDay(from) || !isBusinessDay(to)) throw invalid({ _: BAD_RANGE });
  return `${expression} >= ${parameters.bind(startOfBusinessDay(from))} AND ${expression} < ${parameters.bind(endOfBusinessDay(to))}`;
}

const BAD_RANGE: Label = ['范围不正确', 'The range is not valid'];

function ids(value: string, parameters: Parameters): string {
  const entries = value.split(',').filter((entry) => entry !== '');
  if (entries.length > 500 || entries.some((entry) => !/^\d{1,15}$/.test(entry)))
    throw invalid({ product: ['没有此选项', 'There is no such choice'] });
  return parameters.bind(entries.map(Number));
}
