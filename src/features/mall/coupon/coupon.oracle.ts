import { byCode, dayRange, ids, isMerchant, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import type { Raw, Standing, World } from '../../../testing/oracle/world.ts';

const projectsOf = (row: Raw) => ((row.project_ids ?? []) as unknown[]).map(Number);

/** A coupon without projects is one of all of them. */
export const couponStanding = (row: Raw, world: World): Standing => ({
  tenant: row.tenant_id,
  projects: projectsOf(row).length > 0 ? projectsOf(row) : world.rows.project!.map((one) => Number(one.id)),
  owner: row.created_by,
  rule: 'places',
});

const state = (word: string) => (row: Raw) => row.status === word;

export const oracle = defineOracle({
  name: 'coupon',
  menu: 'mm_couponManagement',
  table: 'coupon',
  standing: couponStanding,
  filters: {
    state: words('status', ['draft', 'published', 'in_use', 'off_shelf', 'expired']),
    merchant: {
      ...ids('tenant_id', 'tenant', isMerchant),
      // From a merchant another tenant's id is ignored.
      keeps: (row, value, _world, held) =>
        held.kind === 2 || (row.issuer === 'merchant' && value.split(',').includes(String(row.tenant_id))),
    },
    projects: {
      value: (dice, world) =>
        dice
          .some(world.rows.project!, 1 + dice.upTo(3))
          .map((one) => one.id)
          .join(','),
      keeps: (row, value, _world, held) => {
        const asked = value
          .split(',')
          .map(Number)
          .filter((id) => held.projects?.has(id) ?? true);
        return (
          asked.length > 0 &&
          (projectsOf(row).length === 0 || projectsOf(row).some((id) => asked.includes(id)))
        );
      },
    },
    createdAt: dayRange('created_at'),
  },
  tabs: {
    all: () => true,
    draft: state('draft'),
    published: state('published'),
    in_use: state('in_use'),
    off_shelf: state('off_shelf'),
    expired: state('expired'),
    review: (row, world, held) =>
      world.rows.approval_instance!.some(
        (one) =>
          one.biz_type === 'coupon' &&
          one.biz_id === row.id &&
          one.state === 'running' &&
          world.rows.approval_task!.some(
            (task) =>
              task.instance_id === one.id && task.state === 'pending' && task.assignee_id === held.row.id,
          ),
      ),
  },
  text: (row) => `${row.code} ${row.name}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  reads: ['approval_instance', 'approval_task'],
  sample: (turn) => ({
    merchant: undefined,
    type: 'cash',
    face: '5.00',
    threshold: '50.00',
    rate: undefined,
    maxDiscount: undefined,
    noThreshold: false,
    validKind: 'dates',
    validDays: undefined,
    scope: 'all',
    classes: [],
    products: [],
    total: 100 + (turn % 50),
    startsAt: '2030-01-01T00:00:00+08:00',
    endsAt: '2030-02-01T00:00:00+08:00',
    claimFrom: undefined,
    claimTo: undefined,
    cover: undefined,
  }),
});
