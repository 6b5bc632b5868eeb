import type { Label } from '../../../kernel/contract/label.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { BadTable, readTable } from '../../../kernel/server/tables/table-reader.ts';
import type { BillRow } from '../../../domain/settlement/channel-bill.server.ts';

/** Columns of a bill by the words channels use for them. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  type: ['类型', '交易类型', '业务类型', 'type'],
  tradeNo: ['渠道流水', '支付宝交易号', '微信订单号', '交易号', 'trade no.', 'trade_no'],
  ourNo: ['我方单号', '商户订单号', '商户退款单号', 'our no.', 'our_no'],
  amount: ['金额', '订单金额', '交易金额', 'amount'],
  fee: ['手续费', '服务费', 'fee'],
  at: ['时间', '交易时间', '完成时间', 'time'],
};
const TOTAL = ['合计', '总计', 'total'];
const REFUND = ['退款', 'refund'];
const MOST_ROWS = 200_000;

const bad = (line: number, [zh, en]: Label): never => {
  throw ruleBroken([`第 ${line} 行：${zh}`, `Line ${line}: ${en}`]);
};

/** Reads a bill of one day. Refuses (30101) what cannot be read, rows of another day, and a total that differs from the rows. */
export async function readBill(content: Buffer, day: string): Promise<BillRow[]> {
  const rows: BillRow[] = [];
  let places: Record<string, number> | undefined;
  let total: number | undefined;
  try {
    for await (const { number, cells } of readTable(content, { maxRows: MOST_ROWS, maxColumns: 60 })) {
      const words = cells.map((cell) => cell.replace(/^[`\s]+|\s+$/g, ''));
      if (!places) {
        places = placesOf(words);
        continue;
      }
      const at = (name: string) => words[places![name] ?? -1] ?? '';
      if (TOTAL.includes(words[0]!.toLowerCase())) {
        total = amountOf(at('amount'), number);
        continue;
      }
      const type = REFUND.some((word) => at('type').toLowerCase().includes(word)) ? 'refund' : 'pay';
      const when = instantOf(at('at'), number);
      if (businessDayOf(when) !== day)
        throw ruleBroken(['账户/日期与账单不符', 'Account or day differ from the bill']);
      rows.push({
        type,
        tradeNo: at('tradeNo') || bad(number, ['缺少渠道流水', 'No trade number']),
        ourNo: at('ourNo'),
        amount: Math.abs(amountOf(at('amount'), number)),
        fee: at('fee') === '' ? 0 : amountOf(at('fee'), number),
        at: when,
      });
    }
  } catch (error) {
    if (!(error instanceof BadTable)) throw error;
    throw ruleBroken(['文件无法读取，请上传 csv 或 xlsx', 'The file cannot be read, upload a csv or xlsx']);
  }
  if (!places) throw ruleBroken(['缺少表头', 'There is no header']);
  const sum = rows.reduce((all, row) => all + (row.type === 'pay' ? row.amount : -row.amount), 0);
  if (total !== undefined && total !== sum)
    throw ruleBroken([
      `文件合计 ${yuanFromFen(total)} 与明细合计 ${yuanFromFen(sum)} 不一致`,
      `Total of the file ${yuanFromFen(total)} differs from its rows ${yuanFromFen(sum)}`,
    ]);
  return rows;
}

function placesOf(words: readonly string[]): Record<string, number> {
  const places = Object.fromEntries(
    Object.entries(COLUMNS).map(([name, known]) => [
      name,
      words.findIndex((word) => known.includes(word.toLowerCase())),
    ]),
  );
  for (const name of ['type', 'tradeNo', 'amount', 'at'])
    if (places[name]! < 0)
      throw ruleBroken([
        `表头缺少「${COLUMNS[name]![0]}」`,
        `The header has no column “${COLUMNS[name]!.at(-1)}”`,
      ]);
  return places;
}

function amountOf(text: string, line: number): number {
  const plain = text.replace(/[¥,\s]/g, '');
  if (!/^-?\d{1,12}(\.\d{1,2})?$/.test(plain)) return bad(line, ['金额不正确', 'Not an amount']);
  return fenFromYuan(plain) ?? bad(line, ['金额不正确', 'Not an amount']);
}

function instantOf(text: string, line: number): Date {
  const when = new Date(`${text.replace(/\//g, '-').replace(' ', 'T')}+08:00`);
  return Number.isNaN(when.getTime()) ? bad(line, ['时间不正确', 'Not a time']) : when;
}
