import { z } from 'zod';
import { idText } from '../../kernel/server/http/call-parts.ts';
import { POST_ENTITIES } from '../content/content.rules.ts';
import { memberEvent, type MemberEventKind } from '../member-event/member-event.server.ts';
import { REPORT_REASONS } from './report-case.rules.ts';
import { appealCase, CASE_ENTITY, reportContent } from './report-case.server.ts';

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
    changes: [CASE_ENTITY],
    apply: async (tx, _platform, event) => {
      await appealCase(tx, { ...event.payload, memberId: event.memberId });
      return { result: {}, effects: [] };
    },
  }),
];
