import type { Field } from '../../kernel/contract/fields.ts';
import { runOne, type Executor } from '../../kernel/server/database.ts';
import { invalid } from '../../kernel/server/http/errors.ts';

/** Refuses (422) files larger than the field they are for says (`megabytes`). */
export async function requireFilesFit(
  tx: Executor,
  name: string,
  { megabytes }: Field,
  ids: readonly string[],
): Promise<void> {
  if (megabytes === undefined || ids.length === 0) return;
  const big = await runOne(tx, 'SELECT 1 FROM stored_file WHERE id::text = ANY($1) AND size > $2 LIMIT 1', [
    ids,
    megabytes * 1024 * 1024,
  ]);
  if (big) throw invalid({ [name]: [`图片不能超过 ${megabytes} MB`, `At most ${megabytes} MB`] });
}
