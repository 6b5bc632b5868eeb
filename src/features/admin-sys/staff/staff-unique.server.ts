import type { Label, Language } from '../../../kernel/contract/label.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { Refusal, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import {
  countAlike,
  countCall,
  countValues,
  refuseWhenPassed,
  type RateLimit,
} from '../../../kernel/server/http/rate-limit.ts';

/** Says that an account is taken; the file wants these words. By whom, and in which company, is not said. */
export const ACCOUNT_TAKEN: Label = ['账号已存在', 'Account already exists'];
/** Says that a phone is taken; the file wants these words. */
export const PHONE_TAKEN: Label = ['手机号已被其他员工使用', 'Phone used by another staff'];
const SSO_TAKEN: Label = ['SSO账号已绑定其他员工', 'The SSO account belongs to another staff already'];

/**
 * Accounts and phones are unique over all tenants, so a "taken" may tell of somebody the caller must not see. That it is
 * taken cannot be hidden; how many of them are told an hour is limited.
 */
const LIMITS: Readonly<Record<'account' | 'phone', RateLimit>> = {
  // Only names of other companies count, so that a table of many newcomers passes.
  account: {
    purpose: 'takenAccount',
    most: 120,
    seconds: 3_600,
    text: [
      '一小时内与其他公司重名的账号超过{most}个，暂不能新增。请给账号加上本公司的前缀，{wait}秒后再试',
      'More than {most} accounts in an hour were names of other companies. Give the accounts a prefix of your own company and try again in {wait} s',
    ],
  },
  phone: {
    purpose: 'takenPhone',
    most: 20,
    seconds: 3_600,
    text: [
      '一小时内遇到的已被占用的手机号超过{most}个，请核对手机号，{wait}秒后再试',
      'More than {most} phones in an hour were in use already; check the numbers and try again in {wait} s',
    ],
  },
};

/**
 * A phone that is taken undoes a mask, free ones that were asked before it cost nothing: so what is asked counts. Phones of
 * one form, as the mask shows them, are hardly ever many in a real table.
 */
const ASKED: RateLimit = {
  purpose: 'askedPhone',
  most: 20,
  seconds: 3_600,
  text: [
    '一小时内填写的前三位和后四位相同的手机号超过{most}个，请核对手机号，{wait}秒后再试',
    'More than {most} phones with the same first three and last four digits in an hour; check the numbers and try again in {wait} s',
  ],
};

/** Counts phones a staff asks about, by form and import alike; throws 429 when too many of one form were asked. */
export function noteAskedPhones(
  platform: Pick<Platform, 'database' | 'config'>,
  caller: Pick<Caller, 'staffId'>,
  phones: readonly string[],
): Promise<void> {
  return countAlike(platform, caller.staffId, ASKED, phones, (phone) => maskValue('phone', phone));
}

type Limited = keyof typeof LIMITS;

/**
 * Refuses (429) to look at further accounts or phones once more of them than the limit were met: otherwise the refusal
 * itself would tell the taken ones from the free ones.
 */
export async function requireMayAsk(
  db: Executor,
  caller: Pick<Caller, 'staffId'>,
  kinds: readonly Limited[],
): Promise<void> {
  for (const kind of kinds) await refuseWhenPassed(db, caller.staffId, LIMITS[kind]);
}

/**
 * Counts accounts or phones a staff is about to be told as taken, in form and import alike and each once, in a
 * transaction of its own, as the caller's is rolled back. Throws 429 beyond the limit, and from then on whatever is asked.
 */
export async function noteTaken(
  platform: Pick<Platform, 'database' | 'config'>,
  caller: Pick<Caller, 'staffId'>,
  kind: Limited,
  values: readonly string[],
): Promise<void> {
  if (values.length === 0) return;
  const limit = LIMITS[kind];
  try {
    await countValues(platform, caller.staffId, limit, values);
  } catch (error) {
    if (error instanceof Refusal && error.http === 429)
      await countCall(platform.database.db, caller.staffId, limit, limit.most + 1);
    throw error;
  }
}

/** True where an account of that tenant is none of the caller's business: another company's, unless all users are. */
export function isForeign(caller: Pick<Caller, 'tenantId' | 'menus'>, tenantId: number): boolean {
  return tenantId !== caller.tenantId && !caller.menus.has('allUserManager');
}

/**
 * Refuses account, staff number, phone and single sign-on account that are taken, with the message of each; to a form with
 * the field it belongs to.
 */
export async function checkUnique(
  tx: Tx,
  doing: {
    readonly platform: Platform;
    readonly caller: Caller;
    readonly facts?: { readonly language: Language };
  },
  staffId: number,
  tenantId: number,
  values: { account?: unknown; staffNo?: unknown; phone?: unknown; ssoAccount?: unknown },
): Promise<void> {
  const { platform, caller, facts } = doing;
  const taken = (field: string, refusal: Label) =>
    ruleBroken(refusal, facts ? { fields: { [field]: refusal } } : null);
  if (values.account || values.ssoAccount) await requireMayAsk(tx, caller, ['account']);
  if (values.phone) await requireMayAsk(tx, caller, ['phone']);
  if (values.phone) await noteAskedPhones(platform, caller, [String(values.phone)]);
  const heldBy = (condition: string, value: unknown) =>
    runOne<{ tenant: number }>(
      tx,
      `SELECT tenant_id AS tenant FROM staff WHERE ${condition} AND id <> $2 LIMIT 1`,
      [value, staffId],
    );
  const refuseName = async (holder: { tenant: number }, name: unknown, refusal: Refusal) => {
    if (isForeign(caller, holder.tenant))
      await noteTaken(platform, caller, 'account', [String(name).toLowerCase()]);
    throw refusal;
  };
  const account = values.account ? await heldBy('lower(account) = lower($1)', values.account) : undefined;
  if (account) await refuseName(account, values.account, taken('account', ACCOUNT_TAKEN));
  if (
    values.staffNo &&
    (await runOne(tx, 'SELECT 1 FROM staff WHERE tenant_id = $1 AND staff_no = $2 AND id <> $3', [
      tenantId,
      values.staffNo,
      staffId,
    ]))
  )
    throw taken('staffNo', ['工号已被使用', 'Staff number in use']);
  if (values.phone && (await heldBy(`phone = $1 AND state <> 'left'`, values.phone))) {
    await noteTaken(platform, caller, 'phone', [String(values.phone)]);
    throw taken('mobilePhone', PHONE_TAKEN);
  }
  const sso = values.ssoAccount ? await heldBy('sso_account = $1', values.ssoAccount) : undefined;
  if (sso) await refuseName(sso, values.ssoAccount, taken('ssoAccount', SSO_TAKEN));
}
