import { counted, words, yes } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'familyPost',
  menu: 'os_familyPosts',
  table: 'post',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  where: (row) => row.kind === 'family',
  filters: {
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
  export: counted,
  sample: () => ({ code: 'advert', text: '' }),
});
