import { nameIndex } from '../../../domain/import-names/import-names.rules.ts';
import { payerOf } from '../../../domain/receivable/payer.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { fenFromYuan } from '../../../kernel/contract/money.rules.ts';
import { businessDayOf, isBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import type {
  ImportCall,
  ImportProblem,
  ImportRow,
  ImportTarget,
} from '../../../kernel/server/tables/import-target.ts';
import { RECEIPT_MENU } from './receipt.contract.ts';
import { findMatch } from './receipt-match.server.ts';

const IMPORTED: Label = ['导入银行流水', 'Imported from a bank file'];
/** Most of a receipt: 999,999,999.99 yuan. */
const MOST = 99_999_999_999;

interface BankRow {
  readonly bank: string;
  readonly slip: string;
  readonly day: string;
  readonly amount: number;
  readonly payer: string;
  readonly project: number;
  readonly note: string;
}

/** What a bank says came in: each row that is not known yet is a receipt to confirm, with a proposal of where it goes. */
export const bankImport: ImportTarget = {
  source: 'bankReceipts',
  menu: RECEIPT_MENU,
  element: 'btn_import',
  title: ['银行流水', 'Bank file'],
  maxRows: 2_000,
  columns: [
    { name: 'bank', title: ['银行', 'Bank'], required: true, max: 60, example: '招商银行' },
    { name: 'slip', title: ['流水号', 'Slip number'], required: true, max: 60, example: '202611240001' },
    {
      name: 'day',
      title: ['收款日期', 'Received'],
      required: true,
      max: 10,
      example: '2026-11-24',
      note: ['年-月-日', 'yyyy-MM-dd'],
    },
    { name: 'amount', title: ['金额', 'Amount'], required: true, max: 16, example: '300.00' },
    { name: 'payer', title: ['付款户名', 'Account name'], required: true, max: 60, example: '锦绣里便利店' },
    {
      name: 'project',
      title: ['项目', 'Project'],
      required: true,
      max: 60,
      example: '',
      note: ['项目名称或编号', 'Name or code of the project'],
    },
    { name: 'note', title: ['摘要', 'Note'], max: 200, example: '' },
  ],
  check: async (call, rows) => (await readRows(call.platform.database.db, call, rows)).problems,
  summary: async (call, rows) => {
    const { db } = call.platform.database;
    const { good } = await readRows(db, call, rows);
    const known = await knownSlips(db, good);
    const fresh = good.length - good.filter((row) => known.has(keyOf(row))).length;
    return [
      [`新增 ${fresh}`, `${fresh} new`],
      [`重复 ${good.length - fresh}`, `${good.length - fresh} known already`],
    ];
  },
  commit: async (tx, call, rows) => {
    const { good } = await readRows(tx, call, rows);
    const staffId = staffIdOf(call.caller);
    let made = 0;
    for (const row of good) {
      const found = await findMatch(tx, call.caller, {
        note: row.note,
        payerName: row.payer,
        amount: row.amount,
      });
      const receipt = await runOne<{ id: number }>(
        tx,
        `INSERT INTO receipt (code, payer_id, project_id, method, amount, received_on, payer_name, bank, slip_no, note, match, match_note,
           recorder_id, created_by, updated_by)
         SELECT $1, $2, $3, 'transfer', $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $12
          WHERE NOT EXISTS (SELECT FROM receipt WHERE bank = $7 AND slip_no = $8 AND reversal_of IS NULL)
         ON CONFLICT (bank, slip_no) WHERE slip_no <> '' AND reversal_of IS NULL DO NOTHING RETURNING id`,
        [
          await nextCode(tx, 'RC'),
          found.payerId ?? (await payerOf(tx, { name: row.payer })),
          row.project,
          row.amount,
          row.day,
          row.payer,
          row.bank,
          row.slip,
          row.note,
          found.match,
          found.note,
          staffId,
        ],
      );
      if (!receipt) continue;
      made++;
      for (const [position, part] of found.parts.entries())
        await run(
          tx,
          'INSERT INTO receipt_allocation (receipt_id, position, receivable_id, amount) VALUES ($1, $2, $3, $4)',
          [receipt.id, position, part.id, part.amount],
        );
      await writeTimeline(tx, {
        entity: 'receipt',
        entityId: receipt.id,
        caller: call.caller,
        action: 'import',
        label: IMPORTED,
        to: 'to_confirm',
        remark: found.note,
      });
    }
    await writeAudit(tx, {
      caller: call.caller,
      menu: RECEIPT_MENU,
      action: 'import',
      entity: 'receipt',
      after: { rows: made, known: good.length - made },
    });
    call.platform.changed('receipt');
    return made;
  },
};

const keyOf = (row: Pick<BankRow, 'bank' | 'slip'>) => `${row.bank}\n${row.slip}`;

async function knownSlips(db: Executor, rows: readonly BankRow[]): Promise<ReadonlySet<string>> {
  const found = await run<{ bank: string; slip: string }>(
    db,
    `SELECT r.bank, r.slip_no AS slip FROM receipt r JOIN unnest($1::text[], $2::text[]) AS x (bank, slip) ON x.bank = r.bank AND x.slip = r.slip_no
      WHERE r.reversal_of IS NULL`,
    [rows.map((row) => row.bank), rows.map((row) => row.slip)],
  );
  return new Set(found.map(keyOf));
}

async function readRows(
  db: Executor,
  { caller }: ImportCall,
  rows: readonly ImportRow[],
): Promise<{ readonly good: readonly BankRow[]; readonly problems: readonly ImportProblem[] }> {
  const parameters = new Parameters();
  const seen = placeCondition(caller, { tenant: 'NULL::bigint', project: 't.id' }, parameters);
  const projects = nameIndex(
    await run<{ id: number; name: string; code: string }>(
      db,
      `SELECT t.id, t.name, t.code FROM project t WHERE ${seen}`,
      parameters.values,
    ),
  );
  const today = businessDayOf(new Date());
  const problems: ImportProblem[] = [];
  const good: BankRow[] = [];
  const inFile = new Map<string, number>();
  for (const { number, values } of rows) {
    const bad = (column: string, message: Label) => problems.push({ row: number, column, message });
    const text = values.amount!.replaceAll(',', '');
    const amount = /^\d{1,11}(\.\d{1,2})?$/.test(text) ? (fenFromYuan(text) ?? 0) : 0;
    const project = projects.get(values.project!);
    const row = {
      bank: values.bank!,
      slip: values.slip!,
      day: values.day!,
      payer: values.payer!,
      note: values.note!,
    };
    const before = inFile.get(keyOf(row));
    if (before !== undefined) bad('slip', [`与第 ${before} 行重复`, `Same as row ${before}`]);
    else if (!isBusinessDay(row.day)) bad('day', ['日期不正确', 'The date is not valid']);
    else if (row.day > today) bad('day', ['收款日期不能晚于今天', 'It cannot lie after today']);
    else if (amount <= 0 || amount > MOST) bad('amount', ['金额不正确', 'The amount is not valid']);
    else if (project === undefined)
      bad(
        'project',
        projects.clash(values.project!) ?? [
          '项目不存在或不在您的范围',
          'There is no such project in your scope',
        ],
      );
    else good.push({ ...row, amount, project });
    inFile.set(keyOf(row), number);
  }
  return { good, problems };
}
