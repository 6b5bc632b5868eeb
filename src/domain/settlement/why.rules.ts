import type { Label } from '../../kernel/contract/label.ts';
import { yuanFromFen } from '../../kernel/contract/money.rules.ts';

/** The numbers of a row that its working is told with, in fen. */
export interface Working {
  readonly rowKind: string;
  readonly cash: number;
  readonly subsidy: number;
  readonly gross: number;
  readonly commissionBase: 'gross' | 'cash';
  readonly commissionBp: number;
  readonly commission: number;
  readonly channelFee: number;
  readonly net: number;
  readonly agreementVersion: number | null;
}

/** Digits of a rate in basis points: 800 is 8, 805 is 8.05. */
const rateText = (bp: number): string => String(bp / 100);

/** The unrounded product of an amount in fen and a rate, as people would write it. */
const exact = (fen: number, bp: number): string => {
  const product = BigInt(fen) * BigInt(bp);
  const size = product < 0n ? -product : product;
  const rest = String(size % 10_000n)
    .padStart(4, '0')
    .replace(/0+$/, '');
  return `${product < 0n ? '-' : ''}${size / 10_000n}${rest ? `.${rest}` : ''}`;
};

/** How the net of a row comes about, with its own numbers. Source: group 13, fm_InitiateSettlement, 为什么. */
export function whyOf(row: Working): Label {
  if (row.rowKind === 'adjustment') return ['已审批的调整单', 'An approved adjustment'];
  if (row.rowKind === 'carry_in') return ['由上期结算单结转', 'Carried over from an earlier statement'];
  if (row.rowKind === 'deposit_cover') return ['保证金抵欠', 'Covered by the deposit'];
  const version = row.agreementVersion === null ? '' : ` v${row.agreementVersion}`;
  if (row.rowKind === 'refund' || row.rowKind === 'refund_freight')
    return [
      `追回 ${yuanFromFen(row.net)} = −(退回 ${yuanFromFen(0 - row.gross)} − 退佣金 ${yuanFromFen(0 - row.commission)} − 退通道费 ${yuanFromFen(0 - row.channelFee)})；协议${version}`,
      `Claw-back ${yuanFromFen(row.net)} = −(returned ${yuanFromFen(0 - row.gross)} − commission ${yuanFromFen(0 - row.commission)} − channel fee ${yuanFromFen(0 - row.channelFee)}); agreement${version}`,
    ];
  const base = row.commissionBase === 'cash' ? row.cash : row.gross;
  const commission = `${base} × ${rateText(row.commissionBp)} % = ${exact(base, row.commissionBp)} → ${yuanFromFen(row.commission)}`;
  return [
    `毛额 ${yuanFromFen(row.gross)} = 现金 ${yuanFromFen(row.cash)} + 平台承担 ${yuanFromFen(row.subsidy)}；佣金 ${commission}；通道费 ${yuanFromFen(row.channelFee)}；应结 ${yuanFromFen(row.net)}；协议${version}`,
    `Gross ${yuanFromFen(row.gross)} = cash ${yuanFromFen(row.cash)} + borne by the platform ${yuanFromFen(row.subsidy)}; commission ${commission}; channel fee ${yuanFromFen(row.channelFee)}; net ${yuanFromFen(row.net)}; agreement${version}`,
  ];
}

/** What the codes of left-out rows mean. Source: group 13, The engine, rule 3. */
export const EXCLUSIONS = {
  X01: ['未完成', 'Not completed'],
  X02: ['售后期未满', 'After-sale window open'],
  X03: ['有进行中的退款/售后', 'Open refund or after-sale'],
  X04: ['支付未对平', 'Payment not reconciled'],
  X05: ['商户结算冻结', 'Settlement frozen'],
  X06: ['无协议版本', 'No agreement version'],
  X07: ['已在结算单', 'Already in a statement'],
  X08: ['金额不平', 'Amounts do not add up'],
  X09: ['异议移出', 'Held after a dispute'],
} as const satisfies Readonly<Record<string, Label>>;

/** Why a row is left out, with the day or the statement that belongs to it. */
export function exclusionText(code: keyof typeof EXCLUSIONS, detail: string): Label {
  const [zh, en] = EXCLUSIONS[code];
  switch (code) {
    case 'X02':
      return [`${zh}（至 ${detail}）`, `${en} until ${detail}`];
    case 'X05':
      return detail ? [`${zh}：${detail}`, `${en}: ${detail}`] : [zh, en];
    case 'X07':
      return [`${zh} ${detail}`, `${en} ${detail}`];
    case 'X09':
      return [`${zh}（至 ${detail}）`, `${en} until ${detail}`];
    default:
      return [zh, en];
  }
}
