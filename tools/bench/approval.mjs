// The approval centre of somebody with 10,000 decided and 200 open tasks: each tab, its counts, filters and keyword, after
// one warm-up (reach: p95 of the to-do list at most 50 ms).
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startProduct } from './product.mjs';
import { table } from './load.mjs';

const RUNS = 25;
const DECIDED = 10_000;
const OPEN = 200;

/** Measures and prints. */
export async function bench() {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-approval-'));
  const product = await startProduct(dataDir, 18087);
  const { app } = JSON.parse(fs.readFileSync(path.join(dataDir, 'addresses.json'), 'utf8'));
  const client = new pg.Client(app);
  try {
    await client.connect();
    await addTasks(client);
    const authorization = await product.signIn('admin');
    const root = `${product.url}/api/jinmao/web/approvalTask`;
    const get = async (query) => {
      const answer = await fetch(`${root}${query}`, { headers: { authorization } });
      const body = await answer.json();
      if (answer.status !== 200) throw new Error(`${query}: ${JSON.stringify(body)}`);
      return body.data;
    };
    const queries = {
      'to do, 20 rows': '/page?tab=todo&limit=20',
      'to do, 200 rows': '/page?tab=todo&limit=200',
      'to do, keyword': `/page?tab=todo&limit=20&searchVal=${encodeURIComponent('加班')}`,
      done: '/page?tab=done&limit=20&sort=-decidedAt',
      'done, page 400': '/page?tab=done&limit=20&page=400&sort=-decidedAt',
      'done, keyword': `/page?tab=done&limit=20&searchVal=${encodeURIComponent('加班 77')}`,
      counts: '/counts',
    };
    const rows = {};
    for (const [name, query] of Object.entries(queries)) {
      const times = [];
      let total = '';
      for (let index = 0; index <= RUNS; index++) {
        const began = performance.now();
        total = (await get(query)).total ?? '';
        if (index > 0) times.push(performance.now() - began);
      }
      times.sort((a, b) => a - b);
      rows[name] = {
        total,
        'p50 ms': times[Math.floor(RUNS / 2)].toFixed(1),
        'p95 ms': times[Math.floor(RUNS * 0.95)].toFixed(1),
      };
    }
    table(`Approval centre with ${DECIDED} decided and ${OPEN} open tasks`, rows);
  } finally {
    await client.end();
    await product.stop();
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Approvals of one type, all asked of the administrator: most of them decided, the latest open. */
async function addTasks(client) {
  await client.query(
    `WITH who AS (SELECT id, tenant_id FROM staff WHERE account = 'admin'),
          starter AS (SELECT s.id, s.tenant_id FROM staff s JOIN who ON who.tenant_id = s.tenant_id AND s.id <> who.id ORDER BY s.id LIMIT 1),
          made AS (
            INSERT INTO approval_instance (code, biz_type, biz_id, tenant_id, title_zh, title_en, summary, starter_id, subject_id, state, started_at, ended_at)
            SELECT 'APB' || n, 'overtime', 1000000 + n, starter.tenant_id, '加班 ' || n, 'Overtime ' || n,
                   '[{"label": ["时长", "Hours"], "value": ["3.0", "3.0"]}]'::jsonb, starter.id, starter.id,
                   CASE WHEN n > $1 THEN 'running' ELSE 'passed' END, now() - ($1 + $2 - n) * interval '1 minute',
                   CASE WHEN n > $1 THEN NULL ELSE now() END
              FROM starter, generate_series(1, $1::int + $2::int) AS n RETURNING id, state, started_at),
          run AS (
            INSERT INTO approval_node_run (instance_id, round, node, state, step, seats, need, arrived_at, ended_at)
            SELECT id, 1, 'leader', CASE state WHEN 'running' THEN 'active' ELSE 'passed' END, 1, 1, 1, started_at,
                   CASE state WHEN 'running' THEN NULL ELSE now() END FROM made)
     INSERT INTO approval_task (instance_id, first_assignee_id, assignee_id, state, decided_by, decided_at, arrived_at, due_at)
     SELECT made.id, who.id, who.id, CASE made.state WHEN 'running' THEN 'pending' ELSE 'approved' END,
            CASE made.state WHEN 'running' THEN NULL ELSE who.id END, CASE made.state WHEN 'running' THEN NULL ELSE made.started_at + interval '1 hour' END,
            made.started_at, made.started_at + interval '8 hours'
       FROM made, who`,
    [DECIDED, OPEN],
  );
  await client.query('ANALYZE approval_task');
  await client.query('ANALYZE approval_instance');
}
