import { createHash, randomBytes } from 'node:crypto';
import { run, type Db } from '../../kernel/server/database.ts';
import type { Oracle } from './oracle.ts';

/*
 * A thousand staff with random rights, and a second, independent answer to "who may see which row": plain loops over
 * plain table rows. Nothing here uses the scope, list or permission code of the product.
 */

/** For the random rows of oracles: SQL text with `$n` parameters. */
export { run };

/** Random numbers that repeat with the seed. */
export class Dice {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** 0 ≤ x < 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  upTo(count: number): number {
    return Math.floor(this.next() * count);
  }

  pick<T>(values: readonly T[]): T {
    return values[this.upTo(values.length)]!;
  }

  /** `count` different ones, or all there are. */
  some<T>(values: readonly T[], count: number): T[] {
    const left = [...values];
    const taken: T[] = [];
    while (taken.length < count && left.length > 0) taken.push(...left.splice(this.upTo(left.length), 1));
    return taken;
  }
}

/** A table row as it lies in the database. */
export type Raw = Readonly<Record<string, any>> & { readonly id: number };

/** A random staff as the check knows it. */
export interface RandomStaff {
  readonly id: number;
  readonly account: string;
  readonly authorization: string;
}

/** Everything the rule needs, read once from the tables. */
export interface World {
  readonly staff: readonly RandomStaff[];
  readonly rows: Readonly<Record<string, readonly Raw[]>>;
  /** Columns of every table. */
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>;
  readonly tenants: ReadonlyMap<number, Raw>;
  readonly staffById: ReadonlyMap<number, Raw>;
}

/** What a world needs to know of an oracle. */
type WorldOracle = Pick<Oracle, 'table' | 'reads' | 'queries' | 'owner' | 'fill'>;

/** Groups of each tenant kind that grant a menu at least, however many menus there are. */
const GROUPS_OF_MENU = 6;

const SCOPES = ['all', 'dept_tree', 'dept', 'depts', 'self'] as const;

/** Adds departments, groups, staff, memberships and owners of rows at random, and reads the tables back. */
export async function makeWorld(
  db: Db,
  dice: Dice,
  count: number,
  parts: { readonly oracles: readonly WorldOracle[]; readonly menus: readonly string[] },
): Promise<World> {
  const tenants = await rowsOf(db, 'SELECT * FROM tenant ORDER BY id');
  const projects = (await rowsOf(db, 'SELECT id FROM project ORDER BY id')).map((row) => row.id);
  // Tenants weigh by kind, so that all four kinds are well represented.
  // Staff of tenants that trade: those of others would see empty lists, which prove little.
  const byKind = [1, 2, 3, 4].map((kind) =>
    tenants.filter((one) => one.kind === kind && one.enabled && one.merchant_state === 'operating'),
  );
  const departments = await addDepartments(db, dice, tenants);
  const groups = await addGroups(db, dice, tenants, departments, parts.menus);

  const drafts = Array.from({ length: count }, (_, index) => {
    const tenant = dice.pick(byKind[index % 4]!);
    const own = departments.filter((one) => one.tenant_id === tenant.id);
    return {
      tenant: tenant.id,
      department: dice.chance(0.92) ? dice.pick(own).id : null,
      account: `prop${String(index).padStart(4, '0')}`,
      allProjects: dice.chance(0.45),
      state: dice.chance(0.03) ? 'disabled' : 'normal',
    };
  });
  const inserted = await run<{ id: number; account: string }>(
    db,
    `INSERT INTO staff (tenant_id, department_id, account, name, all_projects, state, must_change_password)
     SELECT t, d, a, a, p, s, false FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::boolean[], $5::text[]) AS x (t, d, a, p, s)
     RETURNING id, account`,
    [
      drafts.map((one) => one.tenant),
      drafts.map((one) => one.department),
      drafts.map((one) => one.account),
      drafts.map((one) => one.allProjects),
      drafts.map((one) => one.state),
    ],
  );
  const idOf = new Map(inserted.map((one) => [one.account, one.id]));
  const tokens = new Map(drafts.map((one) => [one.account, randomBytes(32).toString('base64url')]));
  await run(
    db,
    `INSERT INTO session (token_hash, staff_id, absolute_expires_at)
     SELECT decode(h, 'hex'), s, now() + interval '12 hours' FROM unnest($1::text[], $2::bigint[]) AS x (h, s)`,
    [
      drafts.map((one) => createHash('sha256').update(tokens.get(one.account)!).digest('hex')),
      drafts.map((one) => idOf.get(one.account)!),
    ],
  );
  const pairs: [number, number][] = [];
  const members: {
    group: number;
    staff: number;
    kind: string;
    source: string;
    expires: Date | null;
  }[] = [];
  for (const draft of drafts) {
    const id = idOf.get(draft.account)!;
    if (!draft.allProjects || dice.chance(0.2))
      for (const project of dice.some(projects, dice.upTo(4))) pairs.push([id, project]);
    // Now and then a group of another tenant: it gives its menus, never the rows of that tenant.
    const near = groups.filter((one) => one.tenant_id === draft.tenant || dice.chance(0.02));
    for (const group of dice.some(near, 1 + dice.upTo(5)))
      members.push({
        group: group.id,
        staff: id,
        kind: dice.chance(0.15) ? 'leader' : 'member',
        // What a department gave stays in the table when somebody moves on; it must count only while he is in it.
        source: dice.chance(0.08) ? 'department' : 'manual',
        expires: dice.chance(0.2)
          ? new Date(Date.now() - 3_600_000 * (1 + dice.upTo(1000)))
          : dice.chance(0.2)
            ? new Date(Date.now() + 86_400_000)
            : null,
      });
  }
  await run(
    db,
    'INSERT INTO staff_project (staff_id, project_id) SELECT * FROM unnest($1::bigint[], $2::bigint[])',
    [pairs.map(([staff]) => staff), pairs.map(([, project]) => project)],
  );
  await run(
    db,
    `INSERT INTO group_member (group_id, staff_id, kind, source, expires_at)
     SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::timestamptz[])`,
    [
      members.map((one) => one.group),
      members.map((one) => one.staff),
      members.map((one) => one.kind),
      members.map((one) => one.source),
      members.map((one) => one.expires),
    ],
  );
  await giveOwners(
    db,
    dice,
    inserted.map((one) => one.id),
    parts.oracles,
  );
  const tenantOf = new Map(drafts.map((one) => [one.account, one.tenant]));
  const some = dice
    .some(inserted, 240)
    .map((one) => ({ id: one.id, tenantId: tenantOf.get(one.account)! as number }));
  for (const oracle of parts.oracles) await oracle.fill?.({ db, dice, staff: some });
  return {
    ...(await readWorld(db, parts.oracles)),
    staff: drafts.map((one) => ({
      id: idOf.get(one.account)!,
      account: one.account,
      authorization: `Bearer ${tokens.get(one.account)!}`,
    })),
  };
}

async function rowsOf(db: Db, text: string): Promise<Raw[]> {
  return run<Raw>(db, text);
}

async function addDepartments(db: Db, dice: Dice, tenants: readonly Raw[]): Promise<Raw[]> {
  for (const tenant of tenants) {
    const made: { id: number; path: number[] }[] = [];
    for (let index = 0; index < 7; index++) {
      const parent = made.length > 0 && dice.chance(0.75) ? dice.pick(made) : undefined;
      const [row] = await run<{ id: number }>(
        db,
        `INSERT INTO department (tenant_id, parent_id, code, name, type) VALUES ($1, $2, $3, $4, $5) RETURNING id`,
        [
          tenant.id,
          parent?.id ?? null,
          `pd${index}`,
          `部门${index}`,
          dice.pick(['function', 'project', 'region']),
        ],
      );
      const path = [...(parent?.path ?? []), row!.id];
      await run(db, 'UPDATE department SET path = $2 WHERE id = $1', [row!.id, path]);
      made.push({ id: row!.id, path });
    }
  }
  return rowsOf(db, 'SELECT * FROM department ORDER BY id');
}

async function addGroups(
  db: Db,
  dice: Dice,
  tenants: readonly Raw[],
  departments: readonly Raw[],
  menus: readonly string[],
): Promise<Raw[]> {
  const types = await rowsOf(db, `SELECT id, code FROM group_type WHERE code IN ('role', 'depart', 'free')`);
  const typeOf = (code: string) => types.find((one) => one.code === code)!.id;
  const elements = await run<{ code: string; menu_code: string }>(
    db,
    'SELECT code, menu_code FROM element WHERE NOT retired AND menu_code = ANY($1::text[])',
    [menus],
  );
  const grants: [number, string, string, number[]][] = [];
  const parts: [number, string][] = [];
  // Dealt like cards, so that every menu is granted as often as any other; more menus make larger hands. Each kind of
  // tenant has cards of its own.
  const decks = new Map<number, string[]>();
  const ofKind = groupBy(tenants, (tenant) => Number(tenant.kind));
  const deal = (kind: number): string[] => {
    const groups = 16 * ofKind.get(kind)!.length;
    const extra = Math.max(7, Math.ceil((2 * GROUPS_OF_MENU * menus.length) / groups));
    const hand = new Set<string>();
    for (let left = Math.min(menus.length, 1 + dice.upTo(extra)); left > 0; left--) {
      let deck = decks.get(kind) ?? [];
      if (deck.length === 0) deck = dice.some(menus, menus.length);
      const at = deck.findIndex((menu) => !hand.has(menu));
      if (at >= 0) hand.add(deck.splice(at, 1)[0]!);
      decks.set(kind, deck);
    }
    return [...hand];
  };
  for (const tenant of tenants) {
    const own = departments.filter((one) => one.tenant_id === tenant.id);
    const ids: number[] = [];
    for (let index = 0; index < 16; index++) {
      // The last ones belong to departments; their staff hold them without a membership.
      const department = index >= 12 ? own[index - 12] : undefined;
      const type = department ? 'depart' : dice.pick(['role', 'free']);
      const [group] = await run<{ id: number }>(
        db,
        `INSERT INTO permission_group (type_id, tenant_id, parent_id, department_id, code, name, inherit, enabled)
         VALUES ($1, $2, $3, $4, $5, $5, $6, $7) RETURNING id`,
        [
          typeOf(type),
          tenant.id,
          ids.length > 0 && dice.chance(0.4) ? dice.pick(ids) : null,
          department?.id ?? null,
          `pg${tenant.id}n${index}`,
          dice.chance(0.6),
          dice.chance(0.9),
        ],
      );
      ids.push(group!.id);
      for (const menu of deal(tenant.kind)) {
        const scope = dice.pick(SCOPES);
        const wanted = scope === 'depts' ? dice.some(own, 1 + dice.upTo(3)).map((one) => one.id) : [];
        grants.push([group!.id, menu, scope, wanted]);
        for (const element of elements)
          if (element.menu_code === menu && dice.chance(0.7)) parts.push([group!.id, element.code]);
      }
      // Elements without their menu open nothing.
      if (dice.chance(0.3)) {
        const stray = dice.pick(elements);
        if (!parts.some(([id, code]) => id === group!.id && code === stray.code))
          parts.push([group!.id, stray.code]);
      }
    }
  }
  for (const [group, menu, scope, wanted] of grants)
    await run(
      db,
      'INSERT INTO menu_grant (group_id, menu_code, data_scope, department_ids) VALUES ($1, $2, $3, $4)',
      [group, menu, scope, wanted],
    );
  await run(
    db,
    'INSERT INTO element_grant (group_id, element_code) SELECT * FROM unnest($1::bigint[], $2::text[])',
    [parts.map(([group]) => group), parts.map(([, code]) => code)],
  );
  return rowsOf(db, 'SELECT * FROM permission_group WHERE NOT built_in ORDER BY id');
}

/** Rows get owners among the random staff, so that "own" and "department" show something and not all. */
async function giveOwners(
  db: Db,
  dice: Dice,
  staff: readonly number[],
  oracles: readonly WorldOracle[],
): Promise<void> {
  const owners = dice.some(staff, 60);
  const owned = new Set(oracles.flatMap((one) => (one.owner ? [`${one.table} ${one.owner}`] : [])));
  for (const [table, column] of [...owned].map((text) => text.split(' ')))
    await run(
      db,
      `UPDATE ${table} SET ${column} = ($1::bigint[])[1 + (id * 7 % cardinality($1::bigint[]))] WHERE id % 5 <> 0`,
      [owners],
    );
  await run(
    db,
    `UPDATE department d SET leader_id = (SELECT s.id FROM staff s WHERE s.tenant_id = d.tenant_id AND s.id = ANY($1::bigint[]) ORDER BY (s.id * 31 + d.id) % 17 LIMIT 1)
      WHERE id % 3 <> 0`,
    [staff],
  );
}

/** Reads the tables the rule works on. */
export async function readWorld(db: Db, oracles: readonly WorldOracle[]): Promise<Omit<World, 'staff'>> {
  const columns = new Map<string, Set<string>>();
  for (const row of await run<{ table: string; column: string }>(
    db,
    `SELECT table_name AS table, column_name AS column FROM information_schema.columns WHERE table_schema = 'public'`,
  )) {
    const known = columns.get(row.table);
    if (known) known.add(row.column);
    else columns.set(row.table, new Set([row.column]));
  }
  const all = (table: string) => `SELECT ${columns.get(table)?.has('id') ? '' : '0 AS id, '}* FROM ${table}`;
  const named = [...RIGHTS_TABLES, ...oracles.flatMap((one) => [one.table, ...(one.reads ?? [])])];
  const queries = {
    ...Object.fromEntries([...new Set(named)].map((table) => [table, all(table)])),
    permission_group:
      'SELECT g.*, t.code AS "typeCode" FROM permission_group g JOIN group_type t ON t.id = g.type_id',
    ...Object.assign({}, ...oracles.map((one) => one.queries ?? {})),
  } as Record<string, string>;
  const rows: Record<string, readonly Raw[]> = {};
  for (const [name, text] of Object.entries(queries)) rows[name] = await rowsOf(db, text);
  return {
    rows,
    columns,
    tenants: new Map(rows.tenant!.map((one) => [one.id, one])),
    staffById: new Map(rows.staff!.map((one) => [one.id, one])),
  };
}

/** What rights are worked out from. */
const RIGHTS_TABLES = [
  'tenant',
  'staff',
  'department',
  'station',
  'group_type',
  'group_member',
  'menu_grant',
  'element_grant',
  'menu',
  'element',
  'tenant_project',
  'staff_project',
  'project',
] as const;

const indexes = new WeakMap<object, Map<string, Map<number, Raw[]>>>();

/** Rows of a table by a column, made once. */
export function by(world: World, table: string, column: string): Map<number, Raw[]> {
  let maps = indexes.get(world.rows);
  if (!maps) indexes.set(world.rows, (maps = new Map()));
  const key = `${table}.${column}`;
  let map = maps.get(key);
  if (!map) maps.set(key, (map = groupBy(world.rows[table]!, (row) => Number(row[column]))));
  return map;
}

/** What a random staff holds, by the rule of the ground rules, section 4, and of group 02. */
export interface Held {
  readonly row: Raw;
  readonly kind: number;
  /** Menu to the grants that give it, each a scope word with its departments. */
  readonly menus: ReadonlyMap<
    string,
    readonly { readonly scope: string; readonly departments: readonly number[] }[]
  >;
  readonly elements: ReadonlySet<string>;
  /** Projects rows must lie in; undefined: any. */
  readonly projects: ReadonlySet<number> | undefined;
  readonly leads: boolean;
  readonly ledGroups: ReadonlySet<number>;
}

/** Works out rights of a staff from the raw rows; indexes of the tables are made once. */
export function makeRule(world: World): (staffId: number) => Held {
  const { rows } = world;
  const groups = new Map(rows.permission_group!.map((one) => [one.id, one]));
  const typeCode = new Map(rows.group_type!.map((one) => [one.id, String(one.code)]));
  const memberships = groupBy(rows.group_member!, (one) => one.staff_id);
  const menuGrants = groupBy(rows.menu_grant!, (one) => one.group_id);
  const elementGrants = groupBy(rows.element_grant!, (one) => one.group_id);
  const modes = rows.menu!.filter((one) => one.built && !one.retired && one.mode_of !== null);
  const live = new Set(rows.menu!.filter((one) => one.built && !one.retired).map((one) => String(one.code)));
  const menuOfElement = new Map(
    rows.element!.filter((one) => !one.retired).map((one) => [String(one.code), String(one.menu_code)]),
  );
  const ofTenant = groupBy(rows.tenant_project!, (one) => one.tenant_id);
  const ofStaff = groupBy(rows.staff_project!, (one) => one.staff_id);
  const now = Date.now();
  const isLive = (one: Raw) => one.expires_at === null || (one.expires_at as Date).getTime() > now;
  return (staffId) => {
    const row = world.staffById.get(staffId)!;
    const kind = Number(world.tenants.get(row.tenant_id)!.kind);
    const start = new Set<number>();
    for (const one of memberships.get(staffId) ?? []) {
      if (!isLive(one)) continue;
      const department = groups.get(one.group_id)!.department_id;
      if (one.source === 'department' && (department === null || department !== row.department_id)) continue;
      start.add(one.group_id);
    }
    if (row.department_id !== null)
      for (const group of groups.values())
        if (group.department_id === row.department_id && typeCode.get(group.type_id) === 'depart')
          start.add(group.id);
    const held = new Set<number>();
    for (const first of start)
      for (let at = groups.get(first); at?.enabled && !held.has(at.id);) {
        held.add(at.id);
        at = at.inherit && at.parent_id !== null ? groups.get(at.parent_id) : undefined;
      }
    const menus = new Map<string, { scope: string; departments: readonly number[] }[]>();
    for (const id of held)
      for (const grant of menuGrants.get(id) ?? [])
        if (live.has(grant.menu_code))
          menus.set(grant.menu_code, [
            ...(menus.get(grant.menu_code) ?? []),
            { scope: grant.data_scope, departments: grant.department_ids },
          ]);
    // A page that is a mode of another comes with it, in its scopes.
    for (const one of modes) {
      const scopes = menus.get(String(one.mode_of));
      if (scopes && !menus.has(String(one.code))) menus.set(String(one.code), scopes);
    }
    const elements = new Set<string>();
    for (const id of held)
      for (const grant of elementGrants.get(id) ?? []) {
        const menu = menuOfElement.get(grant.element_code);
        if (menu !== undefined && menus.has(menu)) elements.add(grant.element_code);
      }
    const own = new Set((ofStaff.get(staffId) ?? []).map((one) => Number(one.project_id)));
    const tenant = new Set((ofTenant.get(row.tenant_id) ?? []).map((one) => Number(one.project_id)));
    // Company and centre city stay inside their projects; a merchant's and the platform's limits are the staff's own.
    const projects =
      kind === 1 || kind === 4
        ? row.all_projects
          ? tenant
          : new Set([...tenant].filter((id) => own.has(id)))
        : row.all_projects
          ? undefined
          : kind === 2
            ? new Set([...own].filter((id) => tenant.has(id)))
            : own;
    const led = (memberships.get(staffId) ?? [])
      .filter((one) => one.kind === 'leader' && isLive(one) && groups.get(one.group_id)!.enabled)
      .map((one) => Number(one.group_id));
    const ledGroups = new Set<number>();
    for (const group of groups.values()) {
      const seen = new Set<number>();
      for (
        let at: Raw | undefined = group;
        at && !seen.has(at.id);
        at = at.parent_id === null ? undefined : groups.get(at.parent_id)
      ) {
        seen.add(at.id);
        if (led.includes(at.id)) ledGroups.add(group.id);
      }
    }
    return { row, kind, menus, elements, projects, leads: led.length > 0, ledGroups };
  };
}

/** Where a row of a list stands: its tenant, its projects (undefined: rows of this list have none) and its owner. */
export interface Standing {
  readonly tenant: number | null;
  readonly projects: readonly number[] | undefined;
  readonly owner: number | null;
  /**
   * places: by tenant kind and projects; own: the own tenant only; platform: platform staff only; everybody; people: `extra`
   * of the oracle alone says whose it is.
   */
  readonly rule: 'places' | 'own' | 'platform' | 'everybody' | 'people';
}

/** The three rings for one row under one menu. */
export function maySee(world: World, held: Held, menu: string, row: Standing): boolean {
  const grants = held.menus.get(menu);
  if (!grants) return false;
  if (row.rule === 'people') return true;
  if (row.rule === 'own' && row.tenant !== held.row.tenant_id) return false;
  if (row.rule === 'platform' && held.kind !== 3) return false;
  if (row.rule === 'places') {
    if (held.kind === 2 && row.tenant !== held.row.tenant_id) return false;
    if (row.projects === undefined) {
      if (held.kind !== 3 && row.tenant !== held.row.tenant_id) return false;
    } else if (held.projects && !row.projects.some((id) => held.projects!.has(id))) return false;
  }
  const owner = row.owner === null ? undefined : world.staffById.get(row.owner);
  return grants.some(({ scope, departments }) => {
    if (scope === 'all') return true;
    if (!owner) return false;
    if (scope === 'self') return owner.id === held.row.id;
    if (owner.department_id === null) return false;
    if (scope === 'depts') return departments.includes(owner.department_id);
    if (held.row.department_id === null) return false;
    if (scope === 'dept') return owner.department_id === held.row.department_id;
    return isBelow(world, owner.department_id, held.row.department_id);
  });
}

/** True when a department is another one or lies below it. */
function isBelow(world: World, id: number, above: number): boolean {
  const parents = parentsOf(world);
  for (let at: number | null | undefined = id, steps = 0; at && steps < 20; at = parents.get(at), steps++)
    if (at === above) return true;
  return false;
}

const parentMaps = new WeakMap<object, Map<number, number | null>>();

function parentsOf(world: World): Map<number, number | null> {
  let map = parentMaps.get(world.rows);
  if (!map) {
    map = new Map(world.rows.department!.map((one) => [one.id, one.parent_id as number | null]));
    parentMaps.set(world.rows, map);
  }
  return map;
}

/** Rows by a key. */
export function groupBy<T>(rows: readonly T[], key: (row: T) => number): Map<number, T[]> {
  const map = new Map<number, T[]>();
  for (const row of rows) {
    const list = map.get(key(row));
    if (list) list.push(row);
    else map.set(key(row), [row]);
  }
  return map;
}
