import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { compileWords, type Matcher, type SensitiveVerdict, type SensitiveWord } from './matcher.rules.ts';

/** What platforms are told when a word changes, so that every instance looks again at once. */
export const SENSITIVE_WORDS = 'sensitiveWord';

/** A notice may be lost with its connection: the number of the list is asked for again after so long. */
const LOOK_AGAIN_MS = 2_000;

interface Kept {
  matcher: Matcher;
  revision: number;
  changes: number;
  lookedAt: number;
  looking: Promise<Matcher> | undefined;
}

// By pool, which a process has one of however many platforms are copied from another.
const kept = new WeakMap<object, Kept>();

/**
 * Looks for the enabled words in a text, with the list as it stands: a change acts at once where it was made and within two seconds
 * on every other instance. The caller decides what block and review mean for its rows.
 */
export async function checkSensitive(
  platform: Pick<Platform, 'database' | 'changeCount'>,
  text: string,
  now = Date.now(),
): Promise<SensitiveVerdict> {
  return (await matcherOf(platform, now))(text);
}

/** Where hits were found: the row that was written, or none where it was refused, and its author. */
export interface SensitiveTarget {
  readonly type: 'post' | 'comment';
  readonly id: number | null;
  readonly memberId: number;
}

/** Notes the words a text was found to hold, each once, with what became of the text. Returns how many. */
export async function noteSensitiveHits(
  tx: Tx,
  verdict: SensitiveVerdict,
  target: SensitiveTarget,
): Promise<number> {
  if (verdict.level === null) return 0;
  const words = [...new Map(verdict.hits.map(({ word }) => [word.id, word])).values()];
  await run(
    tx,
    `INSERT INTO sensitive_hit (word_id, word, target_type, target_id, member_id, action_taken)
     SELECT w.id, one.word, $3, $4, $5, $6 FROM unnest($1::bigint[], $2::text[]) AS one (id, word) LEFT JOIN sensitive_word w ON w.id = one.id`,
    [
      words.map((one) => one.id),
      words.map((one) => one.word),
      target.type,
      target.id,
      target.memberId,
      verdict.level,
    ],
  );
  return words.length;
}

function matcherOf(platform: Pick<Platform, 'database' | 'changeCount'>, now: number): Promise<Matcher> {
  const { db, pool } = platform.database;
  let state = kept.get(pool);
  if (!state)
    kept.set(
      pool,
      (state = { matcher: compileWords([]), revision: -1, changes: -1, lookedAt: 0, looking: undefined }),
    );
  const one = state;
  const changes = platform.changeCount(SENSITIVE_WORDS);
  if (one.revision >= 0 && one.changes === changes && now - one.lookedAt < LOOK_AGAIN_MS)
    return Promise.resolve(one.matcher);
  one.looking ??= look(db, one, changes, now).finally(() => (one.looking = undefined));
  return one.looking;
}

async function look(db: Executor, one: Kept, changes: number, now: number): Promise<Matcher> {
  const current = await runOne<{ revision: number }>(db, 'SELECT revision FROM sensitive_word_revision');
  if (current!.revision !== one.revision) {
    // Number and words from one statement, so that they belong together.
    const row = await runOne<{ revision: number; words: SensitiveWord[] | null }>(
      db,
      `SELECT r.revision, (SELECT json_agg(json_build_object('id', w.id, 'word', w.word, 'category', w.category, 'level', w.level,
                'variants', w.variants, 'exceptions', w.exceptions) ORDER BY w.id) FROM sensitive_word w WHERE w.enabled) AS words
         FROM sensitive_word_revision r`,
    );
    one.matcher = compileWords(row!.words ?? []);
    one.revision = row!.revision;
  }
  one.changes = changes;
  one.lookedAt = now;
  return one.matcher;
}
