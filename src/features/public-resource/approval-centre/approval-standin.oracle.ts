import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { maySee } from '../../../testing/oracle/world.ts';

const MENU = 'pr_auditManagement';
const day = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : new Date((value as Date).getTime() + 8 * 3_600_000).toISOString().slice(0, 10);

export const oracle = defineOracle({
  name: 'approvalStandin',
  menu: MENU,
  table: 'approval_standin',
  standing: () => ({ tenant: null, projects: undefined, owner: null, rule: 'people' }),
  // Stood in for, sitting in, or looked after in the own company.
  extra: (row, world, held) => {
    if (row.staff_id === held.row.id || row.standin_id === held.row.id) return true;
    if (!held.elements.has(`${MENU}:btn_cancel`) && !held.elements.has(`${MENU}:btn_reassign`)) return false;
    return maySee(world, held, MENU, {
      tenant: world.staffById.get(row.staff_id)!.tenant_id,
      projects: undefined,
      owner: row.staff_id,
      rule: 'own',
    });
  },
  tabs: { standin: () => true },
  filters: {
    phase: {
      value: (dice) => dice.some(['coming', 'active', 'ended', 'cancelled'], 1 + dice.upTo(2)).join(','),
      keeps: (row, value) => {
        const today = new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10);
        const phase =
          row.cancelled_at !== null
            ? 'cancelled'
            : day(row.to_day) < today
              ? 'ended'
              : day(row.from_day) > today
                ? 'coming'
                : 'active';
        return value.split(',').includes(phase);
      },
    },
  },
});
