import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sealAudit } from '../../kernel/server/audit/audit-seal.ts';
import { writeAudit } from '../../kernel/server/audit/audit.ts';
import { run, runOne, transaction } from '../../kernel/server/database.ts';
import { writeSystemEvent } from '../../kernel/server/tasks/system-event.ts';
import { startTestProduct, type TestProduct } from '../../testing/test-product.ts';
import { until } from '../../testing/kernel-fixtures.ts';
import { grantPoints } from '../points-ledger/points-grant.server.ts';
import { doctorJobs } from './doctor.server.ts';
import { createMonitorAgent } from './monitor-agent.server.ts';
import { createProcessMeter } from './process-meter.server.ts';

let product: TestProduct;

beforeAll(async () => {
  product = await startTestProduct({ demo: false });
});
afterAll(() => product.close());

const db = () => product.platform.database.db;
const job = (name: string) => doctorJobs.find((one) => one.name === name)!.run({}, product.platform);
const fact = async (metric: string) =>
  (await runOne<{ value: number }>(db(), 'SELECT value FROM monitor_fact WHERE metric = $1', [metric]))
    ?.value;

async function asOwner(statement: string): Promise<void> {
  const client = new pg.Client(product.database.owner);
  await client.connect();
  try {
    await client.query('ALTER TABLE audit_record DISABLE TRIGGER USER');
    await client.query(statement);
    await client.query('ALTER TABLE audit_record ENABLE TRIGGER USER');
  } finally {
    await client.end();
  }
}

/** Records are sealed a second after they were written. */
async function writeAndSeal(): Promise<void> {
  await transaction(db(), (tx) =>
    writeAudit(tx, { action: 'test', entity: 'test', entityId: 1, after: { a: 1 } }),
  );
  await asOwner(
    `UPDATE audit_record SET at = at - interval '10 seconds' WHERE id > coalesce((SELECT max(record_id) FROM audit_seal), 0)`,
  );
  await until(() => sealAudit(db()));
}

async function firing(): Promise<string[]> {
  const meter = createProcessMeter(product.platform);
  try {
    await createMonitorAgent(product.platform, meter, {
      instanceId: 'i-1',
      service: 'backoffice-web',
    }).tick();
  } finally {
    meter.stop();
  }
  await run(db(), `UPDATE monitor_turn SET done_at = '-infinity'`);
  const rows = await run<{ code: string }>(
    db(),
    `SELECT r.code FROM alert a JOIN alert_rule r ON r.id = a.rule_id WHERE a.state = 'firing' ORDER BY r.code`,
  );
  return rows.map((row) => row.code);
}

test('a balance that is not the sum of its entries is found within the hour, fires, and recovers when it is mended', async () => {
  const { id } = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO member (name, phone) VALUES ('赵六', '13811112222') RETURNING id`,
  ))!;
  await transaction(db(), (tx) =>
    grantPoints(tx, product.platform.settings, {
      memberId: id,
      amount: 100,
      source: { type: 'test', id: '1', purpose: 'grant' },
    }),
  );
  await job('monitor.doctor');
  expect(await fact('ledger_mismatch')).toBe(0);
  expect(await firing()).not.toContain('ledger_mismatch');

  const off = (by: number) =>
    run(db(), `UPDATE ledger_account SET balance = balance + $1 WHERE kind = 'points_available'`, [by]);
  await off(5);
  await job('monitor.doctor');
  expect(await fact('ledger_mismatch')).toBe(1);
  expect(await firing()).toContain('ledger_mismatch');
  // The daily check finds it by every rule, and neither check hides what the other found.
  await job('monitor.doctor_full');
  expect(await fact('ledger_mismatch')).toBeGreaterThan(1);
  await off(-5);
  await job('monitor.doctor');
  expect(await fact('ledger_mismatch')).toBeGreaterThan(0);
  await job('monitor.doctor_full');
  expect(await fact('ledger_mismatch')).toBe(0);
  expect(await firing()).not.toContain('ledger_mismatch');
});

test('new audit records are checked once; a changed one fires and is looked at again until it is right', async () => {
  await writeAndSeal();
  await job('monitor.audit');
  expect(await fact('audit_chain_broken')).toBe(0);
  await writeAndSeal();
  // As somebody with the rights of the database's owner could.
  await asOwner(
    `UPDATE audit_record SET action = 'other' WHERE id = (SELECT max(record_id) FROM audit_seal)`,
  );
  for (let round = 0; round < 2; round++) {
    await job('monitor.audit');
    expect(await fact('audit_chain_broken')).toBe(1);
  }
  expect(await firing()).toContain('audit_chain_broken');
  await asOwner(`UPDATE audit_record SET action = 'test' WHERE id = (SELECT max(record_id) FROM audit_seal)`);
  await job('monitor.audit');
  expect(await fact('audit_chain_broken')).toBe(0);
});

test('the age of the backup counts from the last good one, or from the installation of one without any', async () => {
  await job('monitor.doctor');
  const before = await fact('backup_age_h');
  expect(before).toBeGreaterThanOrEqual(0);
  await writeSystemEvent(db(), { kind: 'backup', text: ['已备份', 'Backed up'] });
  await job('monitor.doctor');
  expect(await fact('backup_age_h')).toBeLessThan(0.5);
});
