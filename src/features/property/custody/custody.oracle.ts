import { byCode } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

const today = () => new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10);

export const oracle = defineOracle({
  name: 'houseCustody',
  menu: 'cs_escrow',
  table: 'house_custody',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: {
    appliedAt: {
      value: (dice) => {
        const from = Date.now() - dice.upTo(60) * 86_400_000;
        const day = (at: number) => new Date(at + 8 * 3_600_000).toISOString().slice(0, 10);
        return `${day(from)}~${dice.chance(0.8) ? day(from + dice.upTo(40) * 86_400_000) : ''}`;
      },
      keeps: (row, value) => {
        const [from = '', to = ''] = value.split('~');
        const day = new Date(row.created_at.getTime() + 8 * 3_600_000).toISOString().slice(0, 10);
        return (from === '' || day >= from) && (to === '' || day <= to);
      },
    },
  },
  tabs: {
    all: () => true,
    to_accept: (row) => row.state === 'to_accept',
    accepted: (row) => row.state === 'accepted',
    due: (row) =>
      row.state === 'accepted' &&
      row.next_inspection_on !== null &&
      String(row.next_inspection_on) <= today(),
    keysOut: (row) => row.keys_out > 0,
    closed: (row) => row.state === 'completed' || row.state === 'cancelled',
  },
  text: (row) => `${row.code} ${row.key_no} ${row.remark}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  sample: (turn) => ({
    service: ['letting', 'inspection', 'keys'][turn % 3],
    startsOn: '2030-03-01',
    endsOn: '2030-09-01',
    keys: 1,
  }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `INSERT INTO house_custody (code, house_id, project_id, household_id, service, starts_on, ends_on, keys, keys_out, key_no, state, handler_id, next_inspection_on, cancel_reason, created_at, created_by)
         SELECT $1, x.id, x.project_id, hh.id, $2, current_date - 30, current_date + $3::int, 3, CASE WHEN $4 = 'accepted' THEN $5::int ELSE 0 END, $6, $4,
                CASE WHEN $4 IN ('accepted', 'completed') THEN $7::bigint END, CASE WHEN $4 = 'accepted' THEN current_date + $8::int END, CASE WHEN $4 = 'cancelled' THEN '不需要' ELSE '' END,
                now() - make_interval(days => $9), $7::bigint
           FROM household hh JOIN house x ON x.id = hh.house_id
          WHERE hh.status = 'normal' AND NOT EXISTS (SELECT FROM house_custody c WHERE c.house_id = x.id)
          ORDER BY (x.id * 7919) % (100 + $10::int), hh.id LIMIT 1`,
        [
          `HC20200101${String(index).padStart(6, '0')}`,
          dice.pick(['letting', 'inspection', 'keys']),
          dice.upTo(60),
          dice.pick(['to_accept', 'accepted', 'accepted', 'completed', 'cancelled']),
          dice.upTo(3),
          dice.pick(['A-05', 'B-12', '']),
          id,
          dice.upTo(10) - 5,
          dice.upTo(50),
          index,
        ],
      );
  },
});
