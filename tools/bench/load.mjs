// A bounded load from this process on a server of ours at loopback: `connections` keep-alive sockets for `seconds`.
import http from 'node:http';

/** Returns requests per second and latency percentiles in milliseconds. Throws when an answer is not 200. */
export async function load({ port, path, headers = {}, connections = 16, seconds = 4 }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const times = [];
  const end = performance.now() + seconds * 1000;
  const started = performance.now();
  const paths = Array.isArray(path) ? path : [path];
  let next = 0;
  const one = () =>
    new Promise((resolve, reject) => {
      const began = performance.now();
      const request = http.get(
        { host: '127.0.0.1', port, path: paths[next++ % paths.length], headers, agent },
        (answer) => {
          if (answer.statusCode !== 200) reject(new Error(`HTTP ${answer.statusCode}`));
          answer.resume();
          answer.on('end', () => {
            times.push(performance.now() - began);
            resolve();
          });
        },
      );
      request.on('error', reject);
    });
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < end) await one();
    }),
  );
  agent.destroy();
  const sorted = times.sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return {
    rps: times.length / ((performance.now() - started) / 1000),
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    count: times.length,
  };
}

/** Median of numbers. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Prints rows as a table with the given columns. */
export function table(title, rows) {
  console.log(`\n${title}`);
  console.table(rows);
}
