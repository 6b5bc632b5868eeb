// What the platform costs: how many jobs its worker does, a search over 1,000,000 spans (reach: p95 at most 300 ms), a call
// through the gateway's proxy beside the same call to the upstream itself, and a list with and without gate log, spans and
// metrics (reach: 5 % less). Each part says how loaded the machine was.
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startProduct } from './product.mjs';
import { load, median, table } from './load.mjs';

const SPANS = 1_000_000;
const RUNS = 15;
const ROUNDS = 5;
const EFFECTS = 5_000;
const SINGLE = 50;

/** Measures and prints. */
export async function bench() {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-platform-'));
  const product = await startProduct(dataDir, 18089);
  const { app } = JSON.parse(fs.readFileSync(path.join(dataDir, 'addresses.json'), 'utf8'));
  const client = new pg.Client(app);
  try {
    await client.connect();
    const authorization = await product.signIn('admin');
    await jobs(client);
    await searchSpans(client, product, authorization);
    await proxy(product, authorization);
  } finally {
    await client.end();
    await product.stop();
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
  await observed();
}

/** Load of the machine over the last minute, beside every table: figures of a busy machine say less. */
const busy = () => `(load ${os.loadavg()[0].toFixed(1)} on ${os.cpus().length} cores)`;

/** Effects that do next to nothing, from being queued to being done: many at once, and one after the other. */
async function jobs(client) {
  const queue = async (count) => {
    const { rows } = await client.query(
      `WITH made AS (
         INSERT INTO outbox (kind, payload, available_at)
         SELECT 'file.remove', jsonb_build_object('storageKey', 'be/' || md5('bench' || random() || n)), clock_timestamp()
           FROM generate_series(1, $1::int) AS n RETURNING id)
       SELECT id, (graphile_worker.add_job('outbox.deliver', json_build_object('outboxId', id), job_key := 'outbox:' || id)).id AS job FROM made`,
      [count],
    );
    return rows.map((row) => row.id);
  };
  const done = async (ids) => {
    for (;;) {
      const { rows } = await client.query(
        `SELECT count(*)::int AS n FROM outbox WHERE id = ANY($1::bigint[]) AND state = 'done'`,
        [ids],
      );
      if (rows[0].n === ids.length) return;
      await new Promise((resolve) => setTimeout(resolve, ids.length > 1 ? 50 : 2));
    }
  };
  const rows = {};
  const began = performance.now();
  await done(await queue(EFFECTS));
  const seconds = (performance.now() - began) / 1_000;
  rows[`${EFFECTS} at once`] = { 'jobs/s': Math.round(EFFECTS / seconds), seconds: seconds.toFixed(2) };
  const times = [];
  for (let run = 0; run <= SINGLE; run++) {
    const since = performance.now();
    await done(await queue(1));
    if (run > 0) times.push(performance.now() - since);
  }
  times.sort((a, b) => a - b);
  rows['one by one'] = {
    'p50 ms': median(times).toFixed(1),
    'p99 ms': times[Math.floor(times.length * 0.99)].toFixed(1),
  };
  table(`Jobs of the worker: effects from queue to done ${busy()}`, rows);
}

async function searchSpans(client, product, authorization) {
  await addSpans(client);
  const root = `${product.url}/api/admin/trace/search`;
  const now = Date.now();
  const question = (more, hours = 24) =>
    new URLSearchParams({
      from: new Date(now - hours * 3_600_000).toISOString(),
      to: new Date(now).toISOString(),
      limit: '50',
      sort: 'newest',
      ...more,
    });
  const questions = {
    newest: question({}),
    'newest, an hour': question({}, 1),
    'errors only': question({ status: 'error' }),
    'of one route': question({ name: 'GET /api/bench/7' }),
    'a tag': question({ tag: 'http.status=500' }),
    'slower than 900 ms': question({ minMs: '900' }),
    longest: question({ sort: 'longest' }),
    'most spans': question({ sort: 'spans' }),
    'route and slow': question({ name: 'GET /api/bench/7', minMs: '900' }),
  };
  const rows = {};
  for (const [name, query] of Object.entries(questions)) {
    const times = [];
    let found = 0;
    for (let run = 0; run <= RUNS; run++) {
      const began = performance.now();
      const answer = await fetch(`${root}?${query}`, { headers: { authorization } });
      const body = await answer.json();
      if (answer.status !== 200) throw new Error(`${name}: ${JSON.stringify(body)}`);
      found = (body.data.rows ?? body.data.traces ?? body.data).length;
      if (run > 0) times.push(performance.now() - began);
    }
    times.sort((a, b) => a - b);
    rows[name] = {
      found,
      'p50 ms': median(times).toFixed(1),
      'p95 ms': times[Math.floor(times.length * 0.95)].toFixed(1),
    };
  }
  table(`Search over ${SPANS} spans of a day, ten to a trace ${busy()}`, rows);
}

/** Traces of ten spans over the last day: one call with nine statements. */
async function addSpans(client) {
  await client.query(`SELECT make_day_partitions('span')`);
  await client.query(
    `INSERT INTO span (trace_id, span_id, parent_id, entry, service, name, kind, started_at, duration_us, status, failed, attributes)
     SELECT md5('trace' || n / 10), substr(md5('span' || n), 1, 16), CASE WHEN n % 10 = 0 THEN NULL ELSE substr(md5('span' || n / 10 * 10), 1, 16) END,
            n % 10 = 0, 'backoffice-web', CASE WHEN n % 10 = 0 THEN 'GET /api/bench/' || n / 10 % 50 ELSE 'SELECT bench' END,
            CASE WHEN n % 10 = 0 THEN 'SERVER' ELSE 'CLIENT' END, now() - (n / 10) * interval '0.8 second',
            (n::bigint * 7919) % 1000000, CASE WHEN n % 10 = 0 THEN CASE WHEN n / 10 % 200 = 0 THEN 500 ELSE 200 END ELSE 0 END,
            n % 10 = 0 AND n / 10 % 200 = 0,
            CASE WHEN n % 10 = 0 THEN jsonb_build_object('http.status', CASE WHEN n / 10 % 200 = 0 THEN '500' ELSE '200' END) ELSE '{}'::jsonb END
       FROM generate_series(0, $1::int - 1) AS n`,
    [SPANS],
  );
  await client.query('ANALYZE span');
}

async function proxy(product, authorization) {
  const answer = Buffer.from(JSON.stringify({ ok: true, text: 'x'.repeat(1_000) }));
  const upstream = http.createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length });
    response.end(answer);
  });
  await new Promise((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const { port } = upstream.address();
  const post = async (where, body) => {
    const got = await fetch(`${product.url}/api${where}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { data, message } = await got.json();
    if (got.status !== 200) throw new Error(`${where}: ${message}`);
    return data;
  };
  try {
    await post('/admin/upstreamHost', { scheme: 'http', host: '127.0.0.1', port, privateAllowed: true });
    const route = await post('/admin/gatewayRoute', {
      code: 'bench-route',
      name: '基准路由',
      prefix: '/api/bench-out',
      targetKind: 'url',
      url: `http://127.0.0.1:${port}`,
      strip: 2,
      timeoutMs: 5_000,
      retries: 0,
      ratePerMinute: 60_000,
      rateBy: 'caller',
      bodyLimitMb: 1,
      auth: 'permission',
      permissionCode: 'gatewayManager',
      position: 100,
    });
    await post(`/admin/gatewayRoute/${route.id}/publish`, { reason: '基准' });
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const through = {
      port: product.port,
      path: '/api/bench-out/x',
      headers: { authorization },
      seconds: 2,
    };
    const direct = { port, path: '/x', seconds: 2 };
    const rows = {};
    for (const connections of [1, 16]) {
      const seen = { direct: [], proxy: [] };
      // In turns, so that whatever the machine does meanwhile meets both.
      for (let round = 0; round < ROUNDS; round++) {
        seen.direct.push(await load({ ...direct, connections }));
        seen.proxy.push(await load({ ...through, connections }));
      }
      for (const [name, runs] of Object.entries(seen))
        rows[`${name}, ${connections} connection${connections > 1 ? 's' : ''}`] = {
          'calls/s': Math.round(median(runs.map((run) => run.rps))),
          'p50 ms': median(runs.map((run) => run.p50)).toFixed(2),
          'p99 ms': median(runs.map((run) => run.p99)).toFixed(2),
        };
    }
    table(
      `A call of 1 KB to an upstream on this machine, direct and through the gateway (rights, rate, log) ${busy()}`,
      rows,
    );
  } finally {
    upstream.closeAllConnections();
    upstream.close();
  }
}

/** The same list from a server that observes itself and from one that does not, in turns on the same data. */
async function observed() {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-observed-'));
  const seen = { 'nothing observed': [], 'gate log, spans, metrics': [] };
  try {
    for (let round = 0; round < ROUNDS; round++)
      for (const name of round % 2 ? Object.keys(seen).reverse() : Object.keys(seen)) {
        const off = name === 'nothing observed';
        const product = await startProduct(dataDir, 18090, off ? { UNOBSERVED_BENCH: 'on' } : {});
        try {
          const authorization = await product.signIn('admin');
          const list = {
            port: product.port,
            path: '/api/jinmao/web/goodsOrder/page?limit=20',
            headers: { authorization },
            connections: 16,
          };
          await load({ ...list, seconds: 3 });
          seen[name].push(await load({ ...list, seconds: 8 }));
        } finally {
          await product.stop();
        }
      }
  } finally {
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
  const rows = {};
  for (const [name, runs] of Object.entries(seen))
    rows[name] = {
      'calls/s': Math.round(median(runs.map((run) => run.rps))),
      'p50 ms': median(runs.map((run) => run.p50)).toFixed(2),
      'p99 ms': median(runs.map((run) => run.p99)).toFixed(2),
    };
  const [off, on] = Object.values(seen).map((runs) => median(runs.map((run) => run.rps)));
  // Each round by itself: both were measured within a minute, whatever the machine did in others.
  const pairs = Object.values(seen)[0].map(
    (run, index) => (100 * (run.rps - Object.values(seen)[1][index].rps)) / run.rps,
  );
  table(`List of 20 goods orders, 16 connections ${busy()}`, rows);
  console.log(
    `Loss: ${((100 * (off - on)) / off).toFixed(1)} % of the medians, ${median(pairs).toFixed(1)} % in the median round`,
  );
}
