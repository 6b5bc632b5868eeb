import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addStaff,
  callWith,
  endByRule,
  openBench,
  WEB,
  whileSessionsOpenSlowly,
  type Bench,
  type Instance,
} from '../../../app/server/session/session-bench.ts';

let bench: Bench;
let cas: Server;
let instance: Instance;
const asked: string[] = [];
const used = new Set<string>();

beforeAll(async () => {
  bench = await openBench();
  // A CAS server whose tickets are ST-<user>, good once.
  cas = createServer((request, reply) => {
    const url = new URL(request.url!, 'http://cas');
    const ticket = url.searchParams.get('ticket') ?? '';
    asked.push(`${url.pathname}?service=${url.searchParams.get('service')}`);
    const send = (inner: string) =>
      reply.end(`<cas:serviceResponse xmlns:cas="http://www.yale.edu/tp/cas">${inner}</cas:serviceResponse>`);
    if (ticket === 'ST-silent') return;
    if (ticket === 'ST-moved')
      return void reply.writeHead(302, { location: 'http://127.0.0.1:1/steal' }).end();
    if (ticket === 'ST-broken') return void reply.writeHead(500).end();
    if (ticket === 'ST-page') return void reply.end('<html><body>maintenance</body></html>');
    if (!ticket.startsWith('ST-') || used.has(ticket))
      return void send('<cas:authenticationFailure code="INVALID_TICKET">x</cas:authenticationFailure>');
    used.add(ticket);
    send(`<cas:authenticationSuccess><cas:user>${ticket.slice(3)}</cas:user></cas:authenticationSuccess>`);
  });
  await new Promise<void>((resolve) => cas.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(cas.address() as AddressInfo).port}/cas`;
  instance = await bench.start({
    signIn: { captcha: 'image', cas: { url, service: 'http://back.office/idmcas' } },
  });
  await addStaff(bench, { account: 'casper', sso: 'casper@corp', mustChange: true });
});
afterAll(async () => {
  cas.closeAllConnections();
  cas.close();
  await bench.close();
});

const exchange = (ticket: string, app = instance.app) =>
  app.inject({
    method: 'POST',
    url: '/api/auth/idmcas',
    payload: { ticket },
    headers: { authorization: WEB },
  });

describe('single sign-on', () => {
  it('gives the mapped staff a token that needs no password change', async () => {
    const answer = await exchange('ST-casper@corp');
    expect(answer.json()).toMatchObject({ status: 200, mustChangePassword: false, overDay: null });
    expect(asked.at(-1)).toBe('/cas/p3/serviceValidate?service=http://back.office/idmcas');
    const token = answer.json<{ access_token: string }>().access_token;
    expect((await callWith(instance.app, token, 'GET', '/api/probe/caller')).statusCode).toBe(200);
  });
  it('takes a ticket once', async () => {
    const answer = await exchange('ST-casper@corp');
    expect([answer.statusCode, answer.json<{ message: string }>().message]).toEqual([
      409,
      '票据无效或已过期',
    ]);
  });
  it('says when nobody is mapped', async () => {
    const answer = await exchange('ST-stranger');
    expect([answer.statusCode, answer.json<{ message: string }>().message]).toEqual([
      409,
      '该账号未开通后台权限',
    ]);
  });
  it.each(['', 'bad', 'ST x', `ST-${'x'.repeat(300)}`])('refuses %s', async (ticket) => {
    expect([409, 422]).toContain((await exchange(ticket)).statusCode);
  });
  it.each(['ST-moved', 'ST-broken', 'ST-page'])('answers 504 for %s', async (ticket) => {
    expect((await exchange(ticket)).statusCode).toBe(504);
  });
  it('answers 504 after five silent seconds', async () => {
    const started = performance.now();
    expect((await exchange('ST-silent')).statusCode).toBe(504);
    expect(performance.now() - started).toBeGreaterThan(4_500);
    expect(performance.now() - started).toBeLessThan(7_000);
  });
  it('refuses a disabled staff and an address off the whitelist', async () => {
    const id = await addStaff(bench, { account: 'casoff', sso: 'casoff' });
    await bench.query(
      `INSERT INTO login_whitelist (staff_id, range, purpose, reason) VALUES ($1, '10.0.0.0/8', 'allow', 'test')`,
      [id],
    );
    expect((await exchange('ST-casoff')).json<{ message: string }>().message).toBe('当前地址不允许登录');
    await bench.query(`UPDATE staff SET state = 'disabled' WHERE id = $1`, [id]);
    used.delete('ST-casoff');
    expect((await exchange('ST-casoff')).json<{ message: string }>().message).toBe('账户已停用');
  });
  it('leaves no session beside a whitelist rule that ends them at the same moment', async () => {
    const id = await addStaff(bench, { account: 'casrace', sso: 'casrace' });
    const answer = await whileSessionsOpenSlowly(bench, 0.8, async () => {
      const underWay = exchange('ST-casrace').then((one) => one);
      await new Promise((resolve) => setTimeout(resolve, 300));
      await endByRule(bench, id);
      return underWay;
    });
    expect(answer.statusCode).toBe(200);
    expect(await bench.query('SELECT end_reason FROM session WHERE staff_id = $1', [id])).toEqual([
      { end_reason: 'whitelist' },
    ]);
  });
  it('is offered only where it is configured', async () => {
    const options = async (app = instance.app) =>
      (await app.inject({ url: '/api/auth/authLogin/options' })).json<{ data: unknown }>().data;
    expect(await options(bench.first.app)).toEqual({
      client: 'web:web',
      sso: { configured: false, loginUrl: null },
    });
    expect(await options()).toMatchObject({
      sso: {
        configured: true,
        loginUrl: expect.stringContaining('/cas/login?service=http%3A%2F%2Fback.office%2Fidmcas') as unknown,
      },
    });
    expect((await exchange('ST-casper', bench.first.app)).json<{ message: string }>().message).toBe(
      '单点登录未配置',
    );
  });
});
