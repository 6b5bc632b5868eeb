import { byCode, dayOf } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run, type Held, type Raw, type World } from '../../../testing/oracle/world.ts';

/** The node and those above it. */
function chain(world: World, id: number | null): number[] {
  const found: number[] = [];
  for (let at = id; at !== null && found.length < 20;) {
    found.push(at);
    at = world.rows.organisation!.find((one) => one.id === at)?.parent_id ?? null;
  }
  return found;
}

/** Projects anywhere below a node. */
const below = (world: World, node: number) =>
  world.rows.project!.filter((one) => chain(world, one.unit_id).includes(node));

/**
 * The platform sees all; whose tenant has a node sees its branch, but for what holds others' projects only; the rest see what
 * stands above their projects. Merchants see what is their own, which is nothing.
 */
function inPlace(row: Raw, world: World, held: Held): boolean {
  if (held.kind === 2) return row.tenant_id === held.row.tenant_id;
  if (!held.projects) return true;
  const projects = below(world, row.id);
  const mine = projects.some((one) => held.projects!.has(one.id));
  const home = world.rows.organisation!.find((one) => one.tenant_id === held.row.tenant_id);
  if (!home) return mine;
  return chain(world, row.id).includes(home.id) && (mine || projects.length === 0);
}

const region = (world: World, id: number | null) => world.rows.region!.find((one) => one.id === id);

export const oracle = defineOracle({
  name: 'organisation',
  menu: 'mechanism',
  table: 'organisation',
  standing: (row) => ({
    tenant: row.tenant_id,
    projects: undefined,
    owner: row.created_by,
    rule: 'everybody',
  }),
  extra: inPlace,
  filters: {
    parent: {
      value: (dice, world) => {
        const { id } = dice.pick(world.rows.organisation!);
        return dice.chance(0.5) ? `below:${id}` : String(id);
      },
      keeps: (row, value, world) =>
        value.startsWith('below:')
          ? chain(world, row.parent_id).includes(Number(value.slice(6)))
          : String(row.parent_id) === value,
    },
    region: {
      value: (dice, world) => {
        const own = region(world, dice.pick(world.rows.organisation!).region_id);
        return String(dice.chance(0.5) ? (own?.parent_id ?? 0) : (own?.id ?? 0));
      },
      keeps: (row, value, world) => {
        const own = region(world, row.region_id);
        const above = region(world, own?.parent_id ?? null);
        return [own?.id, own?.parent_id, above?.parent_id].some((id) => String(id) === value);
      },
    },
  },
  tabs: {
    all: () => true,
    licence: (row) =>
      row.state === 'enabled' &&
      row.licence_until !== null &&
      String(row.licence_until) <= dayOf(new Date(Date.now() + 30 * 86_400_000)),
  },
  text: (row) => `${row.name} ${row.code} ${row.short_name} ${row.pinyin}`.toLowerCase(),
  export: byCode,
  reads: ['organisation', 'project', 'region'],
  owner: 'created_by',
  fill: async ({ db, dice }) => {
    const centres = await run<{ id: number }>(
      db,
      `SELECT id FROM organisation WHERE kind = 'centre_city' ORDER BY id`,
    );
    for (let index = 0; index < 40; index++)
      await run(
        db,
        `INSERT INTO organisation (kind, code, name, parent_id, region_id, state, stopped_at)
         SELECT 'management_unit', $1, $2, $3, (SELECT id FROM region WHERE level = 3 ORDER BY id OFFSET $4 LIMIT 1), $5, CASE WHEN $5 = 'stopped' THEN now() END`,
        [
          `PO-${index}`,
          `随机管理处${index}`,
          dice.pick(centres).id,
          dice.upTo(60),
          dice.chance(0.8) ? 'enabled' : 'stopped',
        ],
      );
  },
});
