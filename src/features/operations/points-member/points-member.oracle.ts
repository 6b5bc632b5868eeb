import { counted, dayOf, dayRange, ids } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const live = (row: Raw, world: World) => by(world, 'household', 'member_id').get(row.id) ?? [];
const available = (row: Raw, world: World) =>
  Number(
    (by(world, 'ledger_account', 'member_id').get(row.id) ?? []).find(
      (one) => one.kind === 'points_available' && one.unit === 'point',
    )?.balance ?? 0,
  );
const gradeOf = (row: Raw, world: World) => {
  const mine = by(world, 'member_grade', 'member_id').get(row.id)?.[0];
  if (mine?.fixed_id && String(mine.fixed_until) >= dayOf(new Date())) return Number(mine.fixed_id);
  const grades = [...by(world, 'grade', 'id').values()]
    .flat()
    .sort((a, b) => Number(b.threshold) - Number(a.threshold));
  return Number(grades.find((one) => Number(one.threshold) <= Number(mine?.basis ?? 0))!.id);
};

export const oracle = defineOracle({
  name: 'pointsMember',
  menu: 'os_integralUser',
  table: 'member',
  standing: (row, world) => ({
    tenant: null,
    projects: [
      Number(row.project_id ?? 0),
      ...live(row, world)
        .filter((one) => one.status === 'normal' || one.status === 'reviewing')
        .map((one) => Number(by(world, 'house', 'id').get(one.house_id)![0]!.project_id)),
    ],
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    project: ids('project_id', 'project'),
    grade: {
      value: (dice, world) => String(dice.pick([...by(world, 'grade', 'id').keys()])),
      keeps: (row, value, world) => gradeOf(row, world) === Number(value),
    },
    available: {
      value: (dice) => `${dice.upTo(500)}~${dice.chance(0.5) ? 500 + dice.upTo(2_000) : ''}`,
      keeps: (row, value, world) => {
        const [from = '', to = ''] = value.split('~');
        return available(row, world) >= Number(from) && (to === '' || available(row, world) <= Number(to));
      },
    },
    identity: {
      value: (dice) => dice.pick(['owner', 'family', 'tenant']),
      keeps: (row, value, world) =>
        live(row, world).some((one) => one.status === 'normal' && one.identity === value),
    },
    banned: {
      value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
      keeps: (row, value) =>
        (row.banned_until !== null && row.banned_until > new Date()) === (value === 'true'),
    },
    registeredAt: dayRange('registered_at'),
    lastActive: {
      ...dayRange('last_active_on'),
      keeps: (row, value, world, caller) =>
        row.last_active_on !== null && dayRange('last_active_on').keeps(row, value, world, caller),
    },
  },
  export: counted,
  owner: 'created_by',
  reads: ['household', 'house', 'project', 'ledger_account', 'member_grade', 'grade'],
});
