import { fill, type Label } from '../../../kernel/contract/label.ts';
import { fenFromYuan } from '../../../kernel/contract/money.rules.ts';

/** What is wrong with a typed amount in yuan, at most `most`; undefined while nothing is typed or all is well. */
export function amountProblem(typed: string | undefined, most: string | undefined): Label | undefined {
  const text = typed?.trim() ?? '';
  if (text === '') return undefined;
  const fen = fenFromYuan(text);
  if (fen === undefined || fen < 0)
    return ['请输入金额，最多两位小数', 'Please enter an amount with at most two decimals'];
  if (most !== undefined && fen > (fenFromYuan(most) ?? 0))
    return fill(['最多{n}元', 'At most {n} yuan'], { n: most });
  return undefined;
}
