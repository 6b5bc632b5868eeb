import { run, runOne, type Executor } from '../../kernel/server/database.ts';
import { saidTwice } from '../coupon/said-twice.rules.ts';
import { termsDifference, type PackageTerms } from './package.rules.ts';

/** What a package is sold under now. */
export async function termsOfPackage(db: Executor, packageId: number): Promise<PackageTerms> {
  const row = (await runOne<{ terms: PackageTerms }>(
    db,
    `SELECT json_build_object('name', p.name, 'price', p.price, 'validity', p.validity, 'validityUnit', p.validity_unit,
       'startRule', p.start_rule, 'firstUseDays', p.first_use_days, 'payOnce', p.pay_once, 'refundMethod', p.refund_method,
       'cancelFee', p.cancel_fee::text, 'maxRunning', p.max_running, 'terms', p.terms,
       'items', (SELECT coalesce(json_agg(json_build_object('name', i.name, 'times', i.times, 'listPrice', i.list_price) ORDER BY i.position), '[]')
                   FROM service_package_item i WHERE i.package_id = p.id),
       'plans', (SELECT coalesce(json_agg(json_build_object('parts', l.parts, 'firstPercent', l.first_percent, 'intervalMonths', l.interval_months) ORDER BY l.position), '[]')
                   FROM service_package_plan l WHERE l.package_id = p.id)) AS terms
       FROM service_package p WHERE p.id = $1`,
    [packageId],
  ))!;
  return row.terms;
}

/**
 * Keeps what the next orders are sold under: a version where anything differs from the last one, else nothing. The caller
 * holds the package's row, so that numbers follow each other; the unique number holds in any case. `lines` are those that are
 * about to be written.
 */
export async function keepVersion(
  tx: Executor,
  packageId: number,
  staffId: number | null,
  { at = new Date(), lines = {} }: { at?: Date; lines?: Partial<Pick<PackageTerms, 'items' | 'plans'>> } = {},
): Promise<void> {
  const after = { ...(await termsOfPackage(tx, packageId)), ...lines };
  const last = await runOne<{ no: number; terms: PackageTerms }>(
    tx,
    'SELECT no, terms FROM service_package_version WHERE package_id = $1 ORDER BY no DESC LIMIT 1',
    [packageId],
  );
  const difference = last ? termsDifference(last.terms, after) : undefined;
  if (difference?.[0] === '') return;
  await run(
    tx,
    `INSERT INTO service_package_version (package_id, no, price, terms, difference, effective_from, made_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      packageId,
      (last?.no ?? 0) + 1,
      after.price,
      JSON.stringify(after),
      difference ? saidTwice(difference) : '',
      at,
      staffId,
    ],
  );
}
