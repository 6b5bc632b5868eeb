import { residentScope } from '../../../domain/residents/residents.server.ts';
import { companyOf } from '../../../domain/work-order/create-work-order.server.ts';
import { runOne } from '../../../kernel/server/database.ts';
import { forbidden, invalid, notFound } from '../../../kernel/server/http/errors.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { feeAssignment } from './fee-item.contract.ts';

/** SQL: readable name of the house a row is joined to. */
export const JOINED_HOUSE = `(SELECT b.name || u.name || r_house.number FROM building_unit u JOIN building b ON b.id = u.building_id WHERE u.id = r_house.unit_id)`;

/** What houses are charged. */
export const registration = bindResource(feeAssignment, {
  table: 'fee_assignment',
  joins: {
    project: 'project',
    house: {
      table: 'house',
      column: 'house_id',
      title: JOINED_HOUSE,
    },
    item: { table: 'fee_item', column: 'fee_item_id' },
  },
  columns: { area: 'r_house.built_area' },
  scope: { tenant: 't.tenant_id', project: 't.project_id', owner: 't.created_by' },
  usedBy: { bill: ['账单', 'bills'] },
  before: [
    async ({ tx, action, columns, row, input }) => {
      if (action !== 'create' && action !== 'update') return;
      const from = String(input.validFrom ?? row.valid_from);
      const to = input.validTo === undefined ? row.valid_to : input.validTo;
      if (to && String(to) < from)
        throw invalid({ validTo: ['结束早于开始', 'The end is before the start'] });
      if (action === 'update') return;
      const house = await runOne<{ project_id: number; tenant_id: number | null }>(
        tx,
        `SELECT h.project_id, (SELECT c.tenant_id FROM (${companyOf('h.project_id')}) c) AS tenant_id FROM house h WHERE h.id = $1`,
        [columns.house_id],
      );
      const item = await runOne<{ tenant_id: number }>(tx, 'SELECT tenant_id FROM fee_item WHERE id = $1', [
        columns.fee_item_id,
      ]);
      if (!house || !item) throw notFound();
      if (item.tenant_id !== house.tenant_id) throw invalid({ item: OTHER_COMPANY });
      Object.assign(columns, { project_id: house.project_id, tenant_id: house.tenant_id });
    },
  ],
  unique: {
    fee_assignment_overlap: [
      '该房屋在此期间已有该收费项目',
      'The house is charged this item in these days already',
    ],
  },
  handlers: { building: assignBuilding },
}).registration;

const OTHER_COMPANY = ['收费项目不属于该项目的物业公司', 'The fee item is of another company'] as const;

/** Charges every house of a building an item; those that have it in these days stay as they are. */
async function assignBuilding({ tx, input, caller }: ActionContext): Promise<ActionResult> {
  const parameters = new Parameters();
  const place = placeCondition(caller, residentScope('b.project_id'), parameters);
  const at = parameters.bind(input.building);
  const building = await runOne<{ project_id: number; tenant_id: number | null }>(
    tx,
    `SELECT b.project_id, (SELECT c.tenant_id FROM (${companyOf('b.project_id')}) c) AS tenant_id FROM building b WHERE b.id = ${at} AND ${place}`,
    parameters.values,
  );
  const item = await runOne<{ tenant_id: number }>(
    tx,
    'SELECT tenant_id FROM fee_item WHERE id = $1 AND enabled',
    [input.item],
  );
  if (!building || !item) throw notFound();
  if (caller.tenantKind !== 3 && item.tenant_id !== caller.tenantId) throw forbidden();
  if (item.tenant_id !== building.tenant_id) throw invalid({ item: OTHER_COMPANY });
  if (input.validTo && String(input.validTo) < String(input.validFrom))
    throw invalid({ validTo: ['结束早于开始', 'The end is before the start'] });
  const counted = (await runOne<{ made: number; houses: number }>(
    tx,
    `WITH houses AS (SELECT h.id FROM house h JOIN building_unit u ON u.id = h.unit_id WHERE u.building_id = $1 AND h.merged_into_id IS NULL),
     made AS (
       INSERT INTO fee_assignment (tenant_id, project_id, house_id, fee_item_id, valid_from, valid_to, created_by, updated_by)
       SELECT $2, $3, h.id, $4, $5, $6, $7, $7 FROM houses h
        WHERE NOT EXISTS (SELECT FROM fee_assignment x WHERE x.house_id = h.id AND x.fee_item_id = $4 AND daterange(x.valid_from, x.valid_to, '[]') && daterange($5::date, $6::date, '[]'))
       RETURNING 1)
     SELECT (SELECT count(*)::integer FROM made) AS made, (SELECT count(*)::integer FROM houses) AS houses`,
    [
      input.building,
      building.tenant_id,
      building.project_id,
      input.item,
      input.validFrom,
      input.validTo ?? null,
      caller.staffId,
    ],
  ))!;
  return { result: { made: counted.made, skipped: counted.houses - counted.made } };
}
