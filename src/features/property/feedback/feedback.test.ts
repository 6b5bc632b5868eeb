import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

const ROOT = '/jinmao/web/feedback';
let product: TestProduct;
let admin: string;
let id: number;
let version: number;

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  ({ id, version } = (await runOne<{ id: number; version: number }>(
    product.platform.database.db,
    `INSERT INTO feedback (name, phone, project_id, content, source) SELECT '林女士', '13900001111', id, '门禁二维码找不到', 'ios_owner' FROM project ORDER BY id LIMIT 1 RETURNING id, version`,
  ))!);
});
afterAll(() => product.close());

test('ten desks make an advice of one feedback: exactly one is made, it carries the text and leads back', async () => {
  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      product.call(admin, 'POST', `${ROOT}/${id}/toAdvice`, { version, type: 'suggestion' }),
    ),
  );
  expect(answers.filter((one) => one.http === 200)).toHaveLength(1);
  expect(answers.filter((one) => one.http === 409)).toHaveLength(9);
  const rows = await run<{ code: string; content: string; source: string }>(
    product.platform.database.db,
    'SELECT code, content, source FROM advice WHERE feedback_id = $1',
    [id],
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ content: '门禁二维码找不到', source: 'feedback' });
  const detail = (await product.call(admin, 'GET', `${ROOT}/${id}`)).data;
  expect(detail.advice).toBe(rows[0]!.code);
  const again = await product.call(admin, 'POST', `${ROOT}/${id}/toAdvice`, {
    version: detail.version,
    type: 'suggestion',
  });
  expect([again.http, again.status, again.message]).toEqual([409, 30101, '该反馈已转投诉建议']);
});

test('what was written is neither changed nor deleted, by whatever path', async () => {
  const { db } = product.platform.database;
  await expect(run(db, `UPDATE feedback SET content = '改了' WHERE id = $1`, [id])).rejects.toThrow();
  await expect(run(db, 'DELETE FROM feedback WHERE id = $1', [id])).rejects.toThrow();
});
