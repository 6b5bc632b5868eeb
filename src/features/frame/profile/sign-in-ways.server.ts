import { fill, textOf, type Label, type Language } from '../../../kernel/contract/label.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { run, type Tx } from '../../../kernel/server/database.ts';
import { notify } from '../../shared/notification/notify.server.ts';

/**
 * Tells a staff that another phone now opens the account: in the product, and at the old number, which whoever took over
 * an open session does not hold. Nothing is sent where the number stays or there was none.
 */
export async function tellPhoneChanged(
  tx: Tx,
  staffId: number,
  change: { readonly before: string | null; readonly after: string | null; readonly language: Language },
): Promise<void> {
  const { before, after, language } = change;
  if (!before || before === after) return;
  const body = fill(TEXT, { phone: after ? maskValue('phone', after) : '–' });
  await run(tx, `INSERT INTO sms_message (phone, purpose, body) VALUES ($1, 'phoneChanged', $2)`, [
    before,
    textOf(body, language),
  ]);
  await notify(tx, { staffIds: [staffId], kind: 'phoneChanged', level: 'important', title: TITLE, body });
}

const TITLE: Label = ['登录手机号已更改', 'The phone of your account was changed'];
const TEXT: Label = [
  '您的后台手机号已改为 {phone}，可用于找回密码。如非本人操作，请立即联系管理员。',
  'The phone of your back-office account is now {phone} and can reset its password. If this was not you, tell an administrator at once.',
];
