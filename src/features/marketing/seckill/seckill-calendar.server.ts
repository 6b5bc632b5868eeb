import { run, type Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { SECKILL_MENU, type SeckillBlock } from './seckill.contract.ts';
import { SECKILL_SCOPE } from './seckill-scope.server.ts';

/** Most sessions of goods a week shows. */
const MOST = 2_000;

/**
 * Sessions of seven days from a day on, of the activities the caller sees. What is not on sale yet is in conflict where another
 * activity has its goods at that time, whoever runs it.
 */
export async function weekOf(
  db: Executor,
  caller: Caller,
  from: string,
): Promise<{ readonly blocks: readonly SeckillBlock[]; readonly cut: boolean }> {
  const parameters = new Parameters();
  const at = (days: number) =>
    `((${parameters.bind(from)}::date + ${days})::timestamp AT TIME ZONE 'Asia/Shanghai')`;
  const rows = await run<Omit<SeckillBlock, 'spec' | 'activity'> & { spec: number; activity: number }>(
    db,
    `SELECT i.spec_id AS spec, p.name || ' / ' || s.name AS goods, t.id AS activity, t.name, t.state, i.starts_at AS "startsAt", i.ends_at AS "endsAt",
            t.state IN ('draft', 'rejected', 'reviewing') AND EXISTS (
              SELECT FROM promotion_occupancy o WHERE o.spec_id = i.spec_id AND o.period && tstzrange(i.starts_at, i.ends_at)) AS conflict
       FROM seckill_activity t JOIN seckill_item i ON i.activity_id = t.id
       JOIN product_spec s ON s.id = i.spec_id JOIN product p ON p.id = s.product_id
      WHERE i.starts_at < ${at(7)} AND i.ends_at > ${at(0)} AND t.state <> 'cancelled'
        AND ${scopeCondition(caller, SECKILL_MENU, SECKILL_SCOPE, parameters)}
      ORDER BY goods, i.spec_id, i.starts_at, i.id LIMIT ${MOST + 1}`,
    parameters.values,
  );
  return {
    blocks: rows
      .slice(0, MOST)
      .map((row) => ({ ...row, spec: String(row.spec), activity: String(row.activity) })),
    cut: rows.length > MOST,
  };
}
