import { afterAll, beforeAll, expect, it } from 'vitest';
import { addStaff, openBench, signIn, type Bench } from '../../../app/server/session/session-bench.ts';
import { registration } from './retention.server.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

it('removes what is old and nothing that lives', async () => {
  const id = await addStaff(bench, { account: 'keeper' });
  await signIn(bench.first.app, 'keeper');
  await bench.query(
    `INSERT INTO session (token_hash, staff_id, absolute_expires_at, ended_at, end_reason)
     VALUES ('\\x01', $1, now() - interval '40 days', now() - interval '31 days', 'logout'),
            ('\\x02', $1, now() - interval '31 days', NULL, NULL),
            ('\\x03', $1, now() - interval '2 days', now() - interval '2 days', 'expired')`,
    [id],
  );
  await bench.query(
    `INSERT INTO sign_in_attempt (account, address, result, at) VALUES ('x', '1.1.1.1', 'success', now() - interval '184 days')`,
  );
  await bench.query(
    `INSERT INTO whitelist_hit (account, address, result, at) VALUES ('x', '1.1.1.1', 'allowed', now() - interval '91 days')`,
  );
  await bench.query(
    `INSERT INTO unknown_account (account, tried_at) VALUES ('old', now() - interval '25 hours'), ('recent', now())`,
  );
  await registration.jobs![0]!.run({}, bench.first.platform);
  const count = async (table: string) =>
    (await bench.query<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))[0]!.n;
  expect([await count('session'), await count('sign_in_attempt'), await count('whitelist_hit')]).toEqual([
    2, 1, 0,
  ]);
  expect(await bench.query('SELECT account FROM unknown_account')).toEqual([{ account: 'recent' }]);
});
