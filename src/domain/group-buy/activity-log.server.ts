import type { Label } from '../../kernel/contract/label.ts';
import { writeAudit, writeTimeline } from '../../kernel/server/audit/audit.ts';
import { run, type Tx } from '../../kernel/server/database.ts';
import type { Caller } from '../../kernel/server/people/caller.ts';

/** Name of the resource whose timeline tells the story of an activity's items. */
export const ACTIVITY_ENTITY = 'groupBuyItem';

/** What happened to an activity outside of an action of its own: a deadline, the end of an approval, a team. */
export interface ActivityNote {
  readonly action: string;
  readonly label: Label;
  readonly from: string;
  readonly to: string;
  readonly remark?: string;
  readonly caller?: Caller | undefined;
  /** Items whose timeline tells it; absent: all of the activity. */
  readonly except?: number;
}

/** Writes a note on the timeline of every item of an activity, and one audit record each. */
export async function noteActivity(tx: Tx, activityId: number, note: ActivityNote): Promise<void> {
  const items = await run<{ id: number }>(
    tx,
    'SELECT id FROM group_buy_item WHERE group_buy_id = $1 AND ($2::bigint IS NULL OR id <> $2) ORDER BY id',
    [activityId, note.except ?? null],
  );
  for (const { id } of items) await noteItem(tx, id, note);
}

/** Writes a note on the timeline of one item. */
export async function noteItem(tx: Tx, itemId: number, note: ActivityNote): Promise<void> {
  await writeTimeline(tx, {
    entity: ACTIVITY_ENTITY,
    entityId: itemId,
    ...(note.caller ? { caller: note.caller } : {}),
    action: note.action,
    label: note.label,
    from: note.from,
    to: note.to,
    remark: note.remark ?? '',
  });
  await writeAudit(tx, {
    ...(note.caller ? { caller: note.caller } : {}),
    action: note.action,
    entity: ACTIVITY_ENTITY,
    entityId: itemId,
    before: { state: note.from },
    after: { state: note.to },
  });
}
