import { ids, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'dunningRecord',
  menu: 'cs_propertyChargingBill',
  table: 'dunning_record',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: { house: ids('house_id', 'house'), channel: words('channel', ['sms', 'phone', 'visit']) },
  owner: 'created_by',
  reads: ['house'],
  fill: async ({ db, dice, staff }) => {
    const houses = await run<{ id: number; project_id: number }>(
      db,
      'SELECT id, project_id FROM house WHERE id % 41 = 0 ORDER BY id LIMIT 50',
    );
    for (const house of houses)
      await run(
        db,
        `INSERT INTO dunning_record (project_id, house_id, channel, bill_ids, owed, content, created_by) VALUES ($1, $2, $3, ARRAY[1], 28000, '下周缴', $4)`,
        [house.project_id, house.id, dice.pick(['phone', 'visit']), dice.pick(staff).id],
      );
  },
});
