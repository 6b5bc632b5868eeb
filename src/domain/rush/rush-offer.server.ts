import { run, type Executor } from '../../kernel/server/database.ts';

/** What a spec is sold for in the rush that runs now; the price in fen. */
export interface RushOffer {
  readonly itemId: number;
  readonly price: number;
}

/** Rushes that run now by spec, by the clock of the database. Source: group 08, Money engine, step 10. */
export async function rushOffers(
  db: Executor,
  specIds: readonly number[],
): Promise<ReadonlyMap<number, RushOffer>> {
  const rows = await run<RushOffer & { specId: number }>(
    db,
    `SELECT id AS "itemId", spec_id AS "specId", price FROM rush_item WHERE spec_id = ANY($1::bigint[]) AND period @> clock_timestamp()`,
    [specIds],
  );
  return new Map(rows.map((row) => [row.specId, row]));
}
