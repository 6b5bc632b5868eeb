import { z } from 'zod';
import type { Label } from '../../../kernel/contract/label.ts';
import {
  isPasswordTooLong,
  passwordProblems,
  passwordTexts,
} from '../../../kernel/contract/password.rules.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { transaction } from '../../../kernel/server/database.ts';
import { invalid, Refusal, tooMany } from '../../../kernel/server/http/errors.ts';
import { withHashSlot } from '../../../kernel/server/people/password-hash.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { defineRegistration, endpoint, type Call } from '../../../kernel/server/registration.ts';
import { endSessions } from '../../../kernel/server/people/session-changes.ts';
import { callLimit } from './call-limit.server.ts';
import { useCaptcha } from './captcha.server.ts';
import { networkOf } from './network.rules.ts';
import { checkPhoneCode, sendPhoneCode, usePhoneCode } from './phone-code.server.ts';
import { codeRefused, NOT_ENCRYPTED } from './refusals.server.ts';
import { passwordKey } from './rsa-key.server.ts';
import {
  hasOneTimePassword,
  isUsedBefore,
  storePassword,
} from '../../../domain/staff-account/set-password.server.ts';
import { proveSelf } from './prove-self.server.ts';
import { lockStaff } from './staff-lock.server.ts';
import { codeExemption } from './whitelist.server.ts';

const ciphertext = z.string().max(2_000).optional();
const changeRequest = z.object({ oldPass: ciphertext, newPass: ciphertext });

const messages = callLimit({ purpose: 'smsOfAddress', most: 30, seconds: 3_600 });
const messagesToPhone = callLimit({ purpose: 'resetSmsToPhone', most: 10, seconds: 86_400 });

/** Changing the own password, and setting a new one by a code sent to the own phone. */
export const registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'POST',
      path: '/admin/user/changePassword',
      title: ['修改密码', 'Change password'],
      access: 'restricted',
      query: changeRequest,
      body: changeRequest,
      handle: async (call) =>
        await changePassword(
          call,
          call.body.oldPass ?? call.query.oldPass ?? '',
          call.body.newPass ?? call.query.newPass ?? '',
        ),
    }),
    endpoint({
      method: 'GET',
      path: '/auth/authLogin/getPhoneVerification',
      title: ['发送短信验证码', 'Send an SMS code'],
      access: 'public',
      query: z.object({ phoneNum: z.string().max(20).default(''), code: z.string().max(40).default('') }),
      handle: async ({ platform, facts, request, query }) => {
        const phone = phoneOf(query.phoneNum);
        const wait = await messages(platform, networkOf(facts.address));
        if (wait > 0) throw tooManyMessages(wait);
        if ((await codeExemption(platform.database.db, undefined, facts.address)) === undefined) {
          const problem = await useCaptcha(platform, request, query.code.trim());
          if (problem !== undefined) throw codeRefused(problem);
        }
        const waitOfPhone = await messagesToPhone(platform, phone);
        if (waitOfPhone > 0) throw tooManyMessages(waitOfPhone);
        await sendPhoneCode(platform, phone, facts.language);
        return true;
      },
    }),
    endpoint({
      method: 'POST',
      path: '/auth/authLogin/changePassword',
      title: ['找回密码', 'Reset password'],
      access: 'public',
      body: z.strictObject({
        phoneNum: z.string().max(20),
        code: z.string().max(12),
        newPass: z.string().max(2_000),
      }),
      handle: async ({ platform, facts, body }) => {
        const phone = phoneOf(body.phoneNum);
        const password = await newPasswordOf(platform, body.newPass, '');
        await resetByPhone(platform, facts, phone, body.code.trim(), password);
        return true;
      },
    }),
  ],
});

async function changePassword(
  { platform, caller, facts }: Pick<Call, 'platform' | 'caller' | 'facts'>,
  oldCipher: string,
  newCipher: string,
): Promise<true> {
  const fields: Record<string, Label> = {};
  if (oldCipher === '') fields.oldPass = passwordTexts.empty;
  if (newCipher === '') fields.newPass = passwordTexts.empty;
  if (Object.keys(fields).length > 0) throw invalid(fields);
  const oldPassword = (await passwordKey(platform)).decrypt(oldCipher);
  if (oldPassword === undefined) throw invalid({ oldPass: NOT_ENCRYPTED });
  if (isPasswordTooLong(oldPassword)) throw invalid({ oldPass: passwordTexts.long });
  const password = await newPasswordOf(platform, newCipher, caller.account, oldPassword);
  const history = await platform.settings.number('auth.password.history');
  const refusal = await withHashSlot((slot) =>
    transaction(platform.database.db, async (tx): Promise<Refusal | undefined> => {
      const staff = await proveSelf(tx, slot, { caller, facts, password: oldPassword });
      if (staff instanceof Refusal) return staff;
      if (staff === undefined) {
        const isOneTime = await hasOneTimePassword(tx, caller.staffId);
        return invalid({ oldPass: passwordTexts[isOneTime ? 'wrongOneTime' : 'wrongOld'] });
      }
      if (await isUsedBefore(tx, slot, staff, password, history))
        return invalid({ newPass: passwordTexts.reused });
      await storePassword(tx, {
        staffId: staff.id,
        by: staff.id,
        hash: await slot.hash(password),
        mustChange: false,
      });
      await endSessions(tx, { staffId: staff.id, exceptSessionId: caller.sessionId }, 'password');
      await writeAudit(tx, { caller, facts, action: 'changePassword', entity: 'staff', entityId: staff.id });
      return undefined;
    }),
  );
  if (refusal) throw refusal;
  platform.changed('session');
  return true;
}

async function resetByPhone(
  platform: Platform,
  facts: Call['facts'],
  phone: string,
  code: string,
  password: string,
): Promise<void> {
  const history = await platform.settings.number('auth.password.history');
  const refusal = await withHashSlot((slot) =>
    transaction(platform.database.db, async (tx): Promise<Refusal | undefined> => {
      const problem = await checkPhoneCode(platform, tx, phone, code);
      if (problem !== undefined) return codeRefused(problem);
      const staff = await lockStaff(tx, { phone });
      if (!staff || staff.state !== 'normal') return codeRefused('expired');
      const rule = passwordProblems(password, { username: staff.account })[0];
      if (rule) return invalid({ newPass: rule });
      if (await isUsedBefore(tx, slot, staff, password, history))
        return invalid({ newPass: passwordTexts.reused });
      await usePhoneCode(tx, phone);
      await storePassword(tx, {
        staffId: staff.id,
        by: staff.id,
        hash: await slot.hash(password),
        mustChange: false,
      });
      await endSessions(tx, { staffId: staff.id }, 'password');
      await writeAudit(tx, {
        caller: { staffId: staff.id, name: staff.name, tenantId: staff.tenantId },
        facts,
        action: 'resetPasswordByPhone',
        entity: 'staff',
        entityId: staff.id,
      });
      return undefined;
    }),
  );
  if (refusal) throw refusal;
  platform.changed('session');
}

async function newPasswordOf(
  platform: Platform,
  cipher: string,
  username: string,
  oldPassword?: string,
): Promise<string> {
  const password = (await passwordKey(platform)).decrypt(cipher);
  if (password === undefined) throw invalid({ newPass: NOT_ENCRYPTED });
  const problem = passwordProblems(password, {
    username,
    ...(oldPassword === undefined ? {} : { oldPassword }),
  })[0];
  if (problem) throw invalid({ newPass: problem });
  return password;
}

function phoneOf(text: string): string {
  const phone = text.trim();
  if (!/^1\d{10}$/.test(phone))
    throw invalid({ phoneNum: ['请输入11位手机号', 'Enter an 11-digit phone number'] });
  return phone;
}

function tooManyMessages(seconds: number): Refusal {
  return tooMany(
    ['获取验证码过于频繁，请稍后再试', 'Too many codes were asked for, please try again later'],
    seconds,
  );
}
