import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fieldsOf, type Resource } from '../kernel/contract/resource.ts';
import { run } from '../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../testing/test-product.ts';
import { registrations } from './registry/registrations.gen.ts';

/** List rows are written by the database, details by code: a row must read the same in both. */
const resources = registrations.flatMap((service) =>
  service.contract?.archetype === 'resource' ? [service.contract] : [],
);
const rootOf = (resource: Resource) => `/api${resource.base ?? '/jinmao/web'}/${resource.name}`;
const TRICKY = 'a"b\\c\nd\te\u0001f\u2028g</script>😀\u007fé';

let product: TestProduct;
const tokens: string[] = [];

beforeAll(async () => {
  product = await startTestProduct();
  const { db } = product.platform.database;
  for (const account of ['admin', 'audit1', 'merchant1']) tokens.push(await product.signIn(account));
  // Texts that break a careless writer, and values at the edge of their kinds.
  await run(
    db,
    `UPDATE sales_order SET title = $1, contact_name = $1, staff_remark = $1, payable = payable WHERE id IN (SELECT id FROM sales_order WHERE kind = 'goods' ORDER BY created_at DESC, id DESC LIMIT 5)`,
    [TRICKY],
  );
  await run(
    db,
    `UPDATE sales_order SET contact_name = '', contact_phone = '' WHERE id IN (SELECT id FROM sales_order WHERE kind = 'goods' ORDER BY created_at DESC, id DESC LIMIT 5 OFFSET 5)`,
  );
  await run(db, 'UPDATE refund SET product_name = $1, reason = $1 WHERE id % 3 = 0', [TRICKY]);
  await run(
    db,
    `UPDATE tenant SET name = $1 WHERE id = (SELECT tenant_id FROM sales_order WHERE kind = 'goods' ORDER BY created_at DESC, id DESC LIMIT 1)`,
    [TRICKY],
  );
});
afterAll(() => product?.close());

async function data<T>(url: string, authorization: string): Promise<{ http: number; data: T }> {
  const answer = await product.app.inject({ method: 'GET', url, headers: { authorization } });
  return { http: answer.statusCode, data: (answer.json() as { data: T }).data };
}

describe.each(resources.map((resource) => [resource.name, resource] as const))('%s', (_name, resource) => {
  test('a list row reads as its detail does', async () => {
    const root = rootOf(resource);
    const fields = fieldsOf(resource);
    let compared = 0;
    for (const token of tokens) {
      const first = await data<{ total: number; rows: Record<string, unknown>[] }>(
        `${root}/page?limit=40`,
        token,
      );
      if (first.http === 403) continue;
      expect(first.http).toBe(200);
      const rows = [...first.data.rows];
      const pages = Math.ceil(first.data.total / 20);
      // From page 51 on, keys are skipped first: that way of asking is looked at too.
      for (const page of new Set([Math.ceil(pages / 2), pages, Math.min(pages, 51)]))
        if (page > 2)
          rows.push(
            ...(await data<{ rows: Record<string, unknown>[] }>(`${root}/page?limit=20&page=${page}`, token))
              .data.rows,
          );
      for (const row of rows) {
        const detail = await data<Record<string, unknown>>(`${root}/${String(row.id)}`, token);
        if (detail.http === 404 && resource.name === 'role') continue;
        expect(detail.http).toBe(200);
        for (const [name, value] of Object.entries(row)) {
          if (name !== 'id' && name !== 'version' && name !== 'encryptionField' && name !== 'actions')
            expect(Object.keys(fields), `${resource.name} sends ${name}`).toContain(name);
          // Minutes since something go on between the two calls.
          if ((name.endsWith('Minutes') || name === 'waited') && typeof value === 'number')
            expect(Math.abs(value - Number(detail.data[name]))).toBeLessThanOrEqual(1);
          else expect(value, `${resource.name} ${String(row.id)} ${name}`).toEqual(detail.data[name]);
        }
        compared++;
      }
    }
    const total = (await data<{ total: number }>(`${root}/page?limit=1`, tokens[0]!)).data?.total ?? 0;
    if (total > 0) expect(compared).toBeGreaterThan(0);
  });
});

test('rows with quotes, line breaks and control characters arrive whole', async () => {
  const page = await data<{ rows: { title: string; contactName: string; merchant: { title: string } }[] }>(
    '/api/jinmao/web/goodsOrder/page?limit=5',
    tokens[0]!,
  );
  expect(page.data.rows.map((row) => row.title)).toEqual(Array(5).fill(TRICKY));
  expect(page.data.rows[0]!.merchant.title).toBe(TRICKY);
  expect(page.data.rows.every((row) => row.contactName !== TRICKY && row.contactName.includes('*'))).toBe(
    true,
  );
});

test('money and instants at the edge of their kinds read alike', async () => {
  const { db } = product.platform.database;
  const [row] = await run<{ id: number }>(
    db,
    `UPDATE sales_order SET created_at = '1993-07-01 00:00:00.987654+08', payable = payable WHERE id = (SELECT max(id) FROM sales_order WHERE kind = 'goods') RETURNING id`,
  );
  const rows = (
    await data<{ rows: { id: string; createdAt: string }[] }>(
      '/api/jinmao/web/goodsOrder/page?limit=1&sort=createdAt',
      tokens[0]!,
    )
  ).data.rows;
  expect(rows[0]).toMatchObject({ id: String(row!.id), createdAt: '1993-07-01T00:00:00+08:00' });
});
