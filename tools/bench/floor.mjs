// The floors of the list benchmark, each a server of its own: (a) bare Fastify sending one json_agg text, (b) plain Fastify + pg.
import fs from 'node:fs';
import fastify from 'fastify';
import pg from 'pg';

const [, , addresses, portA, portB] = process.argv;
const pool = new pg.Pool({ ...JSON.parse(fs.readFileSync(addresses, 'utf8')).app, max: 12 });
const COLUMNS = `o.id, o.code, o.title, o.contact_name, t.name AS tenant, p.name AS project, o.type, o.payable, o.created_at, o.state, o.refund_status, o.source, o.pay_deadline, o.comment_status`;
const FROM = `FROM sales_order o LEFT JOIN tenant t ON t.id = o.tenant_id LEFT JOIN project p ON p.id = o.project_id WHERE o.kind = 'goods' ORDER BY o.created_at DESC, o.id DESC LIMIT 20`;

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

const plain = fastify();
plain.get('/list', async () => ({
  status: 200,
  message: '',
  data: { rows: (await pool.query({ name: 'b', text: `SELECT ${COLUMNS} ${FROM}` })).rows },
}));
await plain.listen({ port: Number(portB), host: '127.0.0.1' });
process.stdout.write('ready\n');
process.on('SIGTERM', () => process.exit(0));
