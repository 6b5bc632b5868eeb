// Every declared filter and sort, keywords and deep pages on a million orders: p95 of single calls after one warm-up.
import { benchData, startProduct } from './product.mjs';
import { table } from './load.mjs';

const RUNS = 15;

export async function bench() {
  const product = await startProduct(benchData(Number(process.env.ROWS ?? 1_000_000)));
  const authorization = await product.signIn('admin');
  const root = `${product.url}/api/jinmao/web/goodsOrder/page?limit=20`;
  const get = async (query) => {
    const answer = await fetch(`${root}${query}`, { headers: { authorization } });
    const body = await answer.json();
    if (answer.status !== 200) throw new Error(`${query}: ${JSON.stringify(body)}`);
    return body.data;
  };
  const first = await get('');
  let cursor = first.nextCursor;
  for (let page = 2; page <= 60; page++) cursor = (await get(`&cursor=${cursor}`)).nextCursor;
  const day = (offset) => new Date(Date.now() - offset * 86_400_000).toISOString().slice(0, 10);
  const queries = {
    'page 1': '',
    'page 500': '&page=500',
    'page 10000 by number': '&page=10000',
    'by cursor (deep)': `&cursor=${cursor}`,
    'state=to_ship': '&state=to_ship',
    'state=closed,completed': '&state=closed,completed',
    project: '&project=1',
    merchant: '&merchant=4',
    source: '&source=3',
    'last 7 days': `&createdAt=${day(7)}~${day(0)}`,
    'a year ago, 1 day': `&createdAt=${day(365)}~${day(365)}`,
    'keyword 2 characters, frequent': `&searchVal=${encodeURIComponent('大米')}`,
    'keyword 2 characters, none': `&searchVal=${encodeURIComponent('龘龘')}`,
    'keyword 4 characters': `&searchVal=${encodeURIComponent('有机大米')}`,
    'keyword order number': `&searchVal=${first.rows[0].code}`,
    'keyword exact name': `&searchVal=${encodeURIComponent('王强')}`,
  };
  const rows = {};
  for (const [name, query] of Object.entries(queries)) {
    const times = [];
    let total = 0;
    try {
      for (let index = 0; index <= RUNS; index++) {
        const began = performance.now();
        total = (await get(query)).total;
        if (index > 0) times.push(performance.now() - began);
      }
      times.sort((a, b) => a - b);
      rows[name] = {
        total,
        'p50 ms': times[Math.floor(RUNS / 2)].toFixed(1),
        'p95 ms': times[Math.floor(RUNS * 0.95)].toFixed(1),
      };
    } catch (error) {
      rows[name] = { total: String(error.message).slice(0, 80) };
    }
  }
  table('Single calls on the list of orders', rows);
  await product.stop();
}
