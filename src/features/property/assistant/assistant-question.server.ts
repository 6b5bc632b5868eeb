import { dictionaryValue } from '../../../domain/dictionary/dictionary.server.ts';
import { z } from 'zod';
import { fill, type Label } from '../../../kernel/contract/label.ts';
import { runOne, transaction } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { picturesOf } from '../picture-columns.server.ts';
import { assistantQuestion, MOST_WORDINGS, WORDING_MAX } from './assistant-question.contract.ts';
import {
  APP_SCOPE,
  bothNames,
  checkEntryPictures,
  countEntry,
  ENTRY_SCOPE,
  firstTold,
  inLanguage,
  metricOf,
  pinHandlers,
  pinSets,
  pinRules,
  sortEndpoint,
} from './assistant-entries.server.ts';
import { bestAnswers, GOOD_ENOUGH, noteUnanswered } from './match.server.ts';

const ROOT = '/jinmao/web/assistantQuestion';
const sentence = z.string().trim().min(1).max(200);
const TOO_MANY: Label = ['相似问法最多 20 条', 'At most 20 similar wordings'];

const bound: BoundResource = bindResource(assistantQuestion, {
  table: 'assistant_question',
  joins: { class: dictionaryValue, functionPoint: dictionaryValue },
  links: {
    links: { table: 'assistant_question_link', own: 'question_id', other: 'jump_link_id', to: 'jump_link' },
    modules: {
      table: 'assistant_question_module',
      own: 'question_id',
      other: 'app_module_id',
      to: 'app_module',
    },
  },
  columns: {
    answer: 'NULL::text',
    images: picturesOf('t.image_ids'),
    classText: bothNames('r_class'),
    functionPointText: bothNames('r_function_point'),
    pinned: '(t.pin_place IS NOT NULL)',
    hits: metricOf('question', 'coalesce(sum(m.hits), 0)::int'),
    helpful: metricOf(
      'question',
      'round(100.0 * sum(m.helpful) / nullif(sum(m.helpful + m.unhelpful), 0), 2)::text',
    ),
  },
  writes: { images: 'image_ids', answer: 'answer_html' },
  words: { classText: inLanguage, functionPointText: inLanguage },
  unique: { assistant_question_title: ['标题已存在', 'The title exists'] },
  scope: ENTRY_SCOPE,
  search: 'lower(t.title)',
  ruleReads: ['pinned'],
  rowRules: pinRules,
  before: [checkEntryPictures, checkWordings],
  sets: pinSets,
  handlers: { ...pinHandlers('assistant_question'), addWording },
  // Up to 20,000 characters a row: only the detail reads them.
  detail: async (db, id) => ({
    answer: (await runOne<{ answer_html: string }>(
      db,
      'SELECT answer_html FROM assistant_question WHERE id = $1',
      [id],
    ))!.answer_html,
  }),
  endpoints: [
    sortEndpoint(ROOT, assistantQuestion.menu, () => bound),
    endpoint({
      method: 'POST',
      path: `${ROOT}/try`,
      title: ['试问', 'Try a sentence'],
      access: { code: `${assistantQuestion.menu}:btn_try` },
      body: z.strictObject({ text: sentence }),
      handle: async ({ platform, body }) => ({
        answers: await bestAnswers(platform.database.db, body.text),
        enough: GOOD_ENOUGH,
      }),
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/app/ask`,
      title: ['App 智能客服提问', 'A member asks the assistant'],
      access: { program: APP_SCOPE },
      body: z.strictObject({ eventId: z.string().min(1).max(60), text: sentence }),
      handle: async ({ platform, body }) =>
        transaction(platform.database.db, async (tx) => {
          const found = (await bestAnswers(tx, body.text)).filter((one) => one.score >= GOOD_ENOUGH);
          const best = found[0];
          if (best) await countEntry(tx, { ...body, kind: 'question', id: Number(best.id), what: 'hits' });
          else if (await firstTold(tx, body.eventId)) await noteUnanswered(tx, body.text);
          return { answers: found };
        }),
    }),
  ],
});

/** Questions of the assistant. */
export const registration = bound.registration;
/** The engine of questions, for the sentences that become one. */
export const boundQuestion = bound;

/** Wordings are short and told apart; an empty order is the last one. */
async function checkWordings({ action, input, columns, row }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  if (input.viewSort === null) delete columns.view_sort;
  if (!Array.isArray(input.similarTexts)) return;
  const title = String(input.title ?? row.title).toLowerCase();
  const wordings = [
    ...new Map(
      (input.similarTexts as string[])
        .map((one) => one.trim())
        .filter((one) => one !== '' && one.toLowerCase() !== title)
        .map((one) => [one.toLowerCase(), one]),
    ).values(),
  ];
  const long = wordings.find((one) => one.length > WORDING_MAX);
  if (long)
    throw invalid({
      similarTexts: fill(['「{text}…」超过 100 字', '“{text}…” is longer than 100 characters'], {
        text: long.slice(0, 12),
      }),
    });
  columns.similar_texts = wordings;
}

async function addWording({ row, input }: ActionContext): Promise<ActionResult> {
  const held = row.similar_texts as string[];
  const wording = String(input.wording).trim();
  const same = (one: string) => one.toLowerCase() === wording.toLowerCase();
  if (same(String(row.title)) || held.some(same)) throw ruleBroken(['该问法已有', 'This wording exists']);
  if (held.length >= MOST_WORDINGS) throw ruleBroken(TOO_MANY);
  return {
    set: { similar_texts: [...held, wording] },
    changes: [{ field: 'similarTexts', before: held, after: [...held, wording] }],
  };
}
