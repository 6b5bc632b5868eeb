import { z } from 'zod';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import type { RequestFacts } from '../../../kernel/server/people/caller.ts';
import { runOne, transaction } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken, tooMany } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { defineRegistration, endpoint, type Call } from '../../../kernel/server/registration.ts';
import { endClientTokens, endSessions } from '../../../kernel/server/people/session-changes.ts';
import { isPasswordTooLong, passwordTexts } from '../../../kernel/contract/password.rules.ts';
import { textOf } from '../../../kernel/contract/label.ts';
import { addressWait, noteAddressLimit, noteAttempt } from './attempts.server.ts';
import { callLimit } from './call-limit.server.ts';
import { useCaptcha } from './captcha.server.ts';
import { validateTicket } from './cas.server.ts';
import { clientGrant } from './client-grant.server.ts';
import { codeGrant } from './code-grant.server.ts';
import { checkClient } from './client-credential.server.ts';
import { networkOf } from './network.rules.ts';
import { tokenHash } from './open-session.server.ts';
import { refreshGrant } from './refresh-grant.server.ts';
import { addressWaits, codeRefused, grantRefused } from './refusals.server.ts';
import { passwordKey } from './rsa-key.server.ts';
import { signInWithPassword, signInWithSso, type SignedIn } from './sign-in-flow.server.ts';
import { codeExemption } from './whitelist.server.ts';

// Clients add parameters of their own to OAuth requests; they are ignored.
const tokenRequest = z.object({
  grant_type: z.string().max(60).default(''),
  username: z.string().max(200).default(''),
  password: z.string().max(2_000).default(''),
  code: z.string().max(100).default(''),
  client_id: z.string().max(100).default(''),
  redirect_uri: z.string().max(500).default(''),
  code_verifier: z.string().max(200).default(''),
  refresh_token: z.string().max(100).default(''),
  scope: z.string().max(1_000).default(''),
});

const tickets = callLimit({ purpose: 'ssoTicket', most: 30, seconds: 60 });

/** Getting a token, giving it back, and the single sign-on callback. */
export const registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'POST',
      path: '/auth/oauth/token',
      title: ['登录', 'Sign in'],
      access: 'public',
      body: tokenRequest,
      rawReply: true,
      handle: async (call) => {
        const { platform, request, body } = call;
        if (body.grant_type === 'authorization_code') return codeGrant(call, body);
        if (body.grant_type === 'refresh_token') return refreshGrant(call, body);
        const client = await checkClient(platform, request.headers.authorization, call.facts);
        if (body.grant_type === 'client_credentials' && client.grantTypes.includes('client_credentials'))
          return clientGrant(call, client, body.scope);
        if (body.grant_type !== 'password' || !client.grantTypes.includes('password')) throw grantRefused();
        const signedIn = await passwordGrant(call, body.username.trim(), body.password, body.code.trim());
        return tokenAnswer(signedIn, call.facts);
      },
    }),
    endpoint({
      method: 'POST',
      path: '/auth/oauth/remove/token',
      title: ['退出登录', 'Sign out'],
      // The token in the query is the right: an unknown or dead one answers true too, which no header check may prevent.
      access: 'public',
      query: z.object({ access_token: z.string().max(200).default('') }),
      handle: async ({ platform, facts, query, request }) => {
        await signOut(platform, facts, query.access_token || (request.headers.authorization ?? ''));
        return true;
      },
    }),
    endpoint({
      method: 'POST',
      path: '/auth/idmcas',
      title: ['单点登录', 'Single sign-on'],
      access: 'public',
      body: z.strictObject({ ticket: z.string().max(300) }),
      rawReply: true,
      handle: async ({ platform, facts, request, body }) => {
        await checkClient(platform, request.headers.authorization, facts);
        const wait = await tickets(platform, networkOf(facts.address));
        if (wait > 0)
          throw tooMany(['操作过于频繁，请稍后再试', 'Too many requests, please try again later'], wait);
        const account = await validateTicket(platform, body.ticket);
        const signedIn = await signInWithSso(platform, account, facts);
        if (!signedIn) throw ruleBroken(['该账号未开通后台权限', 'This account has no access']);
        return tokenAnswer(signedIn, facts);
      },
    }),
  ],
});

async function passwordGrant(
  { platform, facts, request }: Pick<Call, 'platform' | 'facts' | 'request'>,
  account: string,
  password: string,
  code: string,
): Promise<SignedIn> {
  const { db } = platform.database;
  const pause = await addressWait(db, facts.address);
  if (pause > 0) {
    await noteAddressLimit(db, facts, account);
    throw addressWaits(pause);
  }
  const exemption = await codeExemption(db, account, facts.address);
  if (exemption === undefined) {
    const problem = await useCaptcha(platform, request, code);
    if (problem !== undefined) {
      if (problem !== 'missing') await noteAttempt(db, facts, { account, result: 'wrong_code' });
      throw codeRefused(problem);
    }
  }
  const key = await passwordKey(platform);
  // A ciphertext of another key is tried as it is and fails like any wrong password.
  const clear = key.decrypt(password) ?? password;
  if (isPasswordTooLong(clear) && !(clear === password && key.looksEncrypted(password)))
    throw invalid({ password: passwordTexts.long });
  return await signInWithPassword(platform, { account, password: clear, facts, exemption });
}

function tokenAnswer(
  { token, mustChangePassword, overDay }: SignedIn,
  facts: RequestFacts,
): Record<string, unknown> {
  return {
    status: 200,
    message: textOf(['登录成功', 'Signed in'], facts.language),
    access_token: token,
    token_type: 'bearer',
    mustChangePassword,
    overDay,
  };
}

async function signOut(platform: Platform, facts: RequestFacts, token: string): Promise<void> {
  const hash = tokenHash(token);
  await transaction(platform.database.db, async (tx) => {
    const staff = await runOne<{ staffId: number; name: string; tenantId: number }>(
      tx,
      `SELECT t.id AS "staffId", t.name, t.tenant_id AS "tenantId" FROM session s JOIN staff t ON t.id = s.staff_id
        WHERE s.token_hash = $1 AND s.ended_at IS NULL`,
      [hash],
    );
    const ended = await endSessions(tx, { tokenHash: hash }, 'logout');
    const program = await runOne<{ client_id: string; id: number }>(
      tx,
      'SELECT client_id, id FROM client_token WHERE token_hash = $1',
      [hash],
    );
    if (program) await endClientTokens(tx, { clientId: program.client_id, tokenId: program.id });
    if (staff && ended > 0)
      await writeAudit(tx, {
        caller: staff,
        facts,
        action: 'signOut',
        entity: 'staff',
        entityId: staff.staffId,
      });
  });
  platform.changed('session');
}
