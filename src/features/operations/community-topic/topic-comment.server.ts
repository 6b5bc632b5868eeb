import type { Label } from '../../../kernel/contract/label.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import {
  countComments,
  giveCommentPoints,
  takeCommentPoints,
} from '../../../domain/content/content.server.ts';
import { moderationReason } from '../moderation-reason.ts';
import { refuseComment } from '../post/post-binding.server.ts';
import { topicComment } from './community-topic.contract.ts';

const ALREADY: Label = ['已是该状态', 'It is so already'];

/** Comments under topics. */
export const registration = bindResource(topicComment, {
  table: 'content_comment',
  stateColumn: 'review_state',
  from: 'content_comment t LEFT JOIN member a ON a.id = t.member_id LEFT JOIN community_topic c ON c.id = t.topic_id LEFT JOIN staff s ON s.id = t.staff_id',
  where: 't.topic_id IS NOT NULL AND t.deleted_at IS NULL',
  columns: {
    author: 'coalesce(a.name, s.name)',
    phone: 'a.phone',
    official: '(t.staff_id IS NOT NULL)',
    topic: { id: 't.topic_id', title: 'c.title' },
  },
  scope: {
    tenant: 'NULL::bigint',
    project: (ids) =>
      `EXISTS (SELECT FROM community_topic_project p WHERE p.topic_id = t.topic_id AND p.project_id = ANY(${ids}::bigint[]))`,
    owner: 'c.created_by',
  },
  keyword: (value, parameters) => `lower(t.content) LIKE ${parameters.bind(containing(value.toLowerCase()))}`,
  ruleReads: ['shown'],
  rowRules: {
    hide: (row) => (row.shown === true ? undefined : ALREADY),
    show: (row) => (row.shown === true ? ALREADY : undefined),
  },
  handlers: {
    pass: async ({ tx, platform, id, row }) => {
      if (row.shown === true) await giveCommentPoints(tx, platform, id);
    },
    refuse: refuseComment,
    hide: async ({ tx, platform, id, input, caller }) => {
      const remark = moderationReason(input);
      const back = await takeCommentPoints(tx, platform, id, remark, caller.staffId);
      return { remark: back > 0 ? `${remark} -${back}` : remark, set: { shown: false } };
    },
    show: async ({ tx, platform, id }) => {
      await giveCommentPoints(tx, platform, id);
      return { set: { shown: true } };
    },
  },
  after: [
    async ({ tx, row }) => {
      await countComments(tx, { post_id: null, topic_id: Number(row.topic_id) });
      return [];
    },
  ],
}).registration;
