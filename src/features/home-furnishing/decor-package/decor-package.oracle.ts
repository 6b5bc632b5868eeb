import { byCode, ids, isMerchant, projectsOf, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

/** The version that is sold, else the one that is written. */
const shown = (row: Raw, world: World): Raw => {
  const versions = by(world, 'decor_version', 'product_id').get(row.id) ?? [];
  return (
    versions.find((one) => one.standing === 'live') ??
    versions.find((one) => one.standing === 'working') ?? { id: 0, style_id: null }
  );
};

export const oracle = defineOracle({
  name: 'decorPackage',
  menu: 'mj_mercureCommodity',
  table: 'product',
  where: (row) => row.kind === 'home_decor' && row.recycled_at === null,
  standing: (row, world) => ({
    tenant: row.tenant_id,
    projects: (by(world, 'product_project', 'product_id').get(row.id) ?? []).map((one) =>
      Number(one.project_id),
    ),
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    state: words('status', ['draft', 'reviewing', 'published', 'rejected', 'off_shelf']),
    merchant: {
      ...ids('tenant_id', 'tenant', isMerchant),
      // From a merchant another tenant's id is ignored.
      keeps: (row, value, _world, held) =>
        held.kind === 2 || value.split(',').includes(String(row.tenant_id)),
    },
    projects: projectsOf('product_project', 'product_id'),
    houseType: {
      value: (dice, world) => String(dice.pick(world.rows.house_type!).id),
      keeps: (row, value, world) =>
        (by(world, 'decor_price', 'version_id').get(shown(row, world).id) ?? []).some(
          (one) => String(one.house_type_id) === value,
        ),
    },
    style: {
      value: (dice, world) => String(dice.pick(world.rows.decor_version!).style_id ?? 0),
      keeps: (row, value, world) => String(shown(row, world).style_id) === value,
    },
    price: {
      value: (dice) =>
        `${dice.chance(0.8) ? dice.upTo(90_000) : ''}~${dice.chance(0.8) ? 60_000 + dice.upTo(90_000) : ''}`,
      keeps: (row, value) => {
        const [low = '', high = ''] = value.split('~');
        return (
          (low === '' || Number(row.price_max) >= Number(low) * 100) &&
          (high === '' || Number(row.price_min) <= Number(high) * 100)
        );
      },
    },
  },
  tabs: {
    all: () => true,
    draft: (row) => row.status === 'draft',
    reviewing: (row) => row.status === 'reviewing',
    published: (row) => row.status === 'published',
    rejected: (row) => row.status === 'rejected',
    withdrawn: (row) => row.status === 'off_shelf',
  },
  text: (row) => `${row.code} ${row.name}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  sample: () => ({
    days: 90,
    minCharge: '100.00',
    options: [],
    items: [{ room: 'living', category: '地面', name: '地板', rule: 'fixed', quantity: '1' }],
    plan: [
      { name: '定金', share: '40', due: 'order', dueDays: 0 },
      { name: '尾款', share: '60', due: 'accepted', dueDays: 7 },
    ],
    nodes: [{ name: '施工', weight: '100' }],
    cancelPolicy: ['ordered', 'measured', 'designed', 'started'].map((stage) => ({
      stage,
      fee: '0.00',
      share: '5',
    })),
    warranty: ['utilities', 'waterproof', 'masonry', 'carpentry', 'paint', 'furniture', 'other'].map(
      (category) => ({
        category,
        months: 60,
      }),
    ),
  }),
  reads: ['product_project', 'decor_price', 'house_type'],
  queries: { decor_version: 'SELECT id, product_id, standing, style_id FROM decor_version' },
});
