import { words } from '../../../testing/oracle/filters.ts';
import { defineOracle, type Oracle } from '../../../testing/oracle/oracle.ts';
import type { Raw } from '../../../testing/oracle/world.ts';

const day = (shift: number) =>
  new Date(Date.now() + 8 * 3_600_000 + shift * 86_400_000).toISOString().slice(0, 10);
const today = () => day(0);

/** Rows of occupancies under a menu. */
export const occupancies = {
  table: 'position_occupancy',
  standing: (row, world) => {
    const own = world.rows.position!.find((one) => one.id === row.position_id)!;
    return { tenant: null, projects: [own.project_id], owner: own.created_by, rule: 'places' };
  },
  filters: {
    within: {
      value: (dice) => `${day(dice.upTo(30) - 15)}~${dice.chance(0.7) ? day(20 + dice.upTo(30)) : ''}`,
      keeps: (row, value) => {
        const [from = '', to = ''] = value.split('~');
        return (to === '' || row.from_on <= to) && (from === '' || row.to_on >= from);
      },
    },
    standing: words(
      (row: Raw) =>
        row.released_at !== null || (row.expires_at !== null && row.expires_at.getTime() <= Date.now())
          ? 'released'
          : row.to_on < today()
            ? 'over'
            : row.from_on > today()
              ? 'coming'
              : 'running',
      ['coming', 'running', 'over', 'released'],
    ),
  },
  reads: ['position'],
} satisfies Omit<Oracle, 'name' | 'menu'>;

export const oracle = defineOracle({ name: 'positionOccupancy', menu: 'positionList', ...occupancies });
