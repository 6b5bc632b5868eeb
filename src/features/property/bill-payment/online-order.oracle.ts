import { dayRange, ids, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'onlineBillOrder',
  menu: 'cs_propertyBill',
  table: 'online_bill_order',
  where: (row) => row.channel !== 'transfer',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: {
    project: ids('project_id', 'project'),
    house: ids('house_id', 'house'),
    channel: words('channel', ['wechat', 'alipay']),
    state: words('state', ['held', 'paid', 'closed', 'expired']),
    createdAt: dayRange('created_at'),
  },
  tabs: { all: () => true, held: (row) => row.state === 'held' },
  text: (row) => String(row.code).toLowerCase(),
  owner: 'created_by',
  reads: ['project', 'house'],
  fill: async ({ db, dice, staff }) => {
    const houses = await run<{ id: number; project_id: number }>(
      db,
      'SELECT id, project_id FROM house WHERE id % 43 = 0 ORDER BY id LIMIT 50',
    );
    for (const [index, house] of houses.entries())
      await run(
        db,
        `INSERT INTO online_bill_order (code, project_id, house_id, channel, amount, wanted, answer, state, expires_at, created_by)
         VALUES ($1, $2, $3, $4, $5, '{"valueDate":"2026-05-01","billIds":[]}', '{}', $6, now() + interval '20 minutes', $7)`,
        [
          `FOCODE${index}`,
          house.project_id,
          house.id,
          dice.pick(['wechat', 'alipay']),
          dice.upTo(90_000) + 1,
          dice.pick(['held', 'closed', 'expired']),
          dice.pick(staff).id,
        ],
      );
  },
});
