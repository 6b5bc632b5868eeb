import type { FieldChange } from '../audit/audit.ts';
import { run, runOne } from '../database.ts';
import type { BoundResource } from './bind.ts';
import type { ActionContext } from './run-action.ts';
import { ruleBroken } from '../http/errors.ts';
import type { Label } from '../../contract/label.ts';

/** A tree in which what stands below something disabled is disabled too. */
export interface BelowSpec {
  readonly table: string;
  /** Column of the row above. */
  readonly parent: string;
  /** Rows that are left as they are when what is above them is enabled. */
  readonly stays?: string;
  /** Why a row is not enabled while the one above it is disabled. */
  readonly above: Label;
}

/** Refuses to enable a row below a disabled one; held until the end, so that nobody disables that one meanwhile. */
export async function requireAboveEnabled(
  { tx, action, row }: ActionContext,
  spec: BelowSpec,
): Promise<void> {
  if (action !== 'enable' || row[spec.parent] === null) return;
  const above = await runOne<{ enabled: boolean }>(
    tx,
    `SELECT enabled FROM ${spec.table} WHERE id = $1 FOR SHARE`,
    [row[spec.parent]],
  );
  if (above?.enabled === false) throw ruleBroken(spec.above);
}

/** For `after`: enables or disables whatever stands below the row by the same action, so that each row has it in its timeline. */
export function withEverythingBelow(bound: () => BoundResource, spec: BelowSpec) {
  return async (context: ActionContext, id: number): Promise<readonly FieldChange[]> => {
    const { tx, action } = context;
    if (action !== 'enable' && action !== 'disable') return [];
    const value = action === 'enable';
    const sweep = async (above: number): Promise<void> => {
      const rows = await run<{ id: number; enabled: boolean }>(
        tx,
        `SELECT id, enabled FROM ${spec.table} WHERE ${spec.parent} = $1${value && spec.stays ? ` AND NOT (${spec.stays})` : ''} ORDER BY id`,
        [above],
      );
      for (const row of rows)
        if (row.enabled === value) await sweep(row.id);
        else await bound().actIn(tx, context, action, row.id);
    };
    await sweep(id);
    return [];
  };
}
