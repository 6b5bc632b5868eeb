// What members do, as the programs behind the app send it, HTTP included: claims on one coupon (goal 800/s), checkouts (150/s),
// events that give points (600/s); the statement and lots of a member with 20,000 entries (100 ms); points for 100,000 members
// (60 s, lists meanwhile at most twice as slow at p99); a push to them whose worker is killed on the way (nobody told twice);
// lists of 1,000,000 posts (p95 100 ms, keyword 150 ms). `npm run bench -- members points` measures one part of do, entries,
// posts, points, push; BENCH_MEMBERS=20000 and BENCH_POSTS=300000 take less.
import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { load, median, table } from './load.mjs';
import { memory, startProduct } from './product.mjs';

const PORT = 18090;
const MEMBERS = Number(process.env.BENCH_MEMBERS ?? 100_000);
const ENTRIES = 20_000;
const POSTS = Number(process.env.BENCH_POSTS ?? 1_000_000);
const SECONDS = 8;
const CONNECTIONS = 16;
const RUNS = 25;

/** Measures and prints all parts, or one. */
export async function bench(part = process.argv[3]) {
  const wanted = (name) => part === undefined || part === name;
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-members-'));
  const product = await startProduct(dataDir, PORT);
  const { app, owner } = JSON.parse(fs.readFileSync(path.join(dataDir, 'addresses.json'), 'utf8'));
  const client = new pg.Client(app);
  try {
    await client.connect();
    console.log(
      `load of the machine before: ${os
        .loadavg()
        .map((one) => one.toFixed(1))
        .join(' ')}`,
    );
    const { rows: projects } = await client.query('SELECT id FROM project ORDER BY id LIMIT 1');
    const project = projects[0].id;
    const { rows } = await client.query(
      `INSERT INTO member (name, phone, project_id) SELECT 'm' || n, (17000000000 + n)::text, $1 FROM generate_series(1, $2::int) n RETURNING id`,
      [project, MEMBERS],
    );
    await client.query('ANALYZE member');
    const members = rows.map((row) => row.id);
    const authorization = await product.signIn('admin');
    const ask = async (method, at, body) => {
      const answer = await fetch(`${product.url}/api${at}`, {
        method,
        headers: {
          authorization,
          ...(body ? { 'content-type': 'application/json', 'idempotency-key': randomUUID() } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const read = await answer.json();
      if (answer.status !== 200) throw new Error(`${at}: ${JSON.stringify(read)}`);
      return read.data;
    };
    if (wanted('do')) await doThings(client, product.url, members, project);
    if (wanted('entries')) {
      await addEntries(client, members[0]);
      await timeLists(ask, 'Statement and lots', {
        [`statement of ${ENTRIES} entries`]: `/jinmao/web/pointsStatement/page?account=${members[0]}&limit=20`,
        'its last page': `/jinmao/web/pointsStatement/page?account=${members[0]}&limit=20&page=${ENTRIES / 20}`,
        [`lots of ${ENTRIES} entries`]: `/jinmao/web/pointsLot/page?account=${members[0]}&limit=20`,
      });
    }
    if (wanted('posts')) {
      await addPosts(owner, members, project);
      const list = '/jinmao/web/familyPost/page?limit=20';
      await timeLists(ask, `Lists of ${POSTS} posts`, {
        'all posts': list,
        'posts of a project': `${list}&project=${project}`,
        'posts, page 500': `${list}&page=500`,
        'posts that wait': `${list}&tab=waiting`,
        'posts by keyword': `${list}&searchVal=${encodeURIComponent(`花园第${POSTS - 222_223}`)}`,
        'posts by a keyword of all': `${list}&searchVal=${encodeURIComponent('邻居们')}`,
        'posts by a keyword of none': `${list}&searchVal=${encodeURIComponent('没有这个词')}`,
        'of a project, by keyword': `${list}&project=${project}&searchVal=${encodeURIComponent(`花园第${POSTS - 222_223}`)}`,
      });
    }
    if (wanted('points')) await sendPoints(client, ask, authorization, project);
    if (wanted('push')) await sendPush(client, ask, product.pid, project);
    console.log(
      `load of the machine after: ${os
        .loadavg()
        .map((one) => one.toFixed(1))
        .join(' ')}`,
    );
  } finally {
    await client.end();
    await product.stop();
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Claims, checkouts and events of members. */
async function doThings(client, url, members, project) {
  const program = await programToken(client, url);
  const coupon = await addCoupon(client);
  const claims = await burst(program, '/jinmao/web/memberTrade/claimCoupon', (n) => ({
    requestId: randomUUID(),
    memberId: String(members[n]),
    couponId: String(coupon),
  }));
  const { rows } = await client.query(
    'SELECT claimed, (SELECT count(*)::int FROM member_coupon WHERE coupon_id = c.id) AS held FROM coupon c WHERE id = $1',
    [coupon],
  );
  const [{ claimed, held }] = rows;
  if (claimed !== claims.count || held !== claims.count)
    throw new Error(`${claims.count} claims, ${claimed} counted, ${held} held`);
  const orders = await checkouts(client, url, program, members);
  const events = await burst(program, '/jinmao/web/memberEvent', (n) => ({
    eventId: randomUUID(),
    memberId: String(members[n]),
    projectId: String(project),
    type: 'sign_in',
    occurredAt: new Date().toISOString(),
    payload: {},
  }));
  table(`What members do, ${CONNECTIONS} connections`, {
    'claims on one coupon': { ...figures(claims), goal: '800/s' },
    checkouts: { ...figures(orders), goal: '150/s' },
    'events with points': { ...figures(events), goal: '600/s' },
  });
}

/** Asks for lists one after the other and prints how long each took. */
async function timeLists(ask, title, lists) {
  const shown = {};
  for (const [name, at] of Object.entries(lists)) {
    const times = [];
    for (let index = 0; index <= RUNS; index++) {
      const began = performance.now();
      await ask('GET', at);
      if (index > 0) times.push(performance.now() - began);
    }
    times.sort((a, b) => a - b);
    shown[name] = {
      'median ms': median(times).toFixed(1),
      'p95 ms': times[Math.floor(RUNS * 0.95)].toFixed(1),
      goal: name.includes('keyword') ? '150' : '100',
    };
  }
  table(title, shown);
}

const figures = ({ rps, p50, p99, count }) => ({
  count,
  'per second': rps.toFixed(0),
  'p50 ms': p50.toFixed(1),
  'p99 ms': p99.toFixed(1),
});

/** Posts different bodies over keep-alive connections for some seconds; throws when an answer is not 200. */
async function burst(authorization, at, body) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const times = [];
  let next = 0;
  const post = () =>
    new Promise((resolve, reject) => {
      const began = performance.now();
      const text = JSON.stringify(body(next++));
      const request = http.request(
        {
          host: '127.0.0.1',
          port: PORT,
          path: `/api${at}`,
          method: 'POST',
          agent,
          headers: {
            authorization,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(text),
          },
        },
        (answer) => {
          let said = '';
          answer.on('data', (piece) => (said += piece));
          answer.on('end', () => {
            if (answer.statusCode !== 200) return reject(new Error(`${at}: ${said}`));
            times.push(performance.now() - began);
            resolve();
          });
        },
      );
      request.on('error', reject);
      request.end(text);
    });
  const started = performance.now();
  const end = started + SECONDS * 1000;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() < end) await post();
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  agent.destroy();
  times.sort((a, b) => a - b);
  const part = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  return { rps: times.length / seconds, p50: part(0.5), p99: part(0.99), count: times.length };
}

async function programToken(client, url) {
  const secret = 'bench-secret-of-the-app';
  const { rows } = await client.query(
    `INSERT INTO oauth_client (client_id, name, grant_types, scopes, redirect_uris) VALUES ('bench-app', 'bench', '{client_credentials}', '{member_order,member_event}', '{https://program.example.com/back}') RETURNING client_id`,
  );
  await client.query(`INSERT INTO client_secret (client_id, slot, hash, hint) VALUES ($1, 1, $2, 'test')`, [
    rows[0].client_id,
    createHash('sha256').update(secret).digest(),
  ]);
  const answer = await fetch(`${url}/api/auth/oauth/token`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(`bench-app:${secret}`).toString('base64')}`,
    },
    body: 'grant_type=client_credentials',
  });
  const read = await answer.json();
  if (!read.access_token) throw new Error(JSON.stringify(read));
  return `Bearer ${read.access_token}`;
}

async function addCoupon(client) {
  const { rows } = await client.query(
    `INSERT INTO coupon (code, name, type, issuer, tenant_id, face, threshold, total, starts_at, ends_at, status)
     SELECT 'BENCH', 'bench', 'cash', 'platform', id, 100, 1000, 1000000, now() - interval '1 day', now() + interval '30 days', 'published'
       FROM tenant WHERE kind = 3 ORDER BY id LIMIT 1 RETURNING id`,
  );
  return rows[0].id;
}

/** Orders of one piece each, over twenty specs that are on sale in a project. */
async function checkouts(client, url, program, members) {
  const { rows } = await client.query(
    `SELECT s.id, pp.project_id AS project FROM product_spec s JOIN product p ON p.id = s.product_id
       JOIN product_project pp ON pp.product_id = p.id
      WHERE p.status = 'published' AND p.recycled_at IS NULL AND p.kind = 'goods' ORDER BY pp.project_id, s.id LIMIT 200`,
  );
  const usable = [];
  for (const { id, project } of rows) {
    if (usable.length === 20) break;
    await client.query('UPDATE product_spec SET stock = 900000 WHERE id = $1', [id]);
    const quote = await fetch(`${url}/api/jinmao/web/memberTrade/quote`, {
      method: 'POST',
      headers: { authorization: program, 'content-type': 'application/json' },
      body: JSON.stringify(cart(members[0], project, id)),
    });
    const { data } = await quote.json();
    if (quote.status === 200 && data.total !== undefined) usable.push({ id, project, total: data.total });
  }
  if (usable.length === 0) throw new Error('no spec can be ordered');
  console.log(`orders over ${usable.length} specs`);
  return burst(program, '/jinmao/web/memberTrade/checkout', (n) => {
    const { id, project, total } = usable[n % usable.length];
    return {
      ...cart(members[n], project, id),
      requestId: randomUUID(),
      contactName: '测试',
      contactPhone: '13900000000',
      address: '1号楼1单元101',
      shownTotal: total,
    };
  });
}

const cart = (member, project, spec) => ({
  memberId: String(member),
  projectId: String(project),
  lines: [{ specId: String(spec), qty: 1 }],
  coupons: [],
});

/** Grants of one point each, booked as the ledger books them. */
async function addEntries(client, member) {
  await client.query('BEGIN');
  await client.query(
    `INSERT INTO ledger_account (kind, owner, unit, balance, may_be_negative)
     SELECT k, $1::text, 'point', 0, k = 'points_debt' FROM unnest(ARRAY['points_available', 'points_held', 'points_debt']) AS k ON CONFLICT (kind, owner, unit) DO NOTHING`,
    [member],
  );
  await client.query(
    `WITH own AS (SELECT id, balance FROM ledger_account WHERE member_id = $1 AND unit = 'point' AND kind = 'points_available'),
          pool AS (SELECT id FROM ledger_account WHERE member_id IS NULL AND unit = 'point' ORDER BY id LIMIT 1),
          t AS (INSERT INTO ledger_transfer (source_type, source_id, purpose, member_id, kind)
                SELECT 'bench', n::text, 'grant', $1, 1 FROM generate_series(1, $2::int) n RETURNING id, source_id::int AS n),
          a AS (INSERT INTO ledger_entry (transfer_id, account_id, amount, balance_after) SELECT t.id, own.id, 1, own.balance + t.n FROM t, own),
          b AS (INSERT INTO ledger_entry (transfer_id, account_id, amount) SELECT t.id, pool.id, -1 FROM t, pool),
          l AS (INSERT INTO points_lot (account_id, amount, remaining, transfer_id, expires_at) SELECT own.id, 1, 1, t.id, now() + interval '1 year' FROM t, own)
     UPDATE ledger_account SET balance = balance + $2 WHERE id = (SELECT id FROM own)`,
    [member, ENTRIES],
  );
  await client.query('COMMIT');
  for (const name of ['ledger_transfer', 'ledger_entry', 'points_lot']) await client.query(`ANALYZE ${name}`);
}

/** Posts, written without their indexes, which are made again behind them. */
async function addPosts(owner, members, project) {
  const client = new pg.Client(owner);
  await client.connect();
  try {
    const { rows: indexes } = await client.query(
      `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS made FROM pg_index i
        WHERE i.indrelid = 'post'::regclass AND NOT i.indisprimary AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)`,
    );
    for (const { name } of indexes) await client.query(`DROP INDEX ${name}`);
    await client.query('ALTER TABLE post DISABLE TRIGGER USER');
    await client.query(
      `INSERT INTO post (kind, member_id, project_id, content, published_at, created_at, likes, views)
       SELECT 'family', $1::bigint + n % 1000, $2, '小区花园第' || n || '次散步，邻居们都很好', now() - make_interval(secs => n), now() - make_interval(secs => n), n % 50, n % 900
         FROM generate_series(1, $3::int) n`,
      [members[0], project, POSTS],
    );
    await client.query('ALTER TABLE post ENABLE TRIGGER USER');
    await client.query(`SET maintenance_work_mem = '512MB'`);
    for (const { made } of indexes) await client.query(made);
    await client.query('VACUUM ANALYZE post');
  } finally {
    await client.end();
  }
}

/** Starts a job, unless its minute has just come. */
const runNow = (ask, id) =>
  ask('POST', `/admin/job/${id}/runOnce`, { reason: 'bench' }).catch((error) => {
    if (!String(error).includes('任务正在运行')) throw error;
  });

/** A batch for everybody of a project, with the list of accounts asked for before and meanwhile. */
async function sendPoints(client, ask, authorization, project) {
  // Large loads ask a second person: what a first start puts into the default budget is enough.
  const { rows: budgets } = await client.query(`SELECT id FROM points_budget WHERE code = 'PB0001'`);
  const batch = await ask('POST', '/jinmao/web/pointsGrantBatch', {
    name: 'bench',
    budget: String(budgets[0].id),
    reasonCode: 'event',
    validity: 'default',
    audience: 'filter',
    projects: [String(project)],
    points: 5,
  });
  const { version } = await ask('GET', `/jinmao/web/pointsGrantBatch/${batch.id}`);
  await ask('POST', `/jinmao/web/pointsGrantBatch/${batch.id}/submit`, { version });
  // The second person who would approve it is not what is measured.
  await client.query(`UPDATE points_grant_batch SET state = 'to_send' WHERE id = $1`, [batch.id]);
  const list = {
    port: PORT,
    path: '/api/jinmao/web/familyPost/page?limit=20',
    headers: { authorization },
    connections: 4,
  };
  const before = await load({ ...list, seconds: 4 });
  const { rows: jobs } = await client.query(`SELECT id FROM job WHERE code = 'points.send.run'`);
  const began = performance.now();
  await runNow(ask, jobs[0].id);
  let ended;
  const done = (async () => {
    for (;;) {
      const { rows } = await client.query(
        `SELECT state, (SELECT count(*)::int FROM points_grant_line WHERE batch_id = b.id AND state = 'sent') AS sent FROM points_grant_batch b WHERE id = $1`,
        [batch.id],
      );
      if (rows[0].state === 'sent') {
        ended = performance.now();
        return rows[0].sent;
      }
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  })();
  const during = await load({ ...list, connections: 1, seconds: 10 });
  const alone = await load({ ...list, connections: 1, seconds: 2 });
  const sent = await done;
  table(`Points for ${sent} members`, {
    batch: { seconds: ((ended - began) / 1000).toFixed(1), goal: '60' },
    'list before, p99 ms': { seconds: before.p99.toFixed(1), goal: '' },
    'list meanwhile, p99 ms': { seconds: during.p99.toFixed(1), goal: '2x' },
    'list later, p99 ms': { seconds: alone.p99.toFixed(1), goal: '' },
  });
}

/** A push to everybody of a project; its worker is killed on the way and another one goes on. */
async function sendPush(client, ask, pid, project) {
  const push = await ask('POST', '/jinmao/web/push', {
    name: 'bench',
    body: 'bench',
    audience: 'conditions',
    projects: [String(project)],
    jump: 'none',
    schedule: 'now',
    urgent: true,
    urgentReason: 'bench',
  });
  const { version } = await ask('GET', `/jinmao/web/push/${push.id}`);
  const began = performance.now();
  await ask('POST', `/jinmao/web/push/${push.id}/submit`, { version });
  const handed = performance.now();
  // The second person who would approve it is not what is measured.
  await client.query(
    `UPDATE message_send SET state = 'scheduled', next_at = now() WHERE id = $1 AND state = 'reviewing'`,
    [push.id],
  );
  const { rows: jobs } = await client.query(`SELECT id FROM job WHERE code = 'message.dispatch'`);
  await runNow(ask, jobs[0].id);
  const started = performance.now();
  let killed;
  let sent = 0;
  for (;;) {
    const { rows } = await client.query(
      `SELECT s.state, (SELECT count(*)::int FROM message_recipient r WHERE r.send_id = s.id AND r.submitted_at IS NOT NULL) AS sent,
              (SELECT count(*)::int FROM message_recipient r WHERE r.send_id = s.id) AS planned FROM message_send s WHERE id = $1`,
      [push.id],
    );
    sent = rows[0].sent;
    if (killed === undefined && sent > rows[0].planned / 4 && rows[0].planned > 0) {
      const worker = memory(pid).find(({ args }) => args.includes('worker'));
      if (!worker) throw new Error('no worker');
      process.kill(worker.pid, 'SIGKILL');
      killed = sent;
    }
    if (rows[0].state === 'done') break;
    if (performance.now() - started > 600_000) throw new Error(`the push stands at ${sent}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const ended = performance.now();
  const { rows: told } = await client.query(
    `SELECT count(*)::int AS messages, count(DISTINCT (r.member_id, n.channel))::int AS people FROM member_notification n JOIN message_recipient r ON r.id = n.recipient_id WHERE r.send_id = $1`,
    [push.id],
  );
  if (told[0].messages !== told[0].people || told[0].messages !== sent)
    throw new Error(`${sent} sent, ${told[0].messages} messages, ${told[0].people} people and channels`);
  table(`A push, ${sent} messages, worker killed after ${killed}`, {
    'handing in': { seconds: ((handed - began) / 1000).toFixed(1) },
    'sending, restart of the worker included': { seconds: ((ended - started) / 1000).toFixed(1) },
    'told twice': { seconds: told[0].messages - told[0].people },
  });
}
