import { words, yes } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';

const JOINS = 'community_topic_project';

export const oracle = defineOracle({
  name: 'topicComment',
  menu: 'os_communityTopic',
  table: 'content_comment',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, JOINS, 'topic_id').get(row.topic_id) ?? []).map((one) => Number(one.project_id)),
    owner: by(world, 'community_topic', 'id').get(row.topic_id)?.[0]?.created_by ?? null,
    rule: 'places',
  }),
  where: (row) => row.deleted_at === null && row.topic_id !== null,
  filters: {
    state: words('review_state', ['pending', 'passed', 'refused']),
    shown: yes('shown'),
  },
  text: (row) => String(row.content).toLowerCase(),
  reads: [JOINS, 'community_topic'],
  sample: () => ({ code: 'advert', text: '' }),
});
