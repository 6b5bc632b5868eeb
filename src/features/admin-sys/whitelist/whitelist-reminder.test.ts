import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../../../kernel/server/database.ts';
import { makeCaller, openTestPlatform, rowsOf, type TestPlatform } from '../../../testing/kernel-fixtures.ts';
import { grantMenu, takeAllGroups } from '../../../testing/grant-menu.ts';
import { whitelistReminder } from './whitelist-reminder.server.ts';

let test: TestPlatform;
beforeAll(async () => {
  test = await openTestPlatform([]);
});
afterAll(() => test.close());

it('tells who added a rule once that it ends within three days', async () => {
  const { db } = test.platform.database;
  const staff = await makeCaller(test.platform, 'guard', ['WhiteManage']);
  await grantMenu(db, staff.staffId, 'WhiteManage');
  // Who keeps the whitelist no more is told nothing of its rules.
  const former = await makeCaller(test.platform, 'former', ['WhiteManage']);
  await grantMenu(db, former.staffId, 'WhiteManage');
  await takeAllGroups(db, former.staffId);
  await run(
    db,
    `INSERT INTO login_whitelist (range, purpose, reason, created_by, expires_at)
     VALUES ('10.9.0.0/24', 'allow', '出差人员', $1, now() + interval '2 days')`,
    [former.staffId],
  );
  await run(
    db,
    `INSERT INTO login_whitelist (range, purpose, reason, created_by, expires_at)
     VALUES ('10.0.0.0/24', 'allow', '出差人员', $1, now() + interval '2 days'), ('10.0.1.0/24', 'allow', '出差人员', $1, now() + interval '9 days')`,
    [staff.staffId],
  );
  for (let round = 0; round < 2; round++) await whitelistReminder.run(undefined, test.platform);
  const told = await rowsOf<{ title_zh: string }>(
    test.platform,
    `SELECT title_zh FROM notification WHERE kind = 'whitelistExpiry'`,
  );
  expect(told).toHaveLength(1);
  expect(told[0]!.title_zh).toContain('10.0.0.0/24');
});
