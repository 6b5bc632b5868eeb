import { run } from '../../kernel/server/database.ts';
import { checkAttachable } from '../../kernel/server/files/files.ts';
import { invalid } from '../../kernel/server/http/errors.ts';
import type { ActionContext } from '../../kernel/server/resource/run-action.ts';

/** SQL of the pictures of a column of ids as rows show them, in their order. */
export const picturesOf = (column: string): string =>
  `(SELECT coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'name', f.name, 'type', f.type, 'size', f.size, 'url', '/api/file/' || f.id) ORDER BY o.n), '[]')
      FROM unnest(${column}) WITH ORDINALITY AS o (id, n) JOIN stored_file f ON f.id = o.id)`;

/** Refuses (422) files the caller must not attach, and what is no picture. `kept` are those the row has already. */
export async function checkPictures(
  { tx, caller }: Pick<ActionContext, 'tx' | 'caller'>,
  field: string,
  ids: readonly string[],
  kept: readonly string[] = [],
): Promise<void> {
  const fresh = ids.filter((id) => !kept.includes(id));
  if (fresh.length === 0) return;
  await checkAttachable(tx, caller, field, fresh);
  const others = await run(tx, `SELECT id FROM stored_file WHERE id::text = ANY($1) AND type <> ALL($2)`, [
    fresh,
    ['image/jpeg', 'image/png', 'image/webp'],
  ]);
  if (others.length > 0) throw invalid({ [field]: ['仅支持 jpg、png、webp', 'jpg, png or webp only'] });
}
