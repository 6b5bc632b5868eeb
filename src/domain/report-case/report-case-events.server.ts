import { z } from 'zod';
import { choice, images, longText, ref } from '../../kernel/contract/fields.ts';
import { idText } from '../../kernel/server/http/call-parts.ts';
import { POST_ENTITIES } from '../content/content.rules.ts';
import { memberEvent, type MemberEventKind } from '../member-event/member-event.server.ts';
import { REPORT_REASONS, TARGETS } from './report-case.rules.ts';
import { appealCase, CASE_ENTITY, reportContent } from './report-case.server.ts';

const needed = { required: true } as const;
const reasons = Object.keys(REPORT_REASONS) as [keyof typeof REPORT_REASONS];

/** Members report content, and appeal against what was decided about their own. */
export const reportEvents: readonly MemberEventKind[] = [
  memberEvent({
    type: 'report',
    title: ['举报', 'Report'],
    payload: z.strictObject({
      target: z.enum(['post', 'comment', 'activity_comment']),
      targetId: idText,
      reason: z.enum(reasons),
      text: z.string().trim().max(200).default(''),
      imageIds: z.array(z.uuid()).max(3).default([]),
    }),
    form: {
      target: { field: choice(['举报对象', 'Reported'], TARGETS, { required: true, initial: 'post' }) },
      post: { field: ref('eventPost', ['帖子', 'Post'], needed), at: 'targetId', when: ['target', 'post'] },
      comment: {
        field: ref('eventComment', ['评论', 'Comment'], needed),
        at: 'targetId',
        when: ['target', 'comment'],
      },
      activityComment: {
        field: ref('eventActivityComment', ['活动评论', 'Activity comment'], needed),
        at: 'targetId',
        when: ['target', 'activity_comment'],
      },
      reason: { field: choice(['举报原因', 'Reason'], REPORT_REASONS, { required: true }) },
      text: { field: longText(['说明', 'Text'], { max: 200 }) },
      images: { field: images(['图片', 'Pictures'], { max: 3 }), at: 'imageIds' },
    },
    changes: [CASE_ENTITY, ...Object.values(POST_ENTITIES), 'activityComment'],
    apply: async (tx, platform, event) => {
      const { target, targetId, ...report } = event.payload;
      const { caseId, counted } = await reportContent(tx, platform, {
        ...report,
        memberId: event.memberId,
        target: { type: target === 'post' ? 'post' : 'comment', id: targetId },
        kind: target,
      });
      return { result: { caseId: String(caseId), counted }, effects: [] };
    },
  }),
  memberEvent({
    type: 'report.appeal',
    title: ['申诉', 'Appeal'],
    payload: z.strictObject({ caseId: idText, text: z.string().trim().min(5).max(500) }),
    form: {
      case: {
        field: ref('eventCase', ['处理单', 'Case'], {
          required: true,
          help: ['判定会员违规、可申诉的处理', 'Verdicts against the member that can be appealed'],
        }),
        at: 'caseId',
      },
      text: { field: longText(['申诉理由', 'Why'], { required: true, min: 5, max: 500 }) },
    },
    changes: [CASE_ENTITY],
    apply: async (tx, _platform, event) => {
      await appealCase(tx, { ...event.payload, memberId: event.memberId });
      return { result: {}, effects: [] };
    },
  }),
];
