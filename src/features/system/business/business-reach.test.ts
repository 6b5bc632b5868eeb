import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
beforeAll(async () => {
  product = await startTestProduct();
}, 180_000);
afterAll(() => product?.close());

const businesses = async (account: string, tenantId: number) => {
  const answer = await product.app.inject({
    url: `/api/jinmao/web/baseTenantBusiness/listProductBus?tenantId=${tenantId}`,
    headers: { authorization: await product.signIn(account) },
  });
  expect(answer.statusCode).toBe(200);
  return answer.json<{ data: { busName: string }[] }>().data.length;
};

test('tells the businesses of the own tenant and of merchants in reach only', async () => {
  const { db } = product.platform.database;
  const company = await product.caller('company1');
  expect(company.projectIds!.length).toBeGreaterThan(0);
  const near = (await runOne<{ id: number }>(
    db,
    `SELECT t.id FROM tenant t WHERE t.kind = 2 AND EXISTS (SELECT FROM tenant_business b WHERE b.tenant_id = t.id)
        AND EXISTS (SELECT FROM tenant_project p WHERE p.tenant_id = t.id AND p.project_id = ANY($1::bigint[]))
      ORDER BY t.id LIMIT 1`,
    [company.projectIds],
  ))!;
  expect(await businesses('company1', near.id)).toBeGreaterThan(0);
  // Taken out of every project of the company, the merchant is out of its sight.
  await run(db, 'DELETE FROM tenant_project WHERE tenant_id = $1 AND project_id = ANY($2::bigint[])', [
    near.id,
    company.projectIds,
  ]);
  expect(await businesses('company1', near.id)).toBe(0);
  expect(await businesses('admin', near.id)).toBeGreaterThan(0);
  // Of another company nothing is told either.
  const other = await runOne<{ id: number }>(
    db,
    'SELECT id FROM tenant WHERE kind = 1 AND id <> $1 ORDER BY id LIMIT 1',
    [company.tenantId],
  );
  await run(
    db,
    'INSERT INTO tenant_business (tenant_id, business_id) SELECT $1, id FROM business ON CONFLICT DO NOTHING',
    [other!.id],
  );
  expect(await businesses('company1', other!.id)).toBe(0);
  expect(await businesses('merchant1', other!.id)).toBe(
    await businesses('merchant1', (await product.caller('merchant1')).tenantId),
  );
});
