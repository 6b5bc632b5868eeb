import type { Caller } from '../../kernel/server/people/caller.ts';
import { elementCode, elementsOf, type Resource } from '../../kernel/contract/resource.ts';
import { run, runOne } from '../../kernel/server/database.ts';
import type { Registration } from '../../kernel/server/registration.ts';
import { salesOf, type Sales, type SoldLine } from '../mall/account-statement/sale-fixture.ts';
import { callerOf, openMall, type Mall } from '../mall/product/mall-fixture.ts';

/** A mall whose finance desk is open: merchants, sales, refunds and people made as a test needs them. */
export interface Finance extends Mall, Pick<Sales, 'sell' | 'refunded'> {
  sql<T>(text: string, values?: readonly unknown[]): Promise<T[]>;
  /** A staff of the platform that holds everything on the given contracts. */
  clerk(name: string): Promise<Caller>;
  /** A staff of a merchant that holds the same. */
  merchantStaff(tenantId: number): Promise<Caller>;
  /** A resident merchant with an agreement whose statements no other test touches. */
  merchant(bp: number, terms?: Readonly<Record<string, unknown>>): Promise<number>;
}

/** The example of group 13: two lines with coupons and points, freight, a channel fee of 1.94. */
export const EXAMPLE: readonly SoldLine[] = [
  { price: 10_000, qty: 3, platformCoupon: 2_501, merchantCoupon: 834, points: 417 },
  { price: 5_990, qty: 1, platformCoupon: 499, merchantCoupon: 166, points: 83 },
];

/** Opens a mall that serves the given services; callers hold everything of the contracts. */
export async function openFinance(
  registrations: readonly Registration[],
  contracts: readonly Resource[],
): Promise<Finance> {
  const mall = await openMall(registrations);
  const { db } = mall.platform.database;
  const menus = [...new Set(contracts.map((one) => one.menu))];
  const elements = contracts.flatMap((one) =>
    Object.keys(elementsOf(one)).map((name) => elementCode(one, name)),
  );
  const platform = (await runOne<{ id: number }>(db, 'SELECT id FROM tenant WHERE kind = 3'))!.id;
  const { insert, sell, refunded } = salesOf(mall);
  let number = 0;
  const finance: Finance = {
    ...mall,
    sell,
    refunded,
    sql: (text, values = []) => run(db, text, values),
    clerk: async (name) =>
      callerOf(
        { staffId: await mall.staff(name, platform), tenantId: platform, tenantKind: 3 },
        menus,
        elements,
      ),
    merchantStaff: async (tenantId) =>
      callerOf(
        { staffId: await mall.staff(`m${tenantId}-${(number += 1)}`, tenantId), tenantId, tenantKind: 2 },
        menus,
        elements,
      ),
    merchant: async (bp, terms = {}) => {
      number += 1;
      const tenant = await insert('tenant', {
        kind: 2,
        account: `MX${number}`,
        name: `merchant ${number}`,
        merchant_kind: 'resident',
      });
      await insert('merchant_agreement', {
        tenant_id: tenant,
        starts_on: '2020-01-01',
        agreement_version: 1,
        commission_bp: bp,
        after_sale_days: 7,
        settlement_cycle: 'month',
        ...terms,
      });
      return tenant;
    },
  };
  return finance;
}
