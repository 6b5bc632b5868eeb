import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';

/** Month ends of a year, as the households bound until then and the days of activity tell them. */
export const demo = defineDemo({
  key: 'coverageSnapshots',
  after: ['registrations', 'memberActivity'],
  run: async ({ tx, now }) => {
    await run(
      tx,
      `INSERT INTO coverage_snapshot (day, project_id, delivered, occupied, bound, owner_bound, active, taken_at)
       SELECT e.day, p.id, x.delivered, x.occupied, x.bound, x.owners, x.active, (e.day + time '23:50') AT TIME ZONE 'Asia/Shanghai'
         FROM (SELECT (date_trunc('month', ($1::timestamptz AT TIME ZONE 'Asia/Shanghai')) - make_interval(months => n))::date - 1 AS day
                 FROM generate_series(0, 11) n) e
        CROSS JOIN project p
        CROSS JOIN LATERAL (
          SELECT count(*)::int AS delivered, count(*) FILTER (WHERE h.state <> 'vacant')::int AS occupied,
                 count(*) FILTER (WHERE b.members > 0)::int AS bound, count(*) FILTER (WHERE b.owners > 0)::int AS owners,
                 count(*) FILTER (WHERE b.active > 0)::int AS active
            FROM house h CROSS JOIN LATERAL (
              SELECT count(*) AS members, count(*) FILTER (WHERE r.identity = 'owner') AS owners,
                     count(*) FILTER (WHERE EXISTS (SELECT FROM member_active_day a
                       WHERE a.member_id = r.member_id AND a.day > e.day - 30 AND a.day <= e.day)) AS active
                FROM household r WHERE r.house_id = h.id AND r.status = 'normal'
                 AND r.bound_at < ((e.day + 1)::timestamp AT TIME ZONE 'Asia/Shanghai')) b
           WHERE h.project_id = p.id) x`,
      [now],
    );
  },
});
