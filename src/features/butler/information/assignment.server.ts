import { residentScope } from '../../../domain/residents/residents.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { butlerAssignment } from './information.contract.ts';
import { TODAY } from '../../../kernel/server/today.ts';

/** Houses of butlers with their days, past ones too. */
export const registration = bindResource(butlerAssignment, {
  table: 'housekeeper_building',
  from: `housekeeper_building t LEFT JOIN housekeeper k ON k.id = t.housekeeper_id LEFT JOIN staff s ON s.id = k.staff_id
    LEFT JOIN project p ON p.id = t.project_id LEFT JOIN building b ON b.id = t.building_id LEFT JOIN building_unit u ON u.id = t.unit_id`,
  columns: {
    butler: { id: 't.housekeeper_id', title: 's.name' },
    project: { id: 't.project_id', title: 'p.name' },
    building: { id: 't.building_id', title: 'b.name' },
    unit: { id: 't.unit_id', title: 'u.name' },
    range: `CASE WHEN t.house_from = t.house_to THEN t.house_from WHEN t.house_from IS NOT NULL THEN t.house_from || '–' || t.house_to ELSE '' END`,
    houses: '(SELECT count(*)::integer FROM housekeeper_house x WHERE x.assignment_id = t.id)',
    phase: `(CASE WHEN t.valid_from > ${TODAY} THEN 'coming' WHEN t.valid_to < ${TODAY} THEN 'over' ELSE 'now' END)`,
  },
  extra: { version: '1' },
  scope: residentScope('t.project_id', 's.id'),
}).registration;
