import type { Tx } from '../../../kernel/server/database.ts';
import type { ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { platformHolders } from '../../../domain/oauth/client-notice.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { notify } from '../../../domain/notification/notify.server.ts';

/** Name of the rows, and of what tells every server that a rule changed. */
export const API_ENTITY = 'apiCall';
const MENU = 'apiManager';

/** Calls belong to the product: only the platform keeps them. */
export const API_SCOPE: ScopeColumns = {
  tenant: 'none',
  project: 'none',
  owner: 't.updated_by',
  platformOnly: true,
};

/** Calls as their list shows them. */
export const apiSight = listSight({ entity: API_ENTITY, menu: MENU, table: 'api_call', scope: API_SCOPE });

/** Tells who keeps the list that a release brought calls that need no token. */
export async function tellOfPublicCalls(tx: Tx, ids: readonly number[]): Promise<void> {
  const staffIds = await platformHolders(tx, `${MENU}:btn_off`);
  await notify(tx, {
    staffIds,
    kind: 'alertApi',
    level: 'alert',
    rows: { sight: apiSight, ids },
    route: `/authManager/${MENU}?level=public`,
    title: [`新版本增加了 ${ids.length} 个公开接口`, `The release brought ${ids.length} public calls`],
    body: ['请确认它们应当无需登录即可调用。', 'Please check that they are meant to need no token.'],
  });
}
