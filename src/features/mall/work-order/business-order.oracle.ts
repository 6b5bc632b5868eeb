import { ids, inProject, isMerchant, moneyRange, words } from '../../../testing/oracle/filters.ts';
import { defineOracle, type Oracle } from '../../../testing/oracle/oracle.ts';
import type { Raw } from '../../../testing/oracle/world.ts';

const STATES = [
  'placed',
  'processing',
  'to_pay',
  'cancelled',
  'completed',
  'to_confirm',
  'refunding',
  'refunded',
];

const inState = (name: string) => (row: Raw) => row.sub_status === name;

/** Orders of one type, under the menu of that type. */
export const workOrderRule = (name: string, menu: string, type: string): Oracle => ({
  name,
  menu,
  table: 'work_order',
  where: (row) => row.type === type,
  standing: inProject,
  filters: {
    state: words('sub_status', STATES),
    merchant: ids('tenant_id', 'tenant', isMerchant),
    project: ids('project_id', 'project'),
    business: ids('business_id', 'business'),
    source: words('source', ['1', '2', '3', '4']),
    amount: moneyRange('amount'),
  },
  tabs: {
    all: () => true,
    placed: inState('placed'),
    processing: inState('processing'),
    to_pay: inState('to_pay'),
    to_confirm: inState('to_confirm'),
    completed: inState('completed'),
    cancelled: inState('cancelled'),
    refund: (row) => ['refunding', 'refunded'].includes(row.sub_status as string),
  },
  text: (row) => `${row.code} ${row.title}`.toLowerCase(),
  export: { field: 'code', key: (row) => String(row.code) },
  owner: 'created_by',
  reads: ['business'],
});

export const oracle = defineOracle(workOrderRule('businessOrder', 'mm_businessOrder', 'goods'));
