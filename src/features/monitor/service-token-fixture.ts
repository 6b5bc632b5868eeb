import { openSession } from '../frame/sign-in/open-session.server.ts';
import { run, runOne } from '../../kernel/server/database.ts';
import type { TestProduct } from '../../testing/test-product.ts';

/** For tests: makes a service and a token of it, as the token endpoint gives them. */
export async function serviceToken(product: TestProduct, code: string): Promise<string> {
  const { db } = product.platform.database;
  const client = `svc-${code}`;
  await run(
    db,
    `WITH c AS (INSERT INTO oauth_client (client_id, name, grant_types) VALUES ($1, $1, '{}') RETURNING client_id)
     INSERT INTO service_client (code, name, client_id) SELECT $2, $2, client_id FROM c`,
    [client, code],
  );
  const admin = await runOne<{ id: number }>(db, `SELECT id FROM staff WHERE account = 'admin'`);
  const token = await openSession(db, {
    staffId: admin!.id,
    clientId: client,
    address: '127.0.0.1',
    userAgent: 'test',
    absoluteHours: 12,
  });
  await run(db, `UPDATE session SET scopes = '{service}' WHERE client_id = $1`, [client]);
  return `Bearer ${token}`;
}
