import { z } from 'zod';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { foldedText } from '../../../domain/sensitive-words/fold.rules.ts';
import { checkSensitive } from '../../../domain/sensitive-words/sensitive-words.server.ts';
import { rescanEndpoints, rescanJob } from './rescan.server.ts';
import { sensitiveWord } from './sensitive-word.contract.ts';
import {
  exceptionProblem,
  LINES_MAX,
  linesProblem,
  TEST_MAX,
  wordLines,
  wordProblem,
} from './sensitive-word.rules.ts';

const SCOPE = { tenant: 'none', project: 'none', owner: 't.created_by' } as const;
/** Hits lie in the project their author lives in. */
const HIT_SCOPE = { tenant: 'none', project: 'm.project_id', owner: 't.created_by' } as const;
const HITS = `sensitive_hit h JOIN member m ON m.id = h.member_id LEFT JOIN sensitive_word t ON t.id = h.word_id`;
const KEEP_DAYS = 90;

const bound = bindResource(sensitiveWord, {
  table: 'sensitive_word',
  columns: { hits: 'NULL::integer' },
  scope: SCOPE,
  search: 'lower(t.word)',
  unique: { sensitive_word_normalised: ['敏感词已存在', 'The word exists'] },
  completes: ['level'],
  before: [completeWord],
  present: async (rows, db, caller) => {
    const counts = await countHits(
      db,
      caller,
      rows.map((row) => Number(row.id)),
    );
    for (const row of rows) row.hits = counts.get(Number(row.id)) ?? 0;
  },
  handlers: { addMany },
  also: {
    jobs: [
      rescanJob,
      {
        name: 'sensitiveHit.expire',
        title: ['清理敏感词命中记录', 'Remove old hits of sensitive words'],
        cron: '40 19 * * *',
        run: async (_payload, platform) => {
          await run(
            platform.database.db,
            'DELETE FROM sensitive_hit WHERE at < now() - make_interval(days => $1)',
            [KEEP_DAYS],
          );
        },
      },
    ],
  },
  endpoints: [
    ...rescanEndpoints,
    endpoint({
      method: 'POST',
      path: '/jinmao/web/sensitiveWord/test',
      title: ['检测文本', 'Test a text'],
      access: { code: 'ssm_sensitiveWords:btn_test' },
      body: z.strictObject({ text: z.string().max(TEST_MAX) }),
      handle: async ({ platform, body }) => {
        const verdict = await checkSensitive(platform, body.text);
        return {
          level: verdict.level,
          shown: verdict.level === 'block' ? null : verdict.shown,
          hits: verdict.hits.map(({ word, start, end }) => ({
            wordId: String(word.id),
            word: word.word,
            category: word.category,
            level: word.level,
            start,
            end,
          })),
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/sensitiveWord/hits',
      title: ['命中记录', 'Hits'],
      access: { code: 'ssm_sensitiveWords:btn_hits' },
      query: z.strictObject({
        word: z
          .string()
          .regex(/^\d{1,15}$/)
          .optional(),
        days: z.coerce.number().int().min(1).max(KEEP_DAYS).default(KEEP_DAYS),
        page: z.coerce.number().int().min(1).max(10_000).default(1),
        limit: z.coerce.number().int().min(1).max(200).default(20),
      }),
      handle: async ({ platform, caller, query }) => {
        const parameters = new Parameters();
        const parts = [
          scopeCondition(caller, sensitiveWord.menu, HIT_SCOPE, parameters),
          `h.at > now() - make_interval(days => ${parameters.bind(query.days)})`,
          ...(query.word ? [`h.word_id = ${parameters.bind(Number(query.word))}`] : []),
        ];
        const where = parts.join(' AND ');
        const { db } = platform.database;
        // The values of a statement that has run are fixed.
        const total = await runOne<{ n: number }>(
          db,
          `SELECT count(*)::int AS n FROM ${HITS} WHERE ${where}`,
          [...parameters.values],
        );
        const rows = await run<Hit>(
          db,
          `SELECT h.id, h.word, h.target_type AS "targetType", h.target_id AS "targetId", m.name, m.nickname, p.name AS project, h.action_taken AS action, h.at
             FROM ${HITS} LEFT JOIN project p ON p.id = m.project_id WHERE ${where}
            ORDER BY h.at DESC, h.id DESC LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind((query.page - 1) * query.limit)}`,
          parameters.values,
        );
        return {
          total: total!.n,
          rows: rows.map(({ id, targetId, name, nickname, at, ...row }) => ({
            ...row,
            id: String(id),
            targetId: targetId === null ? null : String(targetId),
            member: maskValue('name', name || nickname),
            at: isoInstant(at),
          })),
        };
      },
    }),
  ],
});

/** Sensitive words with their test and their hits. */
export const registration = bound.registration;

interface Hit {
  readonly id: number;
  readonly word: string;
  readonly targetType: string;
  readonly targetId: number | null;
  readonly name: string;
  readonly nickname: string;
  readonly project: string | null;
  readonly action: string;
  readonly at: Date;
}

/** Folds the word, holds the exceptions to it, and gives new words the level of the setting where none is chosen. */
async function completeWord({ action, input, row, columns, platform }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  const word = String(input.word ?? row.word);
  const problem = wordProblem(word);
  if (problem) throw invalid({ word: problem });
  const exceptions = (input.exceptions ?? row.exceptions ?? []) as readonly string[];
  const foreign = exceptionProblem(word, exceptions);
  if (foreign) throw invalid({ exceptions: foreign });
  if (input.word !== undefined) columns.normalised = foldedText(word);
  if (action === 'create') {
    columns.level ??= await platform.settings.text('post.sensitive.action');
    columns.variants ??= true;
  }
}

/** Many words at once, one per line: all of them or none, with every bad line named. */
async function addMany({ tx, platform, caller, facts, input }: ActionContext): Promise<ActionResult> {
  const lines = wordLines(String(input.words));
  if (lines.length === 0) throw invalid({ words: ['请填写敏感词', 'Please enter words'] });
  if (lines.length > LINES_MAX)
    throw invalid({ words: [`最多 ${LINES_MAX} 行`, `At most ${LINES_MAX} lines`] });
  const taken = new Set(
    (
      await run<{ normalised: string }>(
        tx,
        'SELECT normalised FROM sensitive_word WHERE normalised = ANY($1::text[])',
        [lines.map((one) => one.folded)],
      )
    ).map((row) => row.normalised),
  );
  const bad = lines.flatMap(({ line, folded, problem }) => {
    const found = problem ?? (taken.has(folded) ? (['已存在', 'exists'] as const) : undefined);
    return found ? [{ line, problem: found }] : [];
  });
  if (bad.length > 0) throw invalid({ words: linesProblem(bad) });
  const shared = {
    category: input.category,
    variants: input.exact !== true,
    ...(input.level ? { level: input.level } : {}),
    ...(input.note ? { note: input.note } : {}),
  };
  for (const { word } of lines)
    await bound.actIn(tx, { caller, platform, facts }, 'create', undefined, { ...shared, word });
  return { result: { count: lines.length } };
}

/** Hits of 30 days by word, of members the caller may see. */
async function countHits(
  db: Executor,
  caller: Caller,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (ids.length === 0) return new Map();
  const parameters = new Parameters();
  const scope = scopeCondition(caller, sensitiveWord.menu, HIT_SCOPE, parameters);
  const rows = await run<{ id: number; n: number }>(
    db,
    `SELECT h.word_id AS id, count(*)::int AS n FROM ${HITS}
      WHERE h.word_id = ANY(${parameters.bind(ids)}::bigint[]) AND h.at > now() - interval '30 days' AND ${scope} GROUP BY h.word_id`,
    parameters.values,
  );
  return new Map(rows.map((row) => [row.id, row.n]));
}
