import type { Label } from '../../../kernel/contract/label.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { holds, type Caller, type RequestFacts } from '../../../kernel/server/people/caller.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { forbidden, invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import {
  checkBarcodes,
  checkProjects,
  liveContent,
  writeClasses,
  writeProjects,
  writeSpecs,
} from './product-content.server.ts';
import { PRODUCT_SCOPE, productSight, serviceSight } from './product-scope.server.ts';
import {
  differencesOf,
  smallPriceChange,
  withProposal,
  type Difference,
  type Proposal,
} from './proposal.rules.ts';

/** What is reviewed: goods and services are products of two kinds with menus of their own. */
export type ReviewedKind = 'goods' | 'service';

/** Menus of the review screens, with elements `btn_pass` and `btn_reject`, and what timelines and messages call a product. */
const REVIEWED = {
  goods: {
    menu: 'mm_commodityApprove',
    entity: 'product',
    noun: '商品',
    sight: productSight,
    route: '/merchantManager/mm_commodityMana',
  },
  service: {
    menu: 'mm_reservationApprove',
    entity: 'service',
    noun: '服务',
    sight: serviceSight,
    route: '/service/mm_reservationSer',
  },
} as const;
/** Refusal of a review that is not the one that was opened. Source: group 08, mm_commodityApprove. */
export const REVIEW_CHANGED: Label = [
  '内容已被修改，请重新审核',
  'The content was changed, please review it again',
];
/** Refusal of a reviewer who had a part in what is reviewed. Source: ground rules section 4, four eyes. */
export const OWN_REVIEW: Label = ['不能审核自己提交的商品', 'You cannot review what you sent in yourself'];
/** Refusal of merchants: their goods are reviewed by those who run the mall. */
export const NOT_MERCHANTS: Label = ['商户不能审核商品', 'Merchants do not review goods'];
/** What timelines call a review. */
const REVIEW = 'productReview';
/** Actions of a product that write its content. */
const WRITING = ['create', 'update', 'bulkClass', 'bulkPrice', 'copy'];

/** Who decides, from where. */
export interface ReviewCall {
  readonly caller: Caller;
  readonly facts: RequestFacts;
}

/** A review that waits, locked. */
export interface WaitingReview {
  readonly id: number;
  readonly product_id: number;
  readonly kind: 'publish' | 'change';
  readonly payload: Proposal;
  readonly applied_by: number | null;
  readonly version: number;
}

/** The waiting review of a product, locked, or undefined. The caller holds the product's lock. */
export async function waitingReview(tx: Executor, productId: number): Promise<WaitingReview | undefined> {
  return runOne<WaitingReview>(
    tx,
    `SELECT id, product_id, kind, payload, applied_by, version FROM product_review
      WHERE product_id = $1 AND state = 'waiting' FOR UPDATE`,
    [productId],
  );
}

/**
 * Refuses what a merchant that is suspended or closing down would put on sale. What slips past a closing at the same instant keeps
 * the closing from being finished. Source: group 03, effects of suspended and closing.
 */
async function requireTrading(tx: Tx, productId: number): Promise<void> {
  const merchant = await runOne<{ state: string }>(
    tx,
    `SELECT m.merchant_state AS state FROM tenant m WHERE m.id = (SELECT tenant_id FROM product WHERE id = $1)`,
    [productId],
  );
  if (['suspended', 'closing', 'closed'].includes(merchant!.state))
    throw ruleBroken([
      '商户已停业或清退，不能发布',
      'The merchant is suspended or closed down: nothing new goes on sale',
    ]);
}

/** Opens the review of a product that was not on sale. */
export async function applyForPublishing(
  tx: Tx,
  productId: number,
  caller: Caller,
  kind: ReviewedKind = 'goods',
): Promise<void> {
  await requireTrading(tx, productId);
  // Whoever made it or wrote it last had a part in it as well.
  const authors = await run<{ id: number }>(
    tx,
    `SELECT created_by AS id FROM product WHERE id = $1 AND created_by IS NOT NULL
     UNION SELECT * FROM (SELECT staff_id FROM entity_event
       WHERE entity = $3 AND entity_id = $1 AND action = ANY($2::text[]) AND staff_id IS NOT NULL ORDER BY id DESC LIMIT 1) last`,
    [productId, WRITING, REVIEWED[kind].entity],
  );
  const applicants = [...new Set([caller.staffId, ...authors.map((one) => one.id)])];
  const review = await runOne<{ id: number }>(
    tx,
    `INSERT INTO product_review (product_id, kind, payload, applied_by) VALUES ($1, 'publish', $2, $3) RETURNING id`,
    [productId, JSON.stringify({ applicants } satisfies Proposal), caller.staffId],
  );
  await tellReview(tx, caller, review!.id, 'apply', ['提交审核', 'Sent for review'], 'waiting');
}

/** The review's own timeline; that of the product tells of the same. */
async function tellReview(
  tx: Tx,
  caller: Caller | undefined,
  reviewId: number,
  action: string,
  label: Label,
  to: string,
  remark = '',
): Promise<void> {
  await writeTimeline(tx, {
    entity: REVIEW,
    entityId: reviewId,
    ...(caller ? { caller } : {}),
    action,
    label,
    from: action === 'apply' ? undefined : 'waiting',
    to,
    remark,
  });
}

/**
 * Makes a proposal the waiting change of a published product, replacing an earlier one; undefined withdraws it.
 * Returns the lines a reviewer will read.
 */
export async function proposeChange(
  tx: Tx,
  productId: number,
  proposal: Proposal | undefined,
  caller: Caller,
): Promise<Difference[]> {
  const { staffId } = caller;
  const waiting = await waitingReview(tx, productId);
  if (!proposal) {
    if (waiting) await withdrawReview(tx, productId);
    return [];
  }
  const applicants = [...new Set([...(waiting?.payload.applicants ?? []), staffId])];
  const payload = JSON.stringify({ ...proposal, applicants });
  const difference = differencesOf(await liveContent(tx, productId), proposal, await titlesOf(tx));
  if (waiting)
    await run(
      tx,
      `UPDATE product_review SET payload = $2, difference = $3, applied_by = $4, applied_at = clock_timestamp(), version = version + 1
        WHERE id = $1`,
      [waiting.id, payload, JSON.stringify(difference), staffId],
    );
  const id =
    waiting?.id ??
    (await runOne<{ id: number }>(
      tx,
      `INSERT INTO product_review (product_id, kind, payload, difference, applied_by) VALUES ($1, 'change', $2, $3, $4) RETURNING id`,
      [productId, payload, JSON.stringify(difference), staffId],
    ))!.id;
  await tellReview(
    tx,
    caller,
    id,
    'apply',
    waiting ? ['修改待审内容', 'Proposal changed'] : ['提交修改', 'Change sent for review'],
    'waiting',
  );
  return difference;
}

/** Withdraws the waiting review of a product; its content stays readable in the history. Returns whether there was one. */
export async function withdrawReview(tx: Tx, productId: number): Promise<boolean> {
  const rows = await run(
    tx,
    `UPDATE product_review SET state = 'withdrawn', version = version + 1 WHERE product_id = $1 AND state = 'waiting' RETURNING id`,
    [productId],
  );
  for (const row of rows as { id: number }[])
    await tellReview(tx, undefined, row.id, 'withdraw', ['撤回', 'Withdrawn'], 'withdrawn');
  return rows.length > 0;
}

/**
 * Command: passes a review. A new product goes on sale, a changed one becomes what was proposed. `version` is that of
 * product_review the reviewer opened. The caller of the command tells `platform.changed('product')` after COMMIT.
 * Throws 403 without btn_pass, 404 outside the scope of the review menu, 30101 for an own review or a changed one, 422
 * when the proposal does not fit the agreement any more. Source: group 08, mm_commodityApprove; Must show 11.
 */
export async function passReview(
  tx: Tx,
  call: ReviewCall,
  reviewId: number,
  version: number,
  kind: ReviewedKind = 'goods',
): Promise<{ productId: number }> {
  const { review, row } = await openReview(tx, call, 'btn_pass', reviewId, version, kind);
  if (review.kind === 'publish') await requireTrading(tx, row.id);
  await carryOut(tx, call.caller, review, row);
  await close(tx, call, review, 'passed', '');
  await stamp(
    tx,
    call,
    row.id,
    review.kind === 'publish' ? { status: 'published', published_at: new Date(), off_reason: '' } : {},
  );
  await record(
    tx,
    call,
    row,
    review,
    'passReview',
    ['审核通过', 'Review passed'],
    review.kind === 'publish' ? 'published' : row.status,
    '',
    kind,
  );
  return { productId: row.id };
}

/** Makes a review's content the live one. `caller` is in whose name it is written. */
async function carryOut(tx: Tx, caller: Caller, review: WaitingReview, row: ReviewedProduct): Promise<void> {
  const before = await liveContent(tx, row.id);
  if (review.kind === 'change') {
    const { specsChanged, specsAdded, specsRemoved, projectsAdded, classIds } = review.payload;
    const after = withProposal(before, review.payload);
    if (projectsAdded) await checkProjects(tx, row.tenant_id, projectsAdded);
    if (specsAdded) await checkBarcodes(tx, caller, row.tenant_id, row.id, specsAdded);
    if (specsChanged || specsAdded || specsRemoved) await writeSpecs(tx, row.id, after.specs, caller.staffId);
    if (projectsAdded) await writeProjects(tx, row.id, projectsAdded, []);
    if (classIds) await writeClasses(tx, row.id, row.business_id, classIds);
    if (review.payload.durationMin)
      await run(tx, 'UPDATE service_setting SET duration_min = $2 WHERE product_id = $1', [
        row.id,
        review.payload.durationMin,
      ]);
    await run(
      tx,
      `UPDATE product SET name = $2, summary = $3, logo_ids = $4, detail_html = $5, labels = $6, after_sale_text = $7, featured_ids = $8
        WHERE id = $1`,
      [
        row.id,
        after.name,
        after.summary,
        after.images,
        after.detailHtml,
        after.labels,
        after.afterSaleText,
        after.featured,
      ],
    );
  }
}

/**
 * Passes the waiting change of a product without anybody, when passing by itself is switched on, its merchant is trusted
 * and nothing but prices change, each by no more than the setting. Returns whether it did. The caller of the command
 * holds the product's lock. Source: group 08, mm_commodityApprove (product.auto_pass).
 */
export async function passByTrust(
  tx: Tx,
  platform: Pick<Platform, 'settings'>,
  call: ReviewCall,
  productId: number,
): Promise<boolean> {
  if (!(await platform.settings.flag('product.auto_pass'))) return false;
  const review = await waitingReview(tx, productId);
  const row = await runOne<ReviewedProduct>(
    tx,
    `SELECT t.id, t.code, t.name, t.tenant_id, t.business_id, t.status FROM product t JOIN tenant m ON m.id = t.tenant_id AND m.review_trusted
      WHERE t.id = $1`,
    [productId],
  );
  if (!review || !row || review.kind !== 'change') return false;
  const most = await platform.settings.numberIn(tx, 'product.auto_pass_percent');
  if (!smallPriceChange(await liveContent(tx, productId), review.payload, most)) return false;
  await carryOut(tx, call.caller, review, row);
  await run(
    tx,
    `UPDATE product_review SET state = 'passed', reviewed_at = clock_timestamp(), version = version + 1 WHERE id = $1`,
    [review.id],
  );
  const label: Label = ['可信商户调价自动通过', 'Price change of a trusted merchant passed by itself'];
  await tellReview(tx, undefined, review.id, 'pass', label, 'passed');
  await writeAudit(tx, {
    caller: call.caller,
    facts: call.facts,
    menu: REVIEWED.goods.menu,
    action: 'autoPass',
    entity: 'product',
    entityId: row.id,
    before: { status: row.status, reviewId: review.id },
    after: { status: row.status, kind: review.kind, proposal: review.payload },
  });
  return true;
}

/**
 * Command: rejects a review with a reason of 5 to 200 characters. A new product becomes rejected, a changed one stays
 * on sale as it is. Throws as {@link passReview}, with btn_reject.
 */
export async function rejectReview(
  tx: Tx,
  call: ReviewCall,
  reviewId: number,
  version: number,
  reason: string,
  kind: ReviewedKind = 'goods',
): Promise<{ productId: number }> {
  const length = Array.from(reason.trim()).length;
  if (length < 5 || length > 200)
    throw invalid({ reason: ['请填写5至200个字的原因', 'Enter a reason of 5 to 200 characters'] });
  const { review, row } = await openReview(tx, call, 'btn_reject', reviewId, version, kind);
  await close(tx, call, review, 'rejected', reason.trim());
  await stamp(tx, call, row.id, review.kind === 'publish' ? { status: 'rejected' } : {});
  await record(
    tx,
    call,
    row,
    review,
    'rejectReview',
    ['审核驳回', 'Review rejected'],
    review.kind === 'publish' ? 'rejected' : row.status,
    reason.trim(),
    kind,
  );
  return { productId: row.id };
}

/** Says why a staff may not review, or undefined; the review list hides its buttons by it. */
export function reviewRefusal(
  review: { readonly payload: Proposal; readonly applied_by: number | null },
  staffId: number,
): Label | undefined {
  return review.applied_by === staffId || review.payload.applicants?.includes(staffId)
    ? OWN_REVIEW
    : undefined;
}

interface ReviewedProduct {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly tenant_id: number;
  readonly business_id: number;
  readonly status: string;
}

/** Locks product and review, in this order as every edit does, and checks right, scope, version and the four eyes. */
async function openReview(
  tx: Tx,
  { caller }: ReviewCall,
  element: string,
  reviewId: number,
  version: number,
  kind: ReviewedKind,
): Promise<{ review: WaitingReview; row: ReviewedProduct }> {
  const { menu } = REVIEWED[kind];
  if (!holds(caller, `${menu}:${element}`)) throw forbidden();
  const parameters = new Parameters();
  const id = parameters.bind(reviewId);
  const scope = scopeCondition(caller, menu, PRODUCT_SCOPE, parameters);
  const row = await runOne<ReviewedProduct>(
    tx,
    `SELECT t.id, t.code, t.name, t.tenant_id, t.business_id, t.status FROM product t
      WHERE t.id = (SELECT product_id FROM product_review WHERE id = ${id}) AND t.kind = ${parameters.bind(kind)} AND ${scope} FOR UPDATE OF t`,
    parameters.values,
  );
  if (!row) throw notFound();
  const review = await waitingReview(tx, row.id);
  if (!review || review.id !== reviewId || review.version !== version) throw ruleBroken(REVIEW_CHANGED);
  const refused = reviewRefusal(review, caller.staffId);
  if (refused) throw ruleBroken(refused);
  if (caller.tenantKind === 2) throw ruleBroken(NOT_MERCHANTS);
  return { review, row };
}

async function close(
  tx: Tx,
  { caller }: ReviewCall,
  review: WaitingReview,
  state: 'passed' | 'rejected',
  reason: string,
): Promise<void> {
  await run(
    tx,
    `UPDATE product_review SET state = $2, reviewed_by = $3, reviewed_at = clock_timestamp(), reason = $4, version = version + 1 WHERE id = $1`,
    [review.id, state, caller.staffId, reason],
  );
}

async function stamp(
  tx: Tx,
  { caller }: ReviewCall,
  productId: number,
  set: Readonly<Record<string, unknown>>,
): Promise<void> {
  const parameters = new Parameters();
  const parts = Object.entries(set).map(([column, value]) => `${column} = ${parameters.bind(value)}`);
  parts.push(
    'version = version + 1',
    'updated_at = now()',
    `updated_by = ${parameters.bind(caller.staffId)}`,
  );
  await run(
    tx,
    `UPDATE product SET ${parts.join(', ')} WHERE id = ${parameters.bind(productId)}`,
    parameters.values,
  );
}

async function record(
  tx: Tx,
  { caller, facts }: ReviewCall,
  row: ReviewedProduct,
  review: WaitingReview,
  action: string,
  label: Label,
  to: string,
  reason: string,
  kind: ReviewedKind,
): Promise<void> {
  const { entity, menu, noun, sight, route } = REVIEWED[kind];
  await writeTimeline(tx, {
    entity,
    entityId: row.id,
    caller,
    action,
    label,
    from: row.status,
    to,
    remark: reason,
  });
  await writeAudit(tx, {
    caller,
    facts,
    menu,
    action,
    entity,
    entityId: row.id,
    before: { status: row.status, reviewId: review.id },
    after: { status: to, kind: review.kind, reason, proposal: review.payload },
  });
  const rejected = action === 'rejectReview';
  await tellReview(
    tx,
    caller,
    review.id,
    rejected ? 'reject' : 'pass',
    label,
    rejected ? 'rejected' : 'passed',
    reason,
  );
  await notify(tx, {
    staffIds: review.applied_by === null ? [] : [review.applied_by],
    kind: 'productReview',
    title: [`${noun}${label[0]}：${row.name}`, `${label[1]}: ${row.name}`],
    body: [reason, reason],
    rows: { sight, ids: [row.id] },
    route: `${route}?searchVal=${row.code}`,
  });
}

async function titlesOf(
  db: Executor,
): Promise<{ classes: Map<number, string>; projects: Map<number, string> }> {
  const classes = await run<{ id: number; name: string }>(db, 'SELECT id, name FROM product_class');
  const projects = await run<{ id: number; name: string }>(db, 'SELECT id, name FROM project');
  return {
    classes: new Map(classes.map((one) => [one.id, one.name])),
    projects: new Map(projects.map((one) => [one.id, one.name])),
  };
}
