import { ofSeenClients } from '../../../domain/commercial-client/client-sight.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { requireReader } from './client-parts.server.ts';
import { clientComment } from './client.contract.ts';

/** Comments on clients, by whoever reads them. */
export const registration = bindResource(clientComment, {
  table: 'client_comment',
  from: 'client_comment t LEFT JOIN client q ON q.id = t.client_id LEFT JOIN staff s ON s.id = t.created_by',
  scope: { tenant: 'none', project: 'none', owner: 'NULL::bigint', own: ofSeenClients },
  columns: { client: { id: 't.client_id', title: 'q.name' }, author: 's.name', saidAt: 't.created_at' },
  before: [
    async ({ action, input, tx, caller }) => {
      if (action === 'create') await requireReader(tx, caller, Number(input.client));
    },
  ],
}).registration;
