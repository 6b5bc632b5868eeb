import { residentScope } from '../../../domain/residents/residents.server.ts';

/** What hangs on a house (alias `x`) lies in its project; merchants see none. `owner` is who entered it. */
export const onHouse = (owner: string) => residentScope('x.project_id', owner);

/** Joins of a house named by a column, with its unit and building. */
export const houseJoins = (column: string): string =>
  `LEFT JOIN house x ON x.id = ${column} LEFT JOIN building_unit u ON u.id = x.unit_id LEFT JOIN building b ON b.id = u.building_id`;

/** SQL of what a house `x` is called. */
export const HOUSE_TITLE = `(b.name || ' ' || u.name || ' ' || x.number)`;

/** A house as rows name it. */
export const HOUSE_REF = { id: 'x.id', title: HOUSE_TITLE } as const;
