import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { InvalidInput, invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { checkAttachable } from '../../../kernel/server/files/files.ts';
import {
  insertRow,
  type ActionContext,
  type ActionResult,
} from '../../../kernel/server/resource/run-action.ts';
import { projectIdsInReach } from '../../../domain/permission/project-reach.server.ts';
import { addRushes } from '../rush-item/rush-item.server.ts';
import { setAreas } from './product-area.server.ts';
import { bulkHandlers } from './product-bulk.server.ts';
import {
  checkBarcodes,
  checkClasses,
  checkProjects,
  contentOfSpec,
  liveContent,
  specsOf,
  writeClasses,
  writeProjects,
  writeSpecs,
} from './product-content.server.ts';
import { requireDeposit } from '../../../domain/merchant/deposit.server.ts';
import { product } from './product.contract.ts';
import {
  applyForPublishing,
  passByTrust,
  proposeChange,
  waitingReview,
  withdrawReview,
} from './product-review.server.ts';
import { changeStock, readStockChanges } from './product-stock.server.ts';
import { proposalOf, withProposal, type ReviewedContent } from './proposal.rules.ts';
import { runningActivity } from '../../../domain/group-buy/occupancy.server.ts';
import { sanitizeRichText } from '../../../kernel/contract/rich-text.rules.ts';
import { NO_SPEC, readSpecs, specProblemText, type SpecInput } from './spec.rules.ts';

/** What each action of a product does inside the transaction, behind the row lock. */
export const productHandlers: Readonly<
  Record<string, (context: ActionContext) => Promise<ActionResult | void>>
> = {
  create: createProduct,
  update: updateProduct,
  apply,
  recall,
  takeDown: async ({ tx, id, input }) => {
    const running = await runningActivity(tx, { productId: id });
    if (running) throw ruleBroken(running);
    const withdrawn = await withdrawReview(tx, id);
    return {
      set: { off_reason: input.reason },
      remark: String(input.reason),
      ...(withdrawn
        ? { event: ['下架，待审的修改已撤回', 'Taken down; the waiting change was withdrawn'] as const }
        : {}),
    };
  },
  stock: async ({ tx, id, input, caller }) => {
    await changeStock(tx, readStockChanges(input.changes), String(input.reason), caller.staffId, id);
    return { remark: String(input.reason) };
  },
  ...bulkHandlers,
  rush: addRushes,
  noDelivery: setAreas,
  copy,
};

async function createProduct(context: ActionContext): Promise<ActionResult> {
  const { tx, caller, input, columns } = context;
  const projects = (input.projects as number[] | undefined) ?? [];
  checkOwnProjects(caller, projects);
  const tenantId = await merchantOf(tx, caller, input.merchant);
  const businessId = input.business as number;
  const specs = specsFrom(input.specs, (spec) => spec.id === null);
  await checkBusiness(tx, tenantId, businessId);
  await checkProjects(tx, tenantId, projects);
  await checkAttachable(tx, caller, 'images', input.images as string[]);
  await checkAttachable(tx, caller, 'featured', (input.featured as string[] | undefined) ?? []);
  await checkAttachable(tx, caller, 'specs', imagesOfSpecs(specs));
  await checkBarcodes(tx, caller, tenantId, 0, specs);
  tidy(columns);
  const id = await insertRow(tx, 'product', {
    ...columns,
    tenant_id: tenantId,
    code: await nextCode(tx, 'PD'),
    kind: 'goods',
    status: 'draft',
    created_by: caller.staffId,
    updated_by: caller.staffId,
  });
  await writeClasses(tx, id, businessId, input.classes as number[]);
  await writeProjects(tx, id, projects, []);
  await writeSpecs(tx, id, specs, caller.staffId);
  await auditContent(context, id, undefined, { projects, classes: input.classes, specs });
  return { id };
}

/**
 * Everything of a product that is not on sale is written. Of a published one only what buyers do not see, stock alerts
 * and projects taken away; the rest waits for review while the live version stays. Source: group 08, states (3 edited).
 */
async function updateProduct(context: ActionContext): Promise<ActionResult> {
  const { tx, id, row, caller, input, columns } = context;
  const tenantId = row.tenant_id as number;
  checkOwnProjects(caller, (input.projects as number[] | undefined) ?? []);
  const live = await liveContent(tx, id);
  const published = row.status === 'published';
  const waiting = published ? await waitingReview(tx, id) : undefined;
  const current = withProposal(live, waiting?.payload);
  tidy(columns);
  const specs = input.specs === undefined ? undefined : specsFrom(input.specs, () => true);
  const wanted: ReviewedContent = {
    name: (columns.name as string | undefined) ?? current.name,
    summary: (columns.summary as string | undefined) ?? current.summary,
    images: (columns.logo_ids as string[] | undefined) ?? current.images,
    featured: (columns.featured_ids as string[] | undefined) ?? current.featured,
    detailHtml: (columns.detail_html as string | undefined) ?? current.detailHtml,
    labels: (columns.labels as string[] | undefined) ?? current.labels,
    afterSaleText: (columns.after_sale_text as string | undefined) ?? current.afterSaleText,
    classIds: (input.classes as number[] | undefined) ?? current.classIds,
    projectIds: projectsAfter(caller, current.projectIds, input.projects as number[] | undefined),
    specs: specs ?? current.specs,
  };
  const added = wanted.projectIds.filter((project) => !live.projectIds.includes(project));
  const removed = live.projectIds.filter((project) => !wanted.projectIds.includes(project));
  // Of projects somebody else proposed, which the caller does not see, nothing is said: the review looks at them again.
  await checkProjects(tx, tenantId, projectIdsInReach(caller, added));
  await checkAttachable(tx, caller, 'images', wanted.images, [...live.images, ...current.images]);
  await checkAttachable(tx, caller, 'featured', wanted.featured, [...live.featured, ...current.featured]);
  await checkAttachable(tx, caller, 'specs', imagesOfSpecs(wanted.specs), [
    ...imagesOfSpecs(live.specs),
    ...imagesOfSpecs(current.specs),
  ]);
  if (specs) await checkBarcodes(tx, caller, tenantId, id, specs);

  if (!published) {
    await writeProjects(tx, id, added, removed);
    if (input.classes !== undefined) await writeClasses(tx, id, row.business_id as number, wanted.classIds);
    if (specs) await writeSpecs(tx, id, specs, caller.staffId);
    await auditContent(context, id, changedContent(live, wanted), changedContent(wanted, live));
    return {};
  }
  if (input.classes !== undefined)
    await checkClasses(tx, tenantId, row.business_id as number, wanted.classIds);
  for (const column of REVIEWED_COLUMNS) delete columns[column];
  await writeProjects(tx, id, [], removed);
  if (specs) await writeQuietSpecParts(tx, id, specs, caller.staffId);
  const rest = { ...live, projectIds: live.projectIds.filter((project) => !removed.includes(project)) };
  const difference = await proposeChange(tx, id, proposalOf(rest, wanted), caller);
  await auditContent(
    context,
    id,
    { projects: live.projectIds },
    { projects: rest.projectIds, proposal: difference },
  );
  if (difference.length > 0 && (await passByTrust(tx, context.platform, context, id)))
    return {
      event: ['小幅调价，自动通过', 'Small price change, passed by itself'],
      result: { waiting: false },
    };
  return difference.length > 0
    ? { event: ['修改待审', 'Change waiting for review'], result: { waiting: true } }
    : { result: { waiting: false } };
}

async function apply({ tx, id, row, caller, platform }: ActionContext): Promise<ActionResult> {
  await requireDeposit(
    tx,
    row.tenant_id as number,
    await platform.settings.number('merchant.deposit_grace_days'),
  );
  const live = await liveContent(tx, id);
  const missing: Record<string, readonly [string, string]> = {};
  if (live.specs.length === 0) missing.specs = NO_SPEC;
  if (live.images.length === 0) missing.images = ['请上传商品图', 'Please upload an image'];
  if (live.detailHtml.trim() === '') missing.detailHtml = ['请填写图文详情', 'Please write the description'];
  if (live.classIds.length === 0) missing.classes = ['请选择分类', 'Please choose a class'];
  if (live.projectIds.length === 0) missing.projects = ['请选择项目', 'Please choose projects'];
  const first = Object.values(missing)[0];
  // One sentence for the bulk result; the form has said the same at the fields.
  if (first) throw ruleBroken(first, { fields: missing });
  // A refusal of a state change, not of input: in a bulk call the other rows go on.
  await asRule(checkProjects(tx, row.tenant_id as number, live.projectIds));
  await asRule(checkBusiness(tx, row.tenant_id as number, row.business_id as number));
  await withdrawReview(tx, id);
  await applyForPublishing(tx, id, caller);
  return { set: { applied_at: new Date(), applied_by: caller.staffId, off_reason: '' } };
}

async function recall({ tx, id, row }: ActionContext): Promise<ActionResult> {
  const withdrawn = await withdrawReview(tx, id);
  if (row.status === 'reviewing') return { to: 'draft' };
  if (!withdrawn) throw ruleBroken(['没有等待审核的修改', 'No change is waiting for review']);
  return { to: 'published', event: ['撤回修改', 'Change recalled'] };
}

async function copy({ tx, id, row, caller }: ActionContext): Promise<ActionResult> {
  const suffix = COPY_SUFFIX[0];
  const copied = await insertRow(tx, 'product', {
    ...Object.fromEntries(COPIED_COLUMNS.map((column) => [column, row[column]])),
    code: await nextCode(tx, 'PD'),
    name: `${Array.from(String(row.name))
      .slice(0, 60 - Array.from(suffix).length)
      .join('')}${suffix}`,
    status: 'draft',
    created_by: caller.staffId,
    updated_by: caller.staffId,
  });
  const live = await liveContent(tx, id);
  await run(
    tx,
    'INSERT INTO product_class_member (product_id, class_id) SELECT $1, class_id FROM product_class_member WHERE product_id = $2',
    [copied, id],
  );
  // Staff of projects put nothing into others, not by a copy either.
  const projects = live.projectIds.filter((project) => caller.projectIds?.includes(project) ?? true);
  await writeProjects(tx, copied, projects, []);
  // A barcode names one article of the merchant, so the copy starts without.
  const specs = (await specsOf(tx, id)).map((spec) => ({
    ...contentOfSpec(spec),
    id: null,
    stock: 0,
    barcode: null,
  }));
  await writeSpecs(tx, copied, specs, caller.staffId);
  return { result: { id: String(copied) } };
}

const COPY_SUFFIX = ['（副本）', ' (copy)'] as const;
const COPIED_COLUMNS = [
  'kind',
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
  'delivery',
  'after_sale_text',
  'points_allowed',
] as const;
const REVIEWED_COLUMNS = [
  'name',
  'summary',
  'logo_ids',
  'featured_ids',
  'detail_html',
  'labels',
  'after_sale_text',
] as const;

function imagesOfSpecs(specs: readonly { readonly imageId: string | null }[]): string[] {
  return specs.flatMap((spec) => (spec.imageId ? [spec.imageId] : []));
}

async function asRule(check: Promise<void>): Promise<void> {
  try {
    await check;
  } catch (error) {
    throw error instanceof InvalidInput ? ruleBroken(error.label) : error;
  }
}

/** What the table cannot hold as null, and formatted text that is safe to show. */
function tidy(columns: Record<string, unknown>): void {
  for (const column of ['summary', 'supplier', 'after_sale_text'])
    if (columns[column] === null) columns[column] = '';
  if (columns.labels === null) columns.labels = [];
  if (columns.featured_ids === null) columns.featured_ids = [];
  if (columns.account_limit === null) columns.account_limit = 0;
  if (columns.points_allowed === null) columns.points_allowed = false;
  if (typeof columns.detail_html === 'string') {
    columns.detail_html = sanitizeRichText(columns.detail_html);
    if (String(columns.detail_html).replace(/<(?!img)[^>]*>|&nbsp;|\s/g, '') === '')
      throw invalid({ detailHtml: ['请填写图文详情', 'Please write the description'] });
  }
}

function specsFrom(value: unknown, accepts: (spec: SpecInput) => boolean): SpecInput[] {
  const { specs, problems } = readSpecs(value);
  const problem = specProblemText(problems);
  if (problem) throw invalid({ specs: problem });
  if (!specs.every(accepts)) throw invalid({ specs: ['规格不正确', 'The spec is not valid'] });
  return specs;
}

async function merchantOf(tx: Tx, caller: Caller, chosen: unknown): Promise<number> {
  // Another tenant's id from a merchant is ignored, its own is used.
  if (caller.tenantKind === 2) return caller.tenantId;
  if (typeof chosen !== 'number') throw invalid({ merchant: ['请选择商户', 'Please choose the merchant'] });
  const row = await runOne<{ id: number }>(
    tx,
    `SELECT t.id FROM tenant t WHERE t.id = $1 AND t.kind = 2 AND t.enabled
        AND ($2::bigint[] IS NULL OR EXISTS (SELECT 1 FROM tenant_project tp WHERE tp.tenant_id = t.id AND tp.project_id = ANY($2::bigint[])))`,
    [chosen, caller.projectIds],
  );
  if (!row) throw invalid({ merchant: ['商户不存在或已停用', 'The merchant does not exist or is disabled'] });
  return row.id;
}

async function checkBusiness(tx: Tx, tenantId: number, businessId: number): Promise<void> {
  const row = await runOne(
    tx,
    'SELECT 1 AS one FROM tenant_business tb JOIN business b ON b.id = tb.business_id AND b.enabled WHERE tb.tenant_id = $1 AND tb.business_id = $2',
    [tenantId, businessId],
  );
  if (!row) throw invalid({ business: ['业务不在合作范围', 'The business is outside the agreement'] });
}

/** Staff who are limited to projects are shown their own ones only, so that their choice says nothing of the others. */
function projectsAfter(
  caller: Caller,
  current: readonly number[],
  chosen: readonly number[] | undefined,
): readonly number[] {
  if (!chosen) return current;
  const unseen = current.filter((project) => caller.projectIds?.includes(project) === false);
  return [...new Set([...chosen, ...unseen])];
}

/**
 * Staff who are limited to projects neither add nor take away others, and name no others. Comes before every look at rows:
 * the answer is the same whether a project exists, and whether the goods are sold there already.
 */
function checkOwnProjects(caller: Caller, projects: readonly number[]): void {
  if (projectIdsInReach(caller, projects).length < projects.length)
    throw invalid({ projects: ['只能增减您负责的项目', 'You may add or remove your own projects only'] });
}

/** Alert, weight and barcode of live specs change at once; buyers do not see them. */
async function writeQuietSpecParts(
  tx: Tx,
  productId: number,
  specs: readonly SpecInput[],
  staffId: number,
): Promise<void> {
  const quiet = new Map(specs.map((spec) => [spec.id, spec]));
  const live = (await specsOf(tx, productId)).map(contentOfSpec);
  const known = new Set(live.map((spec) => spec.id));
  if (specs.some((spec) => spec.id !== null && !known.has(spec.id)))
    throw ruleBroken(['规格已变化，请刷新后重试', 'The specs have changed, please refresh and try again']);
  const next = live.map((spec) => {
    const given = quiet.get(spec.id);
    return given
      ? { ...spec, stockAlert: given.stockAlert, weightG: given.weightG, barcode: given.barcode }
      : spec;
  });
  await writeSpecs(tx, productId, next, staffId);
}

function changedContent(one: ReviewedContent, other: ReviewedContent): Record<string, unknown> {
  const changed: Record<string, unknown> = {};
  for (const name of ['classIds', 'projectIds', 'specs'] as const)
    if (JSON.stringify(one[name]) !== JSON.stringify(other[name])) changed[name] = one[name];
  return changed;
}

/** Classes, projects and specs stand in tables of their own, so their change is a record of its own beside the action's. */
async function auditContent(
  context: ActionContext,
  id: number,
  before: unknown,
  after: unknown,
): Promise<void> {
  if (JSON.stringify(before ?? null) === JSON.stringify(after ?? null)) return;
  await writeAudit(context.tx, {
    caller: context.caller,
    facts: context.facts,
    menu: product.menu,
    action: context.action,
    entity: 'productContent',
    entityId: id,
    before,
    after,
  });
}
