// Charging at the size of a large project (goals: 10,000 houses billed and posted in 20 s, late fees over 100,000 overdue bills in
// 60 s, the room bill of a house with ten years of bills in 150 ms). HOUSES=500 OVERDUE=2000 take fewer.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startProduct } from './product.mjs';
import { table } from './load.mjs';

const HOUSES = Number(process.env.HOUSES ?? 10_000);
const OVERDUE = Number(process.env.OVERDUE ?? 100_000);
const RUNS = 25;

/** Measures and prints. */
export async function bench() {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-charging-'));
  const product = await startProduct(dataDir, 18088);
  const { app } = JSON.parse(fs.readFileSync(path.join(dataDir, 'addresses.json'), 'utf8'));
  const client = new pg.Client(app);
  try {
    await client.connect();
    const { project, item, house } = await addHouses(client);
    const authorization = await product.signIn('admin');
    const ask = async (method, at, body) => {
      const answer = await fetch(`${product.url}/api${at}`, {
        method,
        headers: {
          authorization,
          ...(body ? { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const read = await answer.json();
      if (answer.status !== 200) throw new Error(`${at}: ${JSON.stringify(read)}`);
      return read.data;
    };
    const timed = async (work) => {
      const began = performance.now();
      const data = await work();
      return { data, seconds: ((performance.now() - began) / 1000).toFixed(2) };
    };
    const preview = await timed(() =>
      ask('POST', '/jinmao/web/billingRun', {
        project: String(project),
        items: [String(item)],
        month: '2026-01-01',
      }),
    );
    const posted = await timed(() => ask('POST', `/jinmao/web/billingRun/${preview.data.id}/post`, {}));
    const { rows: made } = await client.query('SELECT count(*)::int AS n FROM bill WHERE run_id = $1', [
      preview.data.id,
    ]);
    await addOverdue(client, project, item);
    const { rows: jobs } = await client.query(`SELECT id FROM job WHERE code = 'fee.late'`);
    const late = await timed(async () => {
      await ask('POST', `/admin/job/${jobs[0].id}/runOnce`, { reason: 'bench' });
      for (;;) {
        const { rows } = await client.query(
          `SELECT count(*)::int AS n FROM bill WHERE code LIKE 'BENCH%' AND late_fee = 0`,
        );
        if (rows[0].n === 0) return;
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    });
    await addYears(client, house, item);
    const rooms = [];
    for (let index = 0; index <= RUNS; index++) {
      const one = await timed(() => ask('GET', `/jinmao/web/bill/room?houseId=${house}`));
      if (index > 0) rooms.push(Number(one.seconds) * 1000);
    }
    rooms.sort((a, b) => a - b);
    table('Charging', {
      [`preview of ${HOUSES} houses`]: { seconds: preview.seconds, goal: '' },
      [`posting ${made[0].n} bills`]: { seconds: posted.seconds, goal: '20' },
      [`late fees of ${OVERDUE} overdue bills`]: { seconds: late.seconds, goal: '60' },
      'room bill, ten years of bills, p95': {
        seconds: (rooms[Math.floor(RUNS * 0.95)] / 1000).toFixed(3),
        goal: '0.150',
      },
    });
  } finally {
    await client.end();
    await product.stop();
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Houses of one project with an item that charges each of them. */
async function addHouses(client) {
  const { rows } = await client.query(
    `SELECT p.id AS project, c.tenant_id AS company, (SELECT i.id FROM fee_item i WHERE i.tenant_id = c.tenant_id AND i.kind = 'management' ORDER BY i.id LIMIT 1) AS item,
            (SELECT u.id FROM building_unit u JOIN building b ON b.id = u.building_id WHERE b.project_id = p.id ORDER BY u.id LIMIT 1) AS unit
       FROM project p JOIN LATERAL (SELECT tp.tenant_id FROM tenant_project tp JOIN tenant t ON t.id = tp.tenant_id AND t.kind = 1 WHERE tp.project_id = p.id ORDER BY 1 LIMIT 1) c ON TRUE
      WHERE NOT EXISTS (SELECT FROM fee_assignment a WHERE a.project_id = p.id) ORDER BY p.id LIMIT 1`,
  );
  const { project, company, item, unit } = rows[0];
  const made = await client.query(
    `WITH made AS (INSERT INTO house (project_id, unit_id, number, floor, built_area) SELECT $1, $2, 'B' || n, 1 + n % 30, 60 + n % 90 FROM generate_series(1, $5::int) n RETURNING id)
     INSERT INTO fee_assignment (tenant_id, project_id, house_id, fee_item_id, valid_from) SELECT $3, $1, id, $4, '2020-01-01' FROM made RETURNING house_id`,
    [project, unit, company, item, HOUSES],
  );
  await client.query('ANALYZE house');
  await client.query('ANALYZE fee_assignment');
  return { project, item, house: made.rows[0].house_id };
}

const BILL = `INSERT INTO bill (code, tenant_id, project_id, house_id, fee_item_id, period_from, period_to, due_date, principal, terms, state, paid_principal)`;
const TERMS = `'{"graceDays":5,"dailyPpm":500,"onceFen":0,"oncePpm":0,"capPercent":30,"monthCap":null}'::jsonb`;

/** Unpaid bills that are overdue for months. */
async function addOverdue(client, project, item) {
  await client.query(
    `WITH h AS (SELECT id, row_number() OVER (ORDER BY id) AS n FROM house WHERE project_id = $1 ORDER BY id LIMIT $3::int / 10),
     made AS (${BILL} SELECT 'BENCH' || h.n || '-' || m, c.tenant_id, $1, h.id, $2, date '2025-01-01' + m, date '2025-01-01' + m, date '2026-03-01', 20000 + h.n, ${TERMS}, 'unpaid', 0
       FROM h CROSS JOIN generate_series(1, 10) m CROSS JOIN LATERAL (SELECT tenant_id FROM fee_item WHERE id = $2) c RETURNING id, principal)
     INSERT INTO bill_line (bill_id, kind, amount, on_day) SELECT id, 'principal', principal, '2026-01-01' FROM made`,
    [project, item, Math.min(OVERDUE, HOUSES * 10)],
  );
  await client.query('ANALYZE bill');
}

/** Ten years of three bills a month of one house, all but the last year paid. */
async function addYears(client, house, item) {
  await client.query(
    `WITH made AS (${BILL} SELECT 'YEARS' || n, i.tenant_id, h.project_id, h.id, i.id, date '2016-01-01' + n * 10, date '2016-01-01' + n * 10, date '2016-02-01' + n * 10, 30000, ${TERMS},
            CASE WHEN n < 324 THEN 'paid' ELSE 'unpaid' END, CASE WHEN n < 324 THEN 30000 ELSE 0 END
       FROM generate_series(1, 360) n, house h, fee_item i WHERE h.id = $1 AND i.id = $2 RETURNING id, principal)
     INSERT INTO bill_line (bill_id, kind, amount, on_day) SELECT id, 'principal', principal, '2016-01-01' FROM made`,
    [house, item],
  );
}
