import { run } from '../../../kernel/server/database.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { assistantUnanswered } from './assistant-unanswered.contract.ts';
import { boundQuestion } from './assistant-question.server.ts';
import { ENTRY_SCOPE } from './assistant-entries.server.ts';

const bound: BoundResource = bindResource(assistantUnanswered, {
  table: 'assistant_unanswered',
  joins: { question: { table: 'assistant_question', title: 'title' } },
  scope: ENTRY_SCOPE,
  search: 'lower(t.sentence)',
  sets: { reopen: { question_id: null } },
  handlers: { makeQuestion, addTo },
});

/** Sentences without an answer. */
export const registration = bound.registration;

/** The question is made as the screen of questions makes one: its right, rules and timeline. */
async function makeQuestion(context: ActionContext): Promise<ActionResult> {
  const { tx, row, input } = context;
  const sentence = String(row.sentence);
  const title = typeof input.title === 'string' && input.title !== '' ? input.title : sentence.slice(0, 60);
  const { id } = await boundQuestion.actIn(tx, context, 'create', undefined, {
    title,
    class: String(input.class),
    functionPoint: String(input.functionPoint),
    answer: input.answer,
    similarTexts: title === sentence ? [] : [sentence],
  });
  context.platform.changed(boundQuestion.resource.name);
  return { set: { question_id: id }, result: { questionId: String(id) }, remark: title };
}

async function addTo(context: ActionContext): Promise<ActionResult> {
  const { tx, row, input } = context;
  const id = Number(input.question);
  await boundQuestion.actIn(tx, context, 'addWording', id, { wording: String(row.sentence) });
  const [question] = await run<{ title: string }>(tx, 'SELECT title FROM assistant_question WHERE id = $1', [
    id,
  ]);
  context.platform.changed(boundQuestion.resource.name);
  return { set: { question_id: id }, remark: question?.title ?? '' };
}
