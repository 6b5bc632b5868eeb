import { METERED } from '../../../domain/charging/principal.rules.ts';
import { companyOf } from '../../../domain/work-order/create-work-order.server.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { invalid, notFound } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { TODAY } from '../../../kernel/server/today.ts';
import { JOINED_HOUSE } from './fee-assignment.server.ts';
import { meter } from './meter.contract.ts';
import {
  AVERAGE,
  decimalOf,
  judgeReading,
  LATEST,
  metersOf,
  OPEN,
  thousandths,
} from './meter-facts.server.ts';
import { readingImport } from './meter-import.server.ts';
import { bound as readings } from './meter-reading.server.ts';

/** Meters with their replacement. Source: group 06, cs_propertyChargingBill, 抄表. */
export const registration = bindResource(meter, {
  table: 'meter',
  joins: {
    item: { table: 'fee_item', column: 'fee_item_id' },
    project: 'project',
    building: 'building',
    house: { table: 'house', column: 'house_id', title: JOINED_HOUSE },
    replacedBy: { table: 'meter', column: 'replaced_by', title: 'number' },
  },
  columns: {
    lastValue: `coalesce(${LATEST('t.id', 'value')}, t.start_value)`,
    lastOn: LATEST('t.id', 'read_on'),
    average: AVERAGE,
    open: OPEN,
  },
  scope: { tenant: 't.tenant_id', project: 't.project_id', owner: 't.created_by' },
  search: 't.search',
  unique: { meter_number: ['该项目的此收费项目已有此表号', 'The project has a meter of this number'] },
  usedBy: { meter_reading: ['抄表记录', 'readings'], meter: ['旧表', 'a replaced meter'] },
  tabs: {
    unread: () =>
      `(t.state = 'in_use' AND NOT EXISTS (SELECT FROM meter_reading r WHERE r.meter_id = t.id AND r.read_on >= date_trunc('month', ${TODAY}::timestamp)::date))`,
    public: () => 't.house_id IS NULL',
  },
  completes: ['project'],
  before: [prepare],
  after: [assign],
  handlers: { replace },
  also: { imports: [readingImport(() => readings)] },
}).registration;

async function prepare({ tx, action, columns, row, caller }: ActionContext): Promise<void> {
  if (action === 'update' && columns.max_value !== undefined) {
    const [now] = await metersOf(tx, [Number(row.id)]);
    if (now!.last >= (Number(columns.max_value) + 1) * 1_000)
      throw invalid({ maxValue: ['小于已有读数', 'Below what it showed already'] });
  }
  if (action !== 'create') return;
  const house = columns.house_id ? Number(columns.house_id) : undefined;
  const project = columns.project_id ? Number(columns.project_id) : undefined;
  if (house === undefined && project === undefined)
    throw invalid({
      house: ['请选择房屋，公共区域请选择项目', 'Choose a house, or a project for a public area'],
    });
  if (house !== undefined && (project !== undefined || columns.building_id))
    throw invalid({ project: ['房屋的表不填项目与楼栋', 'A meter of a house has neither'] });
  if (thousandths(String(columns.start_value)) >= (Number(columns.max_value) + 1) * 1_000)
    throw invalid({ startValue: ['超过最大读数', 'Above the highest number'] });
  if (String(columns.installed_on) > businessDayOf(new Date()))
    throw invalid({ installedOn: ['不能晚于今天', 'Not a day to come'] });
  if (project !== undefined) requireProjectsInReach(caller, [project]);
  const at = await runOne<{ project_id: number; tenant_id: number | null }>(
    tx,
    house === undefined
      ? `SELECT p.id AS project_id, (SELECT c.tenant_id FROM (${companyOf('p.id')}) c) AS tenant_id FROM project p WHERE p.id = $1 AND ($2::bigint IS NULL OR EXISTS (SELECT FROM building b WHERE b.id = $2 AND b.project_id = p.id))`
      : `SELECT h.project_id, (SELECT c.tenant_id FROM (${companyOf('h.project_id')}) c) AS tenant_id FROM house h WHERE h.id = $1 AND $2::bigint IS NULL`,
    [house ?? project, columns.building_id ?? null],
  );
  const item = await runOne<{ tenant_id: number; formula: string; cycle: string }>(
    tx,
    'SELECT tenant_id, formula, cycle FROM fee_item WHERE id = $1',
    [columns.fee_item_id],
  );
  if (!at || !item) throw notFound();
  if (item.tenant_id !== at.tenant_id)
    throw invalid({ item: ['收费项目不属于该项目的物业公司', 'The fee item is of another company'] });
  if (item.cycle !== 'indirect' || !([...METERED, 'custom'] as string[]).includes(item.formula))
    throw invalid({ item: ['该收费项目不按读数计费', 'This fee item is not charged by readings'] });
  if ((item.formula === 'shared') !== (house === undefined))
    throw invalid(
      house === undefined
        ? { item: ['公共区域的表须用公摊项目', 'A public area needs a shared fee item'] }
        : { item: ['公摊项目的表装在公共区域', 'The meter of a shared fee item is in a public area'] },
    );
  Object.assign(columns, at);
}

/** A house is charged what its meter counts, from the day it is installed unless it is charged already. */
async function assign({ tx, action, columns, caller }: ActionContext): Promise<readonly []> {
  if (action !== 'create' || !columns.house_id) return [];
  await run(
    tx,
    `INSERT INTO fee_assignment (tenant_id, project_id, house_id, fee_item_id, valid_from, created_by, updated_by)
     SELECT $1, $2, $3, $4, $5, $6, $6 WHERE NOT EXISTS (SELECT FROM fee_assignment a WHERE a.house_id = $3 AND a.fee_item_id = $4 AND (a.valid_to IS NULL OR a.valid_to >= $5))`,
    [
      columns.tenant_id,
      columns.project_id,
      columns.house_id,
      columns.fee_item_id,
      columns.installed_on,
      caller.staffId,
    ],
  );
  return [];
}

/** The old meter is read a last time, a new one goes on from its own first number. */
async function replace(context: ActionContext): Promise<ActionResult> {
  const { tx, id, row, input, caller } = context;
  const [facts] = await metersOf(tx, [id]);
  const judged = judgeReading(
    facts!,
    {
      value: thousandths(String(input.finalValue)),
      readOn: String(input.on),
      rolledOver: input.rolledOver === true,
      confirmed: input.confirmed === true,
    },
    businessDayOf(new Date()),
  );
  if ('problem' in judged)
    throw invalid({
      [{ value: 'finalValue', readOn: 'on', rolledOver: 'rolledOver', meter: 'number' }[judged.field]]:
        judged.problem,
    });
  const max = Number(input.maxValue ?? row.max_value);
  if (thousandths(String(input.startValue)) >= (max + 1) * 1_000)
    throw invalid({ startValue: ['超过最大读数', 'Above the highest number'] });
  await run(
    tx,
    `INSERT INTO meter_reading (meter_id, kind, last_value, value, wrapped, multiplier, from_on, read_on, reader_id, confirmed, created_by, updated_by)
     VALUES ($1, 'final', $2, $3, $4, $5, $6, $7, $8, $9, $8, $8)`,
    [
      id,
      decimalOf(judged.lastValue),
      input.finalValue,
      decimalOf(judged.wrapped),
      row.multiplier,
      judged.fromOn,
      input.on,
      staffIdOf(caller),
      input.confirmed === true,
    ],
  );
  const made = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO meter (tenant_id, project_id, house_id, building_id, place, fee_item_id, number, multiplier, max_value, start_value, installed_on, created_by, updated_by)
     SELECT tenant_id, project_id, house_id, building_id, place, fee_item_id, $2, $3, $4, $5, $6::date + 1, $7, $7 FROM meter WHERE id = $1 RETURNING id`,
    [
      id,
      input.number,
      input.multiplier ?? row.multiplier,
      max,
      input.startValue,
      input.on,
      staffIdOf(caller),
    ],
  ))!;
  context.platform.changed('meterReading');
  return {
    set: { replaced_by: made.id },
    remark: `${String(row.number)} → ${String(input.number)} · ${String(input.finalValue)}`,
  };
}
