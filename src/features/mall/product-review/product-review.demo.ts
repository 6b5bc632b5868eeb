import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { liveContent } from '../product/product-content.server.ts';
import { differencesOf, type Proposal, type ReviewedContent } from '../product/proposal.rules.ts';
import { productReview } from './product-review.contract.ts';

const HOUR = 3_600_000;

interface Planned {
  /** Hours ago it was sent in. */
  readonly ago: number;
  /** Hours until it was decided; absent: it waits. */
  readonly after?: number;
  readonly rejected?: string;
  readonly change: (live: ReviewedContent) => Proposal;
}

const price = (percent: number) => (live: ReviewedContent) => ({
  specsChanged: live.specs.map((spec) => {
    const wanted = Math.round((spec.price * (100 + percent)) / 1_000) * 10;
    return {
      id: spec.id!,
      price: wanted,
      ...(spec.marketPrice !== null && spec.marketPrice < wanted ? { marketPrice: wanted } : {}),
    };
  }),
});
const renamed = (mark: string) => (live: ReviewedContent) => ({
  name: `${live.name}${mark}`.slice(0, 60),
  summary: `${live.summary}，升级包装`.slice(0, 120),
});

const CHANGES: readonly Planned[] = [
  { ago: 3, change: price(8) },
  { ago: 9, change: renamed('（新包装）') },
  { ago: 27, change: (live) => ({ ...price(-12)(live), labels: ['限时优惠', ...live.labels].slice(0, 5) }) },
  { ago: 50, change: price(35) },
  { ago: 96, after: 5, change: price(6) },
  { ago: 170, after: 20, change: renamed('（升级款）') },
  { ago: 240, after: 3, rejected: '涨价幅度过大且未说明原因，请补充供货价凭证', change: price(60) },
];

/** Changes of goods on sale that wait or were decided, and the timelines of all reviews. */
export const demo = defineDemo({
  key: 'productReviews',
  run: async ({ tx, insert, tell, now, as }) => {
    const reviewer = as('mall1');
    const { apply, pass, reject } = {
      apply: ['提交审核', 'Sent for review'] as const,
      pass: productReview.actions!.pass.label,
      reject: productReview.actions!.reject.label,
    };
    const goods = await run<{ id: number; created_by: number }>(
      tx,
      `SELECT p.id, p.created_by FROM product p
        WHERE p.kind = 'goods' AND p.status = 'published' AND p.recycled_at IS NULL AND p.created_by IS NOT NULL
          AND p.created_by <> $1 AND NOT EXISTS (SELECT FROM product_review r WHERE r.product_id = p.id AND r.state = 'waiting')
          AND p.code NOT IN (SELECT code FROM product ORDER BY id LIMIT 3)
        ORDER BY p.id % 7, p.id LIMIT ${CHANGES.length}`,
      [reviewer.staffId],
    );
    const names = new Map<number, string>();
    for (const [index, { id, created_by }] of goods.entries()) {
      const plan = CHANGES[index]!;
      const live = await liveContent(tx, id);
      const proposal = plan.change(live);
      const applied = new Date(now.getTime() - plan.ago * HOUR);
      const decided = plan.after === undefined ? null : new Date(applied.getTime() + plan.after * HOUR);
      await insert('product_review', [
        {
          product_id: id,
          kind: 'change',
          payload: { ...proposal, applicants: [created_by] },
          difference: differencesOf(live, proposal, { classes: names, projects: names }),
          state: decided ? (plan.rejected ? 'rejected' : 'passed') : 'waiting',
          applied_by: created_by,
          applied_at: applied,
          reviewed_by: decided ? reviewer.staffId : null,
          reviewed_at: decided,
          reason: plan.rejected ?? '',
          version: decided ? 2 : 1,
        },
      ]);
    }
    await run(
      tx,
      `UPDATE tenant SET review_trusted = true WHERE id = (SELECT min(tenant_id) FROM product WHERE kind = 'goods')`,
    );
    const reviews = await run<{
      id: number;
      state: string;
      applied_by: number | null;
      account: string | null;
      applied_at: Date;
      reviewed_at: Date | null;
      reason: string;
    }>(
      tx,
      `SELECT r.id, r.state, r.applied_by, s.account, r.applied_at, r.reviewed_at, r.reason
         FROM product_review r LEFT JOIN staff s ON s.id = r.applied_by ORDER BY r.id`,
    );
    for (const review of reviews) {
      const told = { entity: productReview.name, entityId: review.id };
      if (review.account === null) continue;
      await tell({
        ...told,
        caller: as(review.account),
        action: 'apply',
        label: apply,
        to: 'waiting',
        at: review.applied_at,
      });
      if (review.reviewed_at)
        await tell({
          ...told,
          caller: reviewer,
          action: review.state === 'rejected' ? 'reject' : 'pass',
          label: review.state === 'rejected' ? reject : pass,
          from: 'waiting',
          to: review.state,
          remark: review.reason,
          at: review.reviewed_at,
        });
    }
  },
});
