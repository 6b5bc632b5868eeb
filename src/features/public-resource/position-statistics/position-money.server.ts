import { run, type Executor } from '../../../kernel/server/database.ts';
import { TODAY } from '../../../kernel/server/today.ts';
import {
  amountWithin,
  groupBy,
  overPlaces,
  rentOn,
  type LetTerms,
  type PlaceOfContract,
} from './position-money.rules.ts';

/** What a position brings in a period, in fen. */
export interface PositionMoney {
  income: number;
  received: number;
  /** Of lines that are due in the period. */
  due: number;
  dueReceived: number;
}

const RUN = `c.direction = 'income' AND c.state IN ('active', 'expiring', 'expired', 'terminated')`;

/** Income, receipts and what was due of positions in a period, by the lines of their contracts. Source: group 17, Reports and drill. */
export async function moneyOf(
  db: Executor,
  ids: readonly string[],
  from: string,
  to: string,
): Promise<ReadonlyMap<string, PositionMoney>> {
  const lines = await run<{
    contract: string;
    amount: number;
    rent: boolean;
    due: boolean;
    from: string | null;
    to: string | null;
    explain: readonly { readonly label: string; readonly amount: number }[];
    received: number;
    came: number;
  }>(
    db,
    `SELECT p.contract_id::text AS contract, p.amount, p.kind <> 'fee' AS rent, p.due_on BETWEEN $2::date AND $3::date AS due,
            p.period_from::text AS from, p.period_to::text AS to, coalesce(b.explain, p.explain) AS explain, coalesce(r.received, 0)::bigint AS received,
            coalesce((SELECT sum(a.amount) FROM receipt_allocation a JOIN receipt t ON t.id = a.receipt_id
               WHERE a.receivable_id = p.receivable_id AND t.state = 'confirmed' AND t.received_on BETWEEN $2::date AND $3::date), 0)::bigint AS came
       FROM contract_payment p JOIN contract c ON c.id = p.contract_id LEFT JOIN contract_payment b ON b.id = p.adjusts_id
       LEFT JOIN receivable r ON r.id = p.receivable_id
      WHERE ${RUN} AND p.state <> 'void' AND p.kind IN ('rent', 'fee', 'adjustment')
        AND EXISTS (SELECT FROM contract_position x WHERE x.contract_id = c.id AND x.place_id = ANY($1::bigint[]))
        AND (daterange(p.period_from, p.period_to, '[]') && daterange($2::date, $3::date, '[]') OR p.due_on BETWEEN $2::date AND $3::date
             OR EXISTS (SELECT FROM receipt_allocation a JOIN receipt t ON t.id = a.receipt_id
               WHERE a.receivable_id = p.receivable_id AND t.state = 'confirmed' AND t.received_on BETWEEN $2::date AND $3::date))`,
    [ids, from, to],
  );
  const places = await run<PlaceOfContract & { contract: string }>(
    db,
    `SELECT x.contract_id::text AS contract, x.place_id::text AS place, o.code, max(x.price)::bigint AS price FROM contract_position x JOIN position o ON o.id = x.place_id
      WHERE x.contract_id = ANY($1::bigint[]) GROUP BY x.contract_id, x.place_id, o.code ORDER BY x.place_id`,
    [[...new Set(lines.map((line) => line.contract))]],
  );
  const of = groupBy(places, (place) => place.contract);
  const money = new Map<string, PositionMoney>();
  for (const line of lines) {
    const own = of.get(line.contract) ?? [];
    const add = (name: keyof PositionMoney, amount: number) => {
      for (const [index, part] of overPlaces(amount, line.explain, own).entries()) {
        const { place } = own[index]!;
        const sums = money.get(place) ?? { income: 0, received: 0, due: 0, dueReceived: 0 };
        sums[name] += part;
        money.set(place, sums);
      }
    };
    if (line.rent && line.from && line.to)
      add('income', amountWithin(line.amount, { from: line.from, to: line.to }, from, to));
    add('received', line.came);
    if (line.due) {
      add('due', line.amount);
      add('dueReceived', line.received);
    }
  }
  return money;
}

/** A lease that runs or is to come, with what it brings a month; without a contract there is no rent. */
export interface Lease {
  readonly position: string;
  readonly from: string;
  readonly to: string;
  /** What it brings a month on a day. */
  rent(day: string): number | undefined;
}

/** Leases of positions that end on a day or later. */
export async function leasesOf(
  db: Executor,
  ids: readonly string[],
  from: string,
): Promise<readonly Lease[]> {
  const rows = await run<
    LetTerms & { position: string; letFrom: string; letTo: string; contract: number | null }
  >(
    db,
    `SELECT o.position_id::text AS position, o.from_on::text AS "letFrom", o.to_on::text AS "letTo", c.id AS contract, c.starts_on::text AS "startsOn",
            c.ends_on::text AS "endsOn", c.price_basis AS basis, x.from_on::text AS from, x.to_on::text AS to, x.price,
            coalesce((SELECT json_agg(json_build_object('fromMonth', s.from_month, 'kind', s.kind, 'value', CASE s.kind WHEN 'percent' THEN round(s.rate * 100) ELSE s.amount END)
               ORDER BY s.from_month, s.position) FROM contract_price_step s WHERE s.contract_id = c.id), '[]') AS steps
       FROM position_occupancy o LEFT JOIN contract c ON c.id = o.contract_id
       LEFT JOIN LATERAL (SELECT * FROM contract_position y WHERE y.contract_id = c.id AND y.place_id = o.position_id AND y.from_on <= o.to_on AND y.to_on >= o.from_on
         ORDER BY y.from_on DESC LIMIT 1) x ON true
      WHERE o.position_id = ANY($1::bigint[]) AND o.kind = 'lease' AND o.released_at IS NULL AND o.to_on >= least($2::date, ${TODAY})`,
    [ids, from],
  );
  return rows.map((row) => ({
    position: row.position,
    from: row.letFrom,
    to: row.letTo,
    rent: (day) => (row.contract === null || row.price === null ? undefined : rentOn(row, day)),
  }));
}

/** How many contracts of positions ended in a period, and how many of them are renewed. */
export async function endedOf(
  db: Executor,
  ids: readonly string[],
  from: string,
  to: string,
): Promise<{ readonly ended: number; readonly renewed: number }> {
  const [row] = await run<{ ended: number; renewed: number }>(
    db,
    `SELECT count(*)::int AS ended, (count(*) FILTER (WHERE EXISTS (SELECT FROM contract n WHERE n.renew_of = c.id AND n.state IN ('active', 'expiring', 'expired', 'terminated'))))::int AS renewed
       FROM contract c WHERE ${RUN} AND coalesce(c.terminated_on, c.ends_on) BETWEEN $2::date AND $3::date AND coalesce(c.terminated_on, c.ends_on) < ${TODAY}
        AND EXISTS (SELECT FROM contract_position x WHERE x.contract_id = c.id AND x.place_id = ANY($1::bigint[]))`,
    [ids, from, to],
  );
  return row!;
}
