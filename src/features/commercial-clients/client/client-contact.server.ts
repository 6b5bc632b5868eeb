import { ofSeenClients } from '../../../domain/commercial-client/client-sight.server.ts';
import { run } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { PARENT_RIGHTS, parentRefuses, requireWriter } from './client-parts.server.ts';
import { clientContact } from './client.contract.ts';

const POOLED = '(SELECT c.owner_id IS NULL FROM client c WHERE c.id = t.client_id)';

/** Contacts of clients; of those in the pool only the shape is shown. */
export const registration = bindResource(clientContact, {
  table: 'client_contact',
  from: 'client_contact t LEFT JOIN client q ON q.id = t.client_id',
  scope: { tenant: 'none', project: 'none', owner: 'NULL::bigint', own: ofSeenClients },
  columns: {
    client: { id: 't.client_id', title: 'q.name' },
    name: `(CASE WHEN ${POOLED} THEN left(t.name, 1) || '*' ELSE t.name END)`,
    phone: `(CASE WHEN ${POOLED} THEN regexp_replace(t.phone, '^(.{3}).*(.{4})$', '\\1****\\2') ELSE t.phone END)`,
    addedAt: 't.created_at',
  },
  writes: { name: 'name', phone: 'phone' },
  unique: {
    client_contact_phone: ['该电话已是某客户的联系人', 'This number is a contact of a client already'],
  },
  extra: PARENT_RIGHTS,
  ruleReads: [...Object.keys(PARENT_RIGHTS), 'main'],
  rowRules: {
    update: parentRefuses,
    makeMain: (row, caller) =>
      row.main === true ? ['已是主要联系人', 'It is the main contact'] : parentRefuses(row, caller),
    remove: (row, caller) =>
      row.main === true
        ? ['主要联系人不能删除', 'The main contact is not deleted']
        : parentRefuses(row, caller),
  },
  before: [
    async ({ action, input, tx, caller, columns }) => {
      if (action === 'create') await requireWriter(tx, caller, Number(input.client));
      for (const name of ['position', 'wechat', 'email']) if (columns[name] === null) columns[name] = '';
    },
  ],
  handlers: {
    makeMain: async ({ tx, row }) => {
      await run(tx, 'UPDATE client_contact SET main = false WHERE client_id = $1 AND main', [row.client_id]);
      return { set: { main: true } };
    },
    remove: async ({ tx, id, row }) => {
      if (row.main === true) throw ruleBroken(['主要联系人不能删除', 'The main contact is not deleted']);
      await run(tx, 'DELETE FROM client_contact WHERE id = $1', [id]);
    },
  },
}).registration;
