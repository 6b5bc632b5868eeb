import { moneyText } from '../../../kernel/client/format.rules.ts';

/** Lowest and highest price of a product's specs as shown: one amount when they are the same. Yuan texts of the wire. */
export function priceSpan(low: string, high?: string): string {
  return high && high !== low ? `${moneyText(low)}–${moneyText(high)}` : moneyText(low);
}
