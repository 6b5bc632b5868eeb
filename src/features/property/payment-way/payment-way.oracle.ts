import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';
import { yes } from '../../../testing/oracle/filters.ts';

export const oracle = defineOracle({
  name: 'paymentWay',
  menu: 'cs_payMentWay',
  table: 'payment_way',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: { enabled: yes('enabled') },
  owner: 'created_by',
  sample: () => ({ payee: undefined, needsSlip: undefined }),
  fill: async ({ db, staff }) => {
    for (const [index, { id }] of staff.slice(0, 12).entries())
      await run(
        db,
        `INSERT INTO payment_way (project_id, channel, scene, position, created_by)
         SELECT p.id, 'unionpay', 'app', $1, $2 FROM project p WHERE p.id % 12 = $3 AND NOT EXISTS (SELECT FROM payment_way w WHERE w.project_id = p.id AND w.channel = 'unionpay')`,
        [index + 1, id, index],
      );
  },
});
