import { runOne } from '../../kernel/server/database.ts';
import { forbidden } from '../../kernel/server/http/errors.ts';
import type { Call } from '../../kernel/server/registration.ts';

/** Scope of the tokens programs of this installation get for themselves. */
export const SERVICE_SCOPE = 'service';

/** Code of the service whose token calls; 403 for everybody who is no enabled service. */
export async function serviceOfToken(call: Pick<Call, 'caller' | 'platform'>): Promise<string> {
  const { application } = call.caller;
  if (!application?.scopes.includes(SERVICE_SCOPE)) throw forbidden();
  const row = await runOne<{ code: string }>(
    call.platform.database.db,
    'SELECT code FROM service_client WHERE client_id = $1 AND enabled',
    [application.clientId],
  );
  if (!row) throw forbidden();
  return row.code;
}
