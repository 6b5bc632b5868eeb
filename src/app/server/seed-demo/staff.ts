import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { insertRows, type Runner, type SeedRow, takeIds } from './insert-rows.ts';
import { createRandom } from './random.ts';
import { readSeedFile } from './seed-file.ts';
import { DAY, type World } from './world.ts';

/** Writes departments, posts, permission groups and staff of all tenants; without a hash nobody of them can sign in. */
export async function seedStaff(client: Runner, world: World, passwordHash: string | null): Promise<void> {
  const data = readSeedFile<StaffData>('demo-staff');
  const departments = await seedDepartments(client, world, data);
  const stations = await seedStations(client, world, data, departments);
  const groups = await seedGroups(client, world, data);
  const random = createRandom(world.seed, 'staff');
  const first = await takeIds(client, 'staff', data.staff.length);
  const rows: SeedRow[] = [];
  const posts: SeedRow[] = [];
  const projects: SeedRow[] = [];
  const members: SeedRow[] = [];
  data.staff.forEach(([account, tenant, department, station, name, sex, group, projectCodes], index) => {
    const id = first + index;
    const tenantId = world.tenants.get(tenant)!;
    const created = new Date(world.now.getTime() - (300 - index) * DAY);
    world.staff.set(account, { id, account, name, tenantId });
    rows.push({
      id,
      tenant_id: tenantId,
      department_id: departments.get(`${tenant} ${department}`),
      account,
      name,
      staff_no: `${tenant === 'platform' ? 'P' : tenant[0]}${String(index + 1).padStart(4, '0')}`,
      phone: `1${random.pick(['30', '31', '32', '55', '56'])}${random.digits(8)}`,
      sex,
      employed_on: addDays(businessDayOf(world.now), -random.int(310, 2_000)),
      all_projects: projectCodes === '',
      password_hash: passwordHash,
      must_change_password: passwordHash === null,
      password_changed_at: world.now,
      created_at: created,
      updated_at: created,
    });
    if (station) posts.push({ staff_id: id, station_id: stations.get(`${tenant} ${station}`) });
    members.push({ group_id: groups.get(group), staff_id: id, created_at: created });
    for (const code of projectCodes.split(' ').filter(Boolean)) {
      projects.push({
        staff_id: id,
        project_id: world.projects.find((project) => project.code === code)!.id,
      });
    }
  });
  await insertRows(client, 'staff', rows);
  await insertRows(client, 'staff_station', posts);
  await insertRows(client, 'staff_project', projects);
  await insertRows(client, 'group_member', members);
  await client.query(
    `UPDATE department d SET leader_id = (SELECT min(s.id) FROM staff s WHERE s.department_id = d.id) WHERE leader_id IS NULL`,
  );
}

/** Shape of demo-staff.json. */
export interface StaffData {
  groups: { code: string; name: string; description: string }[];
  /** By group code: "menu:btn_a,btn_b", or "menu:*" for all elements of the menu. */
  grants: Record<string, string[]>;
  departments: { tenant: string; code: string; name: string; children: [string, string][] }[];
  merchantDepartment: [string, string][];
  stations: { tenant: string; code: string; name: string; type: string; departments: string[] }[];
  /** Account, tenant, department, post, name, sex, group, codes of projects (none: all of the tenant). */
  staff: [string, string, string, string, string, number, string, string][];
}

type Keys = Map<string, number>;

async function seedDepartments(client: Runner, world: World, data: StaffData): Promise<Keys> {
  const merchants = [...world.tenants.keys()].filter((account) => account.startsWith('M'));
  const trees = [
    ...data.departments,
    ...merchants.flatMap((tenant) =>
      data.merchantDepartment.map(([code, name]) => ({
        tenant,
        code,
        name,
        children: [] as [string, string][],
      })),
    ),
  ];
  const count = trees.reduce((sum, tree) => sum + 1 + tree.children.length, 0);
  let id = await takeIds(client, 'department', count);
  const keys: Keys = new Map();
  const rows: SeedRow[] = [];
  for (const tree of trees) {
    const root = id;
    const all: [string, string][] = [[tree.code, tree.name], ...tree.children];
    all.forEach(([code, name], sort) => {
      keys.set(`${tree.tenant} ${code}`, id);
      rows.push({
        id,
        tenant_id: world.tenants.get(tree.tenant),
        parent_id: id === root ? null : root,
        code,
        name,
        sort,
        planned: id === root ? 2 : 4,
        path: id === root ? [id] : [root, id],
      });
      id += 1;
    });
  }
  await insertRows(client, 'department', rows);
  return keys;
}

async function seedStations(client: Runner, world: World, data: StaffData, departments: Keys): Promise<Keys> {
  const first = await takeIds(client, 'station', data.stations.length);
  const keys: Keys = new Map();
  const links: SeedRow[] = [];
  const rows = data.stations.map((station, index) => {
    const id = first + index;
    keys.set(`${station.tenant} ${station.code}`, id);
    for (const code of station.departments) {
      links.push({ station_id: id, department_id: departments.get(`${station.tenant} ${code}`) });
    }
    return {
      id,
      tenant_id: world.tenants.get(station.tenant),
      code: station.code,
      name: station.name,
      type: station.type,
      planned: 4,
      sort: index,
    };
  });
  await insertRows(client, 'station', rows);
  await insertRows(client, 'station_department', links);
  return keys;
}

async function seedGroups(client: Runner, world: World, data: StaffData): Promise<Keys> {
  const { rows: types } = await client.query<{ id: string }>(`SELECT id FROM group_type WHERE code = 'role'`);
  const first = await takeIds(client, 'permission_group', data.groups.length);
  const keys: Keys = new Map();
  const rows = data.groups.map((group, index) => {
    keys.set(group.code, first + index);
    return { id: first + index, type_id: types[0]!.id, tenant_id: world.platformId, ...group };
  });
  await insertRows(client, 'permission_group', rows);
  return keys;
}
