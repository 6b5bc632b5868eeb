import { counted, ids, isMerchant, projectsOf, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const of = (row: Raw, world: World): Raw => by(world, 'product', 'id').get(row.product_id)?.[0] ?? { id: 0 };

const PROJECTS = projectsOf('product_project', 'product_id');

/** Reviews of one kind: goods, or services. */
export const reviewsOf = (name: string, menu: string, kind: 'goods' | 'service') =>
  defineOracle({
    name,
    menu,
    table: 'product_review',
    standing: (row, world) => ({
      tenant: of(row, world).tenant_id,
      projects: (by(world, 'product_project', 'product_id').get(row.product_id) ?? []).map((one) =>
        Number(one.project_id),
      ),
      owner: of(row, world).created_by,
      rule: 'places',
    }),
    leftOut: ['classes'],
    filters: {
      productState: {
        value: words('', ['reviewing', 'published', 'rejected', 'off_shelf']).value,
        keeps: (row, value, world) => value.split(',').includes(of(row, world).status),
      },
      projects: {
        value: PROJECTS.value,
        keeps: (row, value, world, held) => PROJECTS.keeps(of(row, world), value, world, held),
      },
      merchant: {
        value: ids('tenant_id', 'tenant', isMerchant).value,
        // From a merchant another tenant's id is ignored.
        keeps: (row, value, world, held) =>
          held.kind === 2 || value.split(',').includes(String(of(row, world).tenant_id)),
      },
    },
    tabs: {
      waiting: (row) => row.state === 'waiting',
      decided: (row) => row.state === 'passed' || row.state === 'rejected',
      all: () => true,
    },
    extra: (row, world) => of(row, world).kind === kind && of(row, world).purged_at === null,
    export: counted,
    reads: ['product', 'product_project'],
  });

export const oracle = reviewsOf('productReview', 'mm_commodityApprove', 'goods');
