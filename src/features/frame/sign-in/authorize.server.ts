import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { textOf } from '../../../kernel/contract/label.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { invalid, loggedOut } from '../../../kernel/server/http/errors.ts';
import { defineRegistration, endpoint, type Call } from '../../../kernel/server/registration.ts';
import { isStaffScope, MENU_SCOPE, scopeWords } from './application-scopes.rules.ts';
import { answerAddress, groupTitles, outsideClient, type OutsideClient } from './oauth-client.server.ts';

/** Seconds a code lives. Source: group 04, grants. */
const CODE_SECONDS = 60;

const request = z.strictObject({
  client_id: z.string().max(100).default(''),
  redirect_uri: z.string().max(500).default(''),
  response_type: z.string().max(40).default(''),
  scope: z.string().max(1_000).default(''),
  state: z.string().max(500).default(''),
  code_challenge: z.string().max(200).default(''),
  code_challenge_method: z.string().max(20).default('S256'),
});
type AuthorizeRequest = z.infer<typeof request>;

/** What an outside program asks a staff for, and the answer of the staff. */
export const registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/auth/oauth/authorize',
      title: ['授权申请', 'What a program asks for'],
      access: 'staff',
      query: request,
      handle: async (call) => {
        const asked = await checked(call, call.query);
        const { client, scopes } = asked;
        if (asked.problem) return { redirectTo: refusalAddress(call.query, asked.problem) };
        const titles = await groupTitles(
          call.platform.database.db,
          scopes.flatMap((scope) => (scope.startsWith(MENU_SCOPE) ? [scope.slice(MENU_SCOPE.length)] : [])),
        );
        return {
          redirectTo: null,
          client: { id: client.client_id, name: client.name, description: client.description },
          // Where the answer goes, so that the person sees it before agreeing.
          host: new URL(call.query.redirect_uri).host,
          staff: { name: call.caller.name, username: call.caller.account },
          scopes: scopes.map((scope) => ({
            scope,
            words: textOf(scopeWords(scope, titles.get(scope.slice(MENU_SCOPE.length))), call.facts.language),
          })),
          autoApproved: isAutoApproved(client, scopes),
        };
      },
    }),
    endpoint({
      method: 'POST',
      path: '/auth/oauth/authorize',
      title: ['同意或拒绝授权', 'Allow or deny a program'],
      access: 'staff',
      body: request.extend({ decision: z.enum(['allow', 'deny']) }),
      handle: async (call) => {
        const { decision, ...query } = call.body;
        const asked = await checked(call, query);
        if (asked.problem) return { redirectTo: refusalAddress(query, asked.problem) };
        if (decision === 'deny') return { redirectTo: refusalAddress(query, 'access_denied') };
        const code = await issueCode(call, query, asked.client, asked.scopes);
        return { redirectTo: answerAddress(query.redirect_uri, { code, state: query.state }) };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/auth/oauth/userinfo',
      title: ['授权用户信息', 'Who gave the token'],
      access: 'staff',
      scope: 'openid',
      handle: async ({ platform, caller }) => {
        const mayTell = !caller.application || caller.application.scopes.includes('profile');
        if (!mayTell) return { sub: String(caller.staffId) };
        const row = await runOne<{ tenant: string }>(
          platform.database.db,
          'SELECT name AS tenant FROM tenant WHERE id = $1',
          [caller.tenantId],
        );
        if (!row) throw loggedOut();
        return {
          sub: String(caller.staffId),
          name: caller.name,
          preferred_username: caller.account,
          tenant: row.tenant,
        };
      },
    }),
  ],
});

/** A problem that may be told to the program: who it is and where it lives are known. */
type Problem = 'unsupported_response_type' | 'invalid_request' | 'invalid_scope' | 'access_denied';

interface Asked {
  readonly client: OutsideClient;
  readonly scopes: readonly string[];
  readonly problem?: Problem;
}

/** Throws 422 for a program or redirect address that is not known: nothing is sent to such an address, not even a refusal. */
async function checked({ platform }: Pick<Call, 'platform'>, query: AuthorizeRequest): Promise<Asked> {
  const client = await outsideClient(platform.database.db, query.client_id);
  if (!client)
    throw invalid({ client_id: ['未知或已停用的应用', 'The application is unknown or switched off'] });
  if (!client.redirect_uris.includes(query.redirect_uri))
    throw invalid({
      redirect_uri: ['回调地址与登记的不一致', 'The redirect address is not the registered one'],
    });
  const named = [...new Set(query.scope.split(' ').filter((scope) => scope !== ''))];
  const scopes = named.length > 0 ? named : client.scopes.filter(isStaffScope);
  if (query.response_type !== 'code') return { client, scopes, problem: 'unsupported_response_type' };
  if (query.code_challenge_method !== 'S256' || !/^[A-Za-z0-9_-]{43}$/.test(query.code_challenge))
    return { client, scopes, problem: 'invalid_request' };
  // What a program may do in its own right is nothing a person can give it.
  if (!scopes.every((scope) => client.scopes.includes(scope) && isStaffScope(scope)))
    return { client, scopes, problem: 'invalid_scope' };
  return { client, scopes };
}

function refusalAddress(query: AuthorizeRequest, error: Problem): string {
  return answerAddress(query.redirect_uri, { error, state: query.state });
}

function isAutoApproved(client: OutsideClient, scopes: readonly string[]): boolean {
  return scopes.every((scope) => client.auto_approve.includes(scope));
}

async function issueCode(
  call: Pick<Call, 'platform' | 'caller' | 'facts'>,
  query: AuthorizeRequest,
  client: OutsideClient,
  scopes: readonly string[],
): Promise<string> {
  const { platform, caller, facts } = call;
  const code = randomBytes(32).toString('base64url');
  await transaction(platform.database.db, async (tx) => {
    await run(
      tx,
      `INSERT INTO oauth_code (code_hash, client_id, staff_id, redirect_uri, scopes, challenge, expires_at, approved_in)
       VALUES ($1, $2, $3, $4, $5, $6, now() + $7::int * interval '1 second', $8)`,
      [
        createHash('sha256').update(code).digest(),
        client.client_id,
        caller.staffId,
        query.redirect_uri,
        scopes,
        Buffer.from(query.code_challenge, 'base64url'),
        CODE_SECONDS,
        caller.sessionId,
      ],
    );
    await writeAudit(tx, {
      caller,
      facts,
      action: 'authorize',
      entity: 'oauthClient',
      after: { client: client.client_id, scopes },
    });
  });
  return code;
}
