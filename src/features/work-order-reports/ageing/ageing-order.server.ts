import { z } from 'zod';
import { AGING_TYPES, OPEN_END, type AgingType } from '../../../domain/work-order-report/ageing.rules.ts';
import { AGING_WHERE, agingMinutes } from '../../../domain/work-order-report/ageing.server.ts';
import { readSeen, seenOfAll } from '../../../domain/work-order-report/as-of.server.ts';
import { NOW, REPORT_FROM, type ReportTime } from '../../../domain/work-order-report/figures.server.ts';
import { workOrderScope } from '../../../domain/work-order/work-order-scope.server.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { isBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { Parameters } from '../../../kernel/server/people/scope.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { NO_ROW, oneOf } from '../order-statistics/report-orders.server.ts';
import { boundsOf } from './ageing.server.ts';
import { ageingOrder } from './ageing.contract.ts';

const NO_INTERVAL: Label = ['时效区间不存在', 'No such interval'];
const minutes = (type: AgingType, time: ReportTime = 'clock') =>
  `(floor(${agingMinutes(type, time)})::integer)`;

const bound: BoundResource = bindResource(ageingOrder, {
  table: 'work_order',
  from: `${REPORT_FROM} LEFT JOIN project p ON p.id = t.project_id`,
  unfiltered: { asOf: NOW },
  scope: workOrderScope(ageingOrder.menu),
  stateColumn: 'status',
  columns: {
    state: 't.status',
    project: { id: 't.project_id', title: 'p.name' },
    handlerName: `coalesce(h.name, '')`,
    acceptMinutes: minutes(1),
    startMinutes: minutes(2),
    finishMinutes: minutes(3),
    openMinutes: minutes(4),
    acceptBusiness: minutes(1, 'business'),
    startBusiness: minutes(2, 'business'),
    finishBusiness: minutes(3, 'business'),
    openBusiness: minutes(4, 'business'),
    // Filters without a value of their own.
    aging: 'NULL::text',
    handlerId: NO_ROW,
    departmentId: NO_ROW,
    exactCategory: NO_ROW,
    asOf: 'NULL::text',
  },
  search: 't.search',
  filters: {
    asOf: (value, parameters) => seenOfAll(readSeen(value), parameters),
    aging: inBucket,
    handlerId: (value, parameters) => oneOf('handlerId', 't.handler_id', value, parameters),
    departmentId: (value, parameters) => oneOf('departmentId', 'h.department_id', value, parameters),
    exactCategory: (value, parameters) => oneOf('exactCategory', 't.category_id', value, parameters),
  },
  ruleReads: [],
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/workOrderReport/aging/rows',
      title: ['时效明细', 'Orders of an interval'],
      access: { code: ageingOrder.menu },
      query: z.strictObject({
        agingType: z.string().regex(/^[1-4]$/),
        minute: z.string().regex(/^-?\d{1,6}$/),
        startTime: z.string().max(10),
        endTime: z.string().max(10),
        projectId: z
          .string()
          .regex(/^\d{1,15}(,\d{1,15})*$/)
          .max(2_000)
          .optional(),
        type: z.string().max(80).optional(),
        handlerId: z
          .string()
          .regex(/^\d{1,15}$/)
          .optional(),
        page: z
          .string()
          .regex(/^\d{1,5}$/)
          .optional(),
        limit: z
          .string()
          .regex(/^(20|50|100|200)$/)
          .optional(),
      }),
      handle: async (call) => {
        const { query } = call;
        const type = Number(query.agingType) as AgingType;
        if (!isBusinessDay(query.startTime) || !isBusinessDay(query.endTime))
          throw invalid({ startTime: ['日期不正确', 'Not a date'] });
        const bounds = await boundsOf(call.platform, type);
        const at = bounds.indexOf(Number(query.minute));
        const interval =
          query.minute === '0'
            ? 'all'
            : query.minute === '-1' && type !== 4
              ? 'none'
              : at < 0
                ? undefined
                : `${at === 0 ? 0 : bounds[at - 1]}-${bounds[at]}`;
        if (interval === undefined) throw invalid({ minute: NO_INTERVAL });
        if (query.projectId) requireProjectsInReach(call.caller, query.projectId.split(',').map(Number));
        return bound.page(call, {
          page: Number(query.page ?? 1),
          limit: Number(query.limit ?? 50),
          searchVal: '',
          sort: '-createdAt',
          tab: undefined,
          cursor: undefined,
          exact: true,
          filters: {
            aging: `${type}:${interval}`,
            createdAt: `${query.startTime}~${query.endTime}`,
            ...(query.projectId && { project: query.projectId }),
            ...(query.type && { type: query.type }),
            ...(query.handlerId && { handlerId: query.handlerId }),
          },
        });
      },
    }),
  ],
});

/** The orders of a cell of the ageing report. */
export const registration = bound.registration;

/**
 * `1:5-15`: measure, what lies above the first and up to the second bound in minutes; `1:none` has not come so far, `1:all` is
 * everything. `1b`: in business time; `4@1764000000000`: open orders until that instant.
 */
function inBucket(value: string, parameters: Parameters): string {
  const match = /^([1-4])(b?)(?:@(\d{13}))?:(?:(all)|(none)|(\d{1,6})-(\d{1,6}))$/.exec(value);
  if (!match || !Object.hasOwn(AGING_TYPES, match[1]!)) throw invalid({ aging: NO_INTERVAL });
  const [, measure, business, at, all, none, above, upTo] = match;
  const type = Number(measure) as AgingType;
  const parts = [AGING_WHERE[type]];
  if (all) return `(${parts.join(' AND ')})`;
  const took = agingMinutes(
    type,
    business ? 'business' : 'clock',
    at && type === 4 ? `${parameters.bind(new Date(Number(at)))}::timestamptz` : 'now()',
  );
  if (none) parts.push(`${took} IS NULL`);
  else {
    // The first bucket takes clocks that went backwards, too, as the report counts them.
    parts.push(above === '0' ? `${took} IS NOT NULL` : `${took} > ${parameters.bind(Number(above))}`);
    if (Number(upTo) !== OPEN_END) parts.push(`${took} <= ${parameters.bind(Number(upTo))}`);
  }
  return `(${parts.join(' AND ')})`;
}
