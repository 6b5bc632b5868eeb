import type { Choice } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';

/** Ways to ask for a token. */
export const GRANTS = {
  password: { label: ['密码（仅本系统）', 'Password (first-party only)'] },
  client_credentials: { label: ['客户端凭证', 'Client credentials'] },
  authorization_code: { label: ['授权码', 'Authorisation code'] },
  refresh_token: { label: ['刷新令牌', 'Refresh token'] },
} as const satisfies Readonly<Record<string, Choice>>;

/** Scopes that are no menu group, in words. */
export const SCOPES: Readonly<Record<string, Label>> = {
  openid: ['确认身份', 'Who somebody is'],
  profile: ['姓名、账号、公司', 'Name, account and company'],
  service: ['服务注册与调用', 'Register instances, call services'],
  member_event: ['会员事件', 'Member events'],
  member_order: ['会员订单', 'Member orders'],
  gate: ['门禁通行', 'Gate passages'],
};
