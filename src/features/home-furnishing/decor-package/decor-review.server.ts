import { publishWorking, priceSpanOf } from '../../../domain/furnishing/decor-version.server.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller, RequestFacts } from '../../../kernel/server/people/caller.ts';
import { checkProjects, writeProjects } from '../../mall/product/product-content.server.ts';
import type { FieldNote } from './decor-package.contract.ts';
import { packageSight, PACKAGE_MENU, REVIEW_MENU } from './decor-package-scope.server.ts';

/** Refusal of a review that is not the one that was opened. Source: group 14, mj_mercureCommodityApprove. */
export const REVIEW_CHANGED: Label = [
  '内容已被修改，请重新审核',
  'The content was changed, please review it again',
];
const OWN: Label = ['不能审核自己提交的套餐', 'You cannot review what you sent in yourself'];
const FIRST: Label = ['初审人不能复审', 'The first reviewer cannot do the second review'];
const MERCHANT: Label = ['商户不能审核套餐', 'Merchants do not review packages'];
const PLATFORM: Label = ['复审由平台进行', 'The second review is the platform’s'];
const CENTRE: Label = [
  '初审由城市中心或平台进行',
  'The first review is that of the centre city or the platform',
];

/** What a review is decided by. */
export interface Reviewed {
  readonly level: number;
  readonly firstBy: number | null;
  readonly appliedBy: number | null;
  readonly applicants: readonly number[];
}

/** Why a caller may not decide about a review, or undefined: two people, neither of whom had a part in it. */
export function decorReviewRefusal(
  review: Reviewed,
  caller: Pick<Caller, 'staffId' | 'tenantKind'>,
): Label | undefined {
  if (caller.tenantKind === 2) return MERCHANT;
  if (review.appliedBy === caller.staffId || review.applicants.includes(caller.staffId)) return OWN;
  if (review.level === 1) return caller.tenantKind === 1 ? CENTRE : undefined;
  if (review.firstBy === caller.staffId) return FIRST;
  return caller.tenantKind === 3 ? undefined : PLATFORM;
}

async function tellReview(
  tx: Tx,
  caller: Caller,
  id: number,
  action: string,
  label: Label,
  to: string,
  remark = '',
): Promise<void> {
  await writeTimeline(tx, {
    entity: 'decorReview',
    entityId: id,
    caller,
    action,
    label,
    from: action === 'apply' ? undefined : 'waiting',
    to,
    remark,
  });
}

/** Hands the working version in: a new review, or the waiting one anew from the first review on. */
export async function handIn(
  tx: Tx,
  productId: number,
  caller: Caller,
  kind: 'publish' | 'change',
): Promise<void> {
  const authors = await run<{ id: number }>(
    tx,
    `SELECT created_by AS id FROM product WHERE id = $1 AND created_by IS NOT NULL
     UNION SELECT updated_by FROM decor_version WHERE product_id = $1 AND standing = 'working' AND updated_by IS NOT NULL`,
    [productId],
  );
  const versions = (await runOne<{ working: number; live: number | null }>(
    tx,
    `SELECT (SELECT id FROM decor_version WHERE product_id = $1 AND standing = 'working') AS working, (SELECT id FROM decor_version WHERE product_id = $1 AND standing = 'live') AS live`,
    [productId],
  ))!;
  const waiting = await runOne<{ id: number; payload: { applicants?: number[] } }>(
    tx,
    `SELECT id, payload FROM product_review WHERE product_id = $1 AND state = 'waiting' FOR UPDATE`,
    [productId],
  );
  const applicants = [
    ...new Set([caller.staffId, ...authors.map((one) => one.id), ...(waiting?.payload.applicants ?? [])]),
  ];
  const payload = JSON.stringify({ applicants });
  const row = waiting
    ? await runOne<{ id: number }>(
        tx,
        `UPDATE product_review SET payload = $2, applied_by = $3, applied_at = clock_timestamp(), version = version + 1, level = 1, first_by = NULL, first_at = NULL,
                decor_version_id = $4, decor_base_id = $5 WHERE id = $1 RETURNING id`,
        [waiting.id, payload, caller.staffId, versions.working, versions.live],
      )
    : await runOne<{ id: number }>(
        tx,
        `INSERT INTO product_review (product_id, kind, payload, applied_by, decor_version_id, decor_base_id) VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`,
        [productId, kind, payload, caller.staffId, versions.working, versions.live],
      );
  await tellReview(
    tx,
    caller,
    row!.id,
    'apply',
    waiting ? ['修改待审内容', 'Proposal changed'] : ['提交审核', 'Sent for review'],
    'waiting',
  );
}

/** Withdraws the waiting review of a package; what was written stays and can be handed in again. */
export async function withdrawDecorReview(tx: Tx, productId: number, caller: Caller): Promise<boolean> {
  const rows = await run<{ id: number }>(
    tx,
    `UPDATE product_review SET state = 'withdrawn', version = version + 1 WHERE product_id = $1 AND state = 'waiting' RETURNING id`,
    [productId],
  );
  for (const { id } of rows) await tellReview(tx, caller, id, 'withdraw', ['撤回', 'Withdrawn'], 'withdrawn');
  return rows.length > 0;
}

interface Package {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly tenant_id: number;
  readonly status: string;
}

/** The package of a review, locked as every edit locks it. */
export async function lockPackage(tx: Tx, productId: number): Promise<Package> {
  return (await runOne<Package>(
    tx,
    'SELECT id, code, name, tenant_id, status FROM product WHERE id = $1 FOR UPDATE',
    [productId],
  ))!;
}

/** What is told of a decision about a package: its own timeline, the audit log and who handed it in. */
export async function tellPackage(
  tx: Tx,
  call: { readonly caller: Caller; readonly facts: RequestFacts },
  row: Package,
  told: {
    readonly reviewId: number;
    readonly action: string;
    readonly label: Label;
    readonly to: string;
    readonly remark: string;
    readonly appliedBy: number | null;
  },
): Promise<void> {
  await writeTimeline(tx, {
    entity: 'decorPackage',
    entityId: row.id,
    caller: call.caller,
    action: told.action,
    label: told.label,
    from: row.status,
    to: told.to,
    remark: told.remark,
  });
  await writeAudit(tx, {
    caller: call.caller,
    facts: call.facts,
    menu: REVIEW_MENU,
    action: told.action,
    entity: 'decorPackage',
    entityId: row.id,
    before: { status: row.status, reviewId: told.reviewId },
    after: { status: told.to, reason: told.remark },
  });
  await notify(tx, {
    staffIds: told.appliedBy === null ? [] : [told.appliedBy],
    kind: 'productReview',
    title: [`套餐${told.label[0]}：${row.name}`, `${told.label[1]}: ${row.name}`],
    body: [told.remark, told.remark],
    rows: { sight: packageSight, ids: [row.id] },
    route: `/mercureManager/${PACKAGE_MENU}?searchVal=${row.code}`,
  });
}

/** The last pass: the working version is sold from now on. */
export async function publishPackage(tx: Tx, row: Package, caller: Caller): Promise<number> {
  const waiting = await runOne(
    tx,
    `SELECT 1 AS one FROM decor_version WHERE product_id = $1 AND standing = 'working'`,
    [row.id],
  );
  if (!waiting) throw ruleBroken(REVIEW_CHANGED);
  const version = await publishWorking(tx, row.id);
  await checkProjects(tx, row.tenant_id, version.projectIds);
  const span = await priceSpanOf(tx, version.id);
  await run(
    tx,
    `UPDATE product SET name = $2, logo_ids = $3, detail_html = $4, price_min = $5, price_max = $6, status = 'published', published_at = CASE WHEN status = 'published' THEN published_at ELSE now() END,
            off_reason = '', version = version + 1, updated_at = now(), updated_by = $7 WHERE id = $1`,
    [row.id, version.name, version.images, version.detailHtml, span.low, span.high, caller.staffId],
  );
  await run(tx, 'DELETE FROM product_project WHERE product_id = $1 AND project_id <> ALL($2::bigint[])', [
    row.id,
    version.projectIds,
  ]);
  await writeProjects(tx, row.id, version.projectIds, []);
  return version.no!;
}

/** A refused package: a new one is rejected, one on sale goes on as it is. */
export async function refusePackage(
  tx: Tx,
  row: Package,
  review: { readonly id: number; readonly kind: string },
  notes: readonly FieldNote[],
  caller: Caller,
): Promise<string> {
  await run(tx, 'UPDATE product_review SET field_notes = $2 WHERE id = $1', [
    review.id,
    JSON.stringify(notes),
  ]);
  if (review.kind === 'change') return row.status;
  await run(
    tx,
    `UPDATE product SET status = 'rejected', version = version + 1, updated_at = now(), updated_by = $2 WHERE id = $1`,
    [row.id, caller.staffId],
  );
  return 'rejected';
}
