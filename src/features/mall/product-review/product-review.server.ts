import { classesOfSql } from '../../../domain/order-rule/product-classes.server.ts';
import type { FileValue } from '../../../kernel/contract/fields.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { filesById, showFiles } from '../../../kernel/server/files/files.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import type { TodoKind } from '../../../kernel/server/registration.ts';
import type { Resource } from '../../../kernel/contract/resource.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { Binding, DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { filteredProjects, projectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { liveContent } from '../product/product-content.server.ts';
import { reviewsOf, wireOfSpec } from '../product/product-detail.server.ts';
import {
  NOT_MERCHANTS,
  passReview,
  rejectReview,
  REVIEW_CHANGED,
  reviewRefusal,
  type ReviewedKind,
} from '../product/product-review.server.ts';
import { percentText, withProposal, type Proposal, type ReviewedContent } from '../product/proposal.rules.ts';
import {
  changesText,
  type ChangeLine,
  type ComparedContent,
  type ComparedSpec,
  type ReviewComparison,
} from './comparison.rules.ts';
import { productReview } from './product-review.contract.ts';

/** Where a review stands: where its product does. The product's alias is `p`. */
const REVIEW_SCOPE: ScopeColumns = {
  tenant: 'p.tenant_id',
  project: (ids) =>
    `EXISTS (SELECT FROM product_project sp WHERE sp.product_id = t.product_id AND sp.project_id = ANY(${ids}::bigint[]))`,
  owner: 'p.created_by',
};

/** Reviews of one kind: goods, or services. */
export function bindReviews(contract: Resource, kind: ReviewedKind): BoundResource {
  return bindResource(contract, {
    table: 'product_review',
    from: `product_review t LEFT JOIN product p ON p.id = t.product_id LEFT JOIN business b ON b.id = p.business_id
         LEFT JOIN tenant m ON m.id = p.tenant_id LEFT JOIN staff a ON a.id = t.applied_by LEFT JOIN staff v ON v.id = t.reviewed_by`,
    where: `p.kind = '${kind}' AND p.purged_at IS NULL`,
    scope: REVIEW_SCOPE,
    stale: REVIEW_CHANGED,
    search: 'p.search',
    searchExact: ['m.name'],
    columns: {
      image: 'p.logo_ids[1]',
      code: 'p.code',
      name: 'p.name',
      changes: `coalesce((SELECT jsonb_agg(CASE WHEN x.line->>'field' = 'price' THEN x.line ELSE jsonb_build_object('field', x.line->'field') END ORDER BY x.n)
                         FROM jsonb_array_elements(t.difference) WITH ORDINALITY AS x (line, n)), '[]')`,
      productState: 'p.status',
      business: { id: 'p.business_id', title: 'b.name', titleEn: 'b.name_en' },
      classes: classesOfSql('t.product_id'),
      merchant: { id: 'p.tenant_id', title: 'm.name' },
      projects: `(SELECT coalesce(json_agg(json_build_object('id', o.id::text, 'title', o.name) ORDER BY o.id), '[]') FROM product_project pp JOIN project o ON o.id = pp.project_id WHERE pp.product_id = t.product_id)`,
      price: 'p.price_min',
      priceMax: 'p.price_max',
      stock: 'p.stock_total',
      sold: 'p.sold_total',
      applicant: { id: 't.applied_by', title: 'a.name' },
      waited: `CASE WHEN t.state = 'withdrawn' THEN NULL ELSE floor(extract(epoch FROM coalesce(t.reviewed_at, now()) - t.applied_at) / 60)::integer END`,
      publishedAt: 'p.published_at',
      reviewer: { id: 't.reviewed_by', title: 'v.name' },
      automatic: `(t.state = 'passed' AND t.reviewed_by IS NULL)`,
      trusted: 'm.review_trusted',
    },
    filters: {
      // Another tenant's id from a merchant is ignored: its own rows are all it has.
      merchant: (value, parameters, caller) =>
        caller.tenantKind === 2
          ? 'TRUE'
          : `p.tenant_id::text = ANY(string_to_array(${parameters.bind(value)}, ','))`,
      projects: (value, parameters, caller) =>
        `EXISTS (SELECT FROM product_project fp WHERE fp.product_id = t.product_id AND fp.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
      // A class stands for those below it too.
      classes: (value, parameters) =>
        `EXISTS (WITH RECURSIVE below AS (SELECT id FROM product_class WHERE id::text = ANY(string_to_array(${parameters.bind(value)}, ','))
         UNION SELECT c.id FROM product_class c JOIN below ON c.parent_id = below.id)
         SELECT FROM product_class_member fc JOIN below ON below.id = fc.class_id WHERE fc.product_id = t.product_id)`,
    },
    words: { changes: (value, { language }) => changesText(value as readonly ChangeLine[], language) },
    tabs: {
      waiting: () => `t.state = 'waiting'`,
      decided: () => `t.state IN ('passed', 'rejected')`,
      all: () => 'TRUE',
    },
    extra: {
      appliedBy: 't.applied_by',
      applicants: `coalesce(t.payload->'applicants', '[]')`,
    },
    ruleReads: ['appliedBy', 'applicants', 'trusted'],
    rowRules: {
      pass: decides,
      reject: decides,
      ...(kind === 'goods' ? TRUST_RULES : {}),
    },
    handlers: {
      pass: async (context) => {
        const { tx, id, row, platform } = context;
        await passReview(tx, context, id, Number(row.version), kind);
        platform.changed(kind === 'goods' ? 'product' : 'service');
        return { told: true };
      },
      reject: async (context) => {
        const { tx, id, row, input, platform } = context;
        await rejectReview(tx, context, id, Number(row.version), String(input.reason), kind);
        platform.changed(kind === 'goods' ? 'product' : 'service');
        return { told: true };
      },
      ...(kind === 'goods'
        ? {
            trust: (context: ActionContext) => setTrust(context, true),
            distrust: (context: ActionContext) => setTrust(context, false),
          }
        : {}),
    },
    present: async (rows, db, caller) => {
      await showFiles(rows, db, 'image');
      for (const row of rows) {
        row.projects = projectsInReach(caller, row.projects as { id: string }[]);
      }
    },
    detail,
    also: { todos: [waitingTodo(contract, kind)] },
  });
}

const TRUST_RULES: NonNullable<Binding['rowRules']> = {
  trust: (row, caller) =>
    merchants(caller) ??
    (row.trusted ? ['该商户已是可信商户', 'The merchant is trusted already'] : undefined),
  distrust: (row, caller) =>
    merchants(caller) ?? (row.trusted ? undefined : ['该商户不是可信商户', 'The merchant is not trusted']),
};

/** Reviews of goods. */
export const registration = bindReviews(productReview, 'goods').registration;

function merchants(caller: Caller): Label | undefined {
  return caller.tenantKind === 2 ? NOT_MERCHANTS : undefined;
}

function decides(row: DbRow, caller: Caller): Label | undefined {
  return (
    reviewRefusal(
      {
        payload: { applicants: row.applicants as number[] },
        applied_by: row.appliedBy === null ? null : Number(row.appliedBy),
      },
      caller.staffId,
    ) ?? merchants(caller)
  );
}

async function setTrust({ tx, row }: ActionContext, trusted: boolean): Promise<ActionResult> {
  await run(
    tx,
    `UPDATE tenant SET review_trusted = $2 WHERE id = (SELECT tenant_id FROM product WHERE id = $1)`,
    [row.product_id, trusted],
  );
  return {};
}

/** The proposal beside what is live, and the reviews before this one. */
async function detail(
  db: Executor,
  id: number,
  row: DbRow,
  caller: Caller,
): Promise<Record<string, unknown>> {
  const review = (await runOne<{ product_id: number; payload: Proposal; kind: string; state: string }>(
    db,
    'SELECT product_id, payload, kind, state FROM product_review WHERE id = $1',
    [id],
  ))!;
  const reviews = await reviewsOf(db, review.product_id, caller);
  const own = reviews.find((one) => one.id === String(id));
  const live = await liveContent(db, review.product_id);
  const open = review.kind === 'change' && review.state === 'waiting';
  const next = open ? withProposal(live, review.payload) : live;
  const comparison: ReviewComparison = {
    // A decided change is told by its lines: what is live may have gone on since.
    live: open ? await contentWords(db, live, caller) : null,
    proposed: await contentWords(db, next, caller),
    specs: comparedSpecs(live, next),
  };
  return {
    comparison,
    difference: own?.difference ?? [],
    previous: reviews.filter((one) => one.id !== String(id)).map(({ payload: _payload, ...one }) => one),
  };
}

async function contentWords(
  db: Executor,
  content: ReviewedContent,
  caller: Caller,
): Promise<ComparedContent> {
  const files = await filesById(db, [...content.images, ...content.featured]);
  const pictures = (ids: readonly string[]): FileValue[] => ids.flatMap((one) => files.get(one) ?? []);
  const named = (table: 'product_class' | 'project', ids: readonly number[]) =>
    run<{ id: string; title: string }>(
      db,
      `SELECT id::text AS id, name AS title FROM ${table} WHERE id = ANY($1::bigint[]) ORDER BY ${table}.id`,
      [ids],
    );
  return {
    name: content.name,
    summary: content.summary,
    labels: content.labels,
    afterSaleText: content.afterSaleText,
    detailHtml: content.detailHtml,
    images: pictures(content.images),
    featured: pictures(content.featured),
    classes: (await named('product_class', content.classIds)).map((one) => one.title),
    projects: projectsInReach(caller, await named('project', content.projectIds)).map((one) => one.title),
  };
}

/** Specs of both versions, those that are removed last. */
function comparedSpecs(live: ReviewedContent, next: ReviewedContent): ComparedSpec[] {
  const before = new Map(live.specs.map((spec) => [spec.id, spec]));
  const kept = next.specs.map((spec): ComparedSpec => {
    const old = spec.id === null ? undefined : before.get(spec.id);
    const changed = old !== undefined && JSON.stringify(old) !== JSON.stringify(spec);
    return {
      live: old ? wireOfSpec(old) : null,
      proposed: wireOfSpec(spec),
      mark: old === undefined ? 'added' : changed ? 'changed' : 'same',
      percent: old && old.price !== spec.price ? percentText(old.price, spec.price) : null,
    };
  });
  const left = new Set(next.specs.map((spec) => spec.id));
  const removed = live.specs
    .filter((spec) => !left.has(spec.id))
    .map((spec): ComparedSpec => ({
      live: wireOfSpec(spec),
      proposed: null,
      mark: 'removed',
      percent: null,
    }));
  return [...kept, ...removed];
}

function waitingTodo(contract: Resource, kind: ReviewedKind): TodoKind {
  const { menu } = contract;
  return {
    kind: kind === 'goods' ? 'product_review' : 'service_review',
    label: kind === 'goods' ? ['商品待审核', 'Products to review'] : ['服务待审核', 'Services to review'],
    menu,
    route: `${kind === 'goods' ? '/merchantManager' : '/service'}/${menu}?tab=waiting`,
    order: 30,
    count: async ({ caller, platform }) => {
      const parameters = new Parameters();
      const row = await runOne<{ count: number; oldest: Date | null; overdue: number }>(
        platform.database.db,
        `SELECT count(*) AS count, min(t.applied_at) AS oldest, count(*) FILTER (WHERE t.applied_at < now() - interval '24 hours') AS overdue
           FROM product_review t JOIN product p ON p.id = t.product_id
          WHERE t.state = 'waiting' AND p.kind = '${kind}' AND p.purged_at IS NULL AND ${scopeCondition(caller, menu, REVIEW_SCOPE, parameters)}`,
        parameters.values,
      );
      return row!;
    },
  };
}
