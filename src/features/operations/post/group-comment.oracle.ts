import { words, yes } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'groupPostComment',
  menu: 'cs_interestGroupPost',
  table: 'content_comment',
  standing: (row, world) => {
    const post = by(world, 'post', 'id').get(row.post_id)?.[0];
    return {
      tenant: null,
      projects: post ? [post.project_id] : [],
      owner: post?.created_by ?? null,
      rule: 'places',
    };
  },
  where: (row) => row.deleted_at === null && row.post_id !== null,
  extra: (row, world) => by(world, 'post', 'id').get(row.post_id)?.[0]?.kind === 'group_post',
  filters: {
    state: words('review_state', ['pending', 'passed', 'refused']),
    shown: yes('shown'),
  },
  text: (row) => String(row.content).toLowerCase(),
  reads: ['post'],
  sample: () => ({ code: 'advert', text: '' }),
});
