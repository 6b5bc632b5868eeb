import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';

const DAY = 86_400_000;
const BATCH = 5_000;
/** How often somebody of a kind opens the app, and how many are of the kind. */
const HABITS = [
  [0.62, 12],
  [0.3, 25],
  [0.12, 35],
  [0.03, 28],
] as const;

/** A year of days on which members opened the app; nobody before the registration or behind the last day known of them. */
export const demo = defineDemo({
  key: 'memberActivity',
  after: ['registrations'],
  run: async ({ tx, random, now }) => {
    const members = await run<{
      id: number;
      project_id: number | null;
      app_source: string | null;
      registered: string;
      last: string;
    }>(
      tx,
      `SELECT id, project_id, app_source, (registered_at AT TIME ZONE 'Asia/Shanghai')::date::text AS registered, last_active_on::text AS last
         FROM member WHERE last_active_on IS NOT NULL ORDER BY id`,
    );
    const first = new Date(now.getTime() - 365 * DAY);
    const rows: [number, string, number | null, string, number][] = [];
    for (const member of members) {
      const habit = random.weighted(HABITS, ([, weight]) => weight)[0];
      const begin = Math.max(Date.parse(member.registered), first.getTime());
      const end = Date.parse(member.last);
      for (let at = end; at >= begin; at -= DAY) {
        const date = new Date(at);
        // At weekends people are at home; who has just come looks around.
        const weekend = date.getUTCDay() % 6 === 0 ? 1.25 : 1;
        const curious = at - Date.parse(member.registered) < 8 * DAY ? 1.6 : 1;
        if (at !== end && !random.chance(Math.min(0.95, habit * weekend * curious))) continue;
        rows.push([
          member.id,
          date.toISOString().slice(0, 10),
          member.project_id,
          member.app_source ?? 'mini_program',
          random.int(1, 5),
        ]);
      }
    }
    for (let from = 0; from < rows.length; from += BATCH) {
      const part = rows.slice(from, from + BATCH);
      await run(
        tx,
        `INSERT INTO member_active_day (member_id, day, project_id, app_source, opens)
         SELECT * FROM unnest($1::bigint[], $2::date[], $3::bigint[], $4::text[], $5::int[]) ON CONFLICT DO NOTHING`,
        [0, 1, 2, 3, 4].map((column) => part.map((row) => row[column])),
      );
    }
  },
});
