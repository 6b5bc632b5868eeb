import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { evaluateAlerts, sendBundle } from '../../../domain/monitoring/evaluate.server.ts';
import { keepMonitoring, rollUp, writeRecent } from '../../../domain/monitoring/metrics.server.ts';
import { METRICS } from '../../../domain/monitoring/metric-names.rules.ts';
import { createMonitorAgent } from '../../../domain/monitoring/monitor-agent.server.ts';
import { createProcessMeter } from '../../../domain/monitoring/process-meter.server.ts';
import { tellAlerts } from '../../../domain/monitoring/tell-alerts.server.ts';
import { createInstanceAgent } from '../../../domain/services/instance-agent.server.ts';
import { judgeLeases } from '../../../domain/services/registry.server.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { probeConsoles } from '../outside/outside.server.ts';

let product: TestProduct;
let admin: string;
/** The time of these tests, in milliseconds; it passes by looks only. */
let now: number;
beforeAll(async () => {
  product = await startTestProduct({ demo: false });
  admin = await product.signIn('admin');
});
afterAll(() => product?.close());
beforeEach(async () => {
  now = Date.parse('2026-11-22T02:00:00Z');
  await run(
    db(),
    `WITH a AS (DELETE FROM alert), i AS (DELETE FROM service_instance), n AS (DELETE FROM notification), s AS (DELETE FROM alert_silence),
          m AS (DELETE FROM metric_recent)
     UPDATE monitor_turn SET done_at = '-infinity'`,
  );
});

const db = () => product.platform.database.db;
const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
  product.call(admin, method, path, body);
const look = async (evaluator = 'one') => {
  await evaluateAlerts(product.platform, evaluator, now);
  await sendBundle(product.platform, tellAlerts, now);
};
/** Lets seconds pass with this share of failed answers; one look every ten seconds, as a process does it. */
async function pass(seconds: number, percent: number | ((index: number) => number), evaluator?: string) {
  for (let index = 0; index < seconds / 10; index++) {
    now += 10_000;
    const share = typeof percent === 'number' ? percent : percent(index);
    await writeRecent(db(), 'web-1', now, [
      { metric: 'http_calls', labels: '', value: 100 },
      { metric: 'http_faults', labels: '', value: share },
    ]);
    await look(evaluator);
  }
}
const alerts = () =>
  run<{ id: number; code: string; state: string; peak: number; note: string; series: string }>(
    db(),
    'SELECT a.id, r.code, a.state, a.peak, a.note, a.series FROM alert a JOIN alert_rule r ON r.id = a.rule_id ORDER BY a.id',
  );
const messages = () =>
  run<{ title: string; body: string }>(
    db(),
    'SELECT title_zh AS title, body_zh AS body FROM notification ORDER BY id',
  );

test('Must show 6: an error rate of 6 % for 130 s is one alert and one message; swinging keeps it; under 2 % for 180 s it recovers with duration and peak', async () => {
  await pass(190, 6);
  expect((await alerts()).map((one) => [one.code, one.state])).toEqual([['error_rate_high', 'firing']]);
  expect((await messages()).map((one) => one.title)).toEqual(['告警：错误率过高']);
  await pass(180, (index) => (index % 2 === 0 ? 3 : 6));
  expect(await alerts()).toHaveLength(1);
  expect(await messages()).toHaveLength(1);
  await pass(300, 1);
  const [alert] = await alerts();
  expect([alert!.state, alert!.peak]).toEqual(['recovered', 6]);
  const told = await messages();
  expect(told).toHaveLength(2);
  expect(told[1]!.title).toBe('已恢复：错误率过高');
  expect(told[1]!.body).toMatch(/持续 [\d.]+ 分钟，峰值 6/);
});

test('too few calls say nothing about errors', async () => {
  for (let index = 0; index < 20; index++) {
    now += 10_000;
    await writeRecent(db(), 'web-1', now, [
      { metric: 'http_calls', labels: '', value: 2 },
      { metric: 'http_faults', labels: '', value: 1 },
    ]);
    await look();
  }
  expect(await alerts()).toEqual([]);
});

test('Must show 7: repeats after 10 minutes until acknowledged; a silence shows as silenced, sends nothing and ends by time', async () => {
  await pass(190, 6);
  await pass(600, 6);
  expect((await messages()).map((one) => one.title)).toEqual(['告警：错误率过高', '仍在告警：错误率过高']);
  const [alert] = await alerts();
  const acked = await call('POST', `/admin/alert/${alert!.id}/ack`, { note: '正在处理' });
  expect([acked.data.phase, acked.data.note]).toEqual(['acknowledged', '正在处理']);
  await pass(700, 6);
  expect(await messages()).toHaveLength(2);
  expect((await call('POST', `/admin/alert/${alert!.id}/ack`, { note: '再次' })).status).toBe(30101);
  const silenced = await call('POST', `/admin/alert/${alert!.id}/silence`, {
    hours: 2,
    reason: '计划内维护',
  });
  expect(silenced.http).toBe(200);
  expect((await call('GET', '/admin/alert/page?phase=silenced')).data.total).toBe(1);
  // While it lasts the recovery is not told either.
  await run(
    db(),
    `UPDATE alert_silence SET starts_at = to_timestamp($1::float8 / 1000), until = to_timestamp($1::float8 / 1000) + interval '2 hours'`,
    [now],
  );
  await pass(300, 1);
  expect((await alerts()).map((one) => one.state)).toEqual(['recovered']);
  expect(await messages()).toHaveLength(2);
  now += 2 * 3_600_000;
  await pass(190, 6);
  expect(await messages()).toHaveLength(3);
});

test('Must show 8: another instance goes on with a firing alert: no second row, no lost recovery, and never two looks at once', async () => {
  await pass(190, 6, 'one');
  const other = await product.another();
  try {
    expect(await evaluateAlerts(other.platform, 'two', now + 1_000)).toBeUndefined();
    await pass(20, 6, 'two');
    expect(await alerts()).toHaveLength(1);
    now += 10_000;
    const both = await Promise.all([
      evaluateAlerts(product.platform, 'one', now),
      evaluateAlerts(other.platform, 'two', now),
    ]);
    expect(both.filter((one) => one !== undefined)).toHaveLength(1);
    await pass(300, 1, 'two');
    expect((await alerts()).map((one) => one.state)).toEqual(['recovered']);
    expect((await messages()).at(-1)!.title).toBe('已恢复：错误率过高');
  } finally {
    await other.close();
  }
});

test('Must show 2 (alert): a killed instance fires instance_down 30 s after it is DOWN; a new start there ends it, so does removing', async () => {
  const web = () =>
    createInstanceAgent(product.platform, { service: 'backoffice-web', role: 'web', port: 8080 });
  const kill = async (id: string, seconds: number) => {
    await run(
      db(),
      `UPDATE service_instance SET started_at = started_at - make_interval(secs => $2), last_heartbeat_at = last_heartbeat_at - make_interval(secs => $2),
              down_at = down_at - make_interval(secs => $2) WHERE instance_id = $1`,
      [id, seconds],
    );
    await judgeLeases(product.platform);
  };
  const tick = async (seconds: number) => {
    await run(db(), `UPDATE monitor_turn SET done_at = '-infinity'`);
    now = Date.now() + seconds * 1_000;
    await look();
  };
  const first = web();
  await first.register();
  await kill(first.instanceId, 35);
  await tick(0);
  expect((await alerts()).map((one) => [one.code, one.state])).toEqual([['instance_down', 'pending']]);
  // 75 seconds after the last heartbeat.
  await kill(first.instanceId, 40);
  await tick(0);
  expect((await alerts()).map((one) => one.state)).toEqual(['firing']);
  const second = web();
  await second.register();
  await tick(10);
  await tick(41);
  expect((await alerts()).map((one) => one.state)).toEqual(['recovered']);
  await run(db(), `UPDATE service_instance SET started_at = now() - interval '1 hour'`);
  await kill(second.instanceId, 75);
  await kill(second.instanceId, 40);
  await tick(0);
  const rows = (await call('GET', '/admin/serviceInstance/page?state=DOWN')).data.rows as { id: string }[];
  for (const row of rows) expect((await call('DELETE', `/admin/serviceInstance/${row.id}`)).http).toBe(200);
  expect((await alerts()).map((one) => [one.state, one.note]).at(-1)).toEqual(['recovered', '已移除']);
});

test('Must show 1 (metrics): one sample fills every group of metrics, the wallboard and a chart of ten seconds', async () => {
  const agent = createInstanceAgent(product.platform, { service: 'backoffice-web', role: 'web', port: 8080 });
  await agent.register();
  const meter = createProcessMeter(product.platform);
  try {
    const monitor = createMonitorAgent(product.platform, meter, {
      instanceId: agent.instanceId,
      service: 'backoffice-web',
    });
    meter.begin();
    meter.end({
      at: Date.now(),
      route: '/api/admin/x',
      status: 200,
      ms: 12,
      staff: '平台管理员',
      traceId: 'a'.repeat(32),
    });
    const { now: at } = (await runOne<{ now: Date }>(db(), 'SELECT now()'))!;
    await run(
      db(),
      `INSERT INTO channel_call (direction, kind, channel, number, result, duration_ms) SELECT 'request', 'pay', 1, 'N' || n, 'accepted', n * 10 FROM generate_series(1, 20) n`,
    );
    for (let index = 0; index < 12; index++) await monitor.tick(at.getTime() - (11 - index) * 10_000);
    const wall = await call('GET', '/admin/monitor/wall');
    expect(wall.data.tiles).toHaveLength(1);
    const [tile] = wall.data.tiles;
    for (const metric of [
      'http_rps',
      'cpu',
      'rss',
      'heap_limit_share',
      'loop_lag_p99',
      'db_used',
      'disk_free_share',
      'clock_skew_ms',
      'login_failed',
    ])
      expect([metric, typeof tile.values[metric]]).toEqual([metric, 'number']);
    for (const metric of [
      'db_size',
      'db_connections',
      'job_oldest_s',
      'outbox_backlog',
      'sessions_live',
      'export_waiting',
      'business_orders_paid',
      'business_wo_new',
    ])
      expect([metric, typeof wall.data.product[metric]]).toEqual([metric, 'number']);
    const measured = await run<{ metric: string }>(db(), 'SELECT DISTINCT metric FROM metric_recent');
    const groups = new Set(
      measured.flatMap(({ metric }) => METRICS[metric as keyof typeof METRICS]?.group ?? []),
    );
    expect([...groups].sort()).toEqual([
      'auth',
      'business',
      'channel',
      'database',
      'host',
      'http',
      'jobs',
      'process',
    ]);
    for (const metric of ['db_wait_p95', 'tmp_size', 'business_wo_new', 'channel_p95'])
      expect([metric, measured.some((one) => one.metric === metric)]).toEqual([metric, true]);
    const window = `from=${encodeURIComponent(new Date(at.getTime() - 600_000).toISOString())}&to=${encodeURIComponent(new Date(at.getTime() + 1_000).toISOString())}`;
    // Of channels a chart has a line each, by their name.
    const channels = await call('GET', `/admin/monitor/series?metrics=channel_p95&sum=true&${window}`);
    expect(
      channels.data.lines.map((line: { labels: string; points: number[][] }) => [
        line.labels,
        line.points[0]![1],
      ]),
    ).toEqual([['alipay', 190]]);
    const chart = await call(
      'GET',
      `/admin/monitor/series?metrics=cpu&instance=${agent.instanceId}&from=${encodeURIComponent(new Date(at.getTime() - 600_000).toISOString())}&to=${encodeURIComponent(new Date(at.getTime() + 1_000).toISOString())}`,
    );
    expect([chart.data.step, chart.data.lines[0].points.length]).toEqual([10, 12]);
    const detail = await call('GET', `/admin/monitor/instance/${agent.instanceId}`);
    expect(detail.data.requests[0].route).toBe('/api/admin/x');
    expect(detail.data.statements.length).toBeGreaterThan(0);
    expect(JSON.stringify(detail.data.statements)).not.toContain(agent.instanceId);
  } finally {
    meter.stop();
  }
});

test('Must show 9: minutes are kept for seven days with gaps for outages; day 8 is gone', async () => {
  const { now: at } = (await runOne<{ now: Date }>(db(), `SELECT date_trunc('minute', now()) AS now`))!;
  for (const second of [5, 15, 25])
    await writeRecent(db(), 'web-1', at.getTime() - 120_000 + second * 1_000, [
      { metric: 'cpu', labels: '', value: second },
    ]);
  expect(await rollUp(product.platform, 'web-1', 'backoffice-web', at.getTime())).toBe(1);
  expect(await rollUp(product.platform, 'web-1', 'backoffice-web', at.getTime())).toBe(0);
  expect(
    await runOne(
      db(),
      `SELECT min, avg, max, last, count FROM metric_sample WHERE metric = 'cpu' AND instance = 'web-1'`,
    ),
  ).toEqual({ min: 5, avg: 15, max: 25, last: 25, count: 3 });
  await run(
    db(),
    `INSERT INTO metric_sample (minute, metric, instance, min, avg, max, last, count)
     SELECT now() - make_interval(days => d), 'cpu', 'web-1', 1, 1, 1, 1, 6 FROM unnest(ARRAY[5, 9]) d`,
  );
  await keepMonitoring(product.platform);
  const days = await run<{ days: number }>(
    db(),
    `SELECT extract(day FROM now() - minute)::integer AS days FROM metric_sample WHERE metric = 'cpu' AND instance = 'web-1' ORDER BY 1`,
  );
  expect(days.map((row) => row.days)).toEqual([0, 5]);
});

test('rules refuse what cannot stand: the wrong side, switching built-in ones off; a test tells when they would have fired', async () => {
  const rule = {
    code: 'rss_high',
    name: '内存过高',
    nameEn: 'Memory high',
    metric: 'rss',
    scope: 'instance',
    aggregate: 'max',
    operator: 'above',
    fireValue: '900',
    recoverValue: '950',
    fireForS: 60,
    recoverForS: 60,
    severity: 'warning',
    repeatMinutes: 30,
    channels: ['notification'],
    noData: 'keep',
  };
  expect((await call('POST', '/admin/alertRule', rule)).message).toBe('恢复值必须优于触发值');
  expect(
    (await call('POST', '/admin/alertRule', { ...rule, recoverValue: '800', channels: ['pigeon'] })).http,
  ).toBe(422);
  const made = await call('POST', '/admin/alertRule', { ...rule, recoverValue: '800' });
  expect([made.http, made.data.fireValue]).toEqual([200, '900']);
  await run(
    db(),
    `INSERT INTO metric_sample (minute, metric, instance, min, avg, max, last, count)
     SELECT date_trunc('minute', now()) - make_interval(mins => 30 - m), 'rss', 'web-9', v, v, v, v, 6
       FROM (VALUES (1, 950), (2, 960), (3, 990), (4, 100), (5, 100), (6, 100)) AS x(m, v)`,
  );
  const tested = await call('POST', `/admin/alertRule/${made.data.id}/test`, {});
  expect(tested.data.result.count ?? tested.data.count).toBe('1');
  for (const code of ['instance_down', 'ledger_mismatch', 'audit_chain_broken']) {
    const { id } = (await runOne<{ id: number }>(db(), 'SELECT id FROM alert_rule WHERE code = $1', [code]))!;
    expect((await call('POST', `/admin/alertRule/${id}/disable`, {})).message).toBe('内置规则不能停用');
  }
});

test('the rule of a silence is found by either name and by code, in the language of the page', async () => {
  const find = async (searchVal: string, language = 'zh') =>
    (
      await product.app.inject({
        url: `/api/jinmao/web/options/alertRule?searchVal=${encodeURIComponent(searchVal)}`,
        headers: { authorization: admin, 'accept-language': language },
      })
    ).json().data as { id: string; title: string; note: string }[];
  const [byCode] = await find('loop_l');
  expect(byCode).toMatchObject({ note: 'loop_lag' });
  const rule = (await runOne<{ name: string; name_en: string }>(
    db(),
    "SELECT name, name_en FROM alert_rule WHERE code = 'loop_lag'",
  ))!;
  expect(byCode!.title).toBe(rule.name);
  expect(await find(rule.name)).toContainEqual(byCode);
  expect(await find(rule.name_en, 'en')).toEqual([{ ...byCode, title: rule.name_en }]);
  expect(await find('no_such_rule')).toEqual([]);
});

test('silences end: at most seven days, four hours for all, by hand at once', async () => {
  const until = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const silence = (scope: string, hours: number, more: object = {}) =>
    call('POST', '/admin/alertSilence', { scope, until: until(hours), reason: '演练', ...more });
  expect((await silence('all', 5)).message).toBe('全局静默最长4小时');
  expect((await silence('service', 169, { service: 'backoffice-web' })).http).toBe(422);
  expect((await silence('service', 1)).http).toBe(422);
  const made = await silence('all', 3);
  expect([made.http, made.data.live]).toEqual([200, 'live']);
  expect((await call('POST', `/admin/alertSilence/${made.data.id}/end`, {})).data.live).toBe('ended');
  expect((await call('POST', `/admin/alertSilence/${made.data.id}/end`, {})).status).toBe(30101);
});

test('Must show 15 (console): an outside address that is dead is told with its reason; only https or allowed hosts are taken', async () => {
  const path = '/admin/outsideConsole/admin';
  expect((await call('PUT', path, { url: 'http://10.0.0.1/' })).http).toBe(422);
  expect((await call('PUT', path, { url: 'https://console.invalid/' })).http).toBe(200);
  await probeConsoles(product.platform, () =>
    Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: { code: 'ENOTFOUND' } })),
  );
  expect((await call('GET', path)).data).toMatchObject({
    url: 'https://console.invalid/',
    reason: 'ENOTFOUND',
  });
  await probeConsoles(product.platform, () => Promise.resolve(new Response('')));
  expect((await call('GET', path)).data.reason).toBe('');
});
