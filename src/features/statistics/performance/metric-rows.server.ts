import { run, type Executor } from '../../../kernel/server/database.ts';
import { projectIdsInReach } from '../../../domain/permission/project-reach.server.ts';
import { endOfBusinessDay, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { Metric, SubjectKind } from './performance.rules.ts';

const MENU = 'sa_achievement';

/** What is asked for; days are business days, both included. */
export interface MetricQuestion {
  readonly metric: Metric;
  readonly kind: SubjectKind;
  readonly from: string;
  readonly to: string;
  /** Of one subject only. */
  readonly subject?: number | undefined;
  readonly projects?: readonly number[] | undefined;
  readonly departments?: readonly number[] | undefined;
  /** Of this staff only, whatever is asked for. */
  readonly own?: number | undefined;
}

const day = (instant: string) => `(${instant} AT TIME ZONE 'Asia/Shanghai')::date`;
/** Who looked after a house on a day. */
const keeper = (house: string, on: string) =>
  `(SELECT k.staff_id FROM housekeeper_house x JOIN housekeeper k ON k.id = x.housekeeper_id WHERE x.house_id = ${house} AND x.kind = 'main' AND x.days @> ${on} LIMIT 1)`;

type Source = (from: string, to: string) => string;

/** Rows of a metric between two instants: id, code, day, staff, project, tenant, value, correction. */
const STAFF_SOURCES: Readonly<Record<Metric, Source>> = {
  sales_valid: (from, to) =>
    `SELECT 'l' || p.id AS id, o.code, ${day('p.paid_at')} AS day, k.staff_id, p.project_id, NULL::bigint AS tenant_id, p.valid AS value, false AS correction
       FROM butler_performance p JOIN housekeeper k ON k.id = p.housekeeper_id JOIN sales_order o ON o.id = p.order_id
      WHERE p.paid_at >= ${from} AND p.paid_at < ${to}`,
  orders: (from, to) =>
    `SELECT DISTINCT ON (p.order_id, k.staff_id) 'o' || p.order_id || '-' || k.staff_id AS id, o.code, ${day('p.paid_at')} AS day, k.staff_id, p.project_id,
            NULL::bigint AS tenant_id, 1::bigint AS value, false AS correction
       FROM butler_performance p JOIN housekeeper k ON k.id = p.housekeeper_id JOIN sales_order o ON o.id = p.order_id
      WHERE p.paid_at >= ${from} AND p.paid_at < ${to} ORDER BY p.order_id, k.staff_id, p.id`,
  service_orders: (from, to) =>
    `SELECT 's' || o.id AS id, o.code, ${day('o.completed_at')} AS day,
            (SELECT w.staff_id FROM appointment a JOIN service_person w ON w.id = a.person_id WHERE a.order_id = o.id AND a.state = 'done' ORDER BY a.visit_no DESC, a.id DESC LIMIT 1) AS staff_id,
            o.project_id, o.tenant_id, 1::bigint AS value, false AS correction
       FROM sales_order o WHERE o.kind = 'service' AND o.state = 'completed' AND o.completed_at >= ${from} AND o.completed_at < ${to}`,
  fee_collected: (from, to) =>
    `SELECT 'b' || b.id AS id, b.receipt_no AS code, b.value_date AS day, ${keeper('b.house_id', 'b.value_date')} AS staff_id, b.project_id, b.tenant_id, b.amount AS value, b.amount < 0 AS correction
       FROM bill_payment b WHERE b.state = 'valid' AND b.value_date >= ${day(from)} AND b.value_date < ${day(to)}`,
  contract_received: (from, to) =>
    `SELECT 'r' || x.id AS id, c.code || ' · ' || r.code AS code, r.received_on AS day, c.owner_id AS staff_id, c.project_id, c.merchant_id AS tenant_id, x.amount AS value, r.amount < 0 AS correction
       FROM receipt r JOIN receipt_allocation x ON x.receipt_id = r.id JOIN receivable v ON v.id = x.receivable_id AND v.source_kind = 'contract' JOIN contract c ON c.id = v.source_id
      WHERE r.state = 'confirmed' AND r.received_on >= ${day(from)} AND r.received_on < ${day(to)}`,
  new_members: (from, to) =>
    `SELECT 'h' || h.id AS id, d.name || u.name || e.number AS code, ${day('h.bound_at')} AS day, ${keeper('h.house_id', day('h.bound_at'))} AS staff_id, e.project_id,
            NULL::bigint AS tenant_id, 1::bigint AS value, false AS correction
       FROM household h JOIN house e ON e.id = h.house_id JOIN building_unit u ON u.id = e.unit_id JOIN building d ON d.id = u.building_id
      WHERE h.bound_at >= ${from} AND h.bound_at < ${to}`,
};

/** Of projects all sales count, whoever sold them; refunds by the day of payment. */
const PROJECT_SOURCES: Readonly<Partial<Record<Metric, Source>>> = {
  sales_valid: (from, to) =>
    `SELECT 'g' || s.id AS id, s.order_code AS code, ${day('s.sold_at')} AS day, s.created_by AS staff_id, s.project_id, s.tenant_id, s.cash AS value, false AS correction
       FROM goods_sale s WHERE s.paid_at >= ${from} - interval '7 days' AND s.paid_at < ${to} AND s.sold_at >= ${from} AND s.sold_at < ${to}
     UNION ALL
     SELECT 'f' || s.id, s.refund_code, ${day('s.booked_at')}, s.created_by, s.project_id, s.tenant_id, -s.cash, s.correction
       FROM goods_sale_refund s WHERE s.succeeded_at >= ${from} AND s.booked_at >= ${from} AND s.booked_at < ${to}`,
  orders: (from, to) =>
    `SELECT DISTINCT ON (s.order_id) 'o' || s.order_id AS id, s.order_code AS code, ${day('s.sold_at')} AS day, s.created_by AS staff_id, s.project_id, s.tenant_id, 1::bigint AS value, false AS correction
       FROM goods_sale s WHERE s.paid_at >= ${from} - interval '7 days' AND s.paid_at < ${to} AND s.sold_at >= ${from} AND s.sold_at < ${to} ORDER BY s.order_id, s.id`,
};

/** Rows inside the scope with the department their staff had on the day. */
function rowsOf(caller: Caller, question: MetricQuestion, parameters: Parameters): string {
  const source =
    (question.kind === 'project' && PROJECT_SOURCES[question.metric]) || STAFF_SOURCES[question.metric];
  const from = `${parameters.bind(startOfBusinessDay(question.from))}::timestamptz`;
  const to = `${parameters.bind(endOfBusinessDay(question.to))}::timestamptz`;
  const parts = [
    scopeCondition(
      caller,
      MENU,
      { tenant: 'r.tenant_id', project: 'r.project_id', owner: 'r.staff_id' },
      parameters,
    ),
  ];
  if (question.kind !== 'project') parts.push('r.staff_id IS NOT NULL');
  if (question.own !== undefined) parts.push(`r.staff_id = ${parameters.bind(question.own)}`);
  if (question.projects)
    parts.push(
      `r.project_id = ANY(${parameters.bind(projectIdsInReach(caller, question.projects))}::bigint[])`,
    );
  const below = (ids: string) =>
    `EXISTS (SELECT FROM department d WHERE d.id = z.department_id AND (d.id = ANY(${ids}::bigint[]) OR d.path && ${ids}::bigint[]))`;
  if (question.departments) parts.push(below(parameters.bind(question.departments)));
  if (question.subject !== undefined) {
    const id = parameters.bind(question.subject);
    parts.push(
      question.kind === 'staff'
        ? `r.staff_id = ${id}`
        : question.kind === 'project'
          ? `r.project_id = ${id}`
          : below(`ARRAY[${id}]`),
    );
  }
  return `SELECT r.*, z.department_id FROM (${source(from, to)}) r
    LEFT JOIN LATERAL (SELECT y.department_id FROM staff_department_since y WHERE y.staff_id = r.staff_id AND y.since <= r.day ORDER BY y.since DESC LIMIT 1) z ON true
   WHERE ${parts.join(' AND ')}`;
}

/** A row behind a metric. */
export interface MetricRow {
  readonly id: string;
  readonly code: string;
  readonly day: string;
  readonly project: string;
  readonly staff: string | null;
  readonly value: number;
  readonly correction: boolean;
}

/** The rows behind a metric, newest first. */
export async function metricRows(
  db: Executor,
  caller: Caller,
  question: MetricQuestion,
): Promise<readonly MetricRow[]> {
  const parameters = new Parameters();
  return run<MetricRow>(
    db,
    `SELECT r.id, r.code, r.day::text AS day, j.name AS project, s.name AS staff, r.value, r.correction
       FROM (${rowsOf(caller, question, parameters)}) r JOIN project j ON j.id = r.project_id LEFT JOIN staff s ON s.id = r.staff_id
      ORDER BY r.day DESC, r.id DESC`,
    parameters.values,
  );
}

/** Sums by subject and day. A department has what its people and those below it did while they were there. */
export async function metricSums(
  db: Executor,
  caller: Caller,
  question: MetricQuestion,
): Promise<readonly { readonly subject: number; readonly day: string; readonly value: number }[]> {
  const parameters = new Parameters();
  const rows = rowsOf(caller, question, parameters);
  const [key, join] = {
    staff: ['r.staff_id', ''],
    project: ['r.project_id', ''],
    department: [
      'a.id',
      'JOIN department d ON d.id = r.department_id JOIN department a ON a.id = d.id OR a.id = ANY(d.path)',
    ],
  }[question.kind] as [string, string];
  return run(
    db,
    `SELECT ${key} AS subject, r.day::text AS day, sum(r.value)::bigint AS value FROM (${rows}) r ${join} GROUP BY 1, 2`,
    parameters.values,
  );
}
