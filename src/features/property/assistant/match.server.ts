import { run, type Executor, type Tx } from '../../../kernel/server/database.ts';
import type { FoundAnswer } from './assistant-question.contract.ts';

/** From this likeness on an answer is given; below it the sentence counts as unanswered. */
export const GOOD_ENOUGH = 35;
const SENTENCE_MAX = 100;

/** The three published answers whose title or similar wording is most like a sentence, the best first. */
export async function bestAnswers(db: Executor, sentence: string): Promise<FoundAnswer[]> {
  const rows = await run<Omit<FoundAnswer, 'id'> & { id: number }>(
    db,
    `WITH asked AS (SELECT assistant_fold($1) AS folded, bigrams(assistant_fold($1)) AS grams),
     scored AS (
       SELECT DISTINCT ON (w.question_id) w.question_id, w.folded, assistant_likeness(w.grams, a.grams) AS score
         FROM asked a JOIN assistant_wording w ON w.grams && a.grams
         JOIN assistant_question q ON q.id = w.question_id AND q.state = 'published'
        ORDER BY w.question_id, score DESC, w.folded)
     SELECT q.id, q.title, q.answer_html AS answer, round(s.score * 100)::int AS score,
            coalesce((SELECT x FROM unnest(array_prepend(q.title, q.similar_texts)) WITH ORDINALITY u (x, n) WHERE assistant_fold(x) = s.folded ORDER BY n LIMIT 1), q.title) AS wording
       FROM scored s JOIN assistant_question q ON q.id = s.question_id
      WHERE s.score > 0 ORDER BY s.score DESC, q.view_sort, q.id LIMIT 3`,
    [sentence],
  );
  return rows.map((row) => ({ ...row, id: String(row.id) }));
}

/** Keeps a sentence nothing was found for; long numbers are no business of whoever reads it. */
export async function noteUnanswered(tx: Tx, sentence: string): Promise<void> {
  const shown = sentence
    .replace(/\d{7,}/g, '***')
    .trim()
    .slice(0, SENTENCE_MAX);
  if (shown === '') return;
  await run(
    tx,
    `INSERT INTO assistant_unanswered AS u (sentence, folded) SELECT $1, assistant_fold($1) WHERE assistant_fold($1) <> ''
     ON CONFLICT (folded) DO UPDATE SET times = u.times + 1, last_at = clock_timestamp()`,
    [shown],
  );
}
