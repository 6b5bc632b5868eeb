import type { Label } from '../../../kernel/contract/label.ts';
import { isBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { run, transaction, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { Refusal } from '../../../kernel/server/http/errors.ts';
import type {
  ImportCall,
  ImportProblem,
  ImportRow,
  ImportTarget,
} from '../../../kernel/server/tables/import-target.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { recordOvertime } from './overtime-commands.server.ts';
import type { RecordedStaff } from './overtime-limits.server.ts';
import { TIME_PATTERN, OVERTIME_MENU } from './overtime.rules.ts';

const TIME = new RegExp(`^${TIME_PATTERN.source}$`);
const WAYS: Readonly<Record<string, 'time_off' | 'pay'>> = {
  调休: 'time_off',
  加班费: 'pay',
  'time off': 'time_off',
  pay: 'pay',
};

/** Overtime from a table: every row is checked by recording it in a transaction that is thrown away. */
export const overtimeImport: ImportTarget = {
  source: 'overtimeRecord',
  menu: OVERTIME_MENU,
  element: 'btn_import',
  title: ['加班记录', 'Overtime'],
  maxRows: 2_000,
  columns: [
    { name: 'staffNo', title: ['工号', 'Staff no.'], required: true, max: 20, example: 'P0001' },
    {
      name: 'day',
      title: ['日期', 'Date'],
      required: true,
      max: 10,
      example: '2026-11-14',
      note: ['年-月-日', 'yyyy-MM-dd'],
    },
    { name: 'startTime', title: ['开始', 'Start'], required: true, max: 5, example: '09:00' },
    { name: 'endTime', title: ['结束', 'End'], required: true, max: 5, example: '12:00' },
    {
      name: 'compensation',
      title: ['补偿方式', 'Compensation'],
      required: true,
      max: 10,
      example: '调休',
      note: ['调休或加班费', 'Time off or pay'],
    },
    { name: 'reason', title: ['事由', 'Reason'], required: true, max: 200, example: '系统上线值守' },
    { name: 'overReason', title: ['超限原因', 'Reason for going over'], max: 200 },
  ],
  check: async (call, rows) => {
    const problems: ImportProblem[] = [];
    const dry = new Error('dry run');
    await transaction(call.platform.database.db, async (tx) => {
      await writeRows(tx, call, rows, (row, column, message) =>
        problems.push({ row: row.number, ...(column ? { column } : {}), message }),
      );
      throw dry;
    }).catch((error: unknown) => {
      if (error !== dry) throw error;
    });
    return problems;
  },
  commit: async (tx, call, rows) => {
    const written = await writeRows(tx, call, rows, (row, _column, message) => {
      throw new Refusal(409, 30101, [`第${row.number}行：${message[0]}`, `Row ${row.number}: ${message[1]}`]);
    });
    await writeAudit(tx, {
      caller: call.caller,
      menu: OVERTIME_MENU,
      action: 'import',
      entity: 'overtimeRecord',
      after: { rows: written },
    });
    call.platform.changed('overtimeRecord');
    return written;
  },
};

type Report = (row: ImportRow, column: string | undefined, message: Label) => void;

async function writeRows(tx: Tx, call: ImportCall, rows: readonly ImportRow[], bad: Report): Promise<number> {
  const staff = await staffByNumber(
    tx,
    call,
    rows.map((row) => row.values.staffNo!),
  );
  let written = 0;
  for (const row of rows) {
    const { staffNo, day, startTime, endTime, compensation, reason, overReason } = row.values;
    const one = staff.get(staffNo!);
    const way = WAYS[compensation!.toLowerCase()];
    if (!one) bad(row, 'staffNo', ['员工不存在', 'There is no such staff']);
    else if (!isBusinessDay(day!)) bad(row, 'day', ['日期不正确', 'The date is not valid']);
    else if (!TIME.test(startTime!)) bad(row, 'startTime', TIME_PATTERN.message);
    else if (!TIME.test(endTime!)) bad(row, 'endTime', TIME_PATTERN.message);
    else if (!way) bad(row, 'compensation', ['请填写调休或加班费', 'Time off or pay']);
    else
      try {
        await recordOvertime(tx, call.platform, call.caller, [one], {
          day: day!,
          startTime: startTime!,
          endTime: endTime!,
          compensation: way,
          reason: reason!,
          overReason: overReason || null,
        });
        written += 1;
      } catch (error) {
        // A refusal is no database error, so the dry run goes on; a commit throws and undoes everything.
        if (!(error instanceof Refusal)) throw error;
        bad(row, undefined, error.label);
      }
  }
  return written;
}

async function staffByNumber(
  db: Executor,
  call: ImportCall,
  numbers: readonly string[],
): Promise<Map<string, RecordedStaff>> {
  const parameters = new Parameters();
  const list = parameters.bind([...new Set(numbers)]);
  const scope = scopeCondition(
    call.caller,
    OVERTIME_MENU,
    { tenant: 't.tenant_id', project: 'none', owner: 't.id', ownTenant: true },
    parameters,
  );
  const rows = await run<RecordedStaff & { number: string }>(
    db,
    `SELECT t.id, t.name, t.tenant_id AS "tenantId", t.staff_no AS number FROM staff t WHERE t.staff_no = ANY(${list}::text[]) AND t.state <> 'left' AND ${scope}`,
    parameters.values,
  );
  return new Map(rows.map((row) => [row.number, row]));
}
