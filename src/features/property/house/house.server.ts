import { z } from 'zod';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { invalid, notFound } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { PREPAID_KINDS, type PrepaidKind } from '../../../domain/charging/bill-record.server.ts';
import { prepaidSql } from '../../../domain/charging/prepaid.server.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import {
  changeAreas,
  mergeHouses,
  requireAreaDay,
  splitHouse,
} from '../../../domain/residents/house-shape.server.ts';
import {
  transferHouse,
  type ArrearsChoice,
  type PrepaidChoice,
} from '../../../domain/residents/house-transfer.server.ts';
import { memberOf } from '../../../domain/residents/member.server.ts';
import {
  logRegistration,
  membersOfHouse,
  residentScope,
} from '../../../domain/residents/residents.server.ts';
import { household, houseCard } from './house.contract.ts';
import { HOUSE_TITLE } from './house-place.server.ts';
import { houseImport } from './house-import.server.ts';
import { findPlaces, placesBelow } from './places.server.ts';

const MERGED = ['该房屋已并入其他房屋', 'The house is part of another now'] as const;
const title = HOUSE_TITLE.replaceAll('x.number', 't.number');
const present = (row: DbRow) => (row.isMerged === true ? MERGED : undefined);

/** Houses with what hangs on them. */
export const boundHouse: BoundResource = bindResource(houseCard, {
  table: 'house',
  from: `house t LEFT JOIN building_unit u ON u.id = t.unit_id LEFT JOIN building b ON b.id = u.building_id LEFT JOIN project p ON p.id = t.project_id`,
  columns: {
    title,
    project: { id: 't.project_id', title: 'p.name' },
    building: { id: 'u.building_id', title: 'b.name' },
    unit: { id: 't.unit_id', title: 'u.name' },
    areaFrom: 'NULL::date',
    owner: `(SELECT coalesce(nullif(m.name, ''), m.nickname) FROM household r JOIN member m ON m.id = r.member_id
       WHERE r.house_id = t.id AND r.identity = 'owner' AND r.status = 'normal' ORDER BY r.pays DESC, r.id LIMIT 1)`,
    people: membersOfHouse('t.id'),
    arrears: `(SELECT coalesce(sum(o.owed_principal + o.owed_late_fee), 0)::bigint FROM bill o WHERE o.house_id = t.id AND o.state IN ('unpaid', 'part'))`,
    owing: `EXISTS (SELECT FROM bill o WHERE o.house_id = t.id AND o.state IN ('unpaid', 'part'))`,
    prepaid: `(${(Object.keys(PREPAID_KINDS) as PrepaidKind[]).map((kind) => prepaidSql('t.id', kind)).join(' + ')})`,
    openOrders: `(SELECT count(*)::integer FROM work_order w WHERE w.house_id = t.id AND w.status IN ('pending_system', 'to_accept', 'accepted', 'processing', 'paused'))`,
    mergedInto: {
      id: 't.merged_into_id',
      title: '(SELECT o.number FROM house o WHERE o.id = t.merged_into_id)',
    },
    areas: `(SELECT string_agg(CASE WHEN a.from_day = '1900-01-01' THEN '' ELSE a.from_day::text || ' ' END || a.built_area || ' m²', ' → ' ORDER BY a.from_day)
       FROM house_area a WHERE a.house_id = t.id)`,
  },
  writes: { project: false, building: false, unit: 'unit_id', areaFrom: false },
  scope: residentScope('t.project_id', 't.created_by'),
  search: 'lower(t.number)',
  unique: { house_unit_id_number_key: ['该单元已有此房号', 'The unit has a house of this number'] },
  tabs: {
    present: () => 't.merged_into_id IS NULL',
    vacant: () => `(t.state = 'vacant' AND t.merged_into_id IS NULL)`,
    merged: () => 't.merged_into_id IS NOT NULL',
  },
  usedBy: { house_area: false },
  inUse: () => ['房屋已有账单、住户或其他记录，不能删除', 'The house has bills, households or other records'],
  extra: { isMerged: '(t.merged_into_id IS NOT NULL)' },
  ruleReads: ['isMerged'],
  rowRules: { update: present, transfer: present, split: present, merge: present },
  before: [check],
  handlers: { transfer, split, merge },
  also: { imports: [houseImport(() => boundHouse)] },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/house/places',
      title: ['房屋树', 'Tree of places'],
      access: { code: houseCard.menu },
      query: z.strictObject({
        parent: z.string().max(30).default(''),
        after: z.string().max(16).default(''),
        searchVal: z.string().max(60).default(''),
      }),
      handle: (call) =>
        call.query.searchVal.trim() === ''
          ? placesBelow(call, call.query.parent, call.query.after)
          : findPlaces(call, call.query.searchVal),
    }),
  ],
});

export const registration = boundHouse.registration;

/** The place of a new house fits together; other areas of one that stands say from which day they bill. */
async function check({ action, input, row, caller, tx, columns, id }: ActionContext): Promise<void> {
  if (action === 'create') {
    const unit = await runOne<{ building_id: number; project_id: number }>(
      tx,
      'SELECT u.building_id, b.project_id FROM building_unit u JOIN building b ON b.id = u.building_id WHERE u.id = $1 FOR SHARE OF u',
      [input.unit],
    );
    if (!unit) throw notFound();
    requireProjectsInReach(caller, [unit.project_id]);
    if (unit.building_id !== input.building || unit.project_id !== input.project)
      throw invalid({ unit: ['单元不在所选楼栋中', 'The unit is in another building'] });
    columns.project_id = unit.project_id;
    requireFit(input.builtArea, input.innerArea);
    return;
  }
  // Whoever looks after the building looks after a new house by itself; that is no use of it.
  if (action === 'remove') await run(tx, 'DELETE FROM housekeeper_house WHERE house_id = $1', [id]);
  if (action !== 'update') return;
  const built = String(input.builtArea ?? row.built_area);
  const inner = 'innerArea' in input ? (input.innerArea as string | null) : (row.inner_area as string | null);
  requireFit(built, inner);
  const same = (a: unknown, b: unknown) => (a === null ? b === null : b !== null && Number(a) === Number(b));
  if (same(built, row.built_area) && same(inner, row.inner_area)) return;
  if (!input.areaFrom)
    throw invalid({
      areaFrom: ['面积有变更，请选择计费日', 'The area changes: say from which day it bills'],
    });
  requireAreaDay(String(input.areaFrom), 'areaFrom');
  await changeAreas(tx, id, { built, inner }, String(input.areaFrom));
}

function requireFit(built: unknown, inner: unknown): void {
  if (inner !== null && inner !== undefined && Number(inner) > Number(built))
    throw invalid({ innerArea: ['套内面积不能大于建筑面积', 'The inner area is not above the built area'] });
}

async function transfer({ tx, id, row, input, caller, platform }: ActionContext): Promise<ActionResult> {
  const staffId = staffIdOf(caller)!;
  const ownerId = await memberOf(tx, {
    name: String(input.name),
    phone: String(input.phone),
    idNo: input.idNo as string | null | undefined,
    projectId: Number(row.project_id),
    channel: 'housekeeper',
    staffId,
  });
  const date = String(input.date);
  const done = await transferHouse(tx, {
    houseId: id,
    ownerId,
    date,
    arrears: (input.arrears ?? undefined) as ArrearsChoice | undefined,
    prepaid: (input.prepaid ?? undefined) as PrepaidChoice | undefined,
    staffId,
  });
  const words = [
    date,
    done.arrears > 0
      ? `欠费${yuanFromFen(done.arrears)}${input.arrears === 'taken_over' ? '由新业主承担' : '由原业主承担'}`
      : '',
    done.refunded > 0 ? `退预存${yuanFromFen(done.refunded)}` : '',
  ].filter(Boolean);
  const remark = words.join(' · ');
  const spec = houseCard.actions!.transfer;
  for (const one of [...done.ended, done.household])
    await writeTimeline(tx, {
      entity: household.name,
      entityId: one,
      caller,
      action: 'transfer',
      label: spec.label,
      to: one === done.household ? 'normal' : 'deleted',
      remark,
    });
  await logRegistration(tx, platform, {
    phone: String(input.phone),
    memberId: ownerId,
    action: 'bind',
    projectId: Number(row.project_id),
    houseId: id,
    identity: 'owner',
    staffId,
  });
  for (const name of ['household', 'bill', 'prepaidAccount']) platform.changed(name);
  return { remark };
}

async function split({ tx, id, row, input, caller, platform }: ActionContext): Promise<ActionResult> {
  const number = String(input.number);
  const made = await splitHouse(tx, {
    houseId: id,
    number,
    built: String(input.builtArea),
    inner: (input.innerArea ?? null) as string | null,
    date: String(input.date),
    staffId: staffIdOf(caller)!,
  });
  await writeTimeline(tx, {
    entity: houseCard.name,
    entityId: made,
    caller,
    action: 'split',
    label: ['由拆分建立', 'Made by a split'],
    remark: `${String(row.number)} · ${String(input.builtArea)} m² · ${String(input.date)}`,
  });
  platform.changed('household');
  return {
    remark: `${number} · ${String(input.builtArea)} m² · ${String(input.date)} · ${String(input.reason)}`,
    result: { number, id: String(made) },
  };
}

async function merge({ tx, id, row, input, caller, platform }: ActionContext): Promise<ActionResult> {
  const place = await runOne<{ project_id: number }>(tx, 'SELECT project_id FROM house WHERE id = $1', [
    input.other,
  ]);
  if (!place) throw notFound();
  requireProjectsInReach(caller, [place.project_id]);
  const done = await mergeHouses(tx, {
    houseId: id,
    otherId: Number(input.other),
    date: String(input.date),
    staffId: staffIdOf(caller)!,
  });
  await writeTimeline(tx, {
    entity: houseCard.name,
    entityId: Number(input.other),
    caller,
    action: 'merge',
    label: ['并入其他房屋', 'Joined to another house'],
    remark: `${String(row.number)} · ${String(input.date)}`,
  });
  for (const name of ['household', 'prepaidAccount']) platform.changed(name);
  return {
    remark: `${done.other} · ${String(input.date)} · ${String(input.reason)}`,
    result: { other: done.other },
  };
}
