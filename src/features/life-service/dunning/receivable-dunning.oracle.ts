import { counted, idsOfRows, inProject, stateTabs, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'receivableDunning',
  menu: 'accountsReceivable',
  table: 'receivable_dunning',
  standing: (row) => ({ ...inProject(row), owner: row.owner_id }),
  filters: {
    level: words('level', ['1', '2', '3', '4', '5']),
    owner: idsOfRows('owner_id', 'receivable_dunning'),
  },
  tabs: { all: () => true, ...stateTabs('waiting', 'calling') },
  export: counted,
  owner: 'owner_id',
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `WITH who AS (INSERT INTO payer (kind, name) VALUES ('name', $1) RETURNING id)
         INSERT INTO receivable_dunning (payer_id, project_id, level, day, sum, count, channels, text_zh, text_en, state, owner_id)
         SELECT who.id, p.id, $2, current_date - $3::int, 1000, 1, '{letter}', '请缴费', 'Please pay', $4, $5 FROM who,
           (SELECT id FROM project ORDER BY id OFFSET $6 LIMIT 1) p`,
        [
          `随机催收付款方${index}`,
          1 + dice.upTo(5),
          dice.upTo(40),
          dice.pick(['waiting', 'calling', 'done', 'skipped']),
          id,
          dice.upTo(3),
        ],
      );
  },
});
