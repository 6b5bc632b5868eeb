import { counted, idsOfRows } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const DAY = 86_400_000;
const task = (row: Raw, world: World) => by(world, 'butler_task', 'id').get(row.task_id)![0]!;
const dayNumber = (value: unknown) => Math.round(Date.parse(`${String(value)}T00:00:00Z`) / DAY);
const today = () => Math.floor((Date.now() + 8 * 3_600_000) / DAY);
/** Less than the part of the target that the days begun are of all days. */
const isBehind = (row: Raw, world: World) => {
  const one = task(row, world);
  const days = dayNumber(one.to_on) - dayNumber(one.from_on) + 1;
  const begun = Math.min(Math.max(today() - dayNumber(one.from_on) + 1, 0), days);
  return (
    one.state === 'running' &&
    row.reached_at === null &&
    Number(row.progress) * days < Number(one.target) * begun
  );
};
const flag = (of: (row: Raw, world: World) => boolean) => ({
  value: (dice: { chance(share: number): boolean }) => String(dice.chance(0.5)),
  keeps: (row: Raw, value: string, world: World) => String(of(row, world)) === value,
});

export const oracle = defineOracle({
  name: 'butlerTaskProgress',
  menu: 'butler_operate',
  table: 'butler_task_progress',
  standing: (row, world) => ({
    tenant: null,
    projects: (row.project_ids as unknown[]).map(Number),
    owner: by(world, 'housekeeper', 'id').get(row.housekeeper_id)![0]!.staff_id,
    rule: 'places',
  }),
  filters: {
    task: idsOfRows('task_id', 'butler_task_progress'),
    wasReached: flag((row) => row.reached_at !== null),
    behind: flag(isBehind),
  },
  export: counted,
  reads: ['butler_task', 'housekeeper'],
});
