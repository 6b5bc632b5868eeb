import type { Caller } from '../../kernel/server/people/caller.ts';
import type { Parameters } from '../../kernel/server/people/scope.ts';
import { TODAY } from '../../kernel/server/today.ts';

/** Menu of clients. */
export const CLIENT_MENU = 'customerList';
/** Held by the leasing administrators: all clients of their projects. */
export const ALL_CLIENTS = `${CLIENT_MENU}:btn_all`;

/** SQL: staff below one in the chain of leaders. */
const below = (staff: string) =>
  `(WITH RECURSIVE led AS (SELECT staff_id FROM business_person WHERE leader_id = ${staff}
      UNION SELECT b.staff_id FROM business_person b JOIN led ON b.leader_id = led.staff_id) SELECT staff_id FROM led)`;

/** SQL conditions over clients (`t`) for a staff: own ones, those shared, those of people below, and the pool of own projects. */
export const clientsOf = {
  mine: (staff: string) => `t.owner_id = ${staff}`,
  shared: (staff: string) =>
    `EXISTS (SELECT FROM client_member x WHERE x.client_id = t.id AND x.staff_id = ${staff} AND (x.until IS NULL OR x.until >= ${TODAY}))`,
  below: (staff: string) => `t.owner_id IN ${below(staff)}`,
  pool: (staff: string) =>
    `(t.owner_id IS NULL AND EXISTS (SELECT FROM client_project x JOIN business_person_project y ON y.project_id = x.project_id
       JOIN business_person b ON b.id = y.person_id WHERE x.client_id = t.id AND b.staff_id = ${staff} AND b.state = 'active'))`,
} as const;

/** The one condition over clients (`t`) a caller may see; merchants see none. Source: group 20, visibility. */
export function seenClients(caller: Caller, parameters: Parameters): string {
  if (caller.tenantKind === 2) return 'FALSE';
  const me = parameters.bind(caller.staffId);
  const parts = Object.values(clientsOf).map((of) => of(me));
  if (caller.elements.has(ALL_CLIENTS))
    parts.push(
      caller.projectIds === null
        ? 'TRUE'
        : `EXISTS (SELECT FROM client_project x WHERE x.client_id = t.id AND x.project_id = ANY(${parameters.bind(caller.projectIds)}::bigint[]))`,
    );
  return `(${parts.join(' OR ')})`;
}

/** Rows (`t`) that hang on clients the caller sees. */
export function ofSeenClients(caller: Caller, parameters: Parameters): string {
  return `t.client_id IN (SELECT t.id FROM client t WHERE ${seenClients(caller, parameters)})`;
}

/** SQL: everybody above an owner in the chain of leaders. */
export const leadersOf = (owner: string) =>
  `(WITH RECURSIVE up AS (SELECT leader_id FROM business_person WHERE staff_id = ${owner}
      UNION SELECT b.leader_id FROM business_person b JOIN up ON b.staff_id = up.leader_id)
    SELECT coalesce(array_agg(leader_id) FILTER (WHERE leader_id IS NOT NULL), '{}') FROM up)`;

/** SQL: members of a client who also edit it and follow it up. */
export const writersOf = (client: string) =>
  `ARRAY(SELECT x.staff_id FROM client_member x WHERE x.client_id = ${client} AND x.access = 'write' AND (x.until IS NULL OR x.until >= ${TODAY}))`;
