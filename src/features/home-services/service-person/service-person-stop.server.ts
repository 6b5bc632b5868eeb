import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { personStop } from './service-person.contract.ts';

const bound: BoundResource = bindResource(personStop, {
  table: 'service_stop',
  from: 'service_stop t JOIN service_person p ON p.id = t.person_id LEFT JOIN project j ON j.id = t.project_id',
  where: 't.person_id IS NOT NULL',
  columns: {
    person: { id: 't.person_id', title: 'p.name' },
    startsAt: 'lower(t.period)',
    endsAt: 'upper(t.period)',
    project: { id: 't.project_id', title: 'j.name' },
  },
  writes: { person: false },
  scope: {
    tenant: 'p.tenant_id',
    project: (ids) =>
      `EXISTS (SELECT FROM service_person_project x WHERE x.person_id = p.id AND x.project_id = ANY(${ids}::bigint[]))`,
    owner: 'p.created_by',
  },
});

/** Leave of people who visit. */
export const registration = bound.registration;
