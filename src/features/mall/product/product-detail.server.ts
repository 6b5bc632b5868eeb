import type { FileValue } from '../../../kernel/contract/fields.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { filesById } from '../../../kernel/server/files/files.ts';
import { projectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { areasOf } from './product-area.server.ts';
import { contentOfSpec, liveContent, specsOf } from './product-content.server.ts';
import { withProposal, type Difference, type Proposal, type SpecContent } from './proposal.rules.ts';
import type { SpecWire } from './spec.rules.ts';

/**
 * Parts of a product's detail: description, specs with their stock, reviews with differences, and (`proposed`) the
 * form values with a waiting change on top, so that an editor goes on where the proposal stands.
 */
export async function productDetail(
  db: Executor,
  id: number,
  row: DbRow,
  caller: Caller,
): Promise<Record<string, unknown>> {
  const [live, specs, reviews] = [
    await liveContent(db, id),
    await specsOf(db, id),
    await reviewsOf(db, id, caller),
  ];
  const areas = await areasOf(db, id);
  const waiting = reviews.find((review) => review.state === 'waiting' && review.kind === 'change');
  return {
    detailHtml: live.detailHtml,
    specs: specs.map((spec) => ({
      ...wireOfSpec(contentOfSpec(spec)),
      code: spec.code,
      stockNow: spec.stock,
      reserved: spec.reserved,
      sold: spec.sold,
    })),
    noDelivery: areas,
    reviews: reviews.map(({ payload: _payload, ...review }) => review),
    proposed: waiting ? await proposedForm(db, live, waiting.payload, row, caller) : null,
  };
}

/** A spec as it travels. */
export function wireOfSpec(spec: SpecContent): SpecWire {
  return {
    ...(spec.id === null ? { stock: spec.stock ?? 0 } : { id: String(spec.id) }),
    name: spec.name,
    price: yuanFromFen(spec.price),
    marketPrice: spec.marketPrice === null ? null : yuanFromFen(spec.marketPrice),
    stockAlert: spec.stockAlert,
    unit: spec.unit,
    weightG: spec.weightG,
    barcode: spec.barcode,
    imageId: spec.imageId ?? null,
  };
}

async function proposedForm(
  db: Executor,
  live: Awaited<ReturnType<typeof liveContent>>,
  proposal: Proposal,
  row: DbRow,
  caller: Caller,
): Promise<Record<string, unknown>> {
  const next = withProposal(live, proposal);
  const named = (table: 'product_class' | 'project', ids: readonly number[]) =>
    run<{ id: string; title: string }>(
      db,
      `SELECT id::text AS id, name AS title FROM ${table} WHERE id = ANY($1::bigint[]) ORDER BY ${table}.id`,
      [ids],
    );
  const known = new Map(
    [...(row.images as FileValue[]), ...(row.featured as FileValue[])].map((file) => [file.id, file]),
  );
  const missing = [...next.images, ...next.featured].filter((id) => !known.has(id));
  for (const [id, file] of await filesById(db, missing)) known.set(id, file);
  return {
    name: next.name,
    summary: next.summary,
    labels: next.labels,
    afterSaleText: next.afterSaleText,
    detailHtml: next.detailHtml,
    images: next.images.flatMap((id) => known.get(id) ?? []),
    featured: next.featured.flatMap((id) => known.get(id) ?? []),
    classes: await named('product_class', next.classIds),
    projects: projectsInReach(caller, await named('project', next.projectIds)),
    specs: next.specs.map(wireOfSpec),
  };
}

/** Reviews of a product, newest first, as the caller may read them. */
export async function reviewsOf(db: Executor, productId: number, caller: Caller) {
  const rows = await run<{
    id: number;
    kind: string;
    state: string;
    payload: Proposal;
    difference: Difference[];
    applied_at: Date;
    reviewed_at: Date | null;
    reason: string;
    version: number;
    applicant: string | null;
    reviewer: string | null;
  }>(
    db,
    `SELECT r.id, r.kind, r.state, r.payload, r.difference, r.applied_at, r.reviewed_at, r.reason, r.version, a.name AS applicant, v.name AS reviewer
       FROM product_review r LEFT JOIN staff a ON a.id = r.applied_by LEFT JOIN staff v ON v.id = r.reviewed_by
      WHERE r.product_id = $1 ORDER BY r.id DESC LIMIT 50`,
    [productId],
  );
  const files = await filesOf(
    db,
    rows.flatMap((row) => row.difference),
  );
  return rows.map((row) => ({
    id: String(row.id),
    kind: row.kind,
    state: row.state,
    payload: row.payload,
    difference: row.difference
      .flatMap((line) => withinReach(line, row.payload, caller))
      .map((line) =>
        IMAGE_FIELDS.has(line.field)
          ? { ...line, before: files(line.before), after: files(line.after) }
          : line,
      ),
    appliedAt: isoInstant(row.applied_at),
    reviewedAt: row.reviewed_at && isoInstant(row.reviewed_at),
    applicant: row.applicant,
    reviewer: row.reviewer,
    reason: row.reason,
    version: row.version,
  }));
}

/** The line of added projects names those the caller works in; without any of them there is no line. */
function withinReach(line: Difference, payload: Proposal, caller: Caller): Difference[] {
  if (line.field !== 'projects') return [line];
  // Names stand in the order of the proposal's ids.
  const added = (payload.projectsAdded ?? []).map((id, at) => ({ id, name: (line.after as string[])[at] }));
  const after = projectsInReach(caller, added).map((one) => one.name);
  return after.length === 0 ? [] : [{ ...line, after }];
}

/** Lines of a review whose values are pictures. */
const IMAGE_FIELDS = new Set(['images', 'featured', 'specImage']);

async function filesOf(db: Executor, lines: readonly Difference[]): Promise<(ids: unknown) => FileValue[]> {
  const ids = [
    ...new Set(
      lines
        .filter((line) => IMAGE_FIELDS.has(line.field))
        .flatMap((line) => [...(line.before as string[]), ...(line.after as string[])]),
    ),
  ];
  const byId = await filesById(db, ids);
  return (wanted) => (wanted as string[]).flatMap((id) => byId.get(id) ?? []);
}
