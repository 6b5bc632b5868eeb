import { createHash } from 'node:crypto';
import { run, type Db } from '../kernel/server/database.ts';

/** A program with a live secret, for tests of what programs call; one that stands there already gets the secret. */
export async function programClient(
  db: Db,
  program: {
    readonly id: string;
    readonly secret: string;
    readonly grants: readonly string[];
    readonly scopes: readonly string[];
  },
): Promise<void> {
  await run(
    db,
    `INSERT INTO oauth_client (client_id, name, grant_types, scopes, redirect_uris) VALUES ($1, $1, $2, $3, '{https://program.example.com/back}') ON CONFLICT (client_id) DO NOTHING`,
    [program.id, program.grants, program.scopes],
  );
  await run(db, `INSERT INTO client_secret (client_id, slot, hash, hint) VALUES ($1, 1, $2, 'test')`, [
    program.id,
    createHash('sha256').update(program.secret).digest(),
  ]);
}
