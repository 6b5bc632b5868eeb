import { run } from '../../kernel/server/database.ts';
import { programToken } from '../../testing/program-client.ts';
import type { TestProduct } from '../../testing/test-product.ts';

/** For tests: makes a service and asks for a token of it, as the service itself does. */
export async function serviceToken(product: TestProduct, code: string): Promise<string> {
  const id = `svc-${code}`;
  const token = await programToken(product, { id, scopes: ['service'] });
  await run(
    product.platform.database.db,
    'INSERT INTO service_client (code, name, client_id) VALUES ($1, $1, $2)',
    [code, id],
  );
  return token;
}
