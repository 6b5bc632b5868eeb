import type { Label } from '../../kernel/contract/label.ts';
import { run, type Tx } from '../../kernel/server/database.ts';
import type { DbRow } from '../../kernel/server/resource/binding.ts';
import { notify } from '../notification/notify.server.ts';
import type { RowSight } from '../notification/row-sight.server.ts';
import { statementSight } from './statement-scope.server.ts';

/** Tells the merchant's staff who see the statement what became of it. */
export const tellMerchant = (tx: Tx, row: DbRow, title: Label): Promise<void> =>
  tellStaffOf(tx, row, title, {
    sight: statementSight,
    route: `/merchantManager/mm_accountStatement/${Number(row.id)}`,
  });

/** Tells the staff of a row's merchant who see the row what became of it. */
export async function tellStaffOf(
  tx: Tx,
  row: DbRow,
  title: Label,
  { sight, route }: { readonly sight: RowSight; readonly route: string },
): Promise<void> {
  const staff = await run<{ id: number }>(tx, 'SELECT id FROM staff WHERE tenant_id = $1', [row.tenant_id]);
  await notify(tx, {
    kind: 'statement',
    staffIds: staff.map((one) => one.id),
    title: [`${title[0]}：${String(row.code)}`, `${title[1]}: ${String(row.code)}`],
    rows: { sight, ids: [Number(row.id)] },
    route,
  });
}
