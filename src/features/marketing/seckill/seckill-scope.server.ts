import type { ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { PUBLISH_MENU, SECKILL_MENU } from './seckill.contract.ts';

const projects = (activity: string) => (ids: string) =>
  `EXISTS (SELECT FROM seckill_project sp WHERE sp.activity_id = ${activity} AND sp.project_id = ANY(${ids}::bigint[]))`;

/** Where an activity `t` stands. */
export const SECKILL_SCOPE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: projects('t.id'),
  owner: 't.created_by',
};

/** Where what hangs on an activity `a` stands. */
export const OF_ACTIVITY: ScopeColumns = {
  tenant: 'a.tenant_id',
  project: projects('a.id'),
  owner: 'a.created_by',
};

/** SQL of an activity's projects as references. */
export const PROJECTS = `(SELECT coalesce(jsonb_agg(jsonb_build_object('id', x.id::text, 'title', x.name) ORDER BY x.id), '[]')
  FROM seckill_project sp JOIN project x ON x.id = sp.project_id WHERE sp.activity_id = t.id)`;

const sum = (what: string) =>
  `(SELECT coalesce(sum(${what}), 0) FROM seckill_item i WHERE i.activity_id = t.id)`;

/** SQL of the figures all three screens show of an activity `t`. */
export const FIGURES = {
  merchant: { id: 't.tenant_id', title: 'm.name' },
  projects: PROJECTS,
  firstStart: '(SELECT min(n.starts_at) FROM seckill_session n WHERE n.activity_id = t.id)',
  lastEnd: '(SELECT max(n.ends_at) FROM seckill_session n WHERE n.activity_id = t.id)',
  sessionCount: '(SELECT count(*)::integer FROM seckill_session n WHERE n.activity_id = t.id)',
  itemCount: '(SELECT count(*)::integer FROM seckill_item i WHERE i.activity_id = t.id)',
  reserved: `${sum('i.reserved')}::integer`,
  remaining: `${sum('i.remaining')}::integer`,
  held: `${sum('i.held')}::integer`,
  worstCase: `${sum('(i.base_price - i.price) * i.reserved')}::bigint`,
  submitter: { id: 't.submitted_by', title: 'u.name' },
} as const;

/** The rows of the three screens with what titles them. */
export const FROM = `seckill_activity t LEFT JOIN tenant m ON m.id = t.tenant_id LEFT JOIN staff u ON u.id = t.submitted_by`;

/** Activities as those read of them who decide. */
export const reviewSight = listSight({
  entity: 'seckillReview',
  menu: PUBLISH_MENU,
  table: 'seckill_activity',
  where: `(t.state = 'reviewing' OR t.decided_at IS NOT NULL)`,
  scope: SECKILL_SCOPE,
});

/** Activities as those read of them who made them. */
export const activitySight = listSight({
  entity: 'seckillActivity',
  menu: SECKILL_MENU,
  table: 'seckill_activity',
  scope: SECKILL_SCOPE,
});
