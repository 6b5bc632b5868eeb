import { counted, idsOfRows } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Held, type Raw, type World } from '../../../testing/oracle/world.ts';

const recipient = (row: Raw, world: World) =>
  by(world, 'butler_reminder_recipient', 'id').get(row.recipient_id)![0]!;
const shares = (row: Raw, world: World) =>
  (by(world, 'butler_share', 'reminder_id').get(row.reminder_id) ?? []).filter(
    (one) =>
      one.housekeeper_id === row.housekeeper_id &&
      one.product_id === row.product_id &&
      row.product_id !== null,
  );
const flag = (of: (row: Raw, world: World, held: Held) => boolean) => ({
  value: (dice: { chance(share: number): boolean }) => String(dice.chance(0.5)),
  keeps: (row: Raw, value: string, world: World, held: Held) => String(of(row, world, held)) === value,
});

export const oracle = defineOracle({
  name: 'butlerReminderShare',
  menu: 'butler_remind',
  table: 'butler_reminder_item',
  standing: (row, world) => ({
    tenant: null,
    projects: (recipient(row, world).project_ids as unknown[]).map(Number),
    owner: by(world, 'housekeeper', 'id').get(row.housekeeper_id)![0]!.staff_id,
    rule: 'places',
  }),
  filters: {
    reminder: idsOfRows('reminder_id', 'butler_reminder_item'),
    butler: idsOfRows('housekeeper_id', 'butler_reminder_item'),
    projects: {
      value: (dice, world) => String(dice.pick(world.rows.project!).id),
      keeps: (row, value, world, held) =>
        (!held.projects || held.projects.has(Number(value))) &&
        (recipient(row, world).project_ids as unknown[]).map(Number).includes(Number(value)),
    },
    wasRead: flag((row, world) => recipient(row, world).read_at !== null),
    // What was shared in projects the caller works in.
    wasShared: flag((row, world, held) =>
      shares(row, world).some((one) => !held.projects || held.projects.has(Number(one.project_id))),
    ),
    at: {
      value: () => '2020-01-01~2099-12-31',
      keeps: () => true,
    },
  },
  export: counted,
  reads: ['butler_reminder_recipient', 'butler_share', 'housekeeper', 'project'],
});
