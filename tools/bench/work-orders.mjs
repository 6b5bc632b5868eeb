// Work orders at the size of a large company (goals with 1,000,000 orders: list and board p95 at most 100 ms, statistics over a year
// at most 2 s). ORDERS=20000 takes fewer.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startProduct } from './product.mjs';
import { table } from './load.mjs';

const ORDERS = Number(process.env.ORDERS ?? 1_000_000);
const RUNS = 25;
/** Orders that are still open; all others are finished. */
const OPEN = 500;

/** Measures and prints. */
export async function bench() {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-work-orders-'));
  const product = await startProduct(dataDir, 18088);
  const { app, owner } = JSON.parse(fs.readFileSync(path.join(dataDir, 'addresses.json'), 'utf8'));
  const client = new pg.Client(owner ?? app);
  try {
    await client.connect();
    const { project, handler } = await addOrders(client);
    const authorization = await product.signIn('admin');
    const get = async (query) => {
      const answer = await fetch(`${product.url}/api/jinmao/web/${query}`, { headers: { authorization } });
      const body = await answer.json();
      if (answer.status !== 200) throw new Error(`${query}: ${JSON.stringify(body)}`);
      return body.data;
    };
    const day = (back) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
    const year = `${day(364)}~${day(0)}`;
    const queries = {
      'list, page 1': ['workOrder/page?limit=20', 100],
      'list of a project': [`workOrder/page?limit=20&project=${project}`, 100],
      'list, finished': ['workOrder/page?limit=20&state=finished', 100],
      'list of a handler': [`workOrder/page?limit=20&handler=${handler}`, 100],
      'list, a code': ['workOrder/page?limit=20&searchVal=WO202501010077123', 100],
      'list, a piece of codes': ['workOrder/page?limit=20&searchVal=0077', 100],
      board: ['maintenance/board', 100],
      'board of a project': [`maintenance/board?project=${project}`, 100],
      'statistics over a year': [`report/propertyStatistics?limit=200&range=${year}`, 2_000],
      'statistics of a project': [
        `report/propertyStatistics?limit=200&range=${year}&project=${project}`,
        2_000,
      ],
    };
    const rows = {};
    for (const [name, [query, goal]] of Object.entries(queries)) {
      const times = [];
      const runs = goal > 1_000 ? 4 : RUNS;
      for (let index = 0; index <= runs; index++) {
        const began = performance.now();
        await get(query);
        if (index > 0) times.push(performance.now() - began);
      }
      times.sort((a, b) => a - b);
      rows[name] = {
        'p50 ms': times[Math.floor(runs / 2)].toFixed(1),
        'p95 ms': times[Math.min(runs - 1, Math.floor(runs * 0.95))].toFixed(1),
        goal,
      };
    }
    table(`Work orders, ${ORDERS.toLocaleString('en')} of them`, rows);
  } finally {
    await client.end();
    await product.stop();
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Repairs and complaints of a year with their two clocks. */
async function addOrders(client) {
  const { rows } = await client.query(
    `SELECT p.id AS project, (SELECT min(s.id) FROM staff s WHERE s.tenant_id = c.tenant_id) AS handler FROM project p JOIN LATERAL
       (SELECT tp.tenant_id FROM tenant_project tp JOIN tenant t ON t.id = tp.tenant_id AND t.kind = 1 WHERE tp.project_id = p.id ORDER BY 1 LIMIT 1) c ON TRUE
      WHERE EXISTS (SELECT FROM staff s WHERE s.tenant_id = c.tenant_id) ORDER BY p.id LIMIT 1`,
  );
  // What is remembered for readers of a page is of orders that change, not of those that were there.
  await client.query('ALTER TABLE work_order DISABLE TRIGGER USER');
  await client.query('ALTER TABLE sla_clock DISABLE TRIGGER USER');
  for (let from = 1; from <= ORDERS; from += 100_000)
    await client.query(
      `WITH p AS (SELECT p.id, c.tenant_id, row_number() OVER (ORDER BY p.id) - 1 AS place, count(*) OVER () AS all, ARRAY(SELECT s.id FROM staff s WHERE s.tenant_id = c.tenant_id ORDER BY s.id LIMIT 20) AS people
                    FROM project p JOIN LATERAL (SELECT tp.tenant_id FROM tenant_project tp JOIN tenant t ON t.id = tp.tenant_id AND t.kind = 1 WHERE tp.project_id = p.id ORDER BY 1 LIMIT 1) c ON TRUE
                   WHERE EXISTS (SELECT FROM staff s WHERE s.tenant_id = c.tenant_id)),
       k AS (SELECT array_agg(id ORDER BY id) AS ids FROM work_category WHERE class = 'repair'),
       made AS (
         INSERT INTO work_order (code, type, class, status, source, tenant_id, project_id, title, description, address, category_id, handler_id, created_at, accepted_at, started_at, finished_at, response_state, solve_state)
         SELECT 'WO20250101' || lpad(n::text, 7, '0'), 'complaint_repair', 'repair', CASE WHEN n > $3::int - ${OPEN} THEN 'accepted' ELSE 'finished' END, 1 + n % 4, p.tenant_id, p.id, '报修 ' || n, '压测', '1号楼', k.ids[1 + n % cardinality(k.ids)], p.people[1 + n % cardinality(p.people)],
                x.at, x.at + interval '12 minutes', x.at + interval '40 minutes', CASE WHEN n > $3::int - ${OPEN} THEN NULL ELSE x.at + make_interval(mins => 90 + n % 900) END,
                CASE WHEN n % 9 = 0 THEN 'failed' ELSE 'met' END, CASE WHEN n > $3::int - ${OPEN} THEN 'running' WHEN n % 9 = 0 THEN 'failed' ELSE 'met' END
           FROM generate_series($1::int, $2::int) n JOIN p ON p.place = n % p.all CROSS JOIN k CROSS JOIN LATERAL (SELECT now() - interval '1 day' - (($3::int - n)::double precision / $3::int) * interval '360 days' AS at) x
         RETURNING id, created_at, accepted_at, finished_at, response_state, solve_state)
       INSERT INTO sla_clock (order_id, target, policy_id, calendar_id, target_minutes, started_at, used_minutes, due_at, stopped_at, state)
       SELECT m.id, t.target, s.id, s.calendar_id, 960, m.created_at, 12, m.created_at + interval '960 minutes', t.at, t.state
         FROM made m CROSS JOIN LATERAL (VALUES ('response', m.accepted_at, m.response_state), ('resolution', m.finished_at, m.solve_state)) t (target, at, state) CROSS JOIN (SELECT id, calendar_id FROM sla_policy ORDER BY id LIMIT 1) s`,
      [from, Math.min(from + 99_999, ORDERS), ORDERS],
    );
  await client.query('ALTER TABLE work_order ENABLE TRIGGER USER');
  await client.query('ALTER TABLE sla_clock ENABLE TRIGGER USER');
  await client.query('VACUUM ANALYZE work_order');
  await client.query('VACUUM ANALYZE sla_clock');
  return rows[0];
}
