import { defineDemo } from '../../../kernel/server/demo.ts';

/** Method, path, menu, element: what a day in the office calls. */
const CALLS: readonly (readonly [string, string, string, string])[] = [
  ['GET', '/api/admin/user/front/info', '', ''],
  ['GET', '/api/jinmao/web/product/page', 'mm_commodityMana', ''],
  ['GET', '/api/jinmao/web/refund/page', 'mm_orderRefund', ''],
  ['GET', '/api/admin/staff/page', 'userManager', ''],
  ['GET', '/api/jinmao/web/goodsOrder/page', 'mm_businessOrder_wx', ''],
  ['POST', '/api/jinmao/web/product/export', 'mm_commodityMana', 'mm_commodityMana:btn_export'],
  ['PUT', '/api/jinmao/web/jumpLink/3', 'jumpUrlManager', 'jumpUrlManager:btn_edit'],
  ['GET', '/api/admin/home/figures', '', ''],
];

/** Two days of calls, most of them quick and good, a few refused, slow or failed. */
export const demo = defineDemo({
  key: 'gateLog',
  run: async ({ insert, base, random, now, as }) => {
    const people = [...base.staff.keys()].slice(0, 8).map((account) => as(account));
    const rows = Array.from({ length: 240 }, (_unused, index) => {
      const [method, path, menu, element] = CALLS[Math.floor(random.next() * CALLS.length)]!;
      const who = people[Math.floor(random.next() * people.length)]!;
      const fate = random.next();
      const http = fate < 0.9 ? 200 : fate < 0.94 ? 409 : fate < 0.97 ? 422 : fate < 0.99 ? 404 : 500;
      return {
        at: new Date(now.getTime() - Math.floor((index * 2 + random.next()) * 360_000)),
        trace_id: Array.from({ length: 32 }, () => Math.floor(random.next() * 16).toString(16)).join(''),
        staff_id: who.staffId,
        staff_name: who.name,
        tenant_id: who.tenantId,
        address: `10.8.${Math.floor(random.next() * 4)}.${10 + Math.floor(random.next() * 60)}`,
        method,
        path,
        menu,
        element,
        http,
        status: http === 409 ? 30101 : http,
        duration_ms:
          random.next() < 0.04
            ? 1_000 + Math.floor(random.next() * 2_500)
            : 4 + Math.floor(random.next() * 90),
        size: 300 + Math.floor(random.next() * 18_000),
        client: 'web',
        agent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/131.0',
        instance: 'office-1:4210',
        query: method === 'GET' && path.endsWith('/page') ? '{"page":"1","limit":"20"}' : '',
        body: method === 'POST' ? '{"query":{}}' : '',
      };
    });
    await insert('gate_log', rows);
  },
});
