import { classesOfSql } from '../../../domain/order-rule/product-classes.server.ts';
import { sanitizeRichText } from '../../../kernel/contract/rich-text.rules.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import {
  businessTimeText,
  startOfBusinessDay,
  endOfBusinessDay,
} from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { checkAttachable, filesById, showFiles } from '../../../kernel/server/files/files.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { NOW } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import {
  insertRow,
  type ActionContext,
  type ActionResult,
} from '../../../kernel/server/resource/run-action.ts';
import { bookedMeanwhile, stopService, type Stop } from '../../../domain/home-service/service-stop.server.ts';
import {
  filteredProjects,
  projectIdsInReach,
  projectsInReach,
  requireProjectsInReach,
} from '../../../domain/permission/project-reach.server.ts';
import {
  checkClasses,
  checkProjects,
  contentOfSpec,
  liveContent,
  specsOf,
  writeClasses,
  writeProjects,
  writeSpecs,
} from '../../mall/product/product-content.server.ts';
import {
  applyForPublishing,
  proposeChange,
  waitingReview,
  withdrawReview,
} from '../../mall/product/product-review.server.ts';
import { PRODUCT_SCOPE, serviceSight } from '../../mall/product/product-scope.server.ts';
import { changeStock } from '../../mall/product/product-stock.server.ts';
import {
  proposalOf,
  withProposal,
  type ReviewedContent,
  type SpecContent,
} from '../../mall/product/proposal.rules.ts';
import {
  openingProblem,
  readTiers,
  storedOpenings,
  wireOpenings,
  type OpeningInput,
} from './opening.rules.ts';
import { service } from './service.contract.ts';

/** Columns of service_setting by field: what changes at once, also of a published service. */
const SETTINGS = {
  stepMin: 'step_min',
  bufferBefore: 'buffer_before',
  bufferAfter: 'buffer_after',
  leadHours: 'lead_hours',
  horizonDays: 'horizon_days',
  slotCapacity: 'slot_capacity',
  personChoice: 'person_choice',
  verify: 'verify',
  times: 'times',
  cancelTiers: 'cancel_tiers',
  autoAccept: 'auto_accept',
  skills: 'skills',
  minQty: 'min_qty',
  notes: 'notes',
} as const;
const NULLABLE = new Set(['leadHours', 'horizonDays', 'cancelTiers']);
const EMPTY: Readonly<Record<string, unknown>> = {
  bufferBefore: 0,
  bufferAfter: 0,
  personChoice: false,
  verify: false,
  autoAccept: false,
  skills: [],
  minQty: 1,
  times: 1,
  notes: '',
};
const LIVE = `a.state IN ('held', 'to_accept', 'assigned', 'serving')`;

/** Visits that are sold, for what acts on them. */
export const boundService: BoundResource = bindResource(service, {
  table: 'product',
  from: `product t LEFT JOIN service_setting v ON v.product_id = t.id LEFT JOIN business b ON b.id = t.business_id LEFT JOIN tenant m ON m.id = t.tenant_id`,
  where: `t.kind = 'service' AND t.purged_at IS NULL AND t.recycled_at IS NULL`,
  stateColumn: 'status',
  scope: PRODUCT_SCOPE,
  search: 't.search',
  searchExact: ['m.name'],
  columns: {
    cover: 't.logo_ids[1]',
    images: 't.logo_ids',
    featured: 't.featured_ids',
    merchant: { id: 't.tenant_id', title: 'm.name' },
    business: { id: 't.business_id', title: 'b.name', titleEn: 'b.name_en' },
    classes: classesOfSql('t.id'),
    projects: `(SELECT coalesce(json_agg(json_build_object('id', p.id::text, 'title', p.name) ORDER BY p.id), '[]') FROM product_project pp JOIN project p ON p.id = pp.project_id WHERE pp.product_id = t.id)`,
    price: 't.price_min',
    durationMin: 'v.duration_min',
    ...Object.fromEntries(Object.entries(SETTINGS).map(([field, column]) => [field, `v.${column}`])),
    unmanned: 'NULL::boolean',
    bookings: `(SELECT count(*)::integer FROM appointment a WHERE a.product_id = t.id AND a.state <> 'released')`,
    free: `CASE WHEN t.status = 'published' THEN service_free_places(t.id) END`,
    appliedAt: `coalesce(t.applied_at, 'epoch'::timestamptz)`,
    publishedAt: `coalesce(t.published_at, 'epoch'::timestamptz)`,
    pendingChange: `EXISTS (SELECT 1 FROM product_review pr WHERE pr.product_id = t.id AND pr.state = 'waiting' AND pr.kind = 'change')`,
    // Up to 20,000 characters a row and lists of rows: only the detail reads them.
    detailHtml: 'NULL::text',
    specs: 'NULL::json',
    template: 'NULL::json',
    times14: 'NULL::json',
  },
  writes: {
    images: 'logo_ids',
    featured: 'featured_ids',
    merchant: false,
    classes: false,
    projects: false,
    specs: false,
    template: false,
    unmanned: false,
    durationMin: false,
    ...Object.fromEntries(Object.keys(SETTINGS).map((field) => [field, false as const])),
  },
  filters: {
    // Another tenant's id from a merchant is ignored: its own rows are all it has.
    merchant: (value, parameters, caller) =>
      caller.tenantKind === 2
        ? 'TRUE'
        : `t.tenant_id::text = ANY(string_to_array(${parameters.bind(value)}, ','))`,
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM product_project fp WHERE fp.product_id = t.id AND fp.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
    // A class stands for those below it too.
    classes: (value, parameters) =>
      `EXISTS (WITH RECURSIVE below AS (SELECT id FROM product_class WHERE id::text = ANY(string_to_array(${parameters.bind(value)}, ','))
         UNION SELECT c.id FROM product_class c JOIN below ON c.parent_id = below.id)
         SELECT FROM product_class_member fc JOIN below ON below.id = fc.class_id WHERE fc.product_id = t.id)`,
  },
  ruleReads: ['pendingChange'],
  rowRules: {
    recall: (row) =>
      row.state === 'published' && row.pendingChange !== true
        ? ['没有等待审核的修改', 'No change is waiting for review']
        : undefined,
  },
  sets: { remove: { recycled_at: NOW } },
  handlers: {
    create,
    update,
    apply,
    recall: async ({ tx, id, row }) => {
      const withdrawn = await withdrawReview(tx, id);
      if (row.status === 'reviewing') return { to: 'draft' };
      if (!withdrawn) throw ruleBroken(['没有等待审核的修改', 'No change is waiting for review']);
      return { to: 'published', event: ['撤回修改', 'Change recalled'] };
    },
    withdraw: async ({ tx, id, input }) => {
      await withdrawReview(tx, id);
      return { set: { off_reason: input.reason }, remark: String(input.reason) };
    },
    area: changeRange,
    day: changeDay,
    stop,
    copy,
  },
  present: async (rows, db, caller) => {
    await showFiles(rows, db, 'cover');
    for (const name of ['images', 'featured']) await showImages(rows, db, name);
    for (const row of rows) {
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
      for (const name of ['appliedAt', 'publishedAt'])
        if (row[name] instanceof Date && row[name].getTime() === 0) row[name] = null;
    }
  },
  detail,
  also: { sights: [serviceSight] },
});

/** Visits that are sold. */
export const registration = boundService.registration;

async function showImages(rows: DbRow[], db: Executor, name: string): Promise<void> {
  const files = await filesById(
    db,
    rows.flatMap((row) => (row[name] as string[] | null) ?? []),
  );
  for (const row of rows)
    row[name] = ((row[name] as string[] | null) ?? []).flatMap((id) => files.get(id) ?? []);
}

async function detail(
  db: Executor,
  id: number,
  row: DbRow,
  caller: Caller,
): Promise<Record<string, unknown>> {
  const live = await liveContent(db, id);
  // Whoever edits goes on with what is proposed already.
  const waiting = await runOne<{ payload: object }>(
    db,
    `SELECT payload FROM product_review WHERE product_id = $1 AND state = 'waiting' AND kind = 'change'`,
    [id],
  );
  const content = withProposal(live, waiting?.payload);
  const stocks = new Map((await specsOf(db, id)).map((spec) => [spec.id, spec]));
  const limited = await runOne<{ limited: boolean }>(
    db,
    'SELECT limited FROM service_setting WHERE product_id = $1',
    [id],
  );
  const openings = await run<Parameters<typeof wireOpenings>[0][number]>(
    db,
    `SELECT weekday, from_minute, to_minute, capacity, valid_from::text AS valid_from, valid_to::text AS valid_to
       FROM service_template WHERE product_id = $1 ORDER BY weekday, from_minute`,
    [id],
  );
  const times = await run<{
    project: string;
    project_id: number;
    starts_at: Date;
    capacity: number;
    over: number;
    taken: number;
  }>(
    db,
    `SELECT j.name AS project, j.id AS project_id, f.starts_at, f.capacity, f.over, f.taken FROM product_project p JOIN project j ON j.id = p.project_id
      CROSS JOIN LATERAL service_times($1, p.project_id, now(), now() + interval '14 days') f
      WHERE p.product_id = $1 ORDER BY j.id, f.starts_at LIMIT 2000`,
    [id],
  );
  const seen = new Set(projectIdsInReach(caller, [...new Set(times.map((time) => time.project_id))]));
  return {
    detailHtml: content.detailHtml,
    specs: content.specs.map((spec) => ({
      name: spec.name,
      price: yuanFromFen(spec.price),
      unit: spec.unit,
      stock: limited?.limited ? ((spec.id === null ? spec.stock : stocks.get(spec.id)?.stock) ?? 0) : 0,
    })),
    template: wireOpenings(openings),
    times14: times
      .filter((time) => seen.has(time.project_id))
      .map((time) => ({
        project: time.project,
        at: businessTimeText(time.starts_at),
        capacity: time.capacity,
        over: time.over,
        taken: time.taken,
      })),
  };
}

async function create(context: ActionContext): Promise<ActionResult> {
  const { tx, caller, input, columns } = context;
  const tenantId = caller.tenantKind === 2 ? caller.tenantId : (input.merchant as number | undefined);
  if (!tenantId) throw invalid({ merchant: ['请选择商户', 'Choose the merchant'] });
  const projects = input.projects as number[];
  requireProjectsInReach(caller, projects);
  const businessId = input.business as number;
  await checkBusiness(tx, tenantId, businessId);
  await checkProjects(tx, tenantId, projects);
  await checkClasses(tx, tenantId, businessId, input.classes as number[]);
  await checkOpenings(context, projects, tenantId);
  await checkAttachable(tx, caller, 'images', input.images as string[]);
  await checkAttachable(tx, caller, 'featured', (input.featured as string[] | undefined) ?? []);
  const specs = specsFrom(input.specs as readonly DbRow[], []);
  tidy(columns);
  const id = await insertRow(tx, 'product', {
    ...columns,
    tenant_id: tenantId,
    code: await nextCode(tx, 'PD'),
    kind: 'service',
    status: 'draft',
    created_by: caller.staffId,
    updated_by: caller.staffId,
  });
  const setting: Record<string, unknown> = {
    product_id: id,
    duration_min: input.durationMin,
    ...settingsOf(input),
    limited: specs.limited,
  };
  const names = Object.keys(setting);
  await run(
    tx,
    `INSERT INTO service_setting (${names.join(', ')}) VALUES (${names.map((_, at) => `$${at + 1}`).join(', ')})`,
    names.map((name) => setting[name]),
  );
  await writeOpenings(context, id);
  await writeClasses(tx, id, businessId, input.classes as number[]);
  await writeProjects(tx, id, projects, []);
  await writeSpecs(tx, id, specs.specs, caller.staffId);
  return { id };
}

/** Openings, places and people change at once; what members read or pay waits for review while it is on sale. */
async function update(context: ActionContext): Promise<ActionResult> {
  const { tx, id, row, caller, input, columns } = context;
  const tenantId = row.tenant_id as number;
  const chosen = input.projects as number[] | undefined;
  if (chosen) requireProjectsInReach(caller, chosen);
  const live = await liveContent(tx, id);
  const published = row.status === 'published';
  const waiting = published ? await waitingReview(tx, id) : undefined;
  const current = withProposal(live, waiting?.payload);
  await checkOpenings(context, chosen ?? current.projectIds, tenantId);
  tidy(columns);
  const specs =
    input.specs === undefined ? undefined : specsFrom(input.specs as readonly DbRow[], current.specs);
  // Projects the caller does not see stay as they are.
  const unseen = current.projectIds.filter((project) => caller.projectIds?.includes(project) === false);
  const wanted: ReviewedContent = {
    name: (columns.name as string | undefined) ?? current.name,
    summary: (columns.summary as string | undefined) ?? current.summary,
    images: (columns.logo_ids as string[] | undefined) ?? current.images,
    featured: (columns.featured_ids as string[] | undefined) ?? current.featured,
    detailHtml: (columns.detail_html as string | undefined) ?? current.detailHtml,
    labels: (columns.labels as string[] | undefined) ?? current.labels,
    afterSaleText: current.afterSaleText,
    classIds: (input.classes as number[] | undefined) ?? current.classIds,
    projectIds: chosen ? [...new Set([...chosen, ...unseen])] : current.projectIds,
    specs: specs?.specs ?? current.specs,
    durationMin: (input.durationMin as number | undefined) ?? current.durationMin,
  };
  const added = wanted.projectIds.filter((project) => !live.projectIds.includes(project));
  const removed = live.projectIds.filter((project) => !wanted.projectIds.includes(project));
  await checkProjects(tx, tenantId, projectIdsInReach(caller, added));
  await checkAttachable(tx, caller, 'images', wanted.images, [...live.images, ...current.images]);
  await checkAttachable(tx, caller, 'featured', wanted.featured, [...live.featured, ...current.featured]);
  if (input.classes !== undefined)
    await checkClasses(tx, tenantId, row.business_id as number, wanted.classIds);
  const settings = settingsOf(input);
  if (Object.keys(settings).length > 0) await setSettings(tx, id, settings);
  if (input.template !== undefined) await writeOpenings(context, id);
  if (!published) {
    if (wanted.durationMin) await setSettings(tx, id, { duration_min: wanted.durationMin });
    await writeProjects(tx, id, added, removed);
    if (input.classes !== undefined) await writeClasses(tx, id, row.business_id as number, wanted.classIds);
    if (specs) {
      await writeSpecs(tx, id, specs.specs, caller.staffId);
      await setStocks(context, specs);
    }
    return {};
  }
  for (const column of ['name', 'summary', 'logo_ids', 'featured_ids', 'detail_html', 'labels'])
    delete columns[column];
  await writeProjects(tx, id, [], removed);
  if (specs) await setStocks(context, specs);
  const rest = { ...live, projectIds: live.projectIds.filter((project) => !removed.includes(project)) };
  const difference = await proposeChange(tx, id, proposalOf(rest, wanted), caller);
  return difference.length > 0
    ? { event: ['修改待审', 'Change waiting for review'], result: { waiting: true } }
    : { result: { waiting: false } };
}

/** btn_area: the projects of the service, chosen one by one or by the regions they lie in. They change as in the form. */
async function changeRange(context: ActionContext): Promise<ActionResult> {
  const { tx, row, input, caller } = context;
  const [regions, chosen] = [input.regions, input.projects].map(
    (value) => (value as number[] | null | undefined) ?? [],
  ) as [number[], number[]];
  if (regions.length > 0 === chosen.length > 0)
    throw invalid({ regions: ['请选择地区或项目其中一种', 'Choose either regions or projects'] });
  const projects =
    chosen.length > 0
      ? chosen
      : projectIdsInReach(
          caller,
          (
            await run<{ id: number }>(
              tx,
              `WITH RECURSIVE below AS (SELECT id FROM region WHERE id = ANY($2::bigint[])
                 UNION SELECT r.id FROM region r JOIN below b ON r.parent_id = b.id)
               SELECT p.id FROM tenant_project x JOIN project p ON p.id = x.project_id JOIN organisation c ON c.id = p.centre_id
                WHERE x.tenant_id = $1 AND p.enabled AND coalesce(p.region_id, c.region_id) IN (SELECT id FROM below) ORDER BY p.id`,
              [row.tenant_id, regions],
            )
          ).map((one) => one.id),
        );
  if (projects.length === 0)
    throw invalid({ regions: ['这些地区没有合作小区', 'No project of the agreement lies there'] });
  return {
    ...(await update({ ...context, input: { projects } })),
    result: { n: projects.length },
  };
}

async function apply({ tx, id, row, caller }: ActionContext): Promise<ActionResult> {
  const live = await liveContent(tx, id);
  const openings = await runOne(tx, 'SELECT 1 AS one FROM service_template WHERE product_id = $1 LIMIT 1', [
    id,
  ]);
  const missing: Label | undefined =
    live.specs.length === 0
      ? ['请至少添加一个规格', 'Please add at least one spec']
      : !openings
        ? ['请填写每周开放时段', 'Please say when it is offered']
        : live.projectIds.length === 0
          ? ['请选择项目', 'Please choose projects']
          : live.images.length === 0
            ? ['请上传封面图', 'Please upload a cover']
            : undefined;
  if (missing) throw ruleBroken(missing);
  const merchant = await runOne<{ state: string }>(tx, 'SELECT state FROM tenant WHERE id = $1', [
    row.tenant_id,
  ]);
  if (merchant?.state === 'closed')
    throw ruleBroken(['商户已打烊，不能提交审核', 'The merchant is closed for now']);
  await withdrawReview(tx, id);
  await applyForPublishing(tx, id, caller, 'service');
  return { set: { applied_at: new Date(), applied_by: caller.staffId, off_reason: '' } };
}

/** A copy is a draft of the same merchant without visits to sell counted down. */
async function copy({ tx, id, row, caller }: ActionContext): Promise<ActionResult> {
  const columns = [
    'tenant_id',
    'business_id',
    'summary',
    'logo_ids',
    'featured_ids',
    'detail_html',
    'labels',
    'supplier',
    'sales_way',
    'account_limit',
    'points_allowed',
  ];
  const copied = await insertRow(tx, 'product', {
    ...Object.fromEntries(columns.map((column) => [column, row[column]])),
    kind: 'service',
    code: await nextCode(tx, 'PD'),
    name: `${Array.from(String(row.name)).slice(0, 56).join('')}（副本）`,
    status: 'draft',
    created_by: caller.staffId,
    updated_by: caller.staffId,
  });
  await run(
    tx,
    `INSERT INTO service_setting SELECT (jsonb_populate_record(s, jsonb_build_object('product_id', $2::bigint))).* FROM service_setting s WHERE product_id = $1`,
    [id, copied],
  );
  await run(
    tx,
    `INSERT INTO service_template (product_id, weekday, from_minute, to_minute, capacity, valid_from, valid_to)
     SELECT $2, weekday, from_minute, to_minute, capacity, valid_from, valid_to FROM service_template WHERE product_id = $1`,
    [id, copied],
  );
  await run(
    tx,
    'INSERT INTO product_class_member (product_id, class_id) SELECT $2, class_id FROM product_class_member WHERE product_id = $1',
    [id, copied],
  );
  const live = await liveContent(tx, id);
  await writeProjects(tx, copied, projectIdsInReach(caller, live.projectIds), []);
  await writeSpecs(
    tx,
    copied,
    (await specsOf(tx, id)).map((spec) => ({ ...contentOfSpec(spec), id: null, stock: spec.stock })),
    caller.staffId,
  );
  return { result: { id: String(copied) } };
}

/** btn_slots: places of every time of a day in a project; never below what is booked. */
async function changeDay({ tx, id, input, caller }: ActionContext): Promise<ActionResult> {
  const project = Number(input.project);
  await requireOffered(tx, caller, id, project);
  const day = String(input.day);
  const capacity = Number(input.capacity);
  const span = [id, project, startOfBusinessDay(day), endOfBusinessDay(day)];
  // The places of the day are locked, so that nobody books between the look and the change.
  await run(
    tx,
    'SELECT 1 FROM service_slot WHERE product_id = $1 AND project_id = $2 AND starts_at >= $3 AND starts_at < $4 ORDER BY id FOR UPDATE',
    span,
  );
  const fuller = await run<{ code: string; starts_at: Date }>(
    tx,
    `SELECT a.code, a.starts_at FROM service_slot k JOIN appointment a ON a.slot_id = k.id AND ${LIVE}
      WHERE k.product_id = $1 AND k.project_id = $2 AND k.starts_at >= $3 AND k.starts_at < $4 AND k.taken > $5 + k.over ORDER BY a.starts_at`,
    [...span, capacity],
  );
  if (fuller.length > 0) throw bookedMeanwhile(fuller);
  const changed = await run(
    tx,
    `INSERT INTO service_slot (product_id, project_id, starts_at, ends_at, capacity)
     SELECT $1, $2, f.starts_at, f.ends_at, $5 FROM service_times($1, $2, $3, $4) f
     ON CONFLICT ON CONSTRAINT service_slot_once DO UPDATE SET capacity = excluded.capacity RETURNING 1`,
    [...span, capacity],
  );
  if (changed.length === 0) throw ruleBroken(['当日没有开放时段', 'Nothing is offered that day']);
  return { remark: `${day} → ${capacity}`, result: { n: changed.length } };
}

/** A stop over booked visits is saved only with a choice about them. Source: group 07, capacity rule 7; Must show 10. */
async function stop(context: ActionContext): Promise<ActionResult> {
  const { tx, id, input, caller, platform } = context;
  const projectId = (input.project as number | null | undefined) ?? null;
  if (projectId !== null) await requireOffered(tx, caller, id, projectId);
  else if (caller.projectIds) throw invalid({ project: ['请选择项目', 'Please choose the project'] });
  const n = await stopService(
    { tx, platform, caller },
    {
      productId: id,
      projectId,
      from: String(input.startsAt),
      to: String(input.endsAt),
      reason: String(input.reason),
      moved: (input.moved as Stop['moved'] | null | undefined) ?? undefined,
    },
  );
  return { remark: String(input.reason), result: { n } };
}

async function requireOffered(
  tx: Executor,
  caller: Caller,
  productId: number,
  projectId: number,
): Promise<void> {
  const offered = await runOne(
    tx,
    'SELECT 1 AS one FROM product_project WHERE product_id = $1 AND project_id = $2',
    [productId, projectId],
  );
  if (!offered || projectIdsInReach(caller, [projectId]).length === 0)
    throw notFound(['项目不在服务范围', 'The service is not offered in the project']);
}

async function checkBusiness(tx: Executor, tenantId: number, businessId: number): Promise<void> {
  const row = await runOne(
    tx,
    'SELECT 1 AS one FROM tenant_business tb JOIN business b ON b.id = tb.business_id AND b.enabled WHERE tb.tenant_id = $1 AND tb.business_id = $2',
    [tenantId, businessId],
  );
  if (!row) throw invalid({ business: ['业务不在合作范围', 'The business is outside the agreement'] });
}

/** Openings that fit the duration and each other, tiers that can be read, and people for the skills in every project. */
async function checkOpenings(
  { tx, input, row }: ActionContext,
  projects: readonly number[],
  tenantId: number,
): Promise<void> {
  const problems: Record<string, Label> = {};
  const duration =
    (input.durationMin as number | undefined) ??
    (
      await runOne<{ n: number }>(tx, 'SELECT duration_min AS n FROM service_setting WHERE product_id = $1', [
        row.id,
      ])
    )?.n ??
    15;
  if (input.template !== undefined) {
    const problem = openingProblem(input.template as readonly OpeningInput[], duration);
    if (problem) problems.template = problem;
  }
  if (input.cancelTiers && !readTiers(String(input.cancelTiers)))
    problems.cancelTiers = [
      '格式如 >24h:0|24h-start:30|after start or no_show:100',
      'Written as >24h:0|24h-start:30|after start or no_show:100',
    ];
  const skills = (input.skills as string[] | undefined) ?? [];
  if (skills.length > 0 && input.unmanned !== true) {
    const rows = await run<{ name: string }>(
      tx,
      `SELECT j.name FROM project j WHERE j.id = ANY($1::bigint[]) AND NOT EXISTS (
         SELECT FROM service_person p JOIN service_person_project x ON x.person_id = p.id
          WHERE p.tenant_id = $2 AND p.enabled AND p.skills @> $3::text[] AND x.project_id = j.id) ORDER BY j.id`,
      [projects, tenantId, skills],
    );
    if (rows.length > 0) {
      const names = rows.map((one) => one.name);
      problems.unmanned = [
        `${names.join('、')}没有具备所需技能的人员，请确认`,
        `Nobody has the skills in ${names.join(', ')}: confirm it`,
      ];
    }
  }
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

async function writeOpenings({ tx, input }: ActionContext, id: number): Promise<void> {
  await run(tx, 'DELETE FROM service_template WHERE product_id = $1', [id]);
  for (const opening of storedOpenings(input.template as readonly OpeningInput[]))
    await insertRow(tx, 'service_template', { product_id: id, ...opening });
}

function settingsOf(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const set: Record<string, unknown> = {};
  for (const [field, column] of Object.entries(SETTINGS))
    if (input[field] !== undefined)
      set[column] = input[field] === null && !NULLABLE.has(field) ? EMPTY[field] : input[field];
  return set;
}

async function setSettings(tx: Executor, id: number, set: Readonly<Record<string, unknown>>): Promise<void> {
  const names = Object.keys(set);
  await run(
    tx,
    `UPDATE service_setting SET ${names.map((name, at) => `${name} = $${at + 2}`).join(', ')} WHERE product_id = $1`,
    [id, ...names.map((name) => set[name])],
  );
}

interface WantedSpecs {
  readonly specs: readonly SpecContent[];
  readonly limited: boolean;
  readonly stocks: ReadonlyMap<string, number>;
}

/** Specs of the form; a spec keeps its number by its name. Visits to sell are given for all of them or for none. */
function specsFrom(rows: readonly DbRow[], live: readonly SpecContent[]): WantedSpecs {
  if (rows.length === 0) throw invalid({ specs: ['请至少添加一个规格', 'Please add at least one spec'] });
  const known = new Map(live.map((spec) => [spec.name, spec.id]));
  const stocks = new Map<string, number>();
  for (const row of rows) {
    const name = String(row.name).trim();
    if (stocks.has(name)) throw invalid({ specs: ['规格重复', 'The spec stands twice'] });
    stocks.set(name, Number(row.stock ?? 0));
  }
  const limited = [...stocks.values()].some((stock) => stock > 0);
  const specs = rows.map((row): SpecContent => {
    const name = String(row.name).trim();
    return {
      id: known.get(name) ?? null,
      name,
      price: Number(row.price),
      marketPrice: null,
      stock: stocks.get(name)!,
      stockAlert: 0,
      unit: String(row.unit),
      weightG: 0,
      barcode: null,
      imageId: null,
    };
  });
  return { specs, limited, stocks };
}

/** Visits to sell of live specs change by signed differences, as stock always does. */
async function setStocks({ tx, id, caller }: ActionContext, wanted: WantedSpecs): Promise<void> {
  await setSettings(tx, id, { limited: wanted.limited });
  const changes = (await specsOf(tx, id)).flatMap((spec) => {
    const difference = (wanted.stocks.get(spec.name) ?? spec.stock) - spec.stock;
    return difference === 0 ? [] : [{ specId: spec.id, difference }];
  });
  if (changes.length > 0) await changeStock(tx, changes, '编辑服务', caller.staffId, id);
}

/** What the table cannot hold as null, and formatted text that is safe to show. */
function tidy(columns: Record<string, unknown>): void {
  for (const column of ['summary', 'supplier']) if (columns[column] === null) columns[column] = '';
  if (columns.labels === null) columns.labels = [];
  if (columns.featured_ids === null) columns.featured_ids = [];
  if (columns.account_limit === null) columns.account_limit = 0;
  if (columns.points_allowed === null) columns.points_allowed = false;
  if (typeof columns.detail_html === 'string') columns.detail_html = sanitizeRichText(columns.detail_html);
}
