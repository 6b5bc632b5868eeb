import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { insertRows, type Runner, type SeedRow, takeIds } from './insert-rows.ts';
import type { SeedHouse } from './places.ts';
import { createRandom, type Random } from './random.ts';
import { readSeedFile } from './seed-file.ts';
import { DAY, type World } from './world.ts';

/** Writes about 400 members with phones, ID numbers and households; the first is the one of the worked example. */
export async function seedPeople(client: Runner, world: World, houses: readonly SeedHouse[]): Promise<void> {
  const random = createRandom(world.seed, 'people');
  const people = readSeedFile<People>('demo-people');
  const { example } = readSeedFile<{ example: { phone: string; name: string } }>('demo-goods');
  const lived = random.shuffle(houses.filter((house) => house.state !== 'vacant'));
  const first = await takeIds(client, 'member', MEMBERS);
  const phones = new Set([example.phone]);
  const members: SeedRow[] = [];
  const households: SeedRow[] = [];
  for (let index = 0; index < MEMBERS; index += 1) {
    const id = first + index;
    const isExample = index === 0;
    const sex = isExample ? 0 : random.int(0, 1);
    // Some houses have a family of two, the second one living with the member before.
    const house = lived[index - (index > 0 && index % 5 === 0 ? 1 : 0)]!;
    const name = isExample ? example.name : nameOf(random, people, sex);
    const phone = isExample ? example.phone : freePhone(random, phones);
    const registeredAt = new Date(world.now.getTime() - random.int(125, 900) * DAY - random.int(0, DAY));
    world.members.push({
      id,
      name,
      phone,
      project: house.project,
      address: house.address,
      registeredAt,
      shops: !isExample,
    });
    members.push({
      id,
      name,
      nickname: random.chance(0.6) ? `${random.pick(people.nicknames)}${random.int(1, 99)}` : '',
      phone,
      id_no: random.chance(0.7) ? idNumber(random, sex) : null,
      sex,
      project_id: house.project.id,
      registered_at: registeredAt,
      last_active_on: businessDayOf(
        new Date(world.now.getTime() - Math.floor(random.next() ** 2 * 60) * DAY),
      ),
      created_at: registeredAt,
      updated_at: registeredAt,
    });
    const owner = index > 0 && index % 5 === 0 ? 'family' : house.state === 'let' ? 'tenant' : 'owner';
    const status = isExample ? 'normal' : random.weighted(STATUSES, ([, weight]) => weight)[0];
    households.push({
      member_id: id,
      house_id: house.id,
      identity: owner,
      status: index < 3 ? 'normal' : status,
    });
  }
  await insertRows(client, 'member', members);
  await insertRows(client, 'household', households);
}

interface People {
  surnames: string;
  female: string[];
  male: string[];
  nicknames: string[];
}

const MEMBERS = 400;
const STATUSES: [string, number][] = [
  ['normal', 90],
  ['reviewing', 6],
  ['refused', 2],
  ['deleted', 2],
];
const MOBILE_PREFIXES = ['135', '136', '137', '138', '139', '150', '158', '159', '177', '186', '189'];
const WEIGHTS = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];

function nameOf(random: Random, people: People, sex: number): string {
  // Frequent surnames stand first.
  const surname = people.surnames[Math.floor(random.next() ** 1.8 * people.surnames.length)]!;
  return surname + random.pick(sex === 0 ? people.female : people.male);
}

function freePhone(random: Random, taken: Set<string>): string {
  for (;;) {
    const phone = random.pick(MOBILE_PREFIXES) + random.digits(8);
    if (taken.has(phone)) continue;
    taken.add(phone);
    return phone;
  }
}

/** A number with a valid check digit and a district that exists. */
function idNumber(random: Random, sex: number): string {
  const district = random.pick(['310115', '310112', '310101', '330108', '330110', '330106']);
  const birth = `${random.int(1955, 2003)}${String(random.int(1, 12)).padStart(2, '0')}${String(random.int(1, 28)).padStart(2, '0')}`;
  const order = String(random.int(0, 49) * 2 + (sex === 1 ? 1 : 0) + 100);
  const body = district + birth + order;
  const sum = WEIGHTS.reduce((total, weight, index) => total + weight * Number(body[index]), 0);
  return body + '10X98765432'[sum % 11];
}
