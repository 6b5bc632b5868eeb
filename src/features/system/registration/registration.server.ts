import { buildingOptions, residentScope } from '../../../domain/residents/residents.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { registration as contract } from './registration.contract.ts';

const bound = bindResource(contract, {
  table: 'member',
  entity: 'member',
  from: `member t LEFT JOIN project p ON p.id = t.project_id LEFT JOIN household h ON h.id = t.household_id
    LEFT JOIN house x ON x.id = h.house_id LEFT JOIN building_unit u ON u.id = x.unit_id LEFT JOIN building b ON b.id = u.building_id
    LEFT JOIN member i ON i.id = t.inviter_id`,
  columns: {
    project: { id: 't.project_id', title: 'p.name' },
    building: { id: 'u.building_id', title: 'b.name' },
    unit: { id: 'x.unit_id', title: 'u.name' },
    house: 'x.number',
    identity: 'h.identity',
    status: 'h.status',
    bound: `coalesce(h.status = 'normal', false)`,
    boundAt: 'h.bound_at',
    // Who invited may live elsewhere: the name is told, masked, nothing else.
    inviter: 'i.name',
  },
  scope: residentScope('t.project_id', 't.created_by'),
  also: {
    options: buildingOptions(['ssm_registrationDetails', 'ssm_registerByHouse']),
  },
});

export const registration = bound.registration;
