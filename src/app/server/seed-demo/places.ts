import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { insertRows, type Runner, type SeedRow, takeIds } from './insert-rows.ts';
import { createRandom } from './random.ts';
import { readSeedFile } from './seed-file.ts';
import type { SeedMerchant, SeedProject, World } from './world.ts';

/** Writes tenants, the organisation tree, projects, houses and the merchants' terms; fills the world with them. */
export async function seedPlaces(client: Runner, world: World): Promise<SeedHouse[]> {
  const places = readSeedFile<Places>('demo-places');
  await seedTenants(client, world, places);
  await seedOrganisations(client, world, places);
  await seedProjects(client, world, places);
  await seedMerchants(client, world, places);
  return await seedHouses(client, world, places);
}

/** A house of a project with its address as members write it. */
export interface SeedHouse {
  readonly id: number;
  readonly project: SeedProject;
  readonly address: string;
  readonly state: 'self_use' | 'let' | 'vacant';
}

interface Places {
  company: { code: string; name: string };
  companies: { account: string; name: string; contact: string }[];
  centres: {
    account: string;
    code: string;
    name: string;
    region: string;
    contact: string;
    units: { code: string; name: string; region: string }[];
  }[];
  projects: { code: string; name: string; unit: string; region: string; address: string; openedOn: string }[];
  words: { building: string; unit: string; room: string };
  merchants: {
    account: string;
    name: string;
    kind: string;
    contact: string;
    class: string;
    /** How many projects, the first ones. */
    projects: number;
    postage: [number, number, number][];
    afterSaleDays: number;
    commission: number;
  }[];
}

async function seedTenants(client: Runner, world: World, places: Places): Promise<void> {
  const random = createRandom(world.seed, 'tenants');
  const named = [
    ...places.companies.map((company) => ({ kind: 1, merchant_kind: null, ...company })),
    ...places.merchants.map((merchant) => ({ ...merchant, merchant_kind: merchant.kind, kind: 2 })),
    ...places.centres.map((centre) => ({ kind: 4, merchant_kind: null, ...centre })),
  ];
  const first = await takeIds(client, 'tenant', named.length);
  const { rows: platform } = await client.query<{ id: string }>(
    `SELECT id FROM tenant WHERE kind = 3 ORDER BY id LIMIT 1`,
  );
  world.tenants.set('platform', Number(platform[0]!.id));
  const rows = named.map((tenant, index) => {
    world.tenants.set(tenant.account, first + index);
    return {
      id: first + index,
      kind: tenant.kind,
      account: tenant.account,
      name: tenant.name,
      contact_name: tenant.contact,
      contact_phone: `139${random.digits(8)}`,
      licence_no: `9131${random.digits(14)}`,
      merchant_kind: tenant.merchant_kind,
      created_at: daysBefore(world.now, 400 - index),
      updated_at: daysBefore(world.now, 200 - index),
    };
  });
  await insertRows(client, 'tenant', rows);
}

async function seedOrganisations(client: Runner, world: World, places: Places): Promise<void> {
  const regions = await regionIds(client);
  const { company, centres } = places;
  const rows: SeedRow[] = [];
  let id = await takeIds(
    client,
    'organisation',
    1 + centres.length + centres.reduce((n, c) => n + c.units.length, 0),
  );
  const add = (row: SeedRow): number => {
    rows.push({ id, ...row });
    return id++;
  };
  const companyId = add({
    kind: 'company',
    code: company.code,
    name: company.name,
    parent_id: null,
    tenant_id: world.tenants.get(places.companies[0]!.account),
    region_id: regions.get('310000'),
  });
  for (const centre of centres) {
    const centreId = add({
      kind: 'centre_city',
      code: centre.code,
      name: centre.name,
      parent_id: companyId,
      tenant_id: world.tenants.get(centre.account),
      region_id: regions.get(centre.region),
    });
    for (const unit of centre.units) {
      add({
        kind: 'management_unit',
        code: unit.code,
        name: unit.name,
        parent_id: centreId,
        tenant_id: null,
        region_id: regions.get(unit.region),
      });
    }
  }
  await insertRows(client, 'organisation', rows);
}

async function seedProjects(client: Runner, world: World, places: Places): Promise<void> {
  const regions = await regionIds(client);
  const { rows: units } = await client.query<{ id: string; code: string; parent_id: string }>(
    `SELECT id, code, parent_id FROM organisation WHERE kind = 'management_unit'`,
  );
  const first = await takeIds(client, 'project', places.projects.length);
  const rows = places.projects.map((project, index) => {
    const unit = units.find((candidate) => candidate.code === project.unit)!;
    const { code, name, address } = project;
    world.projects.push({ id: first + index, code, name, address });
    return {
      id: first + index,
      code,
      name,
      unit_id: unit.id,
      centre_id: unit.parent_id,
      region_id: regions.get(project.region),
      address,
      opened_on: project.openedOn,
    };
  });
  await insertRows(client, 'project', rows);
  const links = places.projects.flatMap((project, index) => {
    const centre = places.centres.find((candidate) =>
      candidate.units.some((unit) => unit.code === project.unit),
    )!;
    const accounts = [places.companies[index === 3 ? 1 : 0]!.account, centre.account];
    return accounts.map((account) => ({ tenant_id: world.tenants.get(account), project_id: first + index }));
  });
  await insertRows(client, 'tenant_project', links);
}

async function seedMerchants(client: Runner, world: World, places: Places): Promise<void> {
  for (const [index, merchant] of places.merchants.entries()) {
    const made: SeedMerchant = {
      id: world.tenants.get(merchant.account)!,
      no: index + 1,
      name: merchant.name,
      projectIds: world.projects.slice(0, merchant.projects).map((project) => project.id),
      postage: merchant.postage.map(([start, end, freight]) => ({ start, end, freight })),
      afterSaleDays: merchant.afterSaleDays,
    };
    world.merchants.push(made);
  }
  const today = businessDayOf(world.now);
  await insertRows(
    client,
    'merchant_agreement',
    world.merchants.map((merchant, index) => ({
      tenant_id: merchant.id,
      agreement_version: 1,
      commission_bp: places.merchants[index]!.commission,
      after_sale_days: merchant.afterSaleDays,
      starts_on: addDays(today, -330),
      ends_on: addDays(today, 400 - index * 10),
    })),
  );
  await insertRows(
    client,
    'postage_rule',
    world.merchants.flatMap((merchant) =>
      merchant.postage.map((band) => ({
        tenant_id: merchant.id,
        start_fen: band.start,
        end_fen: band.end,
        freight: band.freight,
      })),
    ),
  );
  await insertRows(
    client,
    'tenant_project',
    world.merchants.flatMap((merchant) =>
      merchant.projectIds.map((project_id) => ({ tenant_id: merchant.id, project_id })),
    ),
  );
}

async function seedHouses(client: Runner, world: World, places: Places): Promise<SeedHouse[]> {
  const random = createRandom(world.seed, 'houses');
  const { words } = places;
  const perProject = BUILDINGS * UNITS;
  let building = await takeIds(client, 'building', world.projects.length * BUILDINGS);
  let unit = await takeIds(client, 'building_unit', world.projects.length * perProject);
  let house = await takeIds(client, 'house', world.projects.length * perProject * FLOORS * DOORS);
  const rows: Record<'building' | 'building_unit' | 'house', SeedRow[]> = {
    building: [],
    building_unit: [],
    house: [],
  };
  const houses: SeedHouse[] = [];
  for (const project of world.projects) {
    for (let b = 1; b <= BUILDINGS; b += 1, building += 1) {
      rows.building.push({ id: building, project_id: project.id, name: `${b}${words.building}` });
      for (let u = 1; u <= UNITS; u += 1, unit += 1) {
        rows.building_unit.push({ id: unit, building_id: building, name: `${u}${words.unit}` });
        for (let floor = 1; floor <= FLOORS; floor += 1) {
          for (let door = 1; door <= DOORS; door += 1, house += 1) {
            const number = `${floor}0${door}`;
            const state = random.weighted(['self_use', 'let', 'vacant'] as const, (s) => HOUSE_STATES[s]);
            const area = random.int(68, 152) + random.int(0, 99) / 100;
            rows.house.push({
              id: house,
              project_id: project.id,
              unit_id: unit,
              number,
              floor,
              built_area: area,
              state,
            });
            const place = `${b}${words.building}${u}${words.unit}${number}${words.room}`;
            houses.push({
              id: house,
              project,
              address: `${project.address} ${project.name} ${place}`,
              state,
            });
          }
        }
      }
    }
  }
  for (const table of ['building', 'building_unit', 'house'] as const)
    await insertRows(client, table, rows[table]);
  return houses;
}

const BUILDINGS = 5;
const UNITS = 2;
const FLOORS = 5;
const DOORS = 2;
const HOUSE_STATES = { self_use: 70, let: 20, vacant: 10 };

async function regionIds(client: Runner): Promise<Map<string, number>> {
  const { rows } = await client.query<{ id: string; code: string }>(
    'SELECT id, code FROM region WHERE level <= 3',
  );
  return new Map(rows.map((row) => [row.code, Number(row.id)]));
}

function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * 86_400_000);
}
