import { z } from 'zod';
import type { Label } from '../../../kernel/contract/label.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, transaction, type Tx } from '../../../kernel/server/database.ts';
import { invalid, loggedOut, Refusal, ruleBroken, tooMany } from '../../../kernel/server/http/errors.ts';
import { checkAttachable } from '../../../kernel/server/files/files.ts';
import { withHashSlot, type HashSlot } from '../../../kernel/server/people/password-hash.ts';
import { defineRegistration, endpoint, type Call } from '../../../kernel/server/registration.ts';
import { endSessions } from '../../../kernel/server/people/session-changes.ts';
import { tellPhoneChanged } from './sign-in-ways.server.ts';
import { callLimit } from '../sign-in/call-limit.server.ts';
import {
  checkPhoneCode,
  sendPhoneCode,
  usePhoneCode,
  type CodePurpose,
} from '../sign-in/phone-code.server.ts';
import { proveSelf } from '../sign-in/prove-self.server.ts';
import { NOT_ENCRYPTED } from '../sign-in/refusals.server.ts';
import { passwordKey } from '../sign-in/rsa-key.server.ts';

const PHONE = /^1\d{10}$/;
const PHONE_TEXT: Label = ['请输入11位手机号', 'Enter an 11-digit phone number'];
const TAKEN: Label = ['手机号已被其他员工使用', 'Another staff uses this phone'];

const NO_CODE: Label = ['请输入6位短信验证码', 'Enter the 6-digit SMS code'];
const NO_PASSWORD: Label = ['请输入当前密码', 'Enter your current password'];
const NO_SSO: Label = ['没有绑定单点登录账号', 'No single sign-on account is linked'];
const UNLINKED: Label = ['解除单点登录绑定', 'Single sign-on account unlinked'];
const WRONG_PASSWORD: Label = [
  '当前密码错误，忘记密码时请先在登录页找回',
  'The current password is wrong; if you forgot it, reset it on the sign-in page first',
];

/** What staff may change of their own data. Body of `updateUserInfo` without the fields that are for administrators. */
export const ownDataBody = {
  /** The own id may be named. */
  id: z.string().max(15).optional(),
  sex: z
    .union([z.literal([0, 1, 2]), z.enum(['0', '1', '2'])])
    .transform(Number)
    .optional(),
  description: z.string().max(200).optional(),
  email: z.string().max(100).nullable().optional(),
  mobilePhone: z.string().max(20).optional(),
  phoneCode: z.string().max(12).optional(),
  /** The present password, encrypted as at sign-in; asked for with a new phone. */
  currentPassword: z.string().max(2_000).optional(),
  photo: z.uuid().nullable().optional(),
};
type Change = z.infer<z.ZodObject<typeof ownDataBody>>;

const codesOfStaff = callLimit({ purpose: 'smsOfStaff', most: 20, seconds: 86_400 });
const codesToPhone = callLimit({ purpose: 'smsToPhone', most: 10, seconds: 86_400 });

/** Codes that prove a new phone, and the end of single sign-on. The own data itself is changed through `updateUserInfo`, beside the staff screen. */
export const registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'POST',
      path: '/admin/profile/phoneCode',
      title: ['发送新手机验证码', 'Send a code to a new phone'],
      access: 'staff',
      body: z.strictObject({ phone: z.string().max(20) }),
      handle: async ({ platform, caller, facts, body }) => {
        const phone = body.phone.trim();
        if (!PHONE.test(phone)) throw invalid({ phone: PHONE_TEXT });
        const wait =
          (await codesOfStaff(platform, String(caller.staffId))) || (await codesToPhone(platform, phone));
        if (wait > 0)
          throw tooMany(
            ['获取验证码过于频繁，请稍后再试', 'Too many codes were asked for, please try again later'],
            wait,
          );
        await sendPhoneCode(platform, phone, facts.language, purposeOf(caller.staffId));
        return true;
      },
    }),
    endpoint({
      method: 'POST',
      path: '/admin/profile/unlinkSso',
      title: ['解除单点登录绑定', 'Unlink the single sign-on account'],
      access: 'staff',
      body: z.strictObject({ currentPassword: z.string().max(2_000).optional() }),
      handle: unlinkSso,
    }),
  ],
});

const purposeOf = (staffId: number): CodePurpose => `phone:${staffId}`;

/**
 * The staff changes its own data; the name stays. A new phone opens the reset of the password, so it needs the present
 * password besides the code sent to it.
 */
export async function changeOwnData(call: Call<unknown, Change>): Promise<true> {
  const { platform, body } = call;
  const email = body.email?.trim();
  if (email && !/^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/.test(email))
    throw invalid({ email: ['请输入正确的邮箱', 'Please enter a valid e-mail address'] });
  const phone = body.mobilePhone?.trim();
  if (phone !== undefined && !PHONE.test(phone)) throw invalid({ mobilePhone: PHONE_TEXT });
  const password = await passwordOf(call);
  // A hashing slot is taken before the database's connection, as everywhere.
  const refusal = await (password === undefined
    ? change(call, phone, email, undefined)
    : withHashSlot((slot) => change(call, phone, email, { slot, password })));
  if (refusal) throw refusal;
  platform.changed('staff');
  return true;
}

/** The present password in clear text; undefined when none was sent. Throws 422 when the text is not encrypted. */
async function passwordOf({
  platform,
  body,
}: Call<unknown, Pick<Change, 'currentPassword'>>): Promise<string | undefined> {
  if (!body.currentPassword) return undefined;
  const password = (await passwordKey(platform)).decrypt(body.currentPassword);
  if (password === undefined) throw invalid({ currentPassword: NOT_ENCRYPTED });
  return password;
}

type PasswordCheck = { readonly slot: HashSlot; readonly password: string };

async function change(
  call: Call<unknown, Change>,
  phone: string | undefined,
  email: string | undefined,
  check: PasswordCheck | undefined,
): Promise<Refusal | undefined> {
  const { platform, caller, facts, body } = call;
  return transaction(platform.database.db, async (tx): Promise<Refusal | undefined> => {
    const before = await runOne<OwnData>(tx, `${OWN_DATA} FOR UPDATE`, [caller.staffId]);
    if (!before) return loggedOut();
    const next: OwnData = {
      sex: body.sex ?? before.sex,
      description: body.description?.trim() ?? before.description,
      email: body.email === undefined ? before.email : email || null,
      phone: phone ?? before.phone,
      photo_id: body.photo === undefined ? before.photo_id : body.photo,
    };
    if (next.photo_id !== null)
      await checkAttachable(tx, caller, 'photo', [next.photo_id], before.photo_id ? [before.photo_id] : []);
    if (next.phone !== null && next.phone !== before.phone) {
      const problem = await provePhone(call, tx, next.phone, check);
      // Returned, not thrown: a wrong password or code must stay counted.
      if (problem) return problem;
    }
    const changed = (Object.keys(next) as (keyof OwnData)[]).filter((key) => next[key] !== before[key]);
    if (changed.length === 0) return undefined;
    await run(
      tx,
      `UPDATE staff SET sex = $2, description = $3, email = $4, phone = $5, photo_id = $6,
              version = version + 1, updated_at = now(), updated_by = $1 WHERE id = $1`,
      [caller.staffId, next.sex, next.description, next.email, next.phone, next.photo_id],
    );
    await tellPhoneChanged(tx, caller.staffId, {
      before: before.phone,
      after: next.phone,
      phone: before.phone,
      language: facts.language,
    });
    await writeAudit(tx, {
      caller,
      facts,
      action: 'updateOwn',
      entity: 'staff',
      entityId: caller.staffId,
      before: Object.fromEntries(changed.map((key) => [key, before[key]])),
      after: Object.fromEntries(changed.map((key) => [key, next[key]])),
    });
    return undefined;
  });
}

async function provePhone(
  call: Call<unknown, Change>,
  tx: Tx,
  phone: string,
  check: PasswordCheck | undefined,
): Promise<Refusal | undefined> {
  const { platform, caller, body } = call;
  const code = body.phoneCode?.trim() ?? '';
  if (code === '' || !check)
    return invalid({
      ...(code === '' ? { phoneCode: NO_CODE } : {}),
      ...(check ? {} : { currentPassword: NO_PASSWORD }),
    });
  const unproven = await provePassword(call, tx, check);
  if (unproven) return unproven;
  const problem = await checkPhoneCode(platform, tx, phone, code, purposeOf(caller.staffId));
  if (problem !== undefined)
    return invalid({
      phoneCode:
        problem === 'wrong'
          ? ['验证码错误', 'Verification code is wrong']
          : ['验证码已失效，请重新获取', 'The code has expired, please get a new one'],
    });
  await usePhoneCode(tx, phone);
  const other = await runOne(tx, `SELECT FROM staff WHERE phone = $1 AND id <> $2 AND state <> 'left'`, [
    phone,
    caller.staffId,
  ]);
  return other ? invalid({ mobilePhone: TAKEN }) : undefined;
}

/** Why the present password does not prove the staff of the session, or undefined. To be returned: wrong tries are counted. */
async function provePassword(
  { caller, facts }: Pick<Call, 'caller' | 'facts'>,
  tx: Tx,
  check: PasswordCheck,
): Promise<Refusal | undefined> {
  const staff = await proveSelf(tx, check.slot, { caller, facts, password: check.password });
  if (staff instanceof Refusal) return staff;
  return staff === undefined ? invalid({ currentPassword: WRONG_PASSWORD }) : undefined;
}

/** The staff ends single sign-on to its account: whoever came in by it is out, this session stays. */
async function unlinkSso(call: Call<unknown, Pick<Change, 'currentPassword'>>): Promise<true> {
  const { platform, caller, facts } = call;
  const password = await passwordOf(call);
  if (password === undefined) throw invalid({ currentPassword: NO_PASSWORD });
  const refusal = await withHashSlot((slot) =>
    transaction(platform.database.db, async (tx): Promise<Refusal | undefined> => {
      const unproven = await provePassword(call, tx, { slot, password });
      if (unproven) return unproven;
      const before = await runOne<{ sso: string | null }>(
        tx,
        'SELECT sso_account AS sso FROM staff WHERE id = $1',
        [caller.staffId],
      );
      if (!before?.sso) return ruleBroken(NO_SSO);
      await run(
        tx,
        'UPDATE staff SET sso_account = NULL, version = version + 1, updated_at = now(), updated_by = $1 WHERE id = $1',
        [caller.staffId],
      );
      await endSessions(tx, { staffId: caller.staffId, exceptSessionId: caller.sessionId }, 'kicked');
      const record = { caller, facts, action: 'unlinkSso', entity: 'staff', entityId: caller.staffId };
      await writeTimeline(tx, {
        ...record,
        label: UNLINKED,
        changes: [{ field: 'sso_account', before: before.sso, after: null }],
      });
      await writeAudit(tx, {
        ...record,
        before: { sso_account: before.sso },
        after: { sso_account: null },
      });
      return undefined;
    }),
  );
  if (refusal) throw refusal;
  platform.changed('session');
  platform.changed('staff');
  return true;
}

interface OwnData {
  readonly sex: number;
  readonly description: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly photo_id: string | null;
}

const OWN_DATA = 'SELECT sex, description, email, phone, photo_id FROM staff WHERE id = $1';
