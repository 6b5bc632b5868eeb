import { fill, textOf, type Label, type Language } from '../../../kernel/contract/label.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { queueSms } from '../../../domain/message/queue-message.server.ts';
import type { NoticeKindCode } from '../../../domain/notification/notice-kinds.rules.ts';
import { notify } from '../../../domain/notification/notify.server.ts';

/** A phone, single sign-on account or e-mail address of a staff before and after a change. */
export interface ChangedWay {
  readonly before: string | null;
  readonly after: string | null;
  /** Where the staff is told besides the product: the phone it had before; none for a new account. */
  readonly phone: string | null;
  /** Who did it; left out when the staff itself did. */
  readonly by?: string;
  readonly language: Language;
}

/**
 * Tells a staff that another phone now opens the account: in the product, and at the old number, which whoever took over
 * an open session does not hold. Nothing is sent where the number stays, or where the staff itself gave its first one.
 */
export async function tellPhoneChanged(tx: Tx, staffId: number, change: ChangedWay): Promise<void> {
  if (change.by === undefined && change.before === null) return;
  await tell(tx, staffId, change, {
    kind: 'phoneChanged',
    title: change.before ? PHONE_CHANGED : PHONE_SET,
    body: fill(change.by === undefined ? OWN_PHONE : PHONE_BY, {
      who: change.by ?? '',
      phone: change.after ? maskValue('phone', change.after) : '–',
    }),
  });
}

/** Tells a staff that another single sign-on account opens the account now, or none any more. See docs/decisions/0013. */
export async function tellSsoChanged(
  tx: Tx,
  staffId: number,
  change: ChangedWay & { readonly by: string },
): Promise<void> {
  await tell(tx, staffId, change, {
    kind: 'ssoChanged',
    title: change.after ? SSO_SET : SSO_REMOVED,
    // In full: whose it is can only be told from the whole.
    body: fill(change.after ? SSO_BY : SSO_REMOVED_BY, { who: change.by, sso: change.after ?? '' }),
  });
}

/**
 * Tells a staff that somebody else gave its account another e-mail address, or none any more: messages that tell of rows
 * it sees go there from now on.
 */
export async function tellEmailChanged(
  tx: Tx,
  staffId: number,
  change: ChangedWay & { readonly by: string },
): Promise<void> {
  await tell(tx, staffId, change, {
    kind: 'emailChanged',
    title: EMAIL_CHANGED,
    body: fill(change.after ? EMAIL_BY : EMAIL_REMOVED_BY, {
      who: change.by,
      email: change.after ? maskValue('email', change.after) : '',
    }),
  });
}

/** The ways besides the password by which somebody can open the account of a staff, masked. */
export async function signInWaysOf(
  db: Executor,
  staffId: number,
): Promise<{ readonly phone: string | null; readonly ssoAccount: string | null }> {
  const row = await runOne<{ phone: string | null; sso: string | null }>(
    db,
    'SELECT phone, sso_account AS sso FROM staff WHERE id = $1',
    [staffId],
  );
  return {
    phone: row?.phone ? maskValue('phone', row.phone) : null,
    ssoAccount: row?.sso ? maskValue(row.sso.includes('@') ? 'email' : 'name', row.sso) : null,
  };
}

async function tell(
  tx: Tx,
  staffId: number,
  change: ChangedWay,
  notice: { readonly kind: NoticeKindCode; readonly title: Label; readonly body: Label },
): Promise<void> {
  if (change.before === change.after) return;
  if (change.phone)
    await queueSms(tx, {
      phone: change.phone,
      purpose: notice.kind,
      body: textOf(notice.body, change.language),
    });
  await notify(tx, { staffIds: [staffId], level: 'important', aboutReceiver: true, ...notice });
}

const PHONE_CHANGED: Label = ['登录手机号已更改', 'The phone of your account was changed'];
const PHONE_SET: Label = ['已设置登录手机号', 'Your account has a phone'];
const OWN_PHONE: Label = [
  '您的后台手机号已改为 {phone}，可用于找回密码。如非本人操作，请立即联系管理员。',
  'The phone of your back-office account is now {phone} and can reset its password. If this was not you, tell an administrator at once.',
];
const PHONE_BY: Label = [
  '{who}将您的后台手机号设为 {phone}，可用于找回密码。如不是您的号码，请立即在个人中心更改并联系管理员。',
  '{who} set the phone of your back-office account to {phone}, which can reset its password. If it is not yours, change it in your profile at once and tell an administrator.',
];
const SSO_SET: Label = ['已设置单点登录账号', 'Your account has a single sign-on account'];
const SSO_REMOVED: Label = ['单点登录账号已解除绑定', 'Your single sign-on account was unlinked'];
const SSO_BY: Label = [
  '{who}将您的单点登录账号设为 {sso}，用它无需密码即可登录您的后台账号。如不是您的账号，请立即在个人中心解除绑定并联系管理员。',
  '{who} linked the single sign-on account {sso}, which opens your back-office account without a password. If it is not yours, unlink it in your profile at once and tell an administrator.',
];
const SSO_REMOVED_BY: Label = [
  '{who}解除了您的单点登录账号绑定，请用密码登录。',
  '{who} unlinked your single sign-on account; sign in with your password.',
];
const EMAIL_CHANGED: Label = ['账号邮箱已更改', 'The e-mail address of your account was changed'];
const EMAIL_BY: Label = [
  '{who}将您的后台邮箱设为 {email}，您选择用邮件接收的消息将发往该邮箱。如不是您的邮箱，请立即在个人中心更改并联系管理员。',
  '{who} set the e-mail address of your back-office account to {email}, where messages you chose to get by e-mail now go. If it is not yours, change it in your profile at once and tell an administrator.',
];
const EMAIL_REMOVED_BY: Label = [
  '{who}删除了您后台账号的邮箱，您将不再收到邮件消息。如有疑问，请联系管理员。',
  '{who} removed the e-mail address of your back-office account, so no messages reach you by e-mail. Ask an administrator if this is not right.',
];
