import type { Label } from '../../../kernel/contract/label.ts';
import { businessDayOf, isBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import {
  importFacts,
  type ImportCall,
  type ImportProblem,
  type ImportRow,
  type ImportTarget,
} from '../../../kernel/server/tables/import-target.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { CHARGING_MENU } from './fee-item.contract.ts';
import { judgeReading, metersOf, thousandths, type MeterFacts } from './meter-facts.server.ts';

/** Readings as a table: 表号, 收费项目, 抄表日, 本次读数, 翻转, 已核对. Source: group 06, cs_propertyChargingBill, 抄表. */
export function readingImport(bound: () => BoundResource): ImportTarget {
  return {
    source: 'meterReading',
    menu: CHARGING_MENU,
    element: 'btn_reading',
    title: ['抄表记录', 'Readings'],
    maxRows: 5_000,
    columns: [
      { name: 'number', title: ['表号', 'Meter'], required: true, max: 30, example: 'W-0001' },
      {
        name: 'item',
        title: ['收费项目', 'Fee item'],
        max: 40,
        example: '水费',
        note: ['同一表号有多块表时必填', 'Where several meters have the number'],
      },
      { name: 'readOn', title: ['抄表日', 'Read on'], required: true, max: 10, example: '2026-01-31' },
      { name: 'value', title: ['本次读数', 'This reading'], required: true, max: 14, example: '128.5' },
      {
        name: 'rolledOver',
        title: ['翻转', 'Rolled over'],
        max: 3,
        example: '否',
        note: ['是 或 否', 'yes or no'],
      },
      {
        name: 'confirmed',
        title: ['已核对', 'Confirmed'],
        max: 3,
        example: '否',
        note: ['是 或 否', 'yes or no'],
      },
      { name: 'remark', title: ['备注', 'Remark'], max: 200 },
    ],
    check: async (call, rows) => (await read(call.platform.database.db, call, rows)).problems,
    commit: async (tx, call, rows) => {
      const { drafts } = await read(tx, call, rows);
      const context = { ...call, facts: importFacts(call) };
      for (const { row, meter } of drafts)
        await bound().actIn(tx, context, 'create', undefined, {
          meter: String(meter.id),
          readOn: row.values.readOn!,
          value: row.values.value!,
          rolledOver: yes(row.values.rolledOver),
          confirmed: yes(row.values.confirmed),
          remark: row.values.remark || undefined,
        });
      call.platform.changed('meterReading');
      return drafts.length;
    },
  };
}

const yes = (text: string | undefined) => /^(是|yes|y|1|true)$/i.test(text ?? '');
const known = (text: string | undefined) => !text || yes(text) || /^(否|no|n|0|false)$/i.test(text);

async function read(db: Executor, call: ImportCall, rows: readonly ImportRow[]) {
  const parameters = new Parameters();
  const numbers = parameters.bind([...new Set(rows.map((row) => row.values.number!))]);
  const named = await run<{ id: number; number: string; item: string }>(
    db,
    `SELECT m.id, m.number, i.name AS item FROM meter m JOIN fee_item i ON i.id = m.fee_item_id
      WHERE m.number = ANY(${numbers}::text[]) AND ${placeCondition(call.caller, residentScope('m.project_id'), parameters)}`,
    parameters.values,
  );
  const facts = new Map(
    (
      await metersOf(
        db,
        named.map((one) => one.id),
      )
    ).map((one) => [one.id, one]),
  );
  const today = businessDayOf(new Date());
  const first = new Map<number, number>();
  const problems: ImportProblem[] = [];
  const drafts: { readonly row: ImportRow; readonly meter: MeterFacts }[] = [];
  for (const row of rows) {
    const { values } = row;
    const before = problems.length;
    const bad = (column: string, message: Label) => problems.push({ row: row.number, column, message });
    const found = named.filter(
      (one) => one.number === values.number && (!values.item || one.item === values.item),
    );
    if (found.length === 0) bad('number', ['没有此表具', 'There is no such meter']);
    if (found.length > 1)
      bad('item', ['多块表有此表号，请填收费项目', 'Several meters have the number: write the fee item']);
    if (!isBusinessDay(values.readOn!)) bad('readOn', ['日期不正确', 'Not a date']);
    if (!/^\d{1,9}(\.\d{1,3})?$/.test(values.value!))
      bad('value', ['请填写不小于0的数，最多三位小数', 'A number of at least 0 with three decimals at most']);
    for (const column of ['rolledOver', 'confirmed'])
      if (!known(values[column])) bad(column, ['请填写 是 或 否', 'Write yes or no']);
    if (problems.length > before) continue;
    const meter = facts.get(found[0]!.id)!;
    if (first.has(meter.id)) {
      bad('number', [`与第${first.get(meter.id)}行重复`, `Same as row ${first.get(meter.id)}`]);
      continue;
    }
    first.set(meter.id, row.number);
    const judged = judgeReading(
      meter,
      {
        value: thousandths(values.value!),
        readOn: values.readOn!,
        rolledOver: yes(values.rolledOver),
        confirmed: yes(values.confirmed),
      },
      today,
    );
    if ('problem' in judged) bad(judged.field === 'meter' ? 'number' : judged.field, judged.problem);
    else drafts.push({ row, meter });
  }
  return { drafts, problems };
}
