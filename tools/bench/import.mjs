// Imports as large as their screens take, from the file to the last row: houses (10,000), their people (10,000), points for members
// (20,000); and how soon a table of 50,000 rows is refused by a screen that takes fewer. ROWS=500 takes less.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { startProduct } from './product.mjs';
import { table } from './load.mjs';

const ROWS = Number(process.env.ROWS ?? 10_000);
const PATIENCE_MS = 600_000;

/** Measures and prints. */
export async function bench() {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-import-'));
  const product = await startProduct(dataDir, 18091);
  const { app, owner } = JSON.parse(fs.readFileSync(path.join(dataDir, 'addresses.json'), 'utf8'));
  const client = new pg.Client(owner ?? app);
  try {
    await client.connect();
    const { rows } = await client.query('SELECT id, name FROM project ORDER BY id LIMIT 1');
    const [{ id: project, name }] = rows;
    const authorization = await product.signIn('admin');
    const numbers = Array.from({ length: ROWS }, (_one, index) => index);
    const places = numbers.map((index) => [
      `B${1 + Math.floor(index / 200)}`,
      `U${1 + (Math.floor(index / 100) % 2)}`,
      1 + (Math.floor(index / 4) % 25),
      `${1 + (Math.floor(index / 4) % 25)}0${1 + (index % 4)}`,
    ]);
    const shown = {};
    const measure = async (title, source, head, lines) => {
      shown[title] = { rows: lines.length, ...(await importOf(product, authorization, source, head, lines)) };
    };
    await measure(
      'houses, new buildings and units on the way',
      'house',
      ['项目', '楼栋', '单元', '楼层', '房号', '建筑面积'],
      places.map((place) => [name, ...place, '98.50']),
    );
    await measure(
      'people of houses',
      'household',
      ['房号', '姓名', '手机', '身份'],
      places.map(([building, unit, , number], index) => [
        `${name} ${building} ${unit} ${number}`,
        `住户${index}`,
        String(17_100_000_000 + index),
        '业主',
      ]),
    );
    await client.query(
      `INSERT INTO member (name, phone, project_id) SELECT 'p' || n, (17200000000 + n)::text, $1 FROM generate_series(1, $2::int) n`,
      [project, ROWS * 2],
    );
    await measure(
      'members and points',
      'pointsSend',
      ['手机号', '积分'],
      Array.from({ length: ROWS * 2 }, (_one, index) => [String(17_200_000_001 + index), 10]),
    );
    await measure(
      'refused: more rows than the screen takes',
      'house',
      ['项目', '楼栋', '单元', '楼层', '房号', '建筑面积'],
      Array.from({ length: ROWS * 5 }, () => [name, ...places[0], '98.50']),
    );
    table('Imports', shown);
  } finally {
    await client.end();
    await product.stop();
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Tries a table and writes it; seconds of both and what came of it. */
async function importOf(product, authorization, source, head, lines) {
  const root = `${product.url}/api/jinmao/web/importTask`;
  const ask = async (at, options = {}) => {
    const answer = await fetch(`${root}${at}`, {
      ...options,
      headers: { authorization, ...options.headers },
    });
    const body = await answer.json();
    if (answer.status !== 200) throw new Error(`${source}${at}: ${JSON.stringify(body).slice(0, 300)}`);
    return body.data;
  };
  const done = async (taskId) => {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      const task = await ask(`/${taskId}`);
      if (task.state === 'ready' || task.state === 'failed') return task;
      if (Date.now() > until) throw new Error(`${source}: not done`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const form = new FormData();
  form.append('mapping', '{}');
  const text = [head, ...lines].map((line) => line.join(',')).join('\n');
  form.append('file', new Blob([`\uFEFF${text}`], { type: 'text/csv' }), 'bench.csv');
  let began = performance.now();
  const seconds = () => ((performance.now() - began) / 1000).toFixed(1);
  const tried = await done((await ask(`/${source}/dryRun`, { method: 'POST', body: form })).taskId);
  const dry = seconds();
  if (tried.state === 'failed' || tried.result.good === 0)
    return { 'dry run s': dry, 'import s': '', outcome: tried.error ?? `${tried.result.bad} rows refused` };
  began = performance.now();
  const { taskId } = await ask(`/${source}/commit`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
    body: JSON.stringify({ taskId: tried.id, skipBad: true }),
  });
  const written = await done(taskId);
  return { 'dry run s': dry, 'import s': seconds(), outcome: `${written.result?.written} written` };
}
