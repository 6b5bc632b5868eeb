import { ofSeenClients } from '../../../domain/commercial-client/client-sight.server.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { clientContract } from './client.contract.ts';

const ANY = residentScope('t.project_id');

/** Contracts (`t`) of clients a caller sees, in projects it works in. */
export const contractsOfSeen = (caller: Caller, parameters: Parameters): string =>
  `${ofSeenClients(caller, parameters)} AND ${placeCondition(caller, ANY, parameters)}`;

/** What was contracted with a client. */
export const registration = bindResource(clientContract, {
  table: 'contract',
  from: 'contract t LEFT JOIN client q ON q.id = t.client_id LEFT JOIN project p ON p.id = t.project_id LEFT JOIN staff o ON o.id = t.owner_id',
  where: 't.client_id IS NOT NULL',
  scope: { ...ANY, own: contractsOfSeen },
  columns: {
    client: { id: 't.client_id', title: 'q.name' },
    project: 'p.name',
    owner: 'o.name',
    places: `(SELECT string_agg(DISTINCT x.code, '、') FROM contract_position c JOIN position x ON x.id = c.place_id WHERE c.contract_id = t.id)`,
  },
}).registration;
