import { counted, dayOf, dayRange, ids } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type Standing, type World } from '../../../testing/oracle/world.ts';

/** Tables that say where a member lives. */
export const LIVES = ['member', 'household', 'house'] as const;

/** A member stands in its own project and in those of its households that are normal or under review; in no tenant. */
export const memberStanding = (member: Raw | undefined, world: World): Standing => ({
  tenant: null,
  projects: member
    ? [
        Number(member.project_id ?? 0),
        ...(by(world, 'household', 'member_id').get(member.id) ?? [])
          .filter((one) => one.status === 'normal' || one.status === 'reviewing')
          .map((one) => Number(by(world, 'house', 'id').get(one.house_id)![0]!.project_id)),
      ]
    : [0],
  owner: member?.created_by ?? null,
  rule: 'places',
});

const balance = (row: Raw, world: World, kind: string) =>
  Number(
    (by(world, 'ledger_account', 'member_id').get(row.id) ?? []).find(
      (one) => one.kind === kind && one.unit === 'point',
    )?.balance ?? 0,
  );

/** The grade that is fixed today, else the highest whose threshold is reached. */
const gradeOf = (row: Raw, world: World) => {
  const mine = by(world, 'member_grade', 'member_id').get(row.id)?.[0];
  if (mine?.fixed_id && String(mine.fixed_until) >= dayOf(new Date())) return Number(mine.fixed_id);
  const grades = [...by(world, 'grade', 'id').values()]
    .flat()
    .sort((a, b) => Number(b.threshold) - Number(a.threshold));
  return Number(grades.find((one) => Number(one.threshold) <= Number(mine?.basis ?? 0))!.id);
};

export const oracle = defineOracle({
  name: 'pointsAccount',
  menu: 'pointsAccount',
  table: 'member',
  standing: memberStanding,
  filters: {
    project: ids('project_id', 'project'),
    grade: {
      value: (dice, world) => String(dice.pick([...by(world, 'grade', 'id').keys()])),
      keeps: (row, value, world) => gradeOf(row, world) === Number(value),
    },
    frozen: {
      value: (dice) => dice.pick(['normal', 'frozen']),
      keeps: (row, value, world) =>
        value ===
        ((by(world, 'points_account_freeze', 'member_id').get(row.id) ?? []).some(
          (one) => one.lifted_at === null && (one.until_at === null || one.until_at > new Date()),
        )
          ? 'frozen'
          : 'normal'),
    },
    available: {
      value: (dice) => `${dice.upTo(500)}~${dice.chance(0.5) ? 500 + dice.upTo(2_000) : ''}`,
      keeps: (row, value, world) => {
        const [from = '', to = ''] = value.split('~');
        const has = balance(row, world, 'points_available');
        return has >= Number(from) && (to === '' || has <= Number(to));
      },
    },
    hasDebt: {
      value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
      keeps: (row, value, world) => balance(row, world, 'points_debt') < 0 === (value === 'true'),
    },
    hasPending: {
      value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
      keeps: (row, value, world) =>
        (by(world, 'points_pending', 'member_id').get(row.id) ?? []).some(
          (one) => one.state === 'waiting' && one.unit === 'point',
        ) ===
        (value === 'true'),
    },
    expiringDays: {
      value: (dice) => String(1 + dice.upTo(200)),
      keeps: (row, value, world) => {
        const account = (by(world, 'ledger_account', 'member_id').get(row.id) ?? []).find(
          (one) => one.kind === 'points_available' && one.unit === 'point',
        );
        const until = Date.now() + Number(value) * 86_400_000;
        return (account ? (by(world, 'points_lot', 'account_id').get(account.id) ?? []) : []).some(
          (lot) =>
            lot.remaining > 0 &&
            lot.expires_at !== null &&
            lot.expires_at.getTime() > Date.now() &&
            lot.expires_at.getTime() <= until,
        );
      },
    },
    lastMovement: {
      ...dayRange('at'),
      keeps: (row, value, world) => {
        const moved = (by(world, 'ledger_transfer', 'member_id').get(row.id) ?? []).map(
          (one) => one.at as Date,
        );
        if (moved.length === 0) return false;
        const last = new Date(Math.max(...moved.map((at) => at.getTime())));
        return dayRange('at').keeps({ id: 0, at: last }, value, world, undefined as never);
      },
    },
  },
  export: counted,
  owner: 'created_by',
  reads: [
    'household',
    'house',
    'project',
    'ledger_account',
    'ledger_transfer',
    'points_lot',
    'points_pending',
    'points_account_freeze',
    'member_grade',
    'grade',
  ],
});
