import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, type Executor } from '../../kernel/server/database.ts';
import { START_OF_TODAY } from '../../kernel/server/today.ts';
import { categoryPath } from './sla-clock.server.ts';

/** Somebody an order could be given to, with what speaks against it. */
export interface Candidate {
  readonly id: number;
  readonly name: string;
  readonly skills: readonly string[];
  /** Orders not finished yet. */
  readonly open: number;
  readonly finishedToday: number;
  readonly lastGivenAt: Date | null;
  readonly refusal: Label | undefined;
  /** Without shifts, or inside one of them now: whom rotation may choose. People may still be given orders by hand. */
  readonly onShift: boolean;
}

const OFF_SKILL: Label = ['技能不符', 'Without the skill'];
const NO_CERTIFICATE: Label = ['证件缺失或已过期', 'The certificate is missing or has expired'];
const ON_LEAVE: Label = ['休假中', 'On leave'];
const OTHER_PROJECT: Label = ['不负责该项目', 'Does not work in the project'];
const OTHER_BUILDING: Label = ['不负责该楼栋', 'Does not look after the building'];
const COMPLAINED: Label = ['被投诉人不能处理该投诉', 'The complaint is about this person'];

/**
 * The staff of an order's company (its service staff; of a merchant all of them) with load and refusal, most free first: fewest open
 * orders, longest since the last one. Source: group 06, cs_maintenance rules.
 */
export async function candidatesOf(
  db: Executor,
  orderId: number,
  among?: readonly number[],
): Promise<Candidate[]> {
  const need = await runOne<{ skill: string | null; certificate: string | null }>(
    db,
    `WITH path AS (${categoryPath('(SELECT category_id FROM work_order WHERE id = $1)')})
     SELECT (SELECT c.skill FROM work_category c JOIN path ON path.id = c.id WHERE c.skill IS NOT NULL ORDER BY path.depth LIMIT 1) AS skill,
            (SELECT c.certificate FROM work_category c JOIN path ON path.id = c.id WHERE c.certificate IS NOT NULL ORDER BY path.depth LIMIT 1) AS certificate`,
    [orderId],
  );
  const rows = await run<{
    id: number;
    name: string;
    skills: string[];
    open: number;
    finished_today: number;
    last_given_at: Date | null;
    certified: boolean;
    on_leave: boolean;
    in_project: boolean;
    in_area: boolean;
    on_shift: boolean;
    complained: boolean;
  }>(
    db,
    `SELECT s.id, s.name, s.skills, w.open, w.finished_today, w.last_given_at,
            o.complained_staff_id IS NOT DISTINCT FROM s.id AS complained,
            s.all_projects OR EXISTS (SELECT FROM staff_project p WHERE p.staff_id = s.id AND p.project_id = o.project_id) AS in_project,
            o.building_id IS NULL OR EXISTS (SELECT FROM staff_building a WHERE a.staff_id = s.id AND a.building_id = o.building_id)
              OR NOT EXISTS (SELECT FROM staff_building a JOIN building b ON b.id = a.building_id WHERE a.staff_id = s.id AND b.project_id = o.project_id) AS in_area,
            NOT EXISTS (SELECT FROM staff_shift h WHERE h.staff_id = s.id) OR EXISTS (SELECT FROM staff_shift h, (SELECT now() AT TIME ZONE 'Asia/Shanghai' AS at) clock
              WHERE h.staff_id = s.id AND h.weekday = extract(isodow FROM clock.at)::text AND to_char(clock.at, 'HH24:MI') >= h.from_time AND to_char(clock.at, 'HH24:MI') < h.to_time) AS on_shift,
            $2::text IS NULL OR EXISTS (SELECT FROM staff_certificate c WHERE c.staff_id = s.id AND c.kind = $2
               AND (c.expires_on IS NULL OR c.expires_on >= (now() AT TIME ZONE 'Asia/Shanghai')::date)) AS certified,
            EXISTS (SELECT FROM leave_record l WHERE l.staff_id = s.id AND l.kind = 'leave' AND l.state = 'approved'
               AND l.starts_at <= now() AND l.ends_at > now()) AS on_leave
       FROM work_order o JOIN staff s ON s.tenant_id = o.tenant_id AND s.state = 'normal' AND (s.is_service_staff OR o.sub_status IS NOT NULL)
       CROSS JOIN LATERAL (SELECT
              (SELECT count(*) FROM work_order x WHERE x.handler_id = s.id AND x.status IN ('to_accept', 'accepted', 'processing', 'paused'))::integer AS open,
              (SELECT count(*) FROM work_order x WHERE x.handler_id = s.id AND x.status = 'finished' AND x.finished_at >= ${START_OF_TODAY})::integer AS finished_today,
              (SELECT max(x.dispatched_at) FROM work_order x WHERE x.handler_id = s.id) AS last_given_at) w
      WHERE o.id = $1 AND ($3::bigint[] IS NULL OR s.id = ANY($3::bigint[]))
      ORDER BY w.open, w.last_given_at NULLS FIRST, s.id`,
    [orderId, need?.certificate ?? null, among ?? null],
  );
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    skills: row.skills,
    open: row.open,
    finishedToday: row.finished_today,
    lastGivenAt: row.last_given_at,
    onShift: row.on_shift,
    refusal: row.complained
      ? COMPLAINED
      : !row.in_project
        ? OTHER_PROJECT
        : !row.in_area
          ? OTHER_BUILDING
          : need?.skill && !row.skills.includes(need.skill)
            ? OFF_SKILL
            : !row.certified
              ? NO_CERTIFICATE
              : row.on_leave
                ? ON_LEAVE
                : undefined,
  }));
}

/** One person as a candidate of an order; undefined when it is none of the order's company, or is disabled. */
export async function candidate(
  db: Executor,
  orderId: number,
  staffId: number,
): Promise<Candidate | undefined> {
  return (await candidatesOf(db, orderId, [staffId]))[0];
}

/** The dispatch rule that acts for an order: its category before those above it, and those before a rule for all. */
export interface DispatchRule {
  readonly id: number;
  readonly mode: 'grab' | 'assign' | 'rotate';
  readonly shift_from: string | null;
  readonly shift_to: string | null;
  /** People of the pool; undefined: all who fit. */
  readonly pool: readonly number[] | undefined;
}

/** Rules that could act for an order, the closest first. */
export async function rulesOf(db: Executor, orderId: number): Promise<DispatchRule[]> {
  const rows = await run<Omit<DispatchRule, 'pool'> & { named: boolean; pool: number[] }>(
    db,
    `WITH path AS (${categoryPath('(SELECT category_id FROM work_order WHERE id = $1)')})
     SELECT r.id, r.mode, r.shift_from, r.shift_to,
            EXISTS (SELECT FROM dispatch_rule_staff x WHERE x.rule_id = r.id) OR EXISTS (SELECT FROM dispatch_rule_station x WHERE x.rule_id = r.id) AS named,
            ARRAY(SELECT x.staff_id FROM dispatch_rule_staff x WHERE x.rule_id = r.id
                  UNION SELECT ss.staff_id FROM dispatch_rule_station x JOIN staff_station ss ON ss.station_id = x.station_id WHERE x.rule_id = r.id) AS pool
       FROM dispatch_rule r JOIN work_order o ON o.id = $1 AND o.project_id = r.project_id AND o.tenant_id = r.tenant_id LEFT JOIN path ON path.id = r.category_id
      WHERE r.enabled AND (r.category_id IS NULL OR path.id IS NOT NULL) ORDER BY coalesce(path.depth, 99), r.shift_from IS NULL, r.id`,
    [orderId],
  );
  return rows.map(({ named, pool, ...rule }) => ({ ...rule, pool: named ? pool : undefined }));
}

/**
 * Whether somebody may take an order that waits for anybody: a fitting person of the pool its rule names; without a rule
 * every fitting one of the company.
 */
export async function mayGrab(db: Executor, orderId: number, staffId: number): Promise<Label | undefined> {
  const found = await candidate(db, orderId, staffId);
  const [rule] = await rulesOf(db, orderId);
  if (!found || (rule?.pool && !rule.pool.includes(staffId)))
    return ['您不在该工单的接单范围', 'You are not among those who may take this order'];
  return found.refusal;
}
