import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../test-product.ts';
import { Dice, makeRule, makeWorld } from './world.ts';

let product: TestProduct;
beforeAll(async () => {
  product = await startTestProduct();
}, 180_000);
afterAll(() => product?.close());

test('were every menu of the catalogue built, each would still be held by enough random staff', async () => {
  const { db } = product.platform.database;
  await run(db, 'UPDATE menu SET built = true WHERE NOT retired');
  // Packages hold what this release brings.
  await run(db, 'UPDATE tenant SET package_id = NULL');
  const menus = (
    await run<{ code: string }>(db, 'SELECT code FROM menu WHERE NOT retired ORDER BY code')
  ).map((row) => row.code);
  expect(menus.length).toBeGreaterThan(200);
  const world = await makeWorld(db, new Dice(7), 1_000, { oracles: [], menus });
  const rule = makeRule(world);
  const holders = new Map(menus.map((menu) => [menu, 0]));
  for (const one of world.staff)
    for (const menu of rule(one.id).menus.keys()) holders.set(menu, holders.get(menu)! + 1);
  const counts = [...holders.values()].sort((a, b) => a - b);
  expect(counts[0]).toBeGreaterThanOrEqual(60);
  // Nobody holds nearly everything: what is hidden must be seen to be hidden.
  expect(counts.at(-1)).toBeLessThan(800);
}, 180_000);
