import { residentScope } from '../../../domain/residents/residents.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { butlerCoverage } from './information.contract.ts';

const HOUSES = 'FROM house h JOIN building_unit u ON u.id = h.unit_id WHERE u.building_id = t.id';
const HELD = `EXISTS (SELECT FROM housekeeper_house x WHERE x.house_id = h.id AND x.kind = 'main' AND x.days @> (now() AT TIME ZONE 'Asia/Shanghai')::date)`;

/** Buildings with who looks after them today. */
export const registration = bindResource(butlerCoverage, {
  table: 'building',
  entity: 'butlerCoverage',
  from: 'building t LEFT JOIN project p ON p.id = t.project_id',
  where: `EXISTS (SELECT ${HOUSES})`,
  columns: {
    project: { id: 't.project_id', title: 'p.name' },
    butlers: `(SELECT string_agg(DISTINCT s.name, '、') FROM house h JOIN building_unit u ON u.id = h.unit_id JOIN housekeeper_house x ON x.house_id = h.id AND x.kind = 'main'
        AND x.days @> (now() AT TIME ZONE 'Asia/Shanghai')::date JOIN housekeeper k ON k.id = x.housekeeper_id JOIN staff s ON s.id = k.staff_id WHERE u.building_id = t.id)`,
    houses: `(SELECT count(*)::integer ${HOUSES})`,
    vacant: `(SELECT count(*)::integer ${HOUSES} AND NOT ${HELD})`,
    vacancy: `(SELECT round(100.0 * count(*) FILTER (WHERE NOT ${HELD}) / count(*), 1)::text ${HOUSES})`,
    covered: `(CASE WHEN NOT EXISTS (SELECT ${HOUSES} AND NOT ${HELD}) THEN 'all' WHEN EXISTS (SELECT ${HOUSES} AND ${HELD}) THEN 'part' ELSE 'none' END)`,
  },
  extra: { version: '1' },
  scope: residentScope('t.project_id'),
  search: 'lower(t.name)',
}).registration;
