import { byCode, idsOfRows, linked, type FilterRule } from '../../../testing/oracle/filters.ts';
import { defineOracle, type Oracle } from '../../../testing/oracle/oracle.ts';
import { by, run, type Held, type Raw, type Standing, type World } from '../../../testing/oracle/world.ts';

const day = (shift: number) =>
  new Date(Date.now() + 8 * 3_600_000 + shift * 86_400_000).toISOString().slice(0, 10);
const last = (row: Raw): string => row.terminated_on ?? row.ends_on;
const live = (row: Raw) => row.state === 'active' || row.state === 'expiring';
/** Party B's tenant, its project, and whoever answers for it. */
export const ofContract = (row: Raw): Standing => ({
  tenant: row.merchant_id,
  projects: [row.project_id],
  owner: row.owner_id,
  rule: 'places',
});
const mine = (row: Raw, held: Held) => row.owner_id === held.row.id;
const participating = (row: Raw, world: World, held: Held) =>
  (by(world, 'contract_participant', 'contract_id').get(row.id) ?? []).some(
    (one) => one.staff_id === held.row.id,
  );
const below = (row: Raw, world: World, held: Held) => {
  if (mine(row, held)) return false;
  const owner = world.rows.staff!.find((one) => one.id === row.owner_id);
  const own = world.rows.department!.find((one) => one.id === owner?.department_id);
  if (!own) return false;
  return world.rows.department!.some(
    (one) =>
      one.leader_id === held.row.id && (one.id === own.id || own.path.map(Number).includes(Number(one.id))),
  );
};
const soon: FilterRule = {
  value: (dice) => dice.pick(['7', '30', '60', '90']),
  keeps: (row, value) => live(row) && last(row) >= day(0) && last(row) <= day(Number(value)),
};

/** Rows of contracts under their menus. */
export const contracts = {
  table: 'contract',
  filters: {
    kind: idsOfRows('kind_id', 'contract'),
    place: linked('contract_position', 'contract_id', 'place_id', 'position'),
    ending: soon,
  },
  leftOut: ['hasOverdue', 'changeId'],
  text: (row) => `${row.code} ${row.name} ${row.party_text}`.toLowerCase(),
  export: byCode,
  owner: 'owner_id',
  reads: ['contract_participant', 'contract_position', 'position'],
} satisfies Omit<Oracle, 'name' | 'menu' | 'standing'>;

/** Tabs of own contracts. */
export const ownTabs = {
  owned: (row: Raw, _world: World, held: Held) => mine(row, held),
  participating: (row: Raw, world: World, held: Held) => participating(row, world, held),
  below: (row: Raw, world: World, held: Held) => below(row, world, held),
  drafts: (row: Raw, _world: World, held: Held) =>
    mine(row, held) && (row.state === 'draft' || row.state === 'rejected'),
};
/** Own ones, those one takes part in, those of people one leads; never outside the own projects. */
export const seesOwn = (row: Raw, world: World, held: Held) =>
  (mine(row, held) || participating(row, world, held) || below(row, world, held)) &&
  (held.kind !== 2 || row.merchant_id === held.row.tenant_id) &&
  (held.projects === undefined || held.projects.has(Number(row.project_id)));
/** Tabs of contracts in execution. */
export const runTabs = {
  running: (row: Raw) => live(row),
  ending: (row: Raw) => live(row) && last(row) <= day(90),
};

export const oracle = defineOracle({
  name: 'contract',
  menu: 'pr_contractListManagement',
  standing: ofContract,
  ...contracts,
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 40).entries()) {
      const state = dice.pick(['draft', 'rejected', 'active', 'active', 'expiring', 'expired']);
      await run(
        db,
        `WITH made AS (
           INSERT INTO contract (code, name, direction, kind_id, project_id, party_a_id, party_name, owner_id, starts_on, ends_on, price, amount, state, created_by)
           SELECT $1, $2, $3, (SELECT min(v.id) + $4::int % 5 FROM biz_dict v JOIN biz_dict r ON r.id = v.root_id WHERE r.code = 'contract_kind' AND v.parent_id IS NOT NULL),
                  p.id, p.unit_id, $2, $5, current_date - $6::int, current_date + $7::int, 1000, 5000, $8, $5 FROM project p ORDER BY (p.id * 31) % (7 + $4::int), p.id LIMIT 1 RETURNING id),
              people AS (INSERT INTO contract_participant SELECT made.id, $9 FROM made)
         INSERT INTO contract_payment (contract_id, no, kind, line_key, due_on, amount) SELECT made.id, 1, 'fee', 'fee:x', current_date + $10::int, 5000 FROM made`,
        [
          `CTX${index}`,
          `随机合同${index}`,
          'expense',
          index,
          id,
          30 + dice.upTo(60),
          dice.upTo(120) + 1,
          state,
          staff[(index + 3) % staff.length]!.id,
          dice.upTo(40) - 20,
        ],
      );
    }
  },
});
