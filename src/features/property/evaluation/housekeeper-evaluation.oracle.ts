import { counted, dayOf, idsOfRows, words } from '../../../testing/oracle/filters.ts';
import { defineOracle, type Oracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

/** Ratings of one target stand in their project and belong to nobody of the staff. */
export const evaluationsOf = (name: string, menu: string, target: string): Oracle => ({
  name,
  menu,
  table: 'evaluation',
  where: (row) => row.target === target,
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: {
    state: words('state', ['none', 'to_follow', 'followed']),
    ...(target === 'housekeeper' && { housekeeper: idsOfRows('housekeeper_id', 'evaluation') }),
  },
  tabs: {
    all: () => true,
    to_follow: (row) => row.state === 'to_follow',
    followed: (row) => row.state === 'followed',
    overdue: (row) => row.state === 'to_follow' && String(row.follow_due) < dayOf(new Date()),
  },
  text: (row) => String(row.content).toLowerCase(),
  export: counted,
  owner: 'created_by',
  fill: async ({ db, dice, staff }) => {
    if (target === 'housekeeper')
      await run(
        db,
        'INSERT INTO housekeeper (staff_id) SELECT id FROM staff ORDER BY id LIMIT 4 ON CONFLICT DO NOTHING',
      );
    for (const [index] of staff.slice(0, 40).entries()) {
      const grade = dice.pick(['unsatisfied', 'unsatisfied', 'fair', 'satisfied']);
      const state = grade === 'unsatisfied' ? dice.pick(['to_follow', 'followed']) : 'none';
      await run(
        db,
        `INSERT INTO evaluation (target, project_id, house_id, household_id, member_id, housekeeper_id, grade, reasons, content, rated_at, state, follow_due, result, followed_at)
         SELECT $1, x.project_id, x.id, hh.id, hh.member_id, CASE WHEN $1 = 'housekeeper' THEN (SELECT k.id FROM housekeeper k ORDER BY (k.id * 31) % (2 + $2::int), k.id LIMIT 1) END,
                $3, ARRAY[$4], $5, now() - make_interval(days => $6), $7, CASE WHEN $3 = 'unsatisfied' THEN current_date + $8::int END,
                CASE WHEN $7 = 'followed' THEN '已致电' ELSE '' END, CASE WHEN $7 = 'followed' THEN now() END
           FROM household hh JOIN house x ON x.id = hh.house_id WHERE hh.status = 'normal' ORDER BY (x.id * 7919) % (100 + $2::int), hh.id LIMIT 1
         ON CONFLICT DO NOTHING`,
        [
          target,
          index,
          grade,
          dice.pick(['服务态度', '响应速度', '保洁']),
          dice.pick(['电话没人接', '很热情', '']),
          dice.upTo(50),
          state,
          dice.upTo(8) - 4,
        ],
      );
    }
  },
});

export const oracle = defineOracle(
  evaluationsOf('housekeeperEvaluation', 'cs_housekeeperEvaluate', 'housekeeper'),
);
