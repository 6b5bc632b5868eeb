import { ofSeenClients } from '../../../domain/commercial-client/client-sight.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { clientAssignment } from './client.contract.ts';

/** Who had clients when. */
export const registration = bindResource(clientAssignment, {
  table: 'client_assignment',
  from: `client_assignment t LEFT JOIN client q ON q.id = t.client_id LEFT JOIN staff f ON f.id = t.from_staff LEFT JOIN staff g ON g.id = t.to_staff
    LEFT JOIN staff b ON b.id = t.by_staff`,
  scope: { tenant: 'none', project: 'none', owner: 'NULL::bigint', own: ofSeenClients },
  columns: {
    client: { id: 't.client_id', title: 'q.name' },
    staff: { id: 't.to_staff', title: 'g.name' },
    fromStaff: 'f.name',
    toStaff: 'g.name',
    byStaff: 'b.name',
    happenedAt: 't.at',
  },
  filters: {
    // Either side of the move.
    staff: (value, parameters) => {
      const ids = parameters.bind(
        value
          .split(',')
          .filter((one) => /^\d{1,15}$/.test(one))
          .map(Number),
      );
      return `(t.from_staff = ANY(${ids}::bigint[]) OR t.to_staff = ANY(${ids}::bigint[]))`;
    },
  },
  extra: { version: '1' },
}).registration;
