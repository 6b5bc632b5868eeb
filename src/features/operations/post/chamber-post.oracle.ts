import { counted, words, yes } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'chamberPost',
  menu: 'os_conHallManage',
  table: 'post',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  where: (row) => row.kind === 'chamber',
  filters: {
    state: words('review_state', ['pending', 'passed', 'refused']),
    shown: yes('shown'),
    topped: {
      value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
      keeps: (row, value) => (row.topped_at !== null) === (value === 'true'),
    },
    type: {
      value: (dice) => dice.pick(['topic', 'vote']),
      keeps: (row, value, world) =>
        value
          .split(',')
          .includes((by(world, 'post_vote', 'post_id').get(row.id) ?? []).length > 0 ? 'vote' : 'topic'),
    },
  },
  tabs: {
    all: () => true,
    waiting: (row) => row.review_state === 'pending' && row.deleted_at === null,
    hidden: (row) => row.shown === false,
  },
  text: (row) => String(row.content).toLowerCase(),
  export: counted,
  reads: ['post_vote'],
  sample: () => ({ code: 'advert', text: '' }),
});
