import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { checkAttachable } from '../../../kernel/server/files/files.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';

/** Largest picture of what the mall shows. */
const PICTURE_BYTES = 2 * 1024 * 1024;

/** Refuses (422) a period without length or one that is over already. What the input leaves out counts as the row has it. */
export async function checkPeriod(
  tx: Executor,
  input: Readonly<Record<string, unknown>>,
  row: Readonly<Record<string, unknown>>,
): Promise<void> {
  const clock = await runOne<{ backwards: boolean; over: boolean }>(
    tx,
    'SELECT $2::timestamptz <= $1::timestamptz AS backwards, $2::timestamptz <= now() AS over',
    [input.startsAt ?? row.starts_at, input.endsAt ?? row.ends_at],
  );
  if (clock!.backwards)
    throw invalid({ endsAt: ['结束时间须晚于开始时间', 'The end must lie behind the start'] });
  if (clock!.over) throw invalid({ endsAt: ['结束时间已过', 'The end has passed already'] });
}

/**
 * Refuses (422) pictures the caller must not attach, of another kind than jpg, png and webp, or above 2 MB. `kept` are those
 * the row has already.
 */
export async function checkPictures(
  { tx, caller }: Pick<ActionContext, 'tx' | 'caller'>,
  field: string,
  ids: readonly string[],
  kept: readonly string[] = [],
): Promise<void> {
  const fresh = ids.filter((id) => !kept.includes(id));
  if (fresh.length === 0) return;
  await checkAttachable(tx, caller, field, fresh);
  const files = await run<{ size: number; type: string }>(
    tx,
    'SELECT size::int, type FROM stored_file WHERE id::text = ANY($1)',
    [fresh],
  );
  const refuse = (label: Label) => {
    throw invalid({ [field]: label });
  };
  for (const file of files) {
    if (!['image/jpeg', 'image/png', 'image/webp'].includes(file.type))
      refuse(['仅支持 jpg、png、webp', 'jpg, png or webp only']);
    if (file.size > PICTURE_BYTES) refuse(['图片不能超过 2 MB', 'At most 2 MB']);
  }
}
