import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, run, transaction, type OpenDatabase } from '../../kernel/server/database.ts';
import { cloneDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { MARKED, METRIC_WHERE } from './figures.server.ts';

let database: TestDatabase;
let owner: OpenDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
  owner = openDatabase(database.owner, 1);
});
afterAll(async () => {
  await owner.close();
  await database.drop();
});

test.each(['work_order', 'work_order_seen'])(
  'the marks rows of %s are written with are their figures, however an order stands',
  (table) =>
    transaction(owner.db, async (tx) => {
      await run(tx, `CREATE TEMP TABLE every_order (LIKE ${table} INCLUDING GENERATED) ON COMMIT DROP`);
      const needed = await run<{ name: string }>(
        tx,
        `SELECT attname AS name FROM pg_attribute WHERE attrelid = 'every_order'::regclass AND attnotnull AND attnum > 0`,
      );
      for (const { name } of needed)
        await run(tx, `ALTER TABLE every_order ALTER COLUMN ${name} DROP NOT NULL`);
      await run(
        tx,
        `INSERT INTO every_order (type, class, status, plan_result, response_state, solve_state, accepted_at, finished_at,
                                  returned_count, transfer_count, reopen_count, score_overall)
         SELECT type, class, status, result, response, solve, accepted, finished, n, 2 - n, n, CASE WHEN n > 0 THEN 5 END
           FROM unnest(ARRAY['complaint_repair', 'plan', 'goods', 'service']) type, unnest(ARRAY[NULL, 'repair', 'complaint']) class,
                unnest(ARRAY['pending_system', 'to_accept', 'accepted', 'processing', 'paused', 'finished', 'cancelled_by_member', 'cancelled_by_staff']) status,
                unnest(ARRAY[NULL, 'absent', 'done']) result, unnest(ARRAY[NULL, 'running', 'met', 'failed']) response,
                unnest(ARRAY[NULL, 'running', 'met', 'failed']) solve, unnest(ARRAY[NULL, now()]) accepted,
                unnest(ARRAY[NULL, now()]) finished, unnest(ARRAY[0, 2]) n`,
      );
      const marks = MARKED.map((key, bit) => `CASE WHEN ${METRIC_WHERE[key]} THEN ${2 ** bit} ELSE 0 END`);
      const rows = await run(
        tx,
        `SELECT count(*)::int AS rows, count(*) FILTER (WHERE marks IS DISTINCT FROM ${marks.join(' + ')})::int AS wrong,
                count(DISTINCT marks) > 1000 AS different FROM every_order t`,
      );
      expect(rows).toEqual([{ rows: 4 * 3 * 8 * 3 * 4 * 4 * 2 * 2 * 2, wrong: 0, different: true }]);
    }),
);
