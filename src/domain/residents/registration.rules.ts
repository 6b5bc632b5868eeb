import type { Choice } from '../../kernel/contract/fields.ts';

/** household.identity. Source: entities.md, shared codes. */
export const IDENTITIES = {
  owner: { label: ['业主', 'Owner'], tone: 'processing', code: 3 },
  family: { label: ['家属', 'Family'], tone: 'default', code: 1 },
  tenant: { label: ['租客', 'Tenant'], tone: 'default', code: 2 },
} as const satisfies Readonly<Record<string, Choice>>;

/** household.status. Source: entities.md, shared codes. */
export const HOUSEHOLD_STATUSES = {
  normal: { label: ['正常', 'Normal'], tone: 'success', code: 0 },
  reviewing: { label: ['审核中', 'In review'], tone: 'warning', code: 1 },
  refused: { label: ['已拒绝', 'Refused'], tone: 'error', code: 2 },
  deleted: { label: ['删除', 'Deleted'], tone: 'default', code: 3 },
} as const satisfies Readonly<Record<string, Choice>>;

/** How a member came to register. */
export const CHANNELS = {
  self: { label: ['自主注册', 'By oneself'] },
  invitation: { label: ['好友邀请', 'Invitation'] },
  housekeeper: { label: ['管家协助', 'Housekeeper'] },
  qr: { label: ['扫码', 'QR code'] },
  activity: { label: ['活动', 'Activity'] },
  import: { label: ['批量导入', 'Import'] },
} as const satisfies Readonly<Record<string, Choice>>;

/** Which app was used; the codes are 1–4. */
export const APP_SOURCES = {
  ios: { label: ['iOS App', 'iOS app'], code: 1 },
  android: { label: ['安卓 App', 'Android app'], code: 2 },
  h5: { label: ['H5', 'H5'], code: 3 },
  mini_program: { label: ['微信小程序', 'WeChat mini-program'], code: 4 },
} as const satisfies Readonly<Record<string, Choice>>;

/** What the registration log tells of. */
export const LOG_ACTIONS = {
  register: { label: ['注册', 'Register'] },
  bind: { label: ['绑定房屋', 'Bind a house'] },
  approve: { label: ['审核通过', 'Approved'] },
  refuse: { label: ['拒绝', 'Refused'] },
  unbind: { label: ['解绑', 'Unbind'] },
  cancel: { label: ['注销', 'Close the account'] },
} as const satisfies Readonly<Record<string, Choice>>;

/** Part ÷ whole in percent with two decimals, half up; null where the whole is 0. */
export function percentOf(part: number, whole: number): number | null {
  // Whole numbers throughout: 0.5 as a fraction of binary digits would not always round up.
  return whole === 0 ? null : Math.floor((part * 20_000 + whole) / (2 * whole)) / 100;
}
