import { run, type Tx } from '../../kernel/server/database.ts';
import { handReceivablesOver } from './contract-money.server.ts';

/** What goes along with a client that changes hands. */
export interface HandedOn {
  readonly contracts: boolean;
  readonly receivables: boolean;
}

/**
 * Gives the new owner of a client what the former one had of it: contracts that are not over, and what is still open of them to be
 * collected. Contracts of others stay theirs. Returns how many contracts moved. Source: group 20, transfer.
 */
export async function handContractsOver(
  tx: Tx,
  clientId: number,
  hands: { readonly from: number; readonly to: number },
  what: HandedOn,
): Promise<number> {
  const contracts = await run<{ id: number }>(
    tx,
    `SELECT id FROM contract WHERE client_id = $1 AND owner_id = $2 ORDER BY id FOR NO KEY UPDATE`,
    [clientId, hands.from],
  );
  if (what.receivables)
    for (const { id } of contracts) await handReceivablesOver(tx, id, hands.from, hands.to);
  if (!what.contracts) return 0;
  const moved = await run(
    tx,
    `UPDATE contract SET owner_id = $3, version = version + 1, updated_at = now()
      WHERE client_id = $1 AND owner_id = $2 AND state NOT IN ('expired', 'terminated') RETURNING id`,
    [clientId, hands.from, hands.to],
  );
  return moved.length;
}
