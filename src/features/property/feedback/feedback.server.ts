import type { FileValue } from '../../../kernel/contract/fields.ts';
import { createAdvice } from '../../../domain/advice/advice.server.ts';
import type { AdviceType } from '../../../domain/advice/advice.rules.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { filesById } from '../../../kernel/server/files/files.ts';
import { CALLER, NOW, fromInput } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { feedback } from './feedback.contract.ts';

const bound = bindResource(feedback, {
  table: 'feedback',
  from: `feedback t LEFT JOIN project p ON p.id = t.project_id LEFT JOIN staff h ON h.id = t.handled_by
    LEFT JOIN advice a ON a.feedback_id = t.id`,
  columns: {
    project: { id: 't.project_id', title: 'p.name' },
    handledBy: { id: 't.handled_by', title: 'h.name' },
    images: 't.image_ids',
    advice: 'a.code',
  },
  scope: residentScope('t.project_id', 't.handled_by'),
  search: 'lower(t.content)',
  searchExact: ['t.phone'],
  unique: { advice_feedback: ['该反馈已转投诉建议', 'An advice was made of it already'] },
  ruleReads: ['advice'],
  rowRules: {
    toAdvice: (row) => (row.advice ? ['该反馈已转投诉建议', 'An advice was made of it already'] : undefined),
  },
  sets: { handle: { note: fromInput('note'), handled_at: NOW, handled_by: CALLER } },
  handlers: {
    toAdvice,
  },
  present: async (rows, db) => {
    const files = await filesById(db, [...new Set(rows.flatMap((row) => (row.images as string[]) ?? []))]);
    for (const row of rows)
      row.images = ((row.images as string[]) ?? []).flatMap((id): FileValue[] => {
        const file = files.get(id);
        return file ? [file] : [];
      });
  },
});

/** What users of the apps wrote. */
export const registration = bound.registration;

/** Hands the text on as an advice, once; a note that was written stays. */
async function toAdvice({ tx, id, row, input, caller }: ActionContext): Promise<ActionResult> {
  const { code } = await createAdvice(
    tx,
    {
      type: input.type as AdviceType,
      source: 'feedback',
      projectId: row.project_id as number,
      memberId: row.member_id as number | null,
      name: String(row.name),
      phone: String(row.phone),
      content: String(row.content),
      imageIds: row.image_ids as string[],
      feedbackId: id,
    },
    caller,
  );
  return {
    set: row.handled_at
      ? {}
      : { note: `转投诉建议 ${code}`, handled_at: new Date(), handled_by: caller.staffId },
    remark: code,
    result: { code },
  };
}
