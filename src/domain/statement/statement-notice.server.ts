import type { Label } from '../../kernel/contract/label.ts';
import { run, type Tx } from '../../kernel/server/database.ts';
import type { DbRow } from '../../kernel/server/resource/binding.ts';
import { notify } from '../notification/notify.server.ts';
import { statementSight } from './statement-scope.server.ts';

/** Tells the merchant's staff who see the statement what became of it. */
export async function tellMerchant(tx: Tx, row: DbRow, title: Label): Promise<void> {
  const staff = await run<{ id: number }>(tx, 'SELECT id FROM staff WHERE tenant_id = $1', [row.tenant_id]);
  await notify(tx, {
    kind: 'statement',
    staffIds: staff.map((one) => one.id),
    title: [`${title[0]}：${String(row.code)}`, `${title[1]}: ${String(row.code)}`],
    rows: { sight: statementSight, ids: [Number(row.id)] },
    route: `/merchantManager/mm_accountStatement/${Number(row.id)}`,
  });
}
