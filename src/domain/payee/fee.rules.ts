/** Fee of a payment in fen: half up of amount × parts per million. 6.00 ‰ is 6000 ppm. Source: group 15, Rules. */
export function feeOf(amountFen: number, ppm: number): number {
  return share(amountFen, ppm, 1_000_000);
}

/**
 * What of a payment's fee (fen) has gone back once so much of it is refunded: in proportion, all of it with the last fen, so
 * that the returns of a fully refunded payment add up to its fee whatever its parts.
 */
export function feeBack(payment: {
  readonly fee: number;
  readonly amount: number;
  readonly refunded: number;
}): number {
  if (payment.amount === 0) return 0;
  return payment.fee - share(payment.fee, payment.amount - payment.refunded, payment.amount);
}

/** Half up of value × part ÷ whole, exact beyond 2⁵³. */
function share(value: number, part: number, whole: number): number {
  const product = BigInt(value) * BigInt(part) * 2n + BigInt(whole);
  return Number(product / (BigInt(whole) * 2n));
}
