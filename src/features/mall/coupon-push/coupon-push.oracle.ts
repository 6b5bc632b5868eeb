import { byCode, dayRange } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import type { Raw, Standing, World } from '../../../testing/oracle/world.ts';

/** A push stands where its coupon does; a coupon without projects is one of all of them. */
export const pushStanding = (row: Raw, world: World): Standing => {
  const coupon = world.rows.coupon!.find((one) => one.id === row.coupon_id)!;
  const ids = ((coupon.project_ids ?? []) as unknown[]).map(Number);
  return {
    tenant: row.tenant_id,
    projects: ids.length > 0 ? ids : world.rows.project!.map((one) => Number(one.id)),
    owner: row.created_by,
    rule: 'places',
  };
};

export const oracle = defineOracle({
  name: 'couponPush',
  menu: 'mm_targetedCoupons',
  table: 'coupon_push',
  sample: () => ({ audience: 'projects', phones: undefined, excluded: undefined }),
  standing: pushStanding,
  leftOut: ['coupon'],
  filters: { createdAt: dayRange('created_at') },
  text: (row) => `${row.code} ${row.name}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  reads: ['coupon'],
});
