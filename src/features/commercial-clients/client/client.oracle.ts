import {
  byCode,
  dayOf,
  dayRange,
  idsOfRows,
  linked,
  type FilterRule,
} from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run, type Held, type Raw, type World } from '../../../testing/oracle/world.ts';

const PROJECTS = 'client_project';

const projectsOf = (row: Raw, world: World) =>
  (by(world, PROJECTS, 'client_id').get(row.id) ?? []).map((one) => Number(one.project_id));

/** Staff below one in the chain of leaders. */
function below(world: World, staff: number): Set<number> {
  const found = new Set<number>();
  let next = [staff];
  while (next.length > 0) {
    const led = world.rows
      .business_person!.filter((one) => next.includes(one.leader_id) && !found.has(one.staff_id))
      .map((one) => Number(one.staff_id));
    for (const one of led) found.add(one);
    next = led;
  }
  return found;
}

const mine = (row: Raw, held: Held) => row.owner_id === held.row.id;
const today = () => dayOf(new Date());
const shared = (row: Raw, world: World, held: Held) =>
  (by(world, 'client_member', 'client_id').get(row.id) ?? []).some(
    (one) => one.staff_id === held.row.id && (one.until === null || String(one.until) >= today()),
  );
const ownContracts = (row: Raw, world: World, held: Held) =>
  (by(world, 'contract', 'client_id').get(row.id) ?? []).filter(
    (one) => one.direction === 'income' && (held.projects?.has(Number(one.project_id)) ?? true),
  );
const isOwed = (contract: Raw, world: World) =>
  (by(world, 'receivable', 'source_id').get(contract.id) ?? []).some(
    (one) =>
      one.source_kind === 'contract' && ['open', 'part'].includes(one.state) && String(one.due_on) < today(),
  );
const DAY = 86_400_000;
const daysSince = (at: Date) => Math.round((Date.parse(today()) - Date.parse(dayOf(at))) / DAY);
/** A closed range of days since an instant of the row. */
const since = (of: (row: Raw) => Date): FilterRule => ({
  value: (dice) => {
    const low = dice.upTo(20);
    return `${dice.chance(0.8) ? low : ''}~${dice.chance(0.6) ? low + dice.upTo(20) : ''}`;
  },
  keeps: (row, value) => {
    const [low = '', high = ''] = value.split('~');
    const own = daysSince(of(row));
    return (low === '' || own >= Number(low)) && (high === '' || own <= Number(high));
  },
});
/** Whether somebody stands above the owner of a row. */
export const leads = (row: Raw, world: World, held: Held) =>
  row.owner_id !== null && below(world, held.row.id).has(Number(row.owner_id));

/** Own ones, those shared, those of people below, the pool of own projects, and all of them for who holds that. */
export const seesClient = (row: Raw, world: World, held: Held): boolean => {
  if (held.kind === 2 || !held.menus.has('customerList')) return false;
  if (mine(row, held) || shared(row, world, held) || leads(row, world, held)) return true;
  const person = world.rows.business_person!.find(
    (one) => one.staff_id === held.row.id && one.state === 'active',
  );
  if (row.owner_id === null && person) {
    const own = (by(world, 'business_person_project', 'person_id').get(person.id) ?? []).map((one) =>
      Number(one.project_id),
    );
    if (projectsOf(row, world).some((id) => own.includes(id))) return true;
  }
  if (!held.elements.has('customerList:btn_all')) return false;
  return held.projects === undefined || projectsOf(row, world).some((id) => held.projects!.has(id));
};

const READS = ['business_person', 'business_person_project', 'client_member', PROJECTS];

export const oracle = defineOracle({
  name: 'client',
  menu: 'customerList',
  table: 'client',
  standing: () => ({ tenant: null, projects: undefined, owner: null, rule: 'people' }),
  extra: seesClient,
  filters: {
    industry: idsOfRows('industry_id', 'client'),
    source: idsOfRows('source_id', 'client'),
    projects: {
      ...linked(PROJECTS, 'client_id', 'project_id', 'project'),
      keeps: (row, value, world, held) => {
        const asked = value
          .split(',')
          .map(Number)
          .filter((id) => held.projects?.has(id) ?? true);
        return projectsOf(row, world).some((id) => asked.includes(id));
      },
    },
    department: {
      value: (dice, world) => String(dice.pick(world.rows.staff!).department_id ?? 0),
      keeps: (row, value, world) => {
        const owner = world.rows.staff!.find((one) => one.id === row.owner_id);
        return value.split(',').includes(String(owner?.department_id));
      },
    },
    idleDays: since((row) => row.last_follow_at ?? row.created_at),
    stageDays: since((row) => row.stage_since),
    tags: {
      value: (dice) => dice.pick(['连锁', '首店', '其他']),
      keeps: (row, value) => row.tags.includes(value),
    },
    lastFollowAt: dayRange('last_follow_at'),
    createdAt: dayRange('created_at'),
  },
  tabs: {
    today: (row, world, held) =>
      mine(row, held) &&
      (row.opened !== true ||
        (row.next_follow_at !== null && dayOf(row.next_follow_at) <= today()) ||
        ownContracts(row, world, held).some((one) => one.state === 'expiring' || isOwed(one, world))),
    mine: (row, _world, held) => mine(row, held),
    shared: (row, world, held) => shared(row, world, held),
    below: (row, world, held) => leads(row, world, held),
    pool: (row) => row.owner_id === null,
    all: () => true,
  },
  text: (row) => `${row.code} ${row.name} ${row.brand}`.toLowerCase(),
  export: byCode,
  reads: [...READS, 'contract', 'receivable', 'staff'],
  sample: (turn) => ({
    // No two are alike.
    name: String.fromCharCode(...[37, 91, 53, 71].map((step) => 0x4e00 + ((turn * step) % 20_000))),
    licenceNo: undefined,
    contactPhone: `138${String(20_000_000 + turn)}`,
    confirmed: undefined,
    assignee: undefined,
    contacts: undefined,
    members: undefined,
    toPool: undefined,
    areaMin: 10,
    areaMax: 20,
  }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries()) {
      await run(
        db,
        `WITH made AS (
           INSERT INTO business_person (staff_id, leader_id, state) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING id)
         INSERT INTO business_person_project SELECT made.id, p.id FROM made, project p WHERE p.id % 3 = $4`,
        [id, index > 0 ? staff[index - 1]!.id : null, dice.pick(['active', 'active', 'paused']), index % 3],
      );
      const pooled = index % 4 === 0;
      await run(
        db,
        `WITH made AS (
           INSERT INTO client (code, name, plain_name, brand, industry_id, source_id, level, state, owner_id, assigned_at, pool_since, opened, locked, last_follow_at, next_follow_at, created_by)
           SELECT $1, $2, $2, $3, (SELECT min(v.id) FROM biz_dict v JOIN biz_dict r ON r.id = v.root_id WHERE r.code = 'client_industry' AND v.parent_id IS NOT NULL),
                  (SELECT max(v.id) FROM biz_dict v JOIN biz_dict r ON r.id = v.root_id WHERE r.code = 'client_source' AND v.parent_id IS NOT NULL),
                  $4, $5, $6::bigint, CASE WHEN $6::bigint IS NULL THEN NULL ELSE now() - interval '5 days' END, CASE WHEN $6::bigint IS NULL THEN now() END, $7, $8,
                  now() - make_interval(days => $9), now() + make_interval(days => $10), $11 RETURNING id),
              projects AS (INSERT INTO client_project SELECT made.id, p.id FROM made, project p WHERE p.id % 4 = $12),
              people AS (INSERT INTO client_member (client_id, staff_id, access) SELECT made.id, $13, 'read' FROM made),
              moves AS (INSERT INTO client_assignment (client_id, to_staff, kind) SELECT made.id, $11, 'create' FROM made),
              talks AS (INSERT INTO follow_up (client_id, kind, at, content, created_by) SELECT made.id, $14, now() - make_interval(days => $9), '电话沟通意向', $11 FROM made)
         INSERT INTO client_contact (client_id, name, phone, main) SELECT made.id, '联系人', $15, true FROM made`,
        [
          `CLX${index}`,
          `随机客户${index}`,
          `品牌${index % 5}`,
          dice.pick(['A', 'B', 'C', 'D']),
          dice.pick(['lead', 'contacted', 'viewing', 'negotiating', 'signed']),
          pooled ? null : id,
          dice.chance(0.5),
          !pooled && dice.chance(0.3),
          dice.upTo(30),
          dice.upTo(20) - 10,
          id,
          index % 4,
          staff[(index + 7) % staff.length]!.id,
          dice.pick(['phone', 'visit', 'viewing']),
          `1370000${String(1_000 + index)}`,
        ],
      );
    }
  },
});
