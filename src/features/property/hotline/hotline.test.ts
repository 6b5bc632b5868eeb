import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

const ROOT = '/jinmao/web/hotline';
let product: TestProduct;
let admin: string;
let project: { id: number; name: string };

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  project = (await runOne(product.platform.database.db, 'SELECT id, name FROM project ORDER BY id LIMIT 1'))!;
  await run(product.platform.database.db, 'DELETE FROM hotline WHERE project_id = $1', [project.id]);
});
afterAll(() => product.close());

const body = (phone = '021-61230001') => ({
  project: String(project.id),
  title: '前台热线',
  numbers: [{ name: '前台', phone, hours: '08:30–18:00' }],
});
const add = (phone?: string) => product.call(admin, 'POST', ROOT, body(phone));

test('numbers are landline, mobile or 400', async () => {
  for (const wrong of ['12345', '23800138000', '021-123', '400-12-3456'])
    expect((await add(wrong)).http, wrong).toBe(422);
});

test('one hotline a project, also of two desks at once; the project list tells who has one', async () => {
  const list = async (has: string) =>
    (
      (await product.call(admin, 'GET', `/jinmao/web/bizServiceHotline/getProjectListPC?hasHotline=${has}`))
        .data as { id: string; projectName: string; hasHotline: number }[]
    ).filter((one) => one.id === String(project.id));
  expect(await list('1')).toEqual([]);
  expect(await list('0')).toEqual([{ id: String(project.id), projectName: project.name, hasHotline: 0 }]);
  const answers = await Promise.all(Array.from({ length: 10 }, () => add()));
  expect(answers.filter((one) => one.http === 200)).toHaveLength(1);
  const refused = answers.find((one) => one.http !== 200)!;
  expect([refused.http, refused.status]).toEqual([409, 30101]);
  expect(JSON.stringify(refused)).toContain('该项目已有服务热线');
  expect(await list('1')).toHaveLength(1);
  const found = await product.call(admin, 'GET', `${ROOT}/page?searchVal=61230001&project=${project.id}`);
  expect(found.data.rows).toMatchObject([{ phones: '前台 021-61230001', hours: '08:30–18:00' }]);
});
