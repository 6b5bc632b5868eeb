import { words, ids, inProject, isMerchant, stateTabs } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'appointment',
  menu: 'mm_appointment',
  table: 'appointment',
  standing: inProject,
  leftOut: ['classes'],
  filters: {
    state: words('state', [
      'held',
      'to_accept',
      'assigned',
      'serving',
      'done',
      'no_show',
      'cancelled',
      'choose_again',
    ]),
    merchant: ids('tenant_id', 'tenant', isMerchant),
    project: ids('project_id', 'project'),
    service: ids('product_id', 'product'),
    person: ids('person_id', 'service_person'),
    hour: {
      value: (dice) => String(8 + dice.upTo(11)),
      keeps: (row, value) => ((row.starts_at as Date).getUTCHours() + 8) % 24 === Number(value),
    },
  },
  tabs: {
    all: () => true,
    ...stateTabs('to_accept', 'assigned', 'serving', 'choose_again', 'done', 'no_show'),
    unassigned: (row) => (row.state === 'held' || row.state === 'to_accept') && row.person_id === null,
    unfinished: (row) =>
      (row.state === 'assigned' || row.state === 'serving') &&
      (row.ends_at as Date).getTime() < Date.now() - 86_400_000,
  },
  text: (row) => `${row.code} ${row.contact_name}`.toLowerCase(),
  export: { title: '编号', key: (row) => String(row.code) },
  owner: 'created_by',
});
