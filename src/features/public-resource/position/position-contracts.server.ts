import { seenContracts } from '../../../domain/contract/contract-sight.server.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';

/**
 * SQL: the share of position code $2 in a line `p` of a plan, by the working of the line it belongs to; a line without a working is
 * that of the only position. Adjustments follow the line they adjust.
 */
const SHARE = `(SELECT CASE WHEN sum((e ->> 'amount')::numeric) <> 0
    THEN sum((e ->> 'amount')::numeric) FILTER (WHERE e ->> 'label' = $2) / sum((e ->> 'amount')::numeric) ELSE 0 END
  FROM jsonb_array_elements(coalesce((SELECT b.explain FROM contract_payment b WHERE b.id = p.adjusts_id), p.explain)) e)`;

/** Contracts a position was let by, the latest first, with what they bring for it; those the caller sees. Source: group 17, positionDetails. */
export async function contractsOfPosition(
  db: Executor,
  id: number,
  row: DbRow,
  caller: Caller,
): Promise<Record<string, unknown>> {
  const rows = await run<{
    id: number;
    code: string;
    name: string;
    party: string;
    state: string;
    from: string;
    to: string;
    basis: string;
    price: number;
    income: number;
    received: number;
  }>(
    db,
    `SELECT c.id, c.code, c.name, c.party_text AS party, c.state, min(x.from_on)::text AS from, max(x.to_on)::text AS to, c.price_basis AS basis,
            (array_agg(x.price ORDER BY x.from_on DESC))[1]::bigint AS price, l.income, l.received
       FROM contract_position x JOIN contract c ON c.id = x.contract_id
       CROSS JOIN LATERAL (SELECT round(coalesce(sum(p.amount * coalesce(${SHARE}, 0)), 0))::bigint AS income,
                                  round(coalesce(sum(coalesce(r.received, 0) * coalesce(${SHARE}, 0)), 0))::bigint AS received
            FROM contract_payment p LEFT JOIN receivable r ON r.id = p.receivable_id
           WHERE p.contract_id = c.id AND p.state <> 'void' AND p.kind IN ('rent', 'adjustment')) l
      WHERE x.place_id = $1 AND c.state IN ('active', 'expiring', 'expired', 'terminated')
      GROUP BY c.id, l.income, l.received ORDER BY min(x.from_on) DESC LIMIT 200`,
    [id, row.code],
  );
  const seen = await seenContracts(
    db,
    caller,
    rows.map((one) => one.id),
  );
  return {
    contracts: rows
      .filter((one) => seen.has(one.id))
      .map((one) => ({
        ...one,
        id: String(one.id),
        price: yuanFromFen(one.price),
        income: yuanFromFen(one.income),
        received: yuanFromFen(one.received),
      })),
  };
}
