import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addGroup,
  addStaff,
  askToken,
  callWith,
  openBench,
  signIn,
  type Bench,
} from '../../../app/server/session/session-bench.ts';
import { deviceOf } from './device.rules.ts';
import { isPreferenceKey } from './preference.rules.ts';

let bench: Bench;
let token: string;
let staffId: number;
beforeAll(async () => {
  bench = await openBench();
  const group = await addGroup(bench, 'desk', {
    menus: { cs_workOrder: 'self' },
    elements: ['cs_workOrder:btn_add'],
  });
  staffId = await addStaff(bench, { account: 'linda', phone: '13812345678', groupIds: [group] });
  token = await signIn(bench.first.app, 'linda');
});
afterAll(() => bench.close());

const get = async <T>(url: string) =>
  (await callWith(bench.first.app, token, 'GET', url)).json<{ data: T }>().data;

describe('profile', () => {
  it('shows the own data, the phone masked', async () => {
    expect(await get('/api/admin/profile')).toMatchObject({
      username: 'linda',
      mobilePhone: '138****5678',
      tenantName: '平台运营中心',
    });
  });

  it('lists own devices and signs them out, never those of others', async () => {
    const second = await signIn(bench.first.app, 'linda');
    const third = await signIn(bench.first.app, 'linda');
    await addStaff(bench, { account: 'other' });
    const stranger = await signIn(bench.first.app, 'other');
    type Session = { id: string; current: boolean };
    const sessions = await get<Session[]>('/api/admin/profile/sessions');
    expect(sessions.map((one) => one.current)).toEqual([true, false, false]);
    const end = (id: string) =>
      callWith(bench.first.app, token, 'DELETE', `/api/admin/profile/sessions/${id}`);
    const [foreign] = await bench.query<{ id: number }>('SELECT id FROM session WHERE staff_id <> $1', [
      staffId,
    ]);
    expect((await end(String(foreign!.id))).statusCode).toBe(404);
    expect((await end('x')).statusCode).toBe(404);
    expect((await end(sessions[0]!.id)).statusCode).toBe(422);
    expect((await end(sessions[1]!.id)).statusCode).toBe(200);
    expect(
      (await callWith(bench.first.app, token, 'POST', '/api/admin/profile/sessions/endOthers')).json<{
        data: unknown;
      }>().data,
    ).toEqual({ ended: 1 });
    for (const gone of [second, third]) {
      const answer = await callWith(bench.first.app, gone, 'GET', '/api/admin/profile');
      expect([answer.statusCode, answer.json<{ status: number }>().status]).toEqual([401, 40001]);
    }
    expect((await callWith(bench.first.app, stranger, 'GET', '/api/admin/profile')).statusCode).toBe(200);
    expect(await get<Session[]>('/api/admin/profile/sessions')).toHaveLength(1);
  });

  it('lists own sign-ins, newest first', async () => {
    await askToken(bench.first.app, { username: 'linda', password: 'nope' });
    const history = await get<{ total: number; rows: { result: string }[] }>(
      '/api/admin/profile/signIns?limit=2',
    );
    expect(history.total).toBe(4);
    expect(history.rows.map((row) => row.result)).toEqual(['wrong_password', 'success']);
    expect(
      (await callWith(bench.first.app, token, 'GET', '/api/admin/profile/signIns?limit=201')).statusCode,
    ).toBe(422);
  });

  it('tells the sign-in before this one, and when nobody came from its address before', async () => {
    await addStaff(bench, { account: 'nina' });
    const enter = async (address: string, minutesAgo: number) => {
      const answer = await askToken(bench.first.app, { username: 'nina', address });
      for (const [table, column] of [
        ['sign_in_attempt', 'at'],
        ['session', 'created_at'],
      ])
        await bench.query(
          `UPDATE ${table} SET ${column} = now() - make_interval(mins => $1) WHERE address = $2 AND ${column} > now() - interval '1 minute'
              AND staff_id = (SELECT id FROM staff WHERE account = 'nina')`,
          [minutesAgo, address],
        );
      const { access_token } = answer.json<{ access_token: string }>();
      const last = await callWith(bench.first.app, access_token, 'GET', '/api/admin/profile/lastSignIn');
      return last.json<{ data: { address: string; isNew: boolean } | null }>().data;
    };
    expect(await enter('10.0.0.1', 25)).toBeNull();
    // The very first address is new to nobody.
    expect(await enter('10.0.0.1', 20)).toMatchObject({ address: '10.0.0.1', isNew: false });
    expect(await enter('10.9.9.9', 15)).toMatchObject({ address: '10.0.0.1', isNew: false });
    expect(await enter('10.0.0.1', 10)).toMatchObject({ address: '10.9.9.9', isNew: true });
    expect(await enter('10.9.9.9', 5)).toMatchObject({ address: '10.0.0.1', isNew: false });
    expect(await enter('10.0.0.1', 3)).toMatchObject({ address: '10.9.9.9', isNew: false });
  });

  it('says what one may do and why', async () => {
    const source = { group: 'desk', through: null, memberKind: 'member', kind: 'manual', until: null };
    expect(await get('/api/admin/profile/permissions')).toEqual([
      {
        code: 'cs_workOrder',
        title: '工单管理',
        titleEn: 'Work orders',
        scopes: [{ dataScope: 'self', departments: [], source }],
        elements: [{ code: 'cs_workOrder:btn_add', name: '新增', nameEn: 'Add', sources: [source] }],
      },
    ]);
  });
});

describe('preferences', () => {
  const put = (key: string, value: unknown) =>
    callWith(bench.first.app, token, 'PUT', `/api/admin/preference/${encodeURIComponent(key)}`, { value });

  it('are kept per staff', async () => {
    for (const [key, value] of Object.entries({
      theme: '#11A983',
      'table.cs_workOrder': { columns: ['a'] },
      'sidebar.favourites': ['order'],
      density: null,
    }))
      expect((await put(key, value)).statusCode).toBe(200);
    await put('theme', '#409EFF');
    expect(await get('/api/admin/preference')).toEqual({
      theme: '#409EFF',
      'table.cs_workOrder': { columns: ['a'] },
      'sidebar.favourites': ['order'],
      density: null,
    });
    const stranger = await signIn(bench.first.app, 'other');
    expect(
      (await callWith(bench.first.app, stranger, 'GET', '/api/admin/preference')).json<{ data: unknown }>()
        .data,
    ).toEqual({});
  });
  it('are refused under other keys and when large', async () => {
    expect((await put('anything', 1)).statusCode).toBe(422);
    expect((await put('__proto__', 1)).statusCode).toBe(422);
    expect((await put('theme', 'x'.repeat(40_000))).statusCode).toBe(422);
    expect(isPreferenceKey('table.')).toBe(false);
    expect(isPreferenceKey('themes')).toBe(false);
  });
});

describe('visits', () => {
  it('count per menu and day, of held menus only', async () => {
    const visit = (menu: string) =>
      callWith(bench.first.app, token, 'POST', '/api/admin/profile/visit', { menu });
    for (let round = 0; round < 3; round++) expect((await visit('cs_workOrder')).statusCode).toBe(200);
    expect((await visit('dashboard')).statusCode).toBe(200);
    expect((await visit('cs_pronotice')).statusCode).toBe(404);
    expect(await get('/api/admin/profile/visits')).toMatchObject([{ menu: 'cs_workOrder', count: 3 }]);
  });
});

describe('device', () => {
  it.each([
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 Safari/537.36',
      'Chrome 128 / Windows',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 Safari/537.36 Edg/128.0',
      'Edge 128 / Windows',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15',
      'Safari 17 / macOS',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0', 'Firefox 130 / Linux'],
    ['curl/8.5.0', 'curl/8.5.0'],
    ['', ''],
  ])('%s', (agent, device) => expect(deviceOf(agent)).toBe(device));
});
