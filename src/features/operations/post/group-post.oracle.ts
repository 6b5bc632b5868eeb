import { counted, ids, words, yes } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'groupPost',
  menu: 'cs_interestGroupPost',
  table: 'post',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  where: (row) => row.kind === 'group_post',
  filters: {
    group: ids('group_id', 'interest_group'),
    state: words('review_state', ['pending', 'passed', 'refused']),
    shown: yes('shown'),
    topped: {
      value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
      keeps: (row, value) => (row.topped_at !== null) === (value === 'true'),
    },
    essence: yes('essence'),
  },
  tabs: {
    all: () => true,
    waiting: (row) => row.review_state === 'pending' && row.deleted_at === null,
    hidden: (row) => row.shown === false,
  },
  text: (row) => String(row.content).toLowerCase(),
  reads: ['interest_group'],
  export: counted,
  sample: () => ({ code: 'advert', text: '' }),
});
