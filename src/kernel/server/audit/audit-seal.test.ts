import fs from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestPlatform, rowsOf, until, type TestPlatform } from '../../../testing/kernel-fixtures.ts';
import { writeAudit } from './audit.ts';
import { sealAudit, verifyAudit } from './audit-seal.ts';
import { run, transaction } from '../database.ts';

let test: TestPlatform;
let owner: pg.Client;

beforeAll(async () => {
  test = await openTestPlatform([]);
  owner = new pg.Client(test.database.owner);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await test.close();
});

/** The owner of the tables gets past the triggers, as somebody with the database's password would. */
async function tamper(statement: string): Promise<void> {
  await owner.query(
    `ALTER TABLE audit_record DISABLE TRIGGER USER; ALTER TABLE audit_seal DISABLE TRIGGER USER`,
  );
  await owner.query(statement);
  await owner.query(
    `ALTER TABLE audit_record ENABLE TRIGGER USER; ALTER TABLE audit_seal ENABLE TRIGGER USER`,
  );
}

const db = () => test.platform.database.db;
const record = (n: number) =>
  writeAudit(db(), {
    menu: 'm',
    action: 'update',
    entity: 'thing',
    entityId: n,
    before: { n, text: '中文' },
    after: { n: n + 0.5 },
  });
/** Records are sealed a second after they were written. */
const age = () =>
  tamper(
    `UPDATE audit_record SET at = at - interval '10 seconds' WHERE id > coalesce((SELECT max(record_id) FROM audit_seal), 0)`,
  );
const problems = async (options = {}) => (await verifyAudit(db(), options)).problems;
/** Seals, waiting for transactions of other tests on the same server. */
const seal = (batch = 1000) => until(() => sealAudit(db(), batch, anchored()));
const anchored = () => ({ dataDir: test.platform.config.dataDir });

beforeEach(async () => {
  await tamper('TRUNCATE audit_seal; TRUNCATE audit_record RESTART IDENTITY');
  await fs.rm(path.join(test.platform.config.dataDir, 'audit-anchor'), { force: true });
  for (let n = 1; n <= 10; n++) await record(n);
  await age();
  expect(await seal()).toBe(10);
});

describe('audit chain', () => {
  it('seals in batches, in order, once, and finds nothing wrong', async () => {
    expect(await verifyAudit(db(), anchored())).toEqual({ checked: 10, unsealed: 0, problems: [] });
    expect(await sealAudit(db())).toBe(0);
    for (let n = 11; n <= 15; n++) await record(n);
    expect(await sealAudit(db())).toBe(0);
    expect(await verifyAudit(db())).toMatchObject({ checked: 10, unsealed: 5 });
    await age();
    const counts = await Promise.all([seal(2), sealAudit(db(), 2), sealAudit(db(), 2)]);
    expect(Math.max(...counts)).toBe(2);
    await until(async () => (await sealAudit(db(), 2)) === 0 && (await verifyAudit(db())).unsealed === 0);
    expect(await verifyAudit(db())).toEqual({ checked: 15, unsealed: 0, problems: [] });
  });

  it('cannot be altered by the application', async () => {
    for (const statement of [
      "UPDATE audit_record SET staff_name = 'x'",
      'DELETE FROM audit_record',
      'TRUNCATE audit_record',
      'UPDATE audit_seal SET chain_no = 99',
      'DELETE FROM audit_seal',
      'TRUNCATE audit_seal',
      'ALTER TABLE audit_record DISABLE TRIGGER USER',
    ])
      await expect(run(db(), statement), statement).rejects.toThrow();
  });

  it('finds any changed column', async () => {
    const changes = [
      `action = 'x'`,
      `at = at + interval '1 microsecond'`,
      `staff_id = 0`,
      `staff_name = 'x'`,
      `tenant_id = 1`,
      `address = 'x'`,
      `menu = ''`,
      `entity = 'x'`,
      `entity_id = '9'`,
      `before = NULL`,
      `after = '{}'`,
      `trace_id = 'x'`,
      `menu = 'mu', action = 'pdate'`,
    ];
    for (const change of changes) {
      await owner.query('BEGIN');
      await owner.query(`ALTER TABLE audit_record DISABLE TRIGGER USER`);
      await owner.query('CREATE TEMP TABLE kept AS SELECT * FROM audit_record WHERE id = 4');
      await owner.query(`UPDATE audit_record SET ${change} WHERE id = 4`);
      await owner.query(`ALTER TABLE audit_record ENABLE TRIGGER USER`);
      await owner.query('COMMIT');
      expect(await problems(), change).toEqual(['record 4 was changed']);
      await tamper(
        'DELETE FROM audit_record WHERE id = 4; INSERT INTO audit_record SELECT * FROM kept; DROP TABLE kept',
      );
      expect(await problems()).toEqual([]);
    }
  });

  it('finds deleted, inserted and swapped records and gaps in the chain', async () => {
    await tamper('DELETE FROM audit_record WHERE id IN (3, 10)');
    expect(await problems()).toEqual(['record 3 was deleted', 'record 10 was deleted']);
    await tamper(`INSERT INTO audit_record (id, action, entity) VALUES (3, 'x', 'y')`);
    expect(await problems()).toEqual(['record 3 was changed', 'record 10 was deleted']);
  });

  it('finds records inserted between sealed ones', async () => {
    await tamper(`UPDATE audit_record SET id = id + 100 WHERE id > 5`);
    await tamper(`UPDATE audit_seal SET record_id = record_id + 100 WHERE record_id > 5`);
    await tamper(`INSERT INTO audit_record (id, action, entity) VALUES (50, 'x', 'y')`);
    const found = await problems();
    expect(found).toContain('record 106 was changed');
    expect(found).toContain('record 50 was inserted afterwards');
  });

  it('finds reordered records', async () => {
    await tamper(
      `UPDATE audit_record SET id = CASE id WHEN 4 THEN -5 ELSE -4 END WHERE id IN (4, 5); UPDATE audit_record SET id = -id WHERE id < 0`,
    );
    expect(await problems()).toEqual(['record 4 was changed', 'record 5 was changed']);
    await tamper(
      `UPDATE audit_record SET id = CASE id WHEN 4 THEN -5 ELSE -4 END WHERE id IN (4, 5); UPDATE audit_record SET id = -id WHERE id < 0`,
    );
    expect(await problems()).toEqual([]);
    await tamper(
      `UPDATE audit_seal SET record_id = -record_id WHERE record_id IN (4, 5); UPDATE audit_seal SET record_id = CASE record_id WHEN -4 THEN 5 ELSE 4 END WHERE record_id < 0`,
    );
    expect(await problems()).toContain('record 4 stands out of order at seal 5');
  });

  it('finds missing and forged seals', async () => {
    await tamper('DELETE FROM audit_seal WHERE chain_no = 5');
    expect(await problems()).toEqual(['seals 5 to 5 are missing', 'record 5 was inserted afterwards']);
    await tamper('UPDATE audit_seal SET chain_no = chain_no - 1 WHERE chain_no > 5');
    expect(await problems()).toContain('record 6 was changed');
  });

  it('finds a truncated log that was sealed again', async () => {
    await tamper('TRUNCATE audit_record RESTART IDENTITY');
    await record(1);
    await age();
    expect(await sealAudit(db(), 1000, anchored())).toBe(0);
    const found = await problems();
    expect(found).toContain('record 1 was changed');
    expect(found).toContain('record 2 was deleted');
  });

  it('finds by the anchor that both tables were emptied, cut off or made anew', async () => {
    await tamper('DELETE FROM audit_record WHERE id > 8; DELETE FROM audit_seal WHERE record_id > 8');
    expect(await problems()).toEqual([]);
    expect(await problems(anchored())).toEqual(['the chain ends at seal 8, but seal 10 was noted']);
    await tamper('TRUNCATE audit_seal; TRUNCATE audit_record');
    for (let n = 1; n <= 12; n++) await record(n);
    await age();
    expect(await seal()).toBe(12);
    expect(await problems()).toEqual([]);
    expect(await problems(anchored())).toEqual(['the chain was made anew before seal 10']);
  });

  it('waits for transactions that took a lower number and have not ended', async () => {
    const slow = new pg.Client(test.database.app);
    await slow.connect();
    await slow.query('BEGIN');
    await slow.query(`INSERT INTO audit_record (action, entity) VALUES ('slow', 'x')`);
    await run(
      db(),
      `INSERT INTO audit_record (action, entity, at) VALUES ('fast', 'x', now() - interval '5 seconds')`,
    );
    // The faster record is old enough, but the slower one has the lower id.
    const sealing = sealAudit(db());
    await new Promise((resolve) => setTimeout(resolve, 50));
    await slow.query('COMMIT');
    await slow.end();
    await sealing;
    await until(async () => (await sealAudit(db())) === 0 && (await verifyAudit(db())).unsealed === 0);
    expect(await verifyAudit(db())).toEqual({ checked: 12, unsealed: 0, problems: [] });
    const last = await rowsOf<{ record_id: number }>(
      test.platform,
      'SELECT record_id FROM audit_seal ORDER BY chain_no DESC LIMIT 2',
    );
    expect(last.map((one) => one.record_id)).toEqual([12, 11]);
  });

  it('holds back while such a transaction runs', async () => {
    const slow = new pg.Client(test.database.app);
    await slow.connect();
    await slow.query('BEGIN');
    await slow.query(
      `INSERT INTO audit_record (action, entity, at) VALUES ('slow', 'x', now() - interval '5 seconds')`,
    );
    await run(
      db(),
      `INSERT INTO audit_record (action, entity, at) VALUES ('fast', 'x', now() - interval '5 seconds')`,
    );
    expect(await sealAudit(db())).toBe(0);
    await slow.query('ROLLBACK');
    await slow.end();
    // The number of the rolled back one stays a gap, which is no problem.
    expect(await seal()).toBe(1);
    expect(await verifyAudit(db())).toEqual({ checked: 11, unsealed: 0, problems: [] });
  });

  it('keeps up with parallel writers', async () => {
    let writing = true;
    const sealer = (async () => {
      while (writing) await sealAudit(db(), 50);
    })();
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        for (let n = 0; n < 15; n++)
          await transaction(db(), async (tx) => {
            await run(
              tx,
              `INSERT INTO audit_record (action, entity, at) VALUES ('a', 'b', now() - interval '5 seconds')`,
            );
            await new Promise((resolve) => setTimeout(resolve, Math.random() * 15));
          });
      }),
    );
    writing = false;
    await sealer;
    await until(async () => (await sealAudit(db())) === 0 && (await verifyAudit(db())).unsealed === 0);
    expect(await verifyAudit(db())).toEqual({ checked: 100, unsealed: 0, problems: [] });
  });
});
