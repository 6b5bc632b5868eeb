import pg from 'pg';
import { test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { callerOf, openMall } from '../product/mall-fixture.ts';
import { service } from './sales-analysis.server.ts';

test('perf', async () => {
  const mall = await openMall([service]);
  const db = mall.platform.database.db;
  await mall.platform.database.pool.query('SET statement_timeout = 0');
  const { merchantA, merchantB, north, south, business, member } = mall.ids;
  await run(db, `INSERT INTO product (id, code, tenant_id, business_id, name, status) SELECT g, 'PDX' || g, CASE WHEN g % 2 = 0 THEN ${merchantA} ELSE ${merchantB} END, ${business}, 'goods ' || g, 'published' FROM generate_series(1000001, 1003000) g`);
  await run(db, `INSERT INTO product_spec (id, product_id, code, name, price) SELECT g, g, 'S', 'one', 1000 FROM generate_series(1000001, 1003000) g`);
  await run(db, `INSERT INTO product_class_member SELECT g, ${mall.classes[1]} FROM generate_series(1000001, 1003000) g`);
  const p = (await runOne<{ id: number }>(db, `INSERT INTO payment (checkout_code, channel, state, amount, deadline) VALUES ('X', 1, 2, 0, now()) RETURNING id`))!.id;
  for (let part = 0; part < 5; part++) {
    const client = await mall.platform.database.pool.connect();
    await client.query('SET statement_timeout = 0');
    await client.query(`INSERT INTO sales_order (id, code, type, source, tenant_id, project_id, member_id, payment_id, title, contact_name, contact_phone, address, state, goods, payable, paid_at, created_at)
      SELECT g, 'SOX' || g, CASE WHEN g % 20 = 0 THEN 'group' ELSE 'ordinary' END, 1, CASE WHEN g % 2 = 0 THEN ${merchantA} ELSE ${merchantB} END, CASE WHEN g % 3 = 0 THEN ${north} ELSE ${south} END, ${member}, ${p}, 't', 'c', '1', 'a', 'to_receive', 2000, 2000,
        timestamptz '2026-03-01' + (g - 1000000) * interval '52 seconds', now() FROM generate_series(${1000001 + part * 30000}, ${1030000 + part * 30000}) g`);
    await client.query(`INSERT INTO order_line (order_id, line_no, product_id, spec_id, product_name, spec_name, list_price, unit_price, qty, goods, cash)
      SELECT g, n, 1000001 + (g * 7 + n * 13) % 3000, 1000001 + (g * 7 + n * 13) % 3000, 'p', 's', 1000, 1000, 1, 1000, 900 FROM generate_series(${1000001 + part * 30000}, ${1030000 + part * 30000}) g, generate_series(1, 2) n`);
    await client.query(`INSERT INTO order_event (order_id, code, at) SELECT g, 16, timestamptz '2026-03-01' + (g - 1000000) * interval '52 seconds' + interval '1 hour' FROM generate_series(${1000001 + part * 30000}, ${1030000 + part * 30000}) g WHERE g % 20 = 0`);
    client.release();
  }
  await run(db, `INSERT INTO refund (id, code, order_id, payment_id, tenant_id, project_id, member_id, business_type, applicant_type, state, kind, apply_price, suggested_cash, cash, channel_refund_no, succeeded_at)
    SELECT id, 'RF' || id, id, ${p}, tenant_id, project_id, member_id, 1, 1, 'succeeded', 'units', 900, 900, 900, 'RF' || id, paid_at + interval '3 days' FROM sales_order WHERE id % 20 = 1 AND id > 1000000`);
  await run(db, `INSERT INTO refund_line (refund_id, line_id, qty, cash) SELECT r.id, (SELECT l.id FROM order_line l WHERE l.order_id = r.order_id LIMIT 1), 1, 900 FROM refund r`);
  const admin = callerOf({ staffId: 1, tenantId: 1 }, ['mm_businessAna']);
  const city = callerOf({ staffId: 2, tenantId: 1, tenantKind: 4, projectIds: [north] }, ['mm_businessAna']);
  for (const analysed of [false, true]) {
  if (analysed) { const c = new pg.Client({ ...(mall.platform.database.pool.options as object), user: 'app_owner' }); await c.connect(); await c.query('ANALYZE'); await c.end(); }
  console.log('analysed', analysed);
  for (const [who, query] of [[admin, ''], [admin, ''], [admin, '&view=payDay'], [admin, `&class=${mall.classes[0]}`], [admin, '&keyword=goods%201000555'], [city, ''], [admin, `&merchant=${merchantA}`]] as const) {
    const started = Date.now();
    const answer = await mall.call(who, 'GET', `/jinmao/web/report/businessAna?range=2026-04-01~2026-05-30${query}`);
    console.log(query || '-', answer.http, Date.now() - started, 'ms', answer.data.total, JSON.stringify(answer.data.sums));
  }
  }
  await mall.close();
}, 600_000);
