import { approvable } from '../../../domain/approval/approvable.server.ts';
import { submitApproval } from '../../../domain/approval/approve.server.ts';
import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { keepVersion } from '../../../domain/life-service/package-version.server.ts';
import {
  filteredProjects,
  inReach,
  projectsInReach,
  requireProjectsInReach,
} from '../../../domain/permission/project-reach.server.ts';
import type { FileValue, RefValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { filesById } from '../../../kernel/server/files/files.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { fromInput } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import {
  insertRow,
  type ActionContext,
  type ActionResult,
} from '../../../kernel/server/resource/run-action.ts';
import { PRODUCT_SCOPE } from '../../mall/product/product-scope.server.ts';
import { checkPictures } from '../../property/picture-columns.server.ts';
import { PACKAGE_APPROVAL, PACKAGE_SCOPE, packageApproval, packageSight } from './package-approval.server.ts';
import { PACKAGE_MENU, servicePackage } from './package.contract.ts';

const approval = approvable(PACKAGE_APPROVAL, {
  waiting: 'reviewing',
  passed: 'published',
  refused: 'rejected',
});
const BY_TIMES: Label = [
  '含不限次项目的套餐不能按次退款',
  'A package with unlimited items cannot refund by use',
];
const LIST_TOTAL = `(SELECT sum(i.times * i.list_price) FROM service_package_item i WHERE i.package_id = t.id AND NOT i.unlimited)`;

const bound: BoundResource = bindResource(servicePackage, {
  table: 'service_package',
  links: {
    projects: { table: 'service_package_project', own: 'package_id', other: 'project_id', to: 'project' },
  },
  lines: {
    items: {
      table: 'service_package_item',
      own: 'package_id',
      joins: { service: { table: 'product', title: 'name' } },
    },
    plans: { table: 'service_package_plan', own: 'package_id' },
  },
  scope: PACKAGE_SCOPE,
  search: 'lower(t.name)',
  searchExact: ['t.code'],
  columns: {
    images: 't.image_ids',
    contents: `(SELECT string_agg(i.name || '×' || coalesce(i.times::text, '∞'), '、' ORDER BY i.position) FROM service_package_item i WHERE i.package_id = t.id)`,
    service: { id: 'NULL::bigint', title: 'NULL::text' },
    term: `(CASE t.validity_unit WHEN 'month' THEN t.validity || ' 个月｜' || t.validity || ' mo.' ELSE t.validity || ' 天｜' || t.validity || ' days' END)`,
    listTotal: `${LIST_TOTAL}::bigint`,
    saving: `(CASE WHEN NOT t.has_unlimited AND ${LIST_TOTAL} > 0 THEN round((1 - t.price / ${LIST_TOTAL}) * 100, 2) END)`,
    sold: `(SELECT count(*)::int FROM package_order o WHERE o.package_id = t.id AND o.confirmed_at IS NOT NULL)`,
    running: `(SELECT count(*)::int FROM package_order o WHERE o.package_id = t.id AND o.state IN ('in_service', 'paused'))`,
    usedShare: `(SELECT round(100.0 * sum(i.used) / nullif(sum(i.times), 0), 2) FROM package_order_item i JOIN package_order o ON o.id = i.order_id
      WHERE o.package_id = t.id AND o.confirmed_at IS NOT NULL AND i.times IS NOT NULL)`,
    refundShare: `(SELECT round(100.0 * sum(o.refund) / nullif(sum((SELECT sum(r.received) FROM receivable r WHERE r.source_kind = 'package' AND r.source_id = o.id)), 0), 2)
      FROM package_order o WHERE o.package_id = t.id)`,
    versionNo: `(SELECT max(v.no) FROM service_package_version v WHERE v.package_id = t.id)`,
    opinion: `nullif(t.opinion, '')`,
    offReason: `nullif(t.off_reason, '')`,
  },
  writes: { images: 'image_ids', service: false },
  filters: {
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM service_package_project p WHERE p.package_id = t.id AND p.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
    service: (value, parameters) =>
      `EXISTS (SELECT FROM service_package_item i WHERE i.package_id = t.id AND i.service_id::text = ANY(string_to_array(${parameters.bind(value)}, ',')))`,
  },
  words: { term: (value, { language }) => partsOfSaid(value)[language === 'en' ? 1 : 0] },
  abilities: [approval.ability],
  extra: {
    projectIds: 'ARRAY(SELECT p.project_id FROM service_package_project p WHERE p.package_id = t.id)',
    submitterId: 't.submitted_by',
  },
  ruleReads: ['projectIds', 'submitterId'],
  rowRules: {
    update: inReach,
    submit: inReach,
    off: inReach,
    remove: inReach,
    withdraw: (row, caller) =>
      Number(row.submitterId) === caller.staffId
        ? undefined
        : ['只有提交人可以撤回', 'Only who submitted it may withdraw it'],
  },
  usedBy: {
    service_package_version: false,
    service_package_item: false,
    service_package_plan: false,
    service_package_project: false,
  },
  inUse: () => ['已有订单的套餐不能删除', 'A package with orders is not deleted'],
  before: [check],
  after: [keepSold],
  sets: { off: { off_reason: fromInput('reason') } },
  handlers: {
    submit,
    copy,
  },
  present: async (rows, db, caller) => {
    const idsOf = (row: DbRow) => (row.images ?? []) as readonly string[];
    const byId = await filesById(db, [...new Set(rows.flatMap(idsOf))]);
    for (const row of rows) {
      if (row.images !== undefined)
        row.images = idsOf(row).flatMap((id): FileValue[] => {
          const file = byId.get(id);
          return file ? [file] : [];
        });
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
    }
  },
  also: { approvals: [packageApproval], sights: [packageSight], options: [serviceOptions()] },
});

/** Service packages. */
export const registration = bound.registration;

interface ItemLine {
  service?: number | null;
  name?: string | null;
  times?: number | null;
  unlimited?: boolean | null;
}

interface PlanLine {
  parts: number;
  firstPercent?: number | null;
  intervalMonths: string;
}

/** Items are named and counted, plans and start rule are whole; what cannot be given back by use is refused. */
async function check(context: ActionContext): Promise<void> {
  const { tx, action, input, row, columns, caller } = context;
  if (action !== 'create' && action !== 'update') return;
  if (action === 'create') columns.tenant_id = caller.tenantId;
  if (Array.isArray(input.projects)) await checkProjects(context, input.projects as number[]);
  if (Array.isArray(input.images))
    await checkPictures(
      context,
      'images',
      input.images as string[],
      (row.image_ids ?? []) as readonly string[],
    );
  const problems: Record<string, Label> = {};
  let unlimited = row.has_unlimited === true;
  if (Array.isArray(input.items)) {
    const items = input.items as ItemLine[];
    const problem = await completeItems(context, items);
    if (problem) problems.items = problem;
    unlimited = items.some((item) => item.unlimited === true);
    columns.has_unlimited = unlimited;
  }
  const now = <T>(field: string, column: string) =>
    (input[field] === undefined ? row[column] : input[field]) as T | null | undefined;
  if (now('refundMethod', 'refund_method') === 'by_times' && unlimited) problems.refundMethod = BY_TIMES;
  if (now('validityUnit', 'validity_unit') === 'month' && Number(now('validity', 'validity')) > 36)
    problems.validity = ['最多 36 个月', 'At most 36 months'];
  const firstUse = now('startRule', 'start_rule') === 'first_use';
  if (firstUse && !now('firstUseDays', 'first_use_days'))
    problems.firstUseDays = ['请填写首次使用期限', 'Say within how many days it is first used'];
  if (!firstUse) columns.first_use_days = null;
  for (const plan of (input.plans ?? []) as PlanLine[]) plan.firstPercent ??= null;
  const plans = Array.isArray(input.plans)
    ? input.plans.length
    : action === 'create'
      ? 0
      : (await run(tx, 'SELECT FROM service_package_plan WHERE package_id = $1', [row.id])).length;
  if (now('payOnce', 'pay_once') !== true && plans === 0)
    problems.payOnce = ['请至少选择一种付款方式', 'Allow at least one way to pay'];
  if (Object.keys(problems).length > 0) throw invalid(problems);
  if (columns.pay_once === null) columns.pay_once = false;
  if (columns.detail === null) columns.detail = '';
}

/** A change of what is sold makes a version; own hooks run ahead of the lines, so those come from the input. */
async function keepSold({ tx, action, row, input, caller }: ActionContext, id: number) {
  if (action !== 'update' || row.state !== 'published') return [];
  const items = input.items as readonly (ItemLine & { listPrice: number })[] | undefined;
  const plans = input.plans as readonly PlanLine[] | undefined;
  await keepVersion(tx, id, caller.staffId, {
    lines: {
      ...(items && {
        items: items.map((item) => ({
          name: String(item.name),
          times: item.times ?? null,
          listPrice: Number(item.listPrice),
        })),
      }),
      ...(plans && {
        plans: plans.map((plan) => ({
          parts: Number(plan.parts),
          firstPercent: plan.firstPercent ?? null,
          intervalMonths: String(plan.intervalMonths),
        })),
      }),
    },
  });
  return [];
}

/** Projects the caller works in; a merchant sells in those of its agreement. */
async function checkProjects({ tx, caller, row }: ActionContext, projects: readonly number[]): Promise<void> {
  requireProjectsInReach(caller, projects);
  const tenant = await runOne<{ outside: boolean }>(
    tx,
    `SELECT EXISTS (SELECT FROM unnest($2::bigint[]) p WHERE p NOT IN (SELECT project_id FROM tenant_project WHERE tenant_id = t.id)) AS outside
       FROM tenant t WHERE t.id = $1 AND t.kind = 2`,
    [row.tenant_id ?? caller.tenantId, projects],
  );
  if (tenant?.outside)
    throw invalid({ projects: ['项目不在合作范围', 'A project lies outside the agreement'] });
}

/** Gives items the name of their service where they have none; says what is wrong with the first that is not whole. */
async function completeItems({ tx }: ActionContext, items: ItemLine[]): Promise<Label | undefined> {
  const services = await run<{ id: number; name: string }>(
    tx,
    `SELECT id, name FROM product WHERE kind = 'service' AND id = ANY($1::bigint[])`,
    [items.flatMap((item) => (item.service ? [Number(item.service)] : []))],
  );
  const names = new Map(services.map((one) => [one.id, one.name]));
  for (const [index, item] of items.entries()) {
    const own = String(item.name ?? '').trim();
    item.name = own || (names.get(Number(item.service)) ?? '');
    if (!item.name)
      return [`第 ${index + 1} 行请选择服务或填写名称`, `Row ${index + 1}: choose a service or write a name`];
    item.unlimited = item.unlimited === true;
    if (item.unlimited) item.times = null;
    else if (!item.times)
      return [`第 ${index + 1} 行请填写次数或选不限次`, `Row ${index + 1}: a number of uses, or unlimited`];
  }
  return undefined;
}

/** Hands it in; meanwhile nobody changes it. */
async function submit({ tx, id, row, caller, facts, platform }: ActionContext): Promise<ActionResult> {
  const price = `¥${yuanFromFen(Number(row.price))}`;
  await submitApproval(
    tx,
    platform,
    {
      kind: PACKAGE_APPROVAL,
      bizId: id,
      tenantId: Number(row.tenant_id),
      title: [`生活服务套餐 ${String(row.name)}`, `Service package ${String(row.name)}`],
      summary: [{ label: ['套餐价', 'Price'], value: [price, price] }],
      starterId: caller.staffId,
    },
    { caller, facts },
  );
  return { set: { submitted_by: caller.staffId, opinion: '' } };
}

/** A copy is a draft of the caller's own tenant, for the projects it works in. */
async function copy({ tx, id, row, caller }: ActionContext): Promise<ActionResult> {
  const same = [
    'image_ids',
    'price',
    'validity',
    'validity_unit',
    'start_rule',
    'first_use_days',
    'pay_once',
    'refund_method',
    'cancel_fee',
    'max_running',
    'detail',
    'terms',
    'has_unlimited',
  ];
  const copied = await insertRow(tx, 'service_package', {
    ...Object.fromEntries(same.map((column) => [column, row[column]])),
    tenant_id: caller.tenantId,
    name: `${Array.from(String(row.name)).slice(0, 26).join('')}（副本）`,
    created_by: caller.staffId,
    updated_by: caller.staffId,
  });
  await run(
    tx,
    `INSERT INTO service_package_item (package_id, position, service_id, name, times, unlimited, list_price)
     SELECT $2, position, service_id, name, times, unlimited, list_price FROM service_package_item WHERE package_id = $1`,
    [id, copied],
  );
  await run(
    tx,
    `INSERT INTO service_package_plan (package_id, position, parts, first_percent, interval_months)
     SELECT $2, position, parts, first_percent, interval_months FROM service_package_plan WHERE package_id = $1`,
    [id, copied],
  );
  await run(
    tx,
    `INSERT INTO service_package_project (package_id, project_id)
     SELECT $2, p.project_id FROM service_package_project p
      WHERE p.package_id = $1 AND ($3::bigint[] IS NULL OR p.project_id = ANY($3::bigint[]))
        AND ($4::bigint IS NULL OR p.project_id IN (SELECT project_id FROM tenant_project WHERE tenant_id = $4))`,
    [id, copied, caller.projectIds, caller.tenantKind === 2 ? caller.tenantId : null],
  );
  return { result: { id: String(copied) } };
}

/** Home services on sale where the caller works. */
function serviceOptions(): OptionSource {
  return {
    target: 'packageService',
    anyOf: [PACKAGE_MENU],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [
        placeCondition(caller, PRODUCT_SCOPE, parameters),
        `t.kind = 'service' AND t.purged_at IS NULL AND t.recycled_at IS NULL`,
      ];
      // What a package holds already keeps its name; only what is on sale is offered anew.
      if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      else parts.push(`t.status = 'published'`);
      if (query.searchVal) parts.push(`position(lower(${parameters.bind(query.searchVal)}) IN t.search) > 0`);
      const rows = await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT t.id, t.name AS title, '¥' || to_char(t.price_min / 100.0, 'FM9999990.00') AS note FROM product t
          WHERE ${parts.join(' AND ')} ORDER BY t.id DESC LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}
