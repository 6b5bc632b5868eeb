import { createHash } from 'node:crypto';
import { run, type Db } from '../kernel/server/database.ts';
import type { TestProduct } from './test-product.ts';

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

/** The Authorization value of a program that asked for a token of its own, made with a secret as {@link programClient} does. */
export async function programToken(
  product: TestProduct,
  program: { readonly id: string; readonly scopes: readonly string[] },
): Promise<string> {
  const secret = `a-secret-of-${program.id}`;
  await programClient(product.platform.database.db, { ...program, secret, grants: ['client_credentials'] });
  return askToken(product, program.id, secret);
}

/** What a program with this id and secret may send as Authorization; no token where they are refused. */
export async function askToken(product: TestProduct, id: string, secret: string): Promise<string> {
  const answer = await product.app.inject({
    method: 'POST',
    url: '/api/auth/oauth/token',
    payload: 'grant_type=client_credentials',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
    },
  });
  const { access_token: token } = answer.json<{ access_token?: string }>();
  return token ? `Bearer ${token}` : '';
}
