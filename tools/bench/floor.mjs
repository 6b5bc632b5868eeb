// The floors of the list benchmark, each a server of its own: (a) bare Fastify sending one json_agg text of the columns a
// list shows, (b) plain Fastify + pg with them, (c) like (a) with every value and reference the list of orders sends.
import fs from 'node:fs';
import fastify from 'fastify';
import pg from 'pg';

const [, , addresses, portA, portB, portC] = process.argv;
const pool = new pg.Pool({ ...JSON.parse(fs.readFileSync(addresses, 'utf8')).app, max: 12 });
const COLUMNS = `o.id, o.code, o.title, o.contact_name, t.name AS tenant, p.name AS project, o.type, o.payable, o.created_at, o.state, o.refund_status, o.source, o.pay_deadline, o.comment_status`;
const FROM = `FROM sales_order o LEFT JOIN tenant t ON t.id = o.tenant_id LEFT JOIN project p ON p.id = o.project_id WHERE o.kind = 'goods' ORDER BY o.created_at DESC, o.id DESC LIMIT 20`;

const SAME = `o.id::text AS id, o.version, o.code, o.title,
  json_build_object('id', o.tenant_id::text, 'title', t.name) AS merchant,
  json_build_object('id', o.project_id::text, 'title', p.name) AS project,
  json_build_object('id', p.centre_id::text, 'title', c.name) AS centre,
  o.type, (o.payable / 100.0)::numeric(24, 2)::text AS payable, o.item_count AS "itemCount",
  date_trunc('second', o.created_at) AS "createdAt", o.refund_status AS "refundStatus",
  o.comment_status::text AS "commentStatus", o.pay_channel AS "payChannel", o.source::text AS source,
  date_trunc('second', o.pay_deadline) AS deadline, o.staff_remark AS "staffRemark", o.state,
  o.contact_name AS "contactName", o.contact_phone AS "contactPhone"`;
const SAME_FROM = FROM.replace('WHERE', 'LEFT JOIN organisation c ON c.id = p.centre_id WHERE');

const bare = fastify();
bare.get('/list', async (_request, reply) => {
  const { rows } = await pool.query({
    name: 'a',
    text: `SELECT json_agg(x)::text AS body FROM (SELECT ${COLUMNS} ${FROM}) x`,
  });
  reply.type('application/json').send(rows[0].body);
  return reply;
});
await bare.listen({ port: Number(portA), host: '127.0.0.1' });

const same = fastify();
same.get('/list', async (_request, reply) => {
  const { rows } = await pool.query({
    name: 'c',
    text: `SELECT json_agg(x)::text AS body FROM (SELECT ${SAME} ${SAME_FROM}) x`,
  });
  reply.type('application/json').send(rows[0].body);
  return reply;
});
await same.listen({ port: Number(portC), host: '127.0.0.1' });

const plain = fastify();
plain.get('/list', async () => ({
  status: 200,
  message: '',
  data: { rows: (await pool.query({ name: 'b', text: `SELECT ${COLUMNS} ${FROM}` })).rows },
}));
await plain.listen({ port: Number(portB), host: '127.0.0.1' });
process.stdout.write('ready\n');
process.on('SIGTERM', () => process.exit(0));
