import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { endClientTokens, endFamilies, endSessions } from '../../../kernel/server/people/session-changes.ts';
import { addSecret } from '../../../domain/oauth/client-secret.server.ts';
import { isStaffScope } from './application-scopes.rules.ts';
import { isRedirectUri } from './oauth-client.server.ts';

/** An outside program as an operator registers it. */
export interface NewClient {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  /** Scopes nobody is asked about. */
  readonly autoApprove: readonly string[];
  /** A program without a secret: a page or a phone app. */
  readonly isPublic: boolean;
  /** Life of a token. */
  readonly accessSeconds: number;
}

/** What is wrong with it, in English for the terminal, or undefined. */
export function clientProblem(client: NewClient): string | undefined {
  if (!/^[a-z][a-z0-9-]{2,39}$/.test(client.id)) return 'the id is 3 to 40 small letters, digits and hyphens';
  if (client.name.trim() === '' || client.name.length > 40) return 'the name has 1 to 40 characters';
  if (client.redirectUris.length < 1 || client.redirectUris.length > 10) return '1 to 10 redirect addresses';
  for (const uri of client.redirectUris)
    if (!isRedirectUri(uri))
      return `not a redirect address (https, or http on loopback, no wildcard): ${uri}`;
  if (client.scopes.length === 0) return 'at least one scope';
  for (const scope of client.scopes)
    if (!isStaffScope(scope)) return `not a scope a staff can give (openid, profile, menu:<group>): ${scope}`;
  for (const scope of client.autoApprove)
    if (!client.scopes.includes(scope)) return `approved without asking, but not among the scopes: ${scope}`;
  if (!Number.isInteger(client.accessSeconds) || client.accessSeconds < 300 || client.accessSeconds > 43_200)
    return 'tokens live 300 to 43200 seconds';
  return undefined;
}

/** Registers a program for the authorisation code and returns its secret, which is never shown again; null for a public one. */
export async function addClient(tx: Tx, client: NewClient): Promise<string | null> {
  const problem = clientProblem(client);
  if (problem) throw new Error(problem);
  const groups = client.scopes.filter((scope) => scope.startsWith('menu:')).map((scope) => scope.slice(5));
  const known = await run<{ code: string }>(tx, 'SELECT DISTINCT parent_code AS code FROM menu_place', []);
  for (const group of groups)
    if (!known.some((row) => row.code === group)) throw new Error(`there is no menu group ${group}`);
  const added = await runOne(
    tx,
    `INSERT INTO oauth_client (client_id, type, name, grant_types, redirect_uris, scopes, auto_approve, access_seconds)
     VALUES ($1, $2, $3, '{authorization_code}', $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING client_id`,
    [
      client.id,
      client.isPublic ? 'public' : 'confidential',
      client.name.trim(),
      client.redirectUris,
      client.scopes,
      client.autoApprove,
      client.accessSeconds,
    ],
  );
  if (!added) throw new Error(`there is a client ${client.id} already`);
  const secret = client.isPublic ? null : await addSecret(tx, client.id, { overlapDays: 0, createdBy: null });
  await writeAudit(tx, { action: 'create', entity: 'oauthClient', after: { ...client } });
  return secret;
}

/** Switches a program off or on. Off ends its tokens within a second and makes its codes worthless. */
export async function switchClient(tx: Tx, clientId: string, on: boolean): Promise<void> {
  const changed = await runOne(
    tx,
    `UPDATE oauth_client SET enabled = $2 WHERE client_id = $1 AND grant_types @> '{authorization_code}' RETURNING client_id`,
    [clientId, on],
  );
  if (!changed) throw new Error(`there is no outside client ${clientId}`);
  if (!on) await endTokensOf(tx, clientId);
  await writeAudit(tx, { action: on ? 'enable' : 'disable', entity: 'oauthClient', after: { clientId } });
}

/** Ends every token of a program: sessions staff gave it, what renews them, and those of its own. Returns how many. */
export async function endTokensOf(tx: Tx, clientId: string): Promise<number> {
  const sessions = await endSessions(tx, { clientId }, 'kicked');
  const renewed = await endFamilies(tx, { clientId });
  return sessions + renewed + (await endClientTokens(tx, { clientId }));
}

/** All outside programs, for the terminal. */
export async function listClients(
  db: Executor,
): Promise<
  { client_id: string; name: string; enabled: boolean; redirect_uris: string[]; scopes: string[] }[]
> {
  return run(
    db,
    `SELECT client_id, name, enabled, redirect_uris, scopes FROM oauth_client
      WHERE grant_types @> '{authorization_code}' ORDER BY client_id`,
  );
}
