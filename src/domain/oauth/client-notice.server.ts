import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import type { ScopeColumns } from '../../kernel/server/people/scope.ts';
import { holdersOf } from '../approval/approvers.server.ts';
import { listSight } from '../notification/row-sight.server.ts';
import { notify } from '../notification/notify.server.ts';

/** Menu of the programs that may ask for tokens. */
export const CLIENT_MENU = 'oauthClientDetailsManager';

/** Programs act beside every tenant, so only the platform keeps them. */
export const CLIENT_SCOPE: ScopeColumns = {
  tenant: 'none',
  project: 'none',
  owner: 't.owner_id',
  platformOnly: true,
};

/** Programs as their list shows them. */
export const clientSight = listSight({
  entity: 'oauthClient',
  menu: CLIENT_MENU,
  table: 'oauth_client',
  scope: CLIENT_SCOPE,
});

/** Tells the owner of a program; without one those who made it or, at last, all who hold its menu. */
export async function tellClientOwner(
  tx: Tx,
  clientId: string,
  notice: { readonly title: Label; readonly body?: Label },
): Promise<void> {
  const client = await runOne<{ id: number; staff_id: number | null }>(
    tx,
    'SELECT id, coalesce(owner_id, created_by) AS staff_id FROM oauth_client WHERE client_id = $1',
    [clientId],
  );
  if (!client) return;
  const staffIds =
    client.staff_id === null ? await platformHolders(tx, `${CLIENT_MENU}:btn_edit`) : [client.staff_id];
  await notify(tx, {
    staffIds,
    kind: 'clientCredential',
    level: 'important',
    rows: { sight: clientSight, ids: [client.id] },
    route: `/authManager/${CLIENT_MENU}?detail=${client.id}`,
    ...notice,
  });
}

/** Staff of the platform who hold an element now. */
export async function platformHolders(tx: Tx, element: string): Promise<number[]> {
  const ids: number[] = [];
  for (const tenant of await run<{ id: number }>(tx, 'SELECT id FROM tenant WHERE kind = 3 ORDER BY id'))
    ids.push(...(await holdersOf(tx, tenant.id, element, [])));
  return ids;
}
