import { isBusinessDay } from '../../../kernel/contract/time.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import {
  importFacts,
  type ImportCall,
  type ImportProblem,
  type ImportRow,
  type ImportTarget,
} from '../../../kernel/server/tables/import-target.ts';
import { addDays, firstOfMonth } from '../../../domain/charging/calendar.rules.ts';
import { HOUSE_COLUMN, namedHouses } from '../../../domain/residents/named-houses.server.ts';
import { CHARGING_MENU } from './fee-item.contract.ts';

interface Draft {
  readonly row: ImportRow;
  readonly house: number;
  readonly item: number;
  readonly from: string;
  readonly to: string;
}

const DOUBLE: Label = ['该房屋此账期已有该项目账单', 'The house has a bill of this item and period'];

/** Bills as a table: 房号, 项目, 账期, 金额, 到期日. Source: group 06, cs_propertyChargingBill. */
export function billImport(bound: () => BoundResource): ImportTarget {
  return {
    source: 'bill',
    menu: CHARGING_MENU,
    element: 'btn_import',
    title: ['账单', 'Bills'],
    maxRows: 5_000,
    columns: [
      HOUSE_COLUMN,
      {
        name: 'item',
        title: ['项目', 'Fee item'],
        required: true,
        max: 40,
        example: '水费',
        note: ['收费项目名称', 'Name of the fee item'],
      },
      {
        name: 'period',
        title: ['账期', 'Period'],
        required: true,
        max: 21,
        example: '2026-01',
        note: ['月份，或起止日期如 2026-01-01~2026-03-31', 'A month, or days such as 2026-01-01~2026-03-31'],
      },
      { name: 'amount', title: ['金额', 'Amount'], required: true, max: 10, example: '36.50' },
      { name: 'dueDate', title: ['到期日', 'Due'], required: true, max: 10, example: '2026-02-15' },
    ],
    check: async (call, rows) => (await read(call.platform.database.db, call, rows)).problems,
    commit: async (tx, call, rows) => {
      const { drafts } = await read(tx, call, rows);
      const context = { ...call, facts: importFacts(call) };
      const ids: number[] = [];
      for (const { row, house, item, from, to } of drafts) {
        const made = await bound().actIn(tx, context, 'create', undefined, {
          house: String(house),
          item: String(item),
          periodFrom: from,
          periodTo: to,
          dueDate: row.values.dueDate!,
          principal: row.values.amount!,
        });
        ids.push(Number(made.id));
      }
      // Two files at once: the second is refused by the index.
      await run(tx, 'UPDATE bill SET imported = true WHERE id = ANY($1::bigint[])', [ids]);
      call.platform.changed('bill');
      return drafts.length;
    },
  };
}

/** First and last day of a period as it is written. */
function periodOf(text: string): readonly [string, string] | undefined {
  const month = /^(\d{4})-(\d{2})$/.exec(text);
  if (month && isBusinessDay(`${text}-01`)) return [`${text}-01`, addDays(firstOfMonth(`${text}-01`, 1), -1)];
  const [from = '', to = ''] = text.split(/[~～]/).map((one) => one.trim());
  return isBusinessDay(from) && isBusinessDay(to) && from <= to ? [from, to] : undefined;
}

async function read(db: Executor, call: ImportCall, rows: readonly ImportRow[]) {
  const problems: ImportProblem[] = [];
  const houseOf = await namedHouses(
    db,
    call.caller,
    rows.map((row) => row.values.house!),
  );
  // The item is that of the company that runs the project of the house.
  const items = await run<{ id: number; name: string; project_id: number }>(
    db,
    `SELECT i.id, i.name, tp.project_id FROM fee_item i JOIN tenant_project tp ON tp.tenant_id = i.tenant_id JOIN tenant c ON c.id = i.tenant_id AND c.kind = 1
      WHERE i.enabled AND i.name = ANY($1::text[])`,
    [[...new Set(rows.map((row) => row.values.item!))]],
  );
  const houses = [...new Set(rows.flatMap((row) => houseOf(row.values.house!).house ?? []))];
  const projects = new Map(
    (
      await run<{ id: number; project_id: number }>(
        db,
        'SELECT id, project_id FROM house WHERE id = ANY($1::bigint[])',
        [houses],
      )
    ).map((one) => [one.id, one.project_id]),
  );
  const billed = new Set(
    (
      await run<{ key: string }>(
        db,
        `SELECT house_id || ' ' || fee_item_id || ' ' || period_from AS key FROM bill WHERE house_id = ANY($1::bigint[]) AND state <> 'void'`,
        [houses],
      )
    ).map((one) => one.key),
  );
  const first = new Map<string, number>();
  const drafts: Draft[] = [];
  for (const row of rows) {
    const before = problems.length;
    const { values } = row;
    const bad = (column: string, message: Label) => problems.push({ row: row.number, column, message });
    const { house, message } = houseOf(values.house!);
    if (message) bad('house', message);
    const item =
      house === undefined
        ? undefined
        : items.find((one) => one.name === values.item && one.project_id === projects.get(house));
    if (house !== undefined && !item)
      bad('item', ['该房屋的物业公司没有此收费项目', 'The company of this house has no such fee item']);
    const period = periodOf(values.period!);
    if (!period) bad('period', ['请填写 2026-01 或起止日期', 'Write 2026-01 or two days']);
    if (!/^\d{1,7}(\.\d{1,2})?$/.test(values.amount!) || !(Number(values.amount) > 0))
      bad('amount', ['请填写大于0的金额，最多两位小数', 'An amount above 0 with two decimals at most']);
    if (!isBusinessDay(values.dueDate!)) bad('dueDate', ['日期不正确', 'Not a date']);
    else if (period && values.dueDate! < addDays(period[0], -366))
      bad('dueDate', ['到期日过早', 'The due date is too early']);
    if (problems.length > before) continue;
    const key = `${house} ${item!.id} ${period![0]}`;
    if (first.has(key)) bad('house', [`与第${first.get(key)}行重复`, `Same as row ${first.get(key)}`]);
    else if (billed.has(key)) bad('period', DOUBLE);
    first.set(key, first.get(key) ?? row.number);
    if (problems.length === before)
      drafts.push({ row, house: house!, item: item!.id, from: period![0], to: period![1] });
  }
  return { drafts, problems };
}
