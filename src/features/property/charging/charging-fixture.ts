import { run, runOne } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import type { Registration } from '../../../kernel/server/registration.ts';
import { callerOf, openMall, type Mall } from '../../mall/product/mall-fixture.ts';

/** A company with one project, a building and a fee item of 2.80 yuan per m² a month, without demonstration rows; for tests. */
export interface ChargedPlace {
  readonly mall: Mall;
  readonly company: number;
  readonly project: number;
  readonly unit: number;
  /** Built area × 2.80, monthly, in advance. */
  readonly item: number;
  /** A clerk of the company with every right of the menus. */
  readonly clerk: Caller;
  /** Another one. */
  readonly other: Caller;
  /** A house of 100.00 m² with its paying owner, charged the item. */
  house(): Promise<number>;
  sql<T>(text: string, values?: readonly unknown[]): Promise<T[]>;
  one<T = { id: number }>(text: string, values?: readonly unknown[]): Promise<T>;
}

/** Opens it with the given services. */
export async function openCharged(
  registrations: readonly Registration[],
  menus: readonly string[],
  elements: readonly string[],
): Promise<ChargedPlace> {
  const mall = await openMall(registrations);
  const { db } = mall.platform.database;
  const sql = <T>(text: string, values: readonly unknown[] = []) => run<T>(db, text, values);
  const one = async <T = { id: number }>(text: string, values: readonly unknown[] = []) =>
    (await runOne<T>(db, text, values))!;
  const { id: company } = await one(
    `INSERT INTO tenant (kind, account, name) VALUES (1, 'CHG', 'company') RETURNING id`,
  );
  const project = mall.ids.north;
  await sql('INSERT INTO tenant_project VALUES ($1, $2)', [company, project]);
  const { id: building } = await one(
    `INSERT INTO building (project_id, name) VALUES ($1, '1栋') RETURNING id`,
    [project],
  );
  const { id: unit } = await one(
    `INSERT INTO building_unit (building_id, name) VALUES ($1, '1单元') RETURNING id`,
    [building],
  );
  const { id: item } = await one(
    `INSERT INTO fee_item (tenant_id, name, kind, formula, expression, cycle, timing, bill_day, rounding, prepaid_kind, position, auto_bill, enabled)
     VALUES ($1, '物业管理费', 'management', 'built_area', '', 'month', 'pre', 1, 'fen', 'general', 1, false, true) RETURNING id`,
    [company],
  );
  await sql(
    `INSERT INTO fee_item_price (fee_item_id, position, price, extra, effective_from) VALUES ($1, 0, 2.8, 0, '2020-01-01')`,
    [item],
  );
  const staff = async (account: string) =>
    callerOf(
      {
        staffId: (
          await one(`INSERT INTO staff (tenant_id, account, name) VALUES ($1, $2, $2) RETURNING id`, [
            company,
            account,
          ])
        ).id,
        tenantId: company,
        tenantKind: 1,
        projectIds: [project],
      },
      menus,
      elements,
    );
  let turn = 0;
  return {
    mall,
    company,
    project,
    unit,
    item,
    clerk: await staff('charge-clerk'),
    other: await staff('charge-other'),
    sql,
    one,
    house: async () => {
      turn += 1;
      const { id } = await one(
        'INSERT INTO house (project_id, unit_id, number, floor, built_area) VALUES ($1, $2, $3, 25, 100) RETURNING id',
        [project, unit, `F${turn}`],
      );
      const { id: owner } = await one('INSERT INTO member (name, phone) VALUES ($1, $2) RETURNING id', [
        `业主${turn}`,
        `1366000${String(turn).padStart(4, '0')}`,
      ]);
      await sql(
        `INSERT INTO household (member_id, house_id, identity, pays) VALUES ($1, $2, 'owner', true)`,
        [owner, id],
      );
      await sql(
        `INSERT INTO fee_assignment (tenant_id, project_id, house_id, fee_item_id, valid_from) VALUES ($1, $2, $3, $4, '2020-01-01')`,
        [company, project, id, item],
      );
      return id;
    },
  };
}
