import { afterAll, beforeAll, expect, test } from 'vitest';
import { planRun, debtorOf } from '../charging/billing.server.ts';
import { bookPayment, lockPrepaid, prepaidOf } from '../charging/prepaid.server.ts';
import { businessDayOf } from '../../kernel/contract/time.rules.ts';
import { run, runOne, transaction } from '../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../testing/test-product.ts';
import { bindHousehold, transferHouse, type HouseTransfer } from './house-transfer.server.ts';

let product: TestProduct;
let turn = 0;
const today = businessDayOf(new Date());

const sql = <T>(text: string, values: readonly unknown[] = []) =>
  run<T>(product.platform.database.db, text, values);
const one = async (text: string, values: readonly unknown[] = []) =>
  (await runOne<{ id: number }>(product.platform.database.db, text, values))!.id;
const move = (transfer: Omit<HouseTransfer, 'staffId' | 'date'> & { date?: string }) =>
  transaction(product.platform.database.db, (tx) =>
    transferHouse(tx, { date: today, staffId: 1, ...transfer }),
  );
const member = async () => {
  turn += 1;
  return one('INSERT INTO member (name, phone) VALUES ($1, $2) RETURNING id', [
    `业主${turn}`,
    `1377000${String(turn).padStart(4, '0')}`,
  ]);
};

beforeAll(async () => {
  product = await startTestProduct();
});
afterAll(() => product?.close());

/** A house that owes 563.64 for January and February, with its owner and a family member. */
async function owing() {
  turn += 1;
  const item = (await runOne<{ id: number; tenant_id: number; project_id: number; unit_id: number }>(
    product.platform.database.db,
    `SELECT i.id, i.tenant_id, h.project_id, h.unit_id FROM fee_item i JOIN fee_assignment a ON a.fee_item_id = i.id JOIN house h ON h.id = a.house_id
      WHERE i.enabled AND i.formula IN ('built_area', 'fixed') ORDER BY i.id, a.id LIMIT 1`,
  ))!;
  const house = await one(
    'INSERT INTO house (project_id, unit_id, number, built_area) VALUES ($1, $2, $3, 100) RETURNING id',
    [item.project_id, item.unit_id, `过户${turn}`],
  );
  const [owner, family] = [await member(), await member()];
  await sql(
    `INSERT INTO household (member_id, house_id, identity) VALUES ($1, $3, 'owner'), ($2, $3, 'family')`,
    [owner, family, house],
  );
  for (const [n, principal, late] of [
    [1, 28_000, 364],
    [2, 28_000, 0],
  ] as const)
    await sql(
      `INSERT INTO bill (code, tenant_id, project_id, house_id, fee_item_id, debtor_id, debtor_name, period_from, period_to, due_date, principal, late_fee, terms)
       VALUES ($1, $2, $3, $4, $5, $6, 'old', make_date(2026, $7::int, 1), make_date(2026, $7::int, 28), make_date(2026, $7::int, 10), $8, $9, '{}')`,
      [`HT${turn}-${n}`, item.tenant_id, item.project_id, house, item.id, owner, n, principal, late],
    );
  await sql(
    'INSERT INTO fee_assignment (tenant_id, project_id, house_id, fee_item_id, valid_from) VALUES ($1, $2, $3, $4, $5)',
    [item.tenant_id, item.project_id, house, item.id, '2026-01-01'],
  );
  return { house, owner, family, item };
}
const debtors = async (house: number) =>
  (
    await sql<{ debtor_id: number }>('SELECT debtor_id FROM bill WHERE house_id = $1 ORDER BY id', [house])
  ).map((row) => row.debtor_id);

test('group 06 Must show 14 (transfer of a house): 563.64 without a choice is refused; old bills keep the old debtor, the next names the new owner', async () => {
  const { house, owner, item } = await owing();
  const buyer = await member();
  await expect(move({ houseId: house, ownerId: buyer })).rejects.toMatchObject({
    http: 409,
    label: ['该房屋欠费563.64，请选择欠费处理方式', 'Arrears of 563.64: choose how to treat them'],
  });
  expect((await debtorOf(product.platform.database.db, house))!.debtorId).toBe(owner);
  const done = await move({ houseId: house, ownerId: buyer, arrears: 'stay_with_old' });
  expect([done.arrears, done.ended.length]).toEqual([56_364, 2]);
  expect(await debtors(house)).toEqual([owner, owner]);
  const plan = await planRun(
    product.platform.database.db,
    { projectId: item.project_id, itemIds: [item.id], month: '2027-01-01' },
    15,
  );
  expect(plan.bills.find((bill) => bill.houseId === house)!.debtorId).toBe(buyer);
});

test('arrears that are taken over name the new owner; two transfers at once leave one owner', async () => {
  const { house } = await owing();
  const buyers = await Promise.all(Array.from({ length: 8 }, () => member()));
  const done = await Promise.allSettled(
    buyers.map((ownerId) => move({ houseId: house, ownerId, arrears: 'taken_over' })),
  );
  expect(done.every((answer) => answer.status === 'fulfilled')).toBe(true);
  const owners = await sql<{ member_id: number }>(
    `SELECT member_id FROM household WHERE house_id = $1 AND status = 'normal'`,
    [house],
  );
  expect(owners).toHaveLength(1);
  expect(await debtors(house)).toEqual([owners[0]!.member_id, owners[0]!.member_id]);
});

test('prepaid money has to be decided about: it stays with the house or is taken out of it', async () => {
  const { house } = await owing();
  await transaction(product.platform.database.db, async (tx) => {
    const accounts = await lockPrepaid(tx, house);
    await bookPayment(
      tx,
      { type: 'house_transfer_test', id: String(house), purpose: 'topup' },
      {
        received: 3_636,
        settled: 0,
        prepaid: [{ account: accounts.general.id, amount: 3_636 }],
      },
    );
  });
  const ownerId = await member();
  await expect(move({ houseId: house, ownerId, arrears: 'stay_with_old' })).rejects.toMatchObject({
    label: ['该房屋有预存36.36，请选择预存处理方式', 'Prepaid money of 36.36: choose how to treat it'],
  });
  await move({ houseId: house, ownerId, arrears: 'stay_with_old', prepaid: 'moves' });
  expect((await prepaidOf(product.platform.database.db, house)).general).toBe(3_636);
  const again = await move({
    houseId: house,
    ownerId: await member(),
    arrears: 'stay_with_old',
    prepaid: 'is_refunded',
  });
  expect([again.refunded, (await prepaidOf(product.platform.database.db, house)).general]).toEqual([
    3_636, 0,
  ]);
});

test('nobody is in a house twice; who left comes back with the old row', async () => {
  const { house, owner, family } = await owing();
  const bind = (memberId: number) =>
    transaction(product.platform.database.db, (tx) =>
      bindHousehold(tx, { memberId, houseId: house, identity: 'owner', status: 'normal', staffId: 1 }),
    );
  await expect(bind(family)).rejects.toMatchObject({
    label: ['该住户已在此房屋', 'This person is in the house already'],
  });
  const before = await one('SELECT id FROM household WHERE house_id = $1 AND member_id = $2', [house, owner]);
  await move({ houseId: house, ownerId: await member(), arrears: 'stay_with_old' });
  expect(await bind(owner)).toBe(before);
});
