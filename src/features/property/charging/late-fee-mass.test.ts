import { afterAll, beforeAll, expect, test } from 'vitest';
import { LATE_BATCH, postAllLateFees, registration } from '../../../domain/charging/charging.server.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { openCharged, type ChargedPlace } from './charging-fixture.ts';

const BILLS = 10_000;
const DUE = '2026-01-10';
const ON = '2026-02-10';

let place: ChargedPlace;
beforeAll(async () => {
  place = await openCharged([registration], [], []);
});
afterAll(() => place?.mall.close());

const db = () => place.mall.platform.database.db;
const count = async (sql: string, values: readonly unknown[] = []) =>
  (await runOne<{ n: number }>(db(), sql, values))!.n;

/** Ten thousand overdue bills of one house, of 100.00 yuan and up. */
async function plant(): Promise<void> {
  const house = await place.house();
  await run(
    db(),
    `WITH place AS (SELECT $3::bigint AS tenant_id, $4::bigint AS project_id, $5::bigint AS house_id, $6::bigint AS fee_item_id),
     made AS (
       INSERT INTO bill (code, tenant_id, project_id, house_id, fee_item_id, debtor_name, period_from, period_to, due_date, principal, terms)
       SELECT 'MASS' || n, p.tenant_id, p.project_id, p.house_id, p.fee_item_id, '', '2026-01-01', '2026-01-31', $1, 10000 + n,
              '{"graceDays":5,"dailyPpm":500,"onceFen":0,"oncePpm":0,"capPercent":30,"monthCap":null}'
         FROM place p, generate_series(1, $2::int) n RETURNING id, principal)
     INSERT INTO bill_line (bill_id, kind, amount, on_day) SELECT id, 'principal', principal, '2026-01-01' FROM made`,
    [DUE, BILLS, place.company, place.project, house, place.item],
  );
}

const MINE = `bill_id IN (SELECT id FROM bill WHERE code LIKE 'MASS%') AND kind = 'late_fee'`;

/** Ends the connection that posts late fees, as a server that dies does. */
async function kill(): Promise<void> {
  for (let turn = 0; turn < 2_000; turn += 1) {
    const done = await count(`SELECT count(*)::int AS n FROM bill_line WHERE ${MINE}`);
    if (done >= 3 * LATE_BATCH) {
      const killed = await run(
        db(),
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL AND query LIKE '%bill%'`,
      );
      if (killed.length > 0) return;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error('nothing to end');
}

/** The pool may hand out the connection that was ended once more. */
async function untilAnswers(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const answered = await count('SELECT 1 AS n').then(
      () => true,
      () => false,
    );
    if (answered) return;
  }
}

test(
  'group 06 Must show 15: ended in the middle of 10,000 bills and started again, every bill has its late fee once',
  { timeout: 180_000 },
  async () => {
    await plant();
    const [ended] = await Promise.allSettled([postAllLateFees(place.mall.platform, ON), kill()]);
    expect(ended.status).toBe('rejected');
    await untilAnswers();
    const half = await count(`SELECT count(*)::int AS n FROM bill_line WHERE ${MINE}`);
    expect(half).toBeGreaterThan(0);
    expect(half).toBeLessThan(BILLS);
    await postAllLateFees(place.mall.platform, ON);
    await postAllLateFees(place.mall.platform, ON);
    // 26 charged days at 0.05 %: 1.3 % of the principal, rounded half to even.
    expect(
      await count(
        `SELECT count(*)::int AS n FROM bill b WHERE b.code LIKE 'MASS%'
            AND b.late_fee = (SELECT l.amount FROM bill_line l WHERE l.bill_id = b.id AND l.kind = 'late_fee')
            AND abs(b.late_fee - b.principal * 0.013) <= 0.5`,
      ),
    ).toBe(BILLS);
    expect(await count(`SELECT late_fee::int AS n FROM bill WHERE code = 'MASS${String(BILLS)}'`)).toBe(260);
    for (const rule of registration.invariants ?? [])
      expect([rule.name, (await rule.check(place.mall.platform)).problems]).toEqual([rule.name, []]);
  },
);
