import { run, type Tx } from '../../../kernel/server/database.ts';

/**
 * Takes the turn for a change of what anybody may do or decide: groups, members, grants, departments, leaders, ways to
 * sign in. Commands call it before they look at anything: two that are refused one after the other would pass at the same
 * moment. For the whole product, as groups of the platform reach into companies.
 */
export async function takeTurn(tx: Tx): Promise<void> {
  await run(tx, 'SELECT pg_advisory_xact_lock(7202)');
}

/**
 * Keeps what `takeTurn` guards as it is until the transaction ends, beside others who do the same: what is found by the
 * structure, such as an approver, is either found in the new one or known to the change.
 */
export async function holdTurns(tx: Tx): Promise<void> {
  await run(tx, 'SELECT pg_advisory_xact_lock_shared(7202)');
}
