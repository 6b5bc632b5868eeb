import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';

/** SQL: the account a row (`t`) is paid to in its parts; `showPayees` makes a text of them. */
export const PAYEE_PARTS = `json_build_array(t.payee_name, t.payee_bank, t.payee_tail)`;

/** Whom rows are paid to: the holder masked, the bank, the last four of the number. Source: group 13, fm_financialSettlement. */
export function showPayees(rows: readonly DbRow[]): void {
  for (const row of rows) {
    if (!Array.isArray(row.payee)) continue;
    const [name = '', bank = '', tail = ''] = (row.payee as readonly (string | null)[]).map(
      (one) => one ?? '',
    );
    row.payee = [maskValue('name', name), bank, tail && `****${tail}`].filter(Boolean).join(' ');
  }
}
