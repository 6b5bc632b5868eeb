import { z } from 'zod';
import { runOne } from '../../../kernel/server/database.ts';
import { defineRegistration, endpoint } from '../../../kernel/server/registration.ts';
import { tooMany } from '../../../kernel/server/http/errors.ts';
import { CAPTCHA_SECONDS, issueCaptcha, judgeCaptcha } from './captcha.server.ts';
import { callLimit } from './call-limit.server.ts';
import { networkOf } from './network.rules.ts';
import { passwordKey } from './rsa-key.server.ts';
import { signInConfig } from './sign-in-config.server.ts';
import { codeExemption } from './whitelist.server.ts';

// Pictures cost a row each; a page needs one in two minutes, a whole office behind one address a few dozen.
const pictures = callLimit({ purpose: 'captcha', most: 120, seconds: 60 });

/** What the sign-in page needs before anybody is signed in: picture, public key, options. */
export const registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/auth/authLogin/getVerificationCode',
      title: ['登录验证码', 'Verification picture'],
      access: 'public',
      handle: async ({ platform, facts, request, reply }) => {
        const wait = await pictures(platform, networkOf(facts.address));
        if (wait > 0)
          throw tooMany(['操作过于频繁，请稍后再试', 'Too many requests, please try again later'], wait);
        const exempt = await codeExemption(platform.database.db, undefined, facts.address);
        if (exempt !== undefined) return { image: '', required: false, expiresIn: CAPTCHA_SECONDS };
        const captcha = await issueCaptcha(platform, request.protocol === 'https');
        reply.header('Set-Cookie', captcha.cookie);
        return { image: captcha.image, required: true, expiresIn: CAPTCHA_SECONDS };
      },
    }),
    endpoint({
      method: 'POST',
      path: '/auth/authLogin/judgeVerification',
      title: ['校验验证码', 'Check a verification code'],
      access: 'public',
      body: z.object({ code: z.string().max(16).default('') }),
      handle: async ({ platform, request, body }) => await judgeCaptcha(platform, request, body.code),
    }),
    endpoint({
      method: 'GET',
      path: '/auth/authLogin/publicKey',
      title: ['密码加密公钥', 'Public key for passwords'],
      access: 'public',
      handle: async ({ platform }) => ({ key: (await passwordKey(platform)).publicPem }),
    }),
    endpoint({
      method: 'GET',
      path: '/auth/authLogin/options',
      title: ['登录方式', 'Ways to sign in'],
      access: 'public',
      handle: async ({ platform }) => {
        const { cas } = signInConfig(platform);
        const web = await runOne<{ value: string | null }>(
          platform.database.db,
          `SELECT public_value AS value FROM oauth_client WHERE client_id = 'web'`,
        );
        // What everybody may read is no secret: the page takes the present value from here when it was replaced.
        const client = `web:${web?.value ?? 'web'}`;
        if (!cas) return { client, sso: { configured: false, loginUrl: null } };
        return {
          client,
          sso: { configured: true, loginUrl: `${cas.url}/login?service=${encodeURIComponent(cas.service)}` },
        };
      },
    }),
  ],
});
