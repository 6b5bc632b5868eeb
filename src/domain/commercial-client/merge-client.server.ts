import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { STAGES, type Stage } from './client.rules.ts';

/** Columns of a client that may be taken from the one that goes. */
export const MERGED_COLUMNS = {
  name: ['name', 'plain_name'],
  brand: ['brand'],
  licenceNo: ['licence_no'],
  industry: ['industry_id'],
  level: ['level'],
  source: ['source_id'],
  address: ['address'],
  area: ['area_min', 'area_max'],
  rentMax: ['rent_max'],
  note: ['note'],
} as const;
export type MergedField = keyof typeof MERGED_COLUMNS;

/** A client as a merge looks at it. */
export interface MergedClient {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly state: string;
}

/** Tables whose rows name a client and simply follow it. */
const FOLLOWERS = [
  'client_contact',
  'follow_up',
  'client_assignment',
  'contract',
  'position_occupancy',
  'package_order',
] as const;

/**
 * Joins one locked client to another: contacts, follow-ups, contracts, holds, members and history go over, named columns are taken, the
 * further stage counts. The other is gone; its number and links lead here. Returns the columns the survivor gets.
 * Source: group 20, customerList, merge.
 */
export async function mergeClient(
  tx: Tx,
  keep: MergedClient,
  gone: MergedClient,
  take: readonly MergedField[],
  staffId: number,
): Promise<Record<string, unknown>> {
  const other = (await runOne<Record<string, unknown>>(tx, 'SELECT * FROM client WHERE id = $1', [gone.id]))!;
  await run(tx, 'UPDATE client_contact SET main = false WHERE client_id = $1', [gone.id]);
  for (const table of FOLLOWERS)
    await run(tx, `UPDATE ${table} SET client_id = $1 WHERE client_id = $2`, [keep.id, gone.id]);
  await run(
    tx,
    `INSERT INTO client_member (client_id, staff_id, access, created_by) SELECT $1, staff_id, access, created_by FROM client_member WHERE client_id = $2
     ON CONFLICT (client_id, staff_id) DO UPDATE SET access = 'write' WHERE EXCLUDED.access = 'write'`,
    [keep.id, gone.id],
  );
  await run(
    tx,
    'INSERT INTO client_project SELECT $1, project_id FROM client_project WHERE client_id = $2 ON CONFLICT DO NOTHING',
    [keep.id, gone.id],
  );
  await run(tx, 'UPDATE client_alias SET client_id = $1 WHERE client_id = $2', [keep.id, gone.id]);
  await run(tx, 'DELETE FROM client WHERE id = $1', [gone.id]);
  await run(
    tx,
    'INSERT INTO client_alias (old_id, code, name, client_id, merged_by) VALUES ($1, $2, $3, $4, $5)',
    [gone.id, gone.code, gone.name, keep.id, staffId],
  );
  const last = await runOne<{ at: Date; next: Date | null }>(
    tx,
    'SELECT at, next_at AS next FROM follow_up WHERE client_id = $1 ORDER BY at DESC, id DESC LIMIT 1',
    [keep.id],
  );
  const further =
    STAGES.indexOf(gone.state as Stage) > STAGES.indexOf(keep.state as Stage) && gone.state !== 'lost'
      ? { state: gone.state, stage_since: new Date(), lost_reason_id: null, lost_note: '' }
      : {};
  return {
    ...Object.fromEntries(
      take.flatMap((field) => MERGED_COLUMNS[field].map((column) => [column, other[column]])),
    ),
    ...(last ? { last_follow_at: last.at, next_follow_at: last.next } : {}),
    ...further,
  };
}

/** The client an old number or link leads to; undefined where it was never joined to another. */
export async function mergedInto(db: Executor, oldId: number): Promise<number | undefined> {
  return (
    await runOne<{ client_id: number }>(db, 'SELECT client_id FROM client_alias WHERE old_id = $1', [oldId])
  )?.client_id;
}
