import type { Field } from '../../../contract/fields.ts';
import type { Label } from '../../../contract/label.ts';
import { isSystem } from '../../people/caller.ts';
import { invalid, notFound, ruleBroken } from '../../http/errors.ts';
import { optionSourcesOf } from '../option-source.ts';
import type { ActionContext } from '../run-action.ts';

/** Why a value that was switched off is given to no further row. */
export const CLOSED: Label = ['该选项已停用，请选择其他值', 'This value is disabled, please choose another'];

/**
 * Refuses (404) ids that the picker of a field does not offer to the caller: they do not exist, or belong to somebody else,
 * and nothing says which; those it only tells of with 422 at the field `name`, or 30101. Work of the system is not asked. Reads inside the transaction, so that rows made in it count.
 */
export async function inReach(
  { tx, platform, caller, facts }: Pick<ActionContext, 'tx' | 'platform' | 'caller' | 'facts'>,
  field: Field,
  ids: readonly number[],
  name?: string,
): Promise<void> {
  if (ids.length === 0 || isSystem(caller)) return;
  const source = optionSourcesOf(platform.registrations).get(field.target!);
  if (!source) throw new Error(`No source of choices for ${field.target}`);
  const inside = { ...platform, database: { ...platform.database, db: tx } };
  const wanted = [...new Set(ids)].map(String);
  const found = await source.find(
    { caller, platform: inside, facts },
    { searchVal: '', ids: wanted, offset: 0, limit: wanted.length },
  );
  const known = new Set(found.map((one) => one.id));
  if (!wanted.every((id) => known.has(id))) throw notFound();
  if (found.some((one) => one.closed)) throw name ? invalid({ [name]: CLOSED }) : ruleBroken(CLOSED);
}
