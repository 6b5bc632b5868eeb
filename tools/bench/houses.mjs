// The tree and the lists of houses with 200,000 houses in 40 projects: each level, a search, pages and counts, after one warm-up
// (reach: p95 of a level at most 100 ms, of the list of houses at most 150 ms). PROJECTS=2 takes fewer.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startProduct } from './product.mjs';
import { table } from './load.mjs';

const RUNS = 15;
const PROJECTS = Number(process.env.PROJECTS ?? 40);
/** Buildings of a project, units of a building, floors of a unit, houses of a floor: 5,000 houses a project. */
const [BUILDINGS, UNITS, FLOORS, HOUSES] = [25, 4, 25, 2];

/** Measures and prints. */
export async function bench() {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-houses-'));
  const product = await startProduct(dataDir, 18088);
  const { app } = JSON.parse(fs.readFileSync(path.join(dataDir, 'addresses.json'), 'utf8'));
  const client = new pg.Client(app);
  try {
    await client.connect();
    const { project, building, unit, count } = await addHouses(client);
    const authorization = await product.signIn('admin');
    const get = async (query) => {
      const answer = await fetch(`${product.url}/api/jinmao/web/${query}`, { headers: { authorization } });
      const body = await answer.json();
      if (answer.status !== 200) throw new Error(`${query}: ${JSON.stringify(body)}`);
      return body.data;
    };
    const found = (text) => `house/places?searchVal=${encodeURIComponent(text)}`;
    const queries = {
      'tree: projects': 'house/places',
      'tree: buildings': `house/places?parent=project:${project}`,
      'tree: units': `house/places?parent=building:${building}`,
      'tree: floors': `house/places?parent=unit:${unit}`,
      'tree: houses of a floor': `house/places?parent=floor:${unit}.7`,
      'find: 压测 12号楼 2单元 702': found('压测 12号楼 2单元 702'),
      'find: 701': found('701'),
      'find: 12号楼': found('12号楼'),
      'houses, page 1': 'house/page?limit=20',
      'houses, page 500': 'house/page?limit=20&page=500',
      'houses of a project': `house/page?limit=20&project=${project}`,
      'houses, number 701': 'house/page?limit=20&searchVal=701',
      'people, page 1': 'household/page?limit=20',
      'people of a unit': `household/page?limit=20&unit=${unit}`,
      'people of a project': `household/page?limit=20&project=${project}`,
    };
    const rows = {};
    for (const [name, query] of Object.entries(queries)) {
      const times = [];
      let shown = '';
      for (let index = 0; index <= RUNS; index++) {
        const began = performance.now();
        const data = await get(query);
        shown = data.total ?? data.rows.length;
        if (index > 0) times.push(performance.now() - began);
      }
      times.sort((a, b) => a - b);
      rows[name] = {
        rows: shown,
        'p50 ms': times[Math.floor(RUNS / 2)].toFixed(1),
        'p95 ms': times[Math.floor(RUNS * 0.95)].toFixed(1),
      };
    }
    table(`Houses and households with ${count.toLocaleString('en')} houses`, rows);
  } finally {
    await client.end();
    await product.stop();
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Projects with their houses, an owner in each. */
async function addHouses(client) {
  await client.query(
    `INSERT INTO project (code, name, unit_id, centre_id)
     SELECT 'BH' || n, '压测小区' || n, p.unit_id, p.centre_id FROM (SELECT unit_id, centre_id FROM project ORDER BY id LIMIT 1) p, generate_series(1, $1::int) n`,
    [PROJECTS],
  );
  await client.query(
    `INSERT INTO building (project_id, name) SELECT p.id, n || '号楼' FROM project p, generate_series(1, $1::int) n WHERE p.code LIKE 'BH%'`,
    [BUILDINGS],
  );
  await client.query(
    `INSERT INTO building_unit (building_id, name)
     SELECT b.id, n || '单元' FROM building b JOIN project p ON p.id = b.project_id AND p.code LIKE 'BH%', generate_series(1, $1::int) n`,
    [UNITS],
  );
  await client.query(
    `INSERT INTO house (project_id, unit_id, number, floor, built_area, state)
     SELECT b.project_id, u.id, f || lpad(n::text, 2, '0'), f, 60 + (u.id + f * 7 + n) % 90, (ARRAY['self_use', 'let', 'vacant'])[1 + (u.id + f + n) % 3]
       FROM building_unit u JOIN building b ON b.id = u.building_id JOIN project p ON p.id = b.project_id AND p.code LIKE 'BH%',
            generate_series(1, $1::int) f, generate_series(1, $2::int) n`,
    [FLOORS, HOUSES],
  );
  await client.query(
    `INSERT INTO member (name, nickname, phone, project_id)
     SELECT '业主' || h.id, '业主', '12' || lpad(h.id::text, 9, '0'), h.project_id FROM house h JOIN project p ON p.id = h.project_id AND p.code LIKE 'BH%'`,
  );
  await client.query(
    `INSERT INTO household (member_id, house_id, identity) SELECT m.id, substr(m.phone, 3)::bigint, 'owner' FROM member m WHERE m.phone LIKE '12%' AND m.nickname = '业主'`,
  );
  await client.query('VACUUM ANALYZE house, household, member, building, building_unit, project');
  const { rows } = await client.query(
    `SELECT b.project_id AS project, b.id AS building, u.id AS unit, (SELECT count(*)::int FROM house) AS count
       FROM building_unit u JOIN building b ON b.id = u.building_id JOIN project p ON p.id = b.project_id AND p.code = 'BH${Math.ceil(PROJECTS / 2)}' WHERE b.name = '12号楼' ORDER BY u.id LIMIT 1`,
  );
  return rows[0];
}
