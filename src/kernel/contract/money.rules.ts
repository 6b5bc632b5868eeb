/** Largest amount the product accepts, in fen (99,999,999,999.99 yuan); keeps every sum inside a safe integer. */
export const MAX_FEN = 9_999_999_999_999;

/** Turns fen (integer) into the wire form of money: yuan with two digits, such as `"128.00"`. */
export function yuanFromFen(fen: number | bigint | string): string {
  const text = String(fen);
  const negative = text.startsWith('-');
  const digits = (negative ? text.slice(1) : text).padStart(3, '0');
  return `${negative ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Turns yuan text (at most two decimals) into fen. Returns undefined when the text is not an amount. */
export function fenFromYuan(yuan: string): number | undefined {
  const match = /^(-?)(\d{1,11})(?:\.(\d{1,2}))?$/.exec(yuan.trim());
  if (!match) return undefined;
  const fen = Number(match[2]) * 100 + Number((match[3] ?? '').padEnd(2, '0'));
  if (fen > MAX_FEN) return undefined;
  return match[1] === '-' && fen !== 0 ? -fen : fen;
}
