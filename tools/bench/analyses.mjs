// Analyses over 60 days on a million orders: from the call to the finished answer, p95 of single calls after one warm-up.
import { benchData, startProduct } from './product.mjs';
import { table } from './load.mjs';

const RUNS = 10;

export async function bench() {
  const product = await startProduct(benchData(Number(process.env.ROWS ?? 1_000_000)));
  const authorization = await product.signIn('admin');
  const day = (offset) => new Date(Date.now() - offset * 86_400_000).toISOString().slice(0, 10);
  const days = `${day(59)}~${day(0)}`;
  const reports = {
    'businessAna, 60 days': `report/businessAna?range=${days}`,
    'businessAna, 60 days, one merchant': `report/businessAna?range=${days}&merchant=4`,
    'orderCount by day, 60 days': `report/orderCount?range=${days}&grain=day`,
    'accountAna, 60 days': `report/accountAna?range=${days}`,
  };
  const rows = {};
  for (const [name, path] of Object.entries(reports)) {
    const times = [];
    try {
      for (let index = 0; index <= RUNS; index++) {
        const began = performance.now();
        const answer = await fetch(`${product.url}/api/jinmao/web/${path}`, { headers: { authorization } });
        const body = await answer.json();
        if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(body).slice(0, 120)}`);
        if (index > 0) times.push(performance.now() - began);
      }
      times.sort((a, b) => a - b);
      rows[name] = {
        'p50 ms': times[Math.floor(RUNS / 2)].toFixed(1),
        'p95 ms': times[Math.floor(RUNS * 0.95)].toFixed(1),
        'goal ms': 1_000,
      };
    } catch (error) {
      rows[name] = { 'p50 ms': String(error.message).slice(0, 120) };
    }
  }
  table('Analyses', rows);
  await product.stop();
}
