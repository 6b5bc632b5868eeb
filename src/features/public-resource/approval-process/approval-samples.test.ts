import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApprovalKind } from '../../../domain/approval/approval-kind.server.ts';
import { SYSTEM, type Caller } from '../../../kernel/server/people/caller.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { RENT } from './process-fixture.ts';

let product: TestProduct;
beforeAll(async () => {
  product = await startTestProduct();
});
afterAll(() => product?.close());

test('objects to try a process on are those the caller sees: who holds no menu of theirs is offered none of any type', async () => {
  // Types that other tests of the same process brought along are none of the product.
  const kinds: readonly ApprovalKind[] = product.platform.registrations
    .flatMap((one) => one.approvals ?? [])
    .filter((kind) => kind !== RENT);
  const { db } = product.platform.database;
  const company: Caller = { ...SYSTEM, staffId: 1, tenantId: 1, tenantKind: 1, projectIds: [1] };
  const menus = new Map(kinds.map((kind) => [kind.sights.toDecide.menu, [{ kind: 'all' } as const]]));
  let offered = 0;
  for (const kind of kinds) {
    if (!kind.samples) continue;
    expect([kind.kind, await kind.samples(db, company)]).toEqual([kind.kind, []]);
    offered += (await kind.samples(db, { ...company, tenantKind: 3, projectIds: null, menus })).length;
  }
  expect(offered).toBeGreaterThan(0);
});
