import { run, runOne, type Executor } from '../../../kernel/server/database.ts';

/** An outside program that asks for a staff's rights. */
export interface OutsideClient {
  readonly client_id: string;
  readonly name: string;
  readonly description: string;
  readonly scopes: readonly string[];
  readonly auto_approve: readonly string[];
  readonly redirect_uris: readonly string[];
  readonly access_seconds: number;
  readonly refresh_seconds: number;
  readonly grant_types: readonly string[];
  /** A program that cannot keep a secret; PKCE alone proves it. */
  readonly is_public: boolean;
}

/** A program that may use the authorisation code, or undefined when it is unknown or switched off. */
export async function outsideClient(db: Executor, clientId: string): Promise<OutsideClient | undefined> {
  return runOne<OutsideClient>(
    db,
    `SELECT client_id, name, description, scopes, auto_approve, redirect_uris, access_seconds, type = 'public' AS is_public, refresh_seconds, grant_types
       FROM oauth_client WHERE client_id = $1 AND enabled AND grant_types @> '{authorization_code}'`,
    [clientId],
  );
}

/** Titles of the menu groups that scopes name. */
export async function groupTitles(
  db: Executor,
  codes: readonly string[],
): Promise<ReadonlyMap<string, readonly [string, string]>> {
  const rows = await run<{ code: string; title_zh: string; title_en: string }>(
    db,
    'SELECT code, title_zh, title_en FROM menu WHERE code = ANY($1::text[]) AND NOT retired',
    [codes],
  );
  return new Map(rows.map((row) => [row.code, [row.title_zh, row.title_en || row.title_zh]]));
}

/** True for an address a program may be sent back to: https, or http on this machine; no fragment, no wildcard. */
export function isRedirectUri(text: string): boolean {
  if (text.length > 500 || text.includes('*') || text.includes('#') || !URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username || url.password) return false;
  if (url.protocol === 'https:') return true;
  return url.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
}

/** The redirect address with the answer added to its query. */
export function answerAddress(
  redirectUri: string,
  answer: Readonly<Record<string, string | undefined>>,
): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer))
    if (value !== undefined && value !== '') url.searchParams.set(name, value);
  return url.href;
}
