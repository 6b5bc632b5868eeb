import { addDays } from '../../kernel/contract/time.rules.ts';
import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { nextCode } from '../../kernel/server/resource/codes.ts';
import { partsOf, termsOf, writePlan, lockContract, type ContractRow } from './contract-terms.server.ts';
import { contractMonths, portion, priceIn } from './plan.rules.ts';

/**
 * Makes a draft that follows a contract: from the day after its end, with the positions it holds at its end at the price of its last
 * month, moved by some basis points. A contract is renewed once. Source: group 17, renew.
 */
export async function renewContract(
  tx: Tx,
  old: ContractRow,
  next: { readonly endsOn: string; readonly rate: number; readonly staffId: number | null },
): Promise<{ readonly id: number; readonly code: string }> {
  const parts = await partsOf(tx, old.id);
  const { steps } = termsOf(old, parts);
  const last = contractMonths(old.starts_on, old.ends_on).length;
  const priced = (price: number) => {
    const now = old.price_basis === 'whole' ? price : priceIn(last, price, steps);
    return Math.max(0, portion(now, 10_000 + next.rate, 10_000));
  };
  const start = addDays(old.ends_on, 1);
  const code = await nextCode(tx, 'CT');
  const { id } = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO contract (code, name, direction, kind_id, project_id, party_a_id, client_id, merchant_id, party_name, licence_no, contact, contact_phone,
       owner_id, starts_on, ends_on, price_basis, prorate, pay_interval, pay_timing, due_offset, price, tax_rate, deposit, auto_renew_months, notice_days,
       renew_of, created_by, updated_by)
     SELECT $2, name, direction, kind_id, project_id, party_a_id, client_id, merchant_id, party_name, licence_no, contact, contact_phone,
       owner_id, $3, $4, price_basis, prorate, pay_interval, pay_timing, due_offset, $5, tax_rate, deposit, auto_renew_months, notice_days,
       id, $6, $6 FROM contract WHERE id = $1 RETURNING id`,
    [old.id, code, start, next.endsOn, priced(old.price), next.staffId],
  ))!;
  const kept = parts.positions.filter((one) => one.to_on === old.ends_on);
  for (const [index, one] of kept.entries())
    await run(
      tx,
      'INSERT INTO contract_position (contract_id, position, place_id, from_on, to_on, price) VALUES ($1, $2, $3, $4, $5, $6)',
      [id, index + 1, one.place_id, start, next.endsOn, priced(one.price)],
    );
  await run(
    tx,
    'INSERT INTO contract_participant SELECT $2, staff_id FROM contract_participant WHERE contract_id = $1',
    [old.id, id],
  );
  await writePlan(tx, id, termsOf(await lockContract(tx, id), await partsOf(tx, id)), [], next.staffId);
  return { id, code };
}
