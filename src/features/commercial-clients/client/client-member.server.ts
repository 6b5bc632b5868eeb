import { ofSeenClients } from '../../../domain/commercial-client/client-sight.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { PARENT_RIGHTS, requireManager, managerRefuses } from './client-parts.server.ts';
import { clientMember } from './client.contract.ts';

/** Colleagues who share clients; the owner or a leader says who. */
export const registration = bindResource(clientMember, {
  table: 'client_member',
  from: 'client_member t LEFT JOIN client q ON q.id = t.client_id',
  joins: { staff: { table: 'staff', title: 'name' } },
  scope: { tenant: 'none', project: 'none', owner: 'NULL::bigint', own: ofSeenClients },
  columns: {
    client: { id: 't.client_id', title: 'q.name' },
    right: 't.access',
    addedAt: 't.created_at',
  },
  writes: { right: 'access' },
  unique: { client_member_once: ['该人员已是协作人', 'This person shares it already'] },
  extra: PARENT_RIGHTS,
  ruleReads: Object.keys(PARENT_RIGHTS),
  rowRules: { update: managerRefuses, remove: managerRefuses },
  before: [
    async ({ action, input, tx, caller }) => {
      if (action === 'create') await requireManager(tx, caller, Number(input.client));
    },
  ],
}).registration;
