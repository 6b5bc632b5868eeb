import type { Label } from '../../../kernel/contract/label.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { HIDE_CODES } from '../../../domain/content/content.rules.ts';
import { giveCommentPoints, takeCommentPoints } from '../../../domain/content/content.server.ts';
import { tellRefused } from '../../../domain/content/moderate.server.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { activityComment } from './activity.contract.ts';

const ALREADY: Label = ['已是该状态', 'It is so already'];

/** What a moderator gave as the reason, in words of the timeline. Throws 422 where "other" has no words. */
function reasonOf(input: Readonly<Record<string, unknown>>): string {
  const words = String(input.text ?? '').trim();
  if (input.code === 'other' && words.length < 5)
    throw invalid({ text: ['选“其他”时至少5个字', 'At least 5 characters for “Other”'] });
  const word = HIDE_CODES[String(input.code) as keyof typeof HIDE_CODES].label[0];
  return words === '' ? word : `${word}：${words}`;
}

/** Comments under activities. */
export const registration = bindResource(activityComment, {
  table: 'content_comment',
  stateColumn: 'review_state',
  from: 'content_comment t LEFT JOIN member m ON m.id = t.member_id LEFT JOIN activity a ON a.id = t.activity_id',
  where: 't.activity_id IS NOT NULL AND t.deleted_at IS NULL',
  columns: {
    author: `coalesce(nullif(m.nickname, ''), m.name)`,
    phone: 'm.phone',
    activity: { id: 't.activity_id', title: 'a.title' },
  },
  scope: residentScope('t.project_id', 'a.created_by'),
  keyword: (value, parameters) => `lower(t.content) LIKE ${parameters.bind(containing(value.toLowerCase()))}`,
  ruleReads: ['shown'],
  rowRules: {
    hide: (row) => (row.shown === true ? undefined : ALREADY),
    show: (row) => (row.shown === true ? ALREADY : undefined),
  },
  handlers: {
    pass: async ({ tx, platform, id }) => {
      await giveCommentPoints(tx, platform, id);
    },
    refuse: async ({ tx, row, input }) => {
      const remark = reasonOf(input);
      await tellRefused(tx, { member_id: Number(row.member_id), content: String(row.content) }, remark);
      return { remark };
    },
    hide: async ({ tx, platform, id, input, caller }) => {
      const reason = reasonOf(input);
      const back = await takeCommentPoints(tx, platform, id, reason, caller.staffId);
      return { remark: back > 0 ? `${reason} -${back}` : reason, set: { shown: false } };
    },
    show: async ({ tx, platform, id }) => {
      await giveCommentPoints(tx, platform, id);
      return { set: { shown: true } };
    },
  },
}).registration;
