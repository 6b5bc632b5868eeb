import { run } from '../../kernel/server/database.ts';
import { programClient } from '../../testing/program-client.ts';
import type { TestProduct } from '../../testing/test-product.ts';

const SECRET = 'a-secret-of-the-service';

/** For tests: makes a service and asks for a token of it, as the service itself does. */
export async function serviceToken(product: TestProduct, code: string): Promise<string> {
  const { db } = product.platform.database;
  const id = `svc-${code}`;
  await programClient(db, { id, secret: SECRET, grants: ['client_credentials'], scopes: ['service'] });
  await run(db, 'INSERT INTO service_client (code, name, client_id) VALUES ($1, $1, $2)', [code, id]);
  const answer = await product.app.inject({
    method: 'POST',
    url: '/api/auth/oauth/token',
    payload: 'grant_type=client_credentials',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(`${id}:${SECRET}`).toString('base64')}`,
    },
  });
  return `Bearer ${answer.json<{ access_token: string }>().access_token}`;
}
