import { isCharged } from '../../../domain/charging/meter-billing.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { showFiles } from '../../../kernel/server/files/files.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { checkPictures } from '../picture-columns.server.ts';
import { meterReading } from './meter.contract.ts';
import { decimalOf, judgeReading, metersOf, thousandths } from './meter-facts.server.ts';

const notLatest: Label = ['只能更正该表最近一次读数', 'Only the last reading of a meter is corrected'];
const isFinal: Label = ['换表止数不能改动', 'The final reading of a replaced meter stays'];
const keeps = (row: DbRow): Label | undefined =>
  row.kind === 'final' ? isFinal : row.latest !== true ? notLatest : undefined;
const whileOpen = (row: DbRow): Label | undefined =>
  row.kind === 'counter'
    ? ['冲正记录不能改动', 'A counter-reading stays']
    : row.charged === true
      ? ['已出账的读数只能冲正', 'A charged reading is corrected by a counter-reading']
      : keeps(row);

/** Readings of meters. Source: group 06, cs_propertyChargingBill, 抄表. */
export const bound: BoundResource = bindResource(meterReading, {
  table: 'meter_reading',
  from: `meter_reading t LEFT JOIN meter m ON m.id = t.meter_id LEFT JOIN project p ON p.id = m.project_id LEFT JOIN fee_item i ON i.id = m.fee_item_id
    LEFT JOIN house h ON h.id = m.house_id LEFT JOIN building_unit hu ON hu.id = h.unit_id LEFT JOIN building hb ON hb.id = hu.building_id LEFT JOIN building pb ON pb.id = m.building_id LEFT JOIN staff s ON s.id = t.reader_id`,
  joins: { meter: { table: 'meter', column: 'meter_id', title: 'number' } },
  columns: {
    project: { id: 'm.project_id', title: 'p.name' },
    house: { id: 'm.house_id', title: '(hb.name || hu.name || h.number)' },
    place: `CASE WHEN m.house_id IS NULL THEN concat_ws(' ', pb.name, nullif(m.place, '')) ELSE '' END`,
    item: { id: 'm.fee_item_id', title: 'i.name' },
    reader: { id: 't.reader_id', title: 's.name' },
    rolledOver: 't.wrapped > 0',
    photo: 't.photo_id',
    charged: isCharged('t.id'),
    bill: {
      id: `(SELECT b.id FROM meter_reading_bill x JOIN bill b ON b.id = x.bill_id AND b.state <> 'void' WHERE x.reading_id = t.id ORDER BY b.id LIMIT 1)`,
      title: `(SELECT b.code FROM meter_reading_bill x JOIN bill b ON b.id = x.bill_id AND b.state <> 'void' WHERE x.reading_id = t.id ORDER BY b.id LIMIT 1)`,
    },
  },
  writes: { rolledOver: false, photo: 'photo_id' },
  scope: { tenant: 'm.tenant_id', project: 'm.project_id', owner: 't.created_by' },
  unique: {
    meter_reading_overlap: ['该表这些天已抄过', 'These days of the meter were read already'],
  },
  extra: {
    latest: 'NOT EXISTS (SELECT FROM meter_reading y WHERE y.meter_id = t.meter_id AND y.id > t.id)',
    linked: 'EXISTS (SELECT FROM meter_reading_bill y WHERE y.reading_id = t.id)',
  },
  ruleReads: ['kind', 'charged', 'latest', 'linked'],
  rowRules: {
    update: whileOpen,
    remove: (row) =>
      row.linked === true && row.charged !== true
        ? ['曾出账的读数保留，请更正', 'A reading that was charged is kept; correct it']
        : whileOpen(row),
    counter: (row) =>
      row.charged !== true ? ['未出账的读数直接更正', 'Not charged yet: edit it'] : keeps(row),
  },
  before: [judge],
  handlers: { counter },
  present: async (rows, db) => {
    await showFiles(rows, db, 'photo');
  },
});

/** Readings of meters. */
export const registration = bound.registration;

async function judge(context: ActionContext): Promise<void> {
  const { tx, action, id, row, input, columns, caller } = context;
  if (action !== 'create' && action !== 'update') return;
  const meter = Number(columns.meter_id ?? row.meter_id);
  // One reading of a meter after the other.
  await run(tx, 'SELECT id FROM meter WHERE id = $1 FOR NO KEY UPDATE', [meter]);
  const [facts] = await metersOf(tx, [meter], id);
  const said = (name: string, column: string) => input[name] ?? row[column];
  const judged = judgeReading(
    facts!,
    {
      value: thousandths(String(said('value', 'value'))),
      readOn: String(said('readOn', 'read_on')),
      rolledOver: input.rolledOver === undefined ? Number(row.wrapped ?? 0) > 0 : input.rolledOver === true,
      confirmed: said('confirmed', 'confirmed') === true,
    },
    businessDayOf(new Date()),
  );
  if ('problem' in judged) throw invalid({ [judged.field]: judged.problem });
  if (input.photo)
    await checkPictures(context, 'photo', [String(input.photo)], row.photo_id ? [String(row.photo_id)] : []);
  Object.assign(columns, {
    kind: judged.wrapped > 0 ? 'rollover' : 'reading',
    last_value: decimalOf(judged.lastValue),
    wrapped: decimalOf(judged.wrapped),
    multiplier: facts!.multiplier,
    from_on: judged.fromOn,
    ...(action === 'create' ? { reader_id: staffIdOf(caller) } : {}),
  });
  context.platform.changed('meter');
}

/** What was charged stays; the difference to the right reading is charged by the next run, at the days and tiers of the wrong one. */
async function counter({ tx, id, row, input, caller, platform }: ActionContext): Promise<ActionResult> {
  await run(tx, 'SELECT id FROM meter WHERE id = $1 FOR NO KEY UPDATE', [row.meter_id]);
  const later = await runOne(tx, 'SELECT 1 FROM meter_reading WHERE meter_id = $1 AND id > $2', [
    row.meter_id,
    id,
  ]);
  if (later) throw invalid({ value: notLatest });
  const [wrong, right] = [thousandths(String(row.value)), thousandths(String(input.value))];
  if (wrong === right) throw invalid({ value: ['与原读数相同', 'The same reading'] });
  if (right + thousandths(String(row.wrapped)) < thousandths(String(row.last_value)))
    throw invalid({ value: ['小于上次读数', 'Below the last reading'] });
  const [facts] = await metersOf(tx, [Number(row.meter_id)]);
  if (facts!.formula !== 'usage' && right >= (facts!.max + 1) * 1_000)
    throw invalid({ value: [`超过最大读数 ${facts!.max}`, `Above the highest number ${facts!.max}`] });
  await run(
    tx,
    `INSERT INTO meter_reading (meter_id, kind, last_value, value, multiplier, from_on, read_on, reader_id, remark, corrects_id, created_by, updated_by)
     SELECT meter_id, 'counter', value, $2, multiplier, from_on, read_on, $3, $4, coalesce(corrects_id, id), $3, $3 FROM meter_reading WHERE id = $1`,
    [id, input.value, staffIdOf(caller), input.reason],
  );
  platform.changed('meter');
  return { remark: `${String(row.value)} → ${String(input.value)} · ${String(input.reason)}` };
}
