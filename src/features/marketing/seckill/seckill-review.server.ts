import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { TodoKind } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { approvable } from '../../../domain/approval/approvable.server.ts';
import { projectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { SECKILL_ENTITY } from '../../../domain/seckill/activity.server.ts';
import { checksNow } from './seckill.server.ts';
import { SECKILL_APPROVAL, termsOf, type Term } from './seckill-approval.server.ts';
import { PUBLISH_MENU, seckillReview } from './seckill.contract.ts';
import { FIGURES, FROM, reviewSight, SECKILL_SCOPE } from './seckill-scope.server.ts';

const approval = approvable(
  SECKILL_APPROVAL,
  { waiting: 'reviewing', passed: 'scheduled', refused: 'rejected' },
  { approve: 'publish' },
);

/** SQL: entries that would be refused now, the late first session as one. */
const FAILING = `CASE WHEN t.state <> 'reviewing' THEN NULL ELSE (
  SELECT count(*)::integer FROM (
    SELECT i.id FROM seckill_item i JOIN product_spec s ON s.id = i.spec_id JOIN product p ON p.id = i.product_id
     WHERE i.activity_id = t.id AND (NOT s.enabled OR p.status <> 'published' OR p.recycled_at IS NOT NULL OR i.price >= i.base_price
       OR s.stock < (SELECT sum(x.reserved) FROM seckill_item x WHERE x.activity_id = t.id AND x.spec_id = i.spec_id)
       OR EXISTS (SELECT FROM promotion_occupancy o WHERE o.spec_id = i.spec_id AND o.period && tstzrange(i.starts_at, i.ends_at)))
    UNION ALL SELECT 0 WHERE (SELECT min(n.starts_at) FROM seckill_session n WHERE n.activity_id = t.id) <= now()) f) END`;

/** The queue of seckills. Deciding here or in the approval centre is one act. */
export const registration = bindResource(seckillReview, {
  table: 'seckill_activity',
  entity: SECKILL_ENTITY,
  from: `${FROM} LEFT JOIN staff d ON d.id = t.decided_by`,
  where: `(t.state = 'reviewing' OR t.decided_at IS NOT NULL)`,
  scope: SECKILL_SCOPE,
  stale: ['该任务已被处理', 'The task was handled already'],
  search: `lower(t.code || ' ' || t.name)`,
  columns: {
    ...FIGURES,
    lowestRatio: `(SELECT to_char(min(i.price * 100.0 / i.base_price), 'FM990.00') FROM seckill_item i WHERE i.activity_id = t.id)`,
    failing: FAILING,
    decidedBy: { id: 't.decided_by', title: 'd.name' },
  },
  tabs: {
    mine: (caller, parameters) => approval.waitsFor(parameters.bind(caller.staffId)),
    decided: () => `t.state <> 'reviewing'`,
  },
  abilities: [approval.ability],
  extra: { recorderId: 't.submitted_by' },
  ruleReads: ['recorderId'],
  present: (rows, _db, caller) => {
    for (const row of rows)
      if (row.projects) row.projects = projectsInReach(caller, row.projects as { id: string }[]);
    return Promise.resolve();
  },
  detail: async (db, id, row) => ({
    checks: await checksNow(db, id, String(row.state)),
    terms: await termsOf(db, id),
    difference: await difference(db, id),
    around: await around(db, id),
  }),
  also: { sights: [reviewSight], todos: [waiting()] },
}).registration;

/** What changed since the version that was rejected last; undefined when none was. */
async function difference(db: Executor, id: number): Promise<readonly Label[] | undefined> {
  const row = await runOne<{ before: Term[] | null }>(
    db,
    `SELECT rejected_terms AS before FROM seckill_activity WHERE id = $1 AND state = 'reviewing'`,
    [id],
  );
  if (!row?.before) return undefined;
  const key = (term: Term) => `${term.session} ${term.label}`;
  const now = await termsOf(db, id);
  const before = new Map(row.before.map((term) => [key(term), term]));
  const said = (term: Term): string =>
    `${term.from}–${term.to} · ¥${(term.price / 100).toFixed(2)} × ${term.reserved} · ${term.perOrder}/${term.perMember}`;
  const lines: Label[] = [];
  for (const term of now) {
    const old = before.get(key(term));
    before.delete(key(term));
    if (!old) lines.push([`新增 ${key(term)}：${said(term)}`, `Added ${key(term)}: ${said(term)}`]);
    else if (said(old) !== said(term))
      lines.push([
        `${key(term)}：${said(old)} → ${said(term)}`,
        `${key(term)}: ${said(old)} → ${said(term)}`,
      ]);
  }
  for (const term of before.values())
    lines.push([`移除 ${key(term)}：${said(term)}`, `Removed ${key(term)}: ${said(term)}`]);
  return lines;
}

/** Each spec's ordinary prices of the last days, and other activities that have it within a week of this one. */
async function around(db: Executor, id: number) {
  const prices = await run<{ label: string; day: string; low: string; high: string; qty: number }>(
    db,
    `SELECT p.name || ' ' || s.name AS label, to_char(o.created_at AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM-DD') AS day,
            (min(l.list_price)::numeric / 100)::numeric(12, 2)::text AS low, (max(l.list_price)::numeric / 100)::numeric(12, 2)::text AS high, sum(l.qty)::int AS qty
       FROM order_line l JOIN sales_order o ON o.id = l.order_id JOIN product_spec s ON s.id = l.spec_id JOIN product p ON p.id = s.product_id
      WHERE o.type = 'ordinary' AND o.created_at > now() - interval '30 days' AND l.spec_id IN (SELECT spec_id FROM seckill_item WHERE activity_id = $1)
      GROUP BY s.id, p.name, s.name, day ORDER BY label, day DESC LIMIT 100`,
    [id],
  );
  const others = await run<{ label: string; name: string; kind: string; from: string; to: string }>(
    db,
    `SELECT DISTINCT p.name || ' ' || s.name AS label, o.name, o.kind, to_char(lower(o.period) AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM-DD HH24:MI') AS "from",
            to_char(upper(o.period) AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM-DD HH24:MI') AS "to"
       FROM seckill_item i JOIN promotion_occupancy o ON o.spec_id = i.spec_id AND NOT (o.kind = 'seckill' AND o.source_id = $1)
        AND o.period && tstzrange(i.starts_at - interval '7 days', i.ends_at + interval '7 days')
       JOIN product_spec s ON s.id = i.spec_id JOIN product p ON p.id = s.product_id
      WHERE i.activity_id = $1 ORDER BY 4 LIMIT 100`,
    [id],
  );
  return { prices, others };
}

function waiting(): TodoKind {
  return {
    kind: 'seckill_review',
    label: ['秒杀活动待审核', 'Seckills to review'],
    menu: PUBLISH_MENU,
    route: `/marketing/${PUBLISH_MENU}?tab=mine`,
    order: 31,
    count: async ({ caller, platform }) => {
      const parameters = new Parameters();
      const visible = scopeCondition(caller, PUBLISH_MENU, SECKILL_SCOPE, parameters);
      const row = await runOne<{ count: number; oldest: Date | null; overdue: number }>(
        platform.database.db,
        `SELECT count(*) AS count, min(t.submitted_at) AS oldest,
                count(*) FILTER (WHERE (SELECT min(n.starts_at) FROM seckill_session n WHERE n.activity_id = t.id) < now() + interval '24 hours') AS overdue
           FROM seckill_activity t WHERE t.state = 'reviewing' AND ${visible} AND ${approval.waitsFor(parameters.bind(caller.staffId))}`,
        parameters.values,
      );
      return row!;
    },
  };
}
