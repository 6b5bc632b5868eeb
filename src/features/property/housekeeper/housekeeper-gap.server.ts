import { residentScope } from '../../../domain/residents/residents.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { housekeeperGap } from './housekeeper.contract.ts';

const FREE = (unit: string) =>
  `FROM house h WHERE h.unit_id = ${unit} AND NOT EXISTS (SELECT FROM housekeeper_house x WHERE x.house_id = h.id AND x.kind = 'main' AND x.days @> (now() AT TIME ZONE 'Asia/Shanghai')::date)`;

const bound = bindResource(housekeeperGap, {
  table: 'building_unit',
  entity: 'housekeeperGap',
  from: 'building_unit t LEFT JOIN building b ON b.id = t.building_id LEFT JOIN project p ON p.id = b.project_id',
  where: `EXISTS (SELECT ${FREE('t.id')})`,
  columns: {
    project: { id: 'b.project_id', title: 'p.name' },
    building: { id: 't.building_id', title: 'b.name' },
    scope: `CASE WHEN NOT EXISTS (SELECT FROM house h JOIN building_unit u ON u.id = h.unit_id JOIN housekeeper_house x ON x.house_id = h.id AND x.kind = 'main' AND x.days @> (now() AT TIME ZONE 'Asia/Shanghai')::date WHERE u.building_id = t.building_id) THEN 'building'
      WHEN NOT EXISTS (SELECT FROM house h JOIN housekeeper_house x ON x.house_id = h.id AND x.kind = 'main' AND x.days @> (now() AT TIME ZONE 'Asia/Shanghai')::date WHERE h.unit_id = t.id) THEN 'unit'
      ELSE 'houses' END`,
    houses: '(SELECT count(*)::integer FROM house h WHERE h.unit_id = t.id)',
    uncovered: `(SELECT count(*)::integer ${FREE('t.id')})`,
    numbers: `(SELECT string_agg(n.number, '、' ORDER BY n.at) || CASE WHEN max(n.all) > 20 THEN '…' ELSE '' END
      FROM (SELECT h.number, row_number() OVER (ORDER BY house_number_key(h.number) COLLATE "C", h.id) AS at, count(*) OVER () AS all ${FREE('t.id')}) n WHERE n.at <= 20)`,
  },
  extra: { version: '1' },
  scope: residentScope('b.project_id'),
  search: 'lower(t.name)',
});

/** Units with houses nobody looks after. */
export const registration = bound.registration;
