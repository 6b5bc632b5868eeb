import { residentScope } from '../../../domain/residents/residents.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { TODAY } from '../../../kernel/server/today.ts';
import { contractsOfSeen } from './client-contract.server.ts';
import { clientReceivable } from './client.contract.ts';

const OWED = `(t.principal + t.charges - t.received)`;

/** What the contracts of a client brought and still bring in. */
export const registration = bindResource(clientReceivable, {
  table: 'receivable',
  from: `receivable t LEFT JOIN contract k ON k.id = t.source_id AND t.source_kind = 'contract' LEFT JOIN client q ON q.id = k.client_id`,
  where: `t.source_kind = 'contract' AND t.state <> 'void'`,
  scope: {
    ...residentScope('t.project_id'),
    own: (caller, parameters) =>
      `t.source_id IN (SELECT t.id FROM contract t WHERE ${contractsOfSeen(caller, parameters)})`,
  },
  columns: {
    client: { id: 'k.client_id', title: 'q.name' },
    contract: 't.source_code',
    amount: '(t.principal + t.charges)',
    balance: `(CASE WHEN t.state IN ('open', 'part') THEN ${OWED} ELSE 0 END)`,
    overdueDays: `(CASE WHEN t.state IN ('open', 'part') AND t.due_on < ${TODAY} THEN ${TODAY} - t.due_on ELSE 0 END)`,
  },
}).registration;
