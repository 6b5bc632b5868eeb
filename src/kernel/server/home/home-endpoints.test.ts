import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  makeCaller,
  openTestApp,
  openTestPlatform,
  type TestPlatform,
} from '../../../testing/kernel-fixtures.ts';
import type { Caller } from '../people/caller.ts';
import { defineRegistration, endpoint } from '../registration.ts';

let test: TestPlatform;
let app: FastifyInstance;
let staff: Caller;
let colleague: Caller;
const counted = vi.fn((_staffId: number) => 0);

const work = defineRegistration({
  endpoints: [
    endpoint({
      method: 'POST',
      path: '/admin/work',
      title: ['办理', 'Work'],
      access: 'staff',
      handle: async () => true,
    }),
  ],
  todos: [
    {
      kind: 'work',
      label: ['待办理', 'To do'],
      menu: 'mm_orderRefund',
      route: '/service/mm_orderRefund',
      order: 1,
      count: async ({ caller }) => {
        counted(caller.staffId);
        return { count: counted.mock.calls.length, oldest: null, overdue: 0 };
      },
    },
  ],
});

beforeAll(async () => {
  test = await openTestPlatform([work]);
  staff = await makeCaller(test.platform, 'clerk', ['mm_orderRefund']);
  colleague = await makeCaller(test.platform, 'colleague', ['mm_orderRefund']);
  app = await openTestApp(test.platform, () => [staff, colleague]);
});
afterAll(async () => {
  vi.useRealTimers();
  await app.close();
  await test.close();
});

const ask = async (who: Caller, method: 'GET' | 'POST', url: string) => {
  const answer = await app.inject({ method, url, headers: { authorization: `Bearer ${who.sessionId}` } });
  expect(answer.statusCode).toBe(200);
  return answer.json<{ data: { count: number }[] }>().data;
};
const countOf = async (who: Caller) => (await ask(who, 'GET', '/api/admin/home/todo'))[0]!.count;

describe('to-dos of the home page', () => {
  it('are kept for 30 s, for each staff by itself', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    expect([await countOf(staff), await countOf(staff)]).toEqual([1, 1]);
    expect(await countOf(colleague)).toBe(2);
    vi.setSystemTime(Date.now() + 29_000);
    expect(await countOf(staff)).toBe(1);
    vi.setSystemTime(Date.now() + 1_500);
    expect(await countOf(staff)).toBe(3);
    expect(counted.mock.calls).toEqual([[staff.staffId], [colleague.staffId], [staff.staffId]]);
  });

  it('are counted anew after an own action, not after one of somebody else', async () => {
    const before = await countOf(staff);
    await ask(colleague, 'POST', '/api/admin/work');
    expect(await countOf(staff)).toBe(before);
    await ask(staff, 'POST', '/api/admin/work');
    expect(await countOf(staff)).toBe(before + 1);
    expect(await countOf(staff)).toBe(before + 1);
  });

  it('are counted anew when the rights of the staff change', async () => {
    const before = await countOf(staff);
    staff = { ...staff, epoch: '2' };
    expect(await countOf(staff)).toBe(before + 1);
  });
});
