import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate, projectFolder } from '../../../app/server/migrate.ts';
import { createEmptyDatabase, type TestDatabase } from '../../../testing/test-database.ts';

const CHANGE = '0020_messages_follow_rights.sql';
const FOLDER = path.join(projectFolder(), 'database', 'migrations');

let database: TestDatabase;
let before: string;
let client: pg.Client;

beforeAll(async () => {
  database = await createEmptyDatabase();
  before = await fs.mkdtemp(path.join(os.tmpdir(), 'migrations-'));
  for (const name of await fs.readdir(FOLDER))
    if (name < CHANGE) await fs.copyFile(path.join(FOLDER, name), path.join(before, name));
  await migrate(database.owner, { folder: before });
  client = new pg.Client(database.owner);
  await client.connect();
}, 180_000);
afterAll(async () => {
  await client?.end();
  await database?.drop();
  await fs.rm(before, { recursive: true, force: true });
});

it('stored messages get the menu and the rows they tell of, or are about who has them', async () => {
  const {
    rows: [place],
  } = await client.query<{ tenant: string; anna: string; ben: string }>(
    `WITH tenant AS (INSERT INTO tenant (kind, account, name) VALUES (3, 'p', 'p') RETURNING id),
          staff AS (INSERT INTO staff (tenant_id, account, name) SELECT tenant.id, a, a FROM tenant, unnest(ARRAY['anna', 'ben']) AS a RETURNING id, account)
     SELECT (SELECT id FROM tenant) AS tenant, (SELECT id FROM staff WHERE account = 'anna') AS anna, (SELECT id FROM staff WHERE account = 'ben') AS ben`,
  );
  const { tenant, anna, ben } = place!;
  // Submitted twice under one title: both rows are meant.
  for (const row of [41, 42])
    await client.query(
      `INSERT INTO approval_instance (code, biz_type, biz_id, tenant_id, title_zh, title_en, starter_id, subject_id)
       VALUES ('AP' || $1::bigint, 'leave', $1, $2, '孙安 调休 2.0 小时', 'x', $3, $4)`,
      [row, tenant, ben, anna],
    );
  const stored: readonly (readonly [string, string, string, string, string, object])[] = [
    [
      ben,
      'approval',
      '待审批：孙安 调休 2.0 小时',
      '',
      '',
      { menu: 'workOvertimeManager', entity: 'leaveApproval', row_ids: ['41', '42'] },
    ],
    [ben, 'approval', '待审批：调休 AP42', 'workOvertimeManager', '', { about_receiver: true }],
    [anna, 'approval', '已通过：孙安 调休 2.0 小时', 'workOvertimeManager', '', { about_receiver: true }],
    [ben, 'approval', '已通过：孙安 调休 2.0 小时', 'workOvertimeManager', '', { about_receiver: false }],
    [
      anna,
      'overtimeExpiry',
      '2.0 小时调休将于 2026-09-01 起到期',
      'workOvertimeManager',
      '',
      { about_receiver: true },
    ],
    [
      ben,
      'overtimeExpiry',
      '孙安 有 2.0 小时调休将于 2026-09-01 起到期',
      'workOvertimeManager',
      '',
      { about_receiver: false, entity: '' },
    ],
    [
      ben,
      'refund.7',
      'RF1 退款成功',
      'mm_orderRefund',
      '/service/mm_orderRefund?detail=12',
      { entity: 'refund', row_ids: ['12'] },
    ],
    [ben, 'refund.8', 'RF2 退款成功', '', '', { menu: 'mm_orderRefund', about_receiver: false, entity: '' }],
    [
      ben,
      'refundResult',
      'RF3 退款成功',
      'mm_businessOrder_wx',
      '/merchantManager/mm_businessOrder_wx/9',
      { entity: 'goodsOrder', row_ids: ['9'] },
    ],
    [
      ben,
      'whitelistExpiry',
      '登录白名单',
      'WhiteManage',
      '/adminSys/WhiteManage?detail=3',
      { entity: 'whitelist', row_ids: ['3'] },
    ],
    [ben, 'alertPayment', '支付异常', '', '', { menu: 'mm_businessOrder_wx', about_receiver: false }],
    [ben, 'groupEnded', '角色到期', '', '', { about_receiver: true, menu: '' }],
    [ben, 'phoneChanged', '手机号', '', '', { about_receiver: true }],
  ];
  for (const [staff, kind, title, menu, route] of stored)
    await client.query(
      `INSERT INTO notification (staff_id, kind, title_zh, title_en, menu, route) VALUES ($1, $2, $3, 'x', $4, $5)`,
      [staff, kind, title, menu, route],
    );
  await migrate(database.owner);
  const { rows } = await client.query(
    'SELECT title_zh, menu, about_receiver, entity, row_ids::text[] FROM notification ORDER BY id',
  );
  expect(rows).toEqual(
    stored.map(
      ([, , title_zh, , , expected]) => expect.objectContaining({ title_zh, ...expected }) as unknown,
    ),
  );
  await expect(
    client.query(`INSERT INTO notification (staff_id, kind, title_zh, title_en) VALUES (1, 'x', 'x', 'x')`),
  ).rejects.toThrow('notification_belongs');
});
