import type { Label } from '../../../kernel/contract/label.ts';
import { isProgramScope, isStaffScope } from '../../frame/sign-in/application-scopes.rules.ts';
import { isRedirectUri } from '../../frame/sign-in/oauth-client.server.ts';
import { GRANTS } from './oauth-client.rules.ts';

/** What a client asks to be, as its form sends it. */
export interface ClientShape {
  readonly type: string;
  readonly builtin: boolean;
  readonly grantTypes: readonly string[];
  readonly scopes: readonly string[];
  readonly redirectUris: readonly string[];
  readonly autoApprove: readonly string[];
}

/** What is wrong with a client, by field.  */
export function clientProblems(client: ClientShape): Record<string, Label> {
  const problems: Record<string, Label> = {};
  const { grantTypes, scopes } = client;
  const asksFor = (grant: string) => grantTypes.includes(grant);
  if (!grantTypes.every((grant) => Object.hasOwn(GRANTS, grant)))
    problems.grantTypes = ['不支持的授权类型', 'Grant type not allowed'];
  else if (asksFor('password') && !client.builtin)
    problems.grantTypes = ['密码授权仅限本系统客户端', 'The password grant is for first-party clients only'];
  else if (asksFor('refresh_token') && !asksFor('authorization_code'))
    problems.grantTypes = [
      '刷新令牌需要与授权码一起使用',
      'A refresh token comes with the authorisation code only',
    ];
  else if (asksFor('client_credentials') && client.type === 'public')
    problems.grantTypes = ['公开客户端不能使用客户端凭证', 'A public client has no credentials to ask with'];
  const unknown = scopes.find((scope) => !isStaffScope(scope) && !isProgramScope(scope));
  if (unknown !== undefined) problems.scopes = [`未知的范围 ${unknown}`, `There is no scope ${unknown}`];
  else if (asksFor('authorization_code') && !scopes.some(isStaffScope))
    problems.scopes = [
      '授权码至少需要 openid、profile 或一个菜单组',
      'The authorisation code needs openid, profile or a menu group',
    ];
  else if (asksFor('client_credentials') && !scopes.some(isProgramScope))
    problems.scopes = ['客户端凭证至少需要一个数据范围', 'Client credentials need a data scope'];
  if (asksFor('authorization_code') && client.redirectUris.length === 0)
    problems.redirectUris = ['授权码需要回调地址', 'The authorisation code needs a redirect address'];
  else if (!client.redirectUris.every(isRedirectUri))
    problems.redirectUris = ['回调地址必须完全匹配', 'Redirect must match exactly'];
  else if (new Set(client.redirectUris).size < client.redirectUris.length)
    problems.redirectUris = ['回调地址重复', 'A redirect address stands twice'];
  if (!client.autoApprove.every((scope) => scopes.includes(scope) && isStaffScope(scope)))
    problems.autoApprove = [
      '免确认范围必须是已选的员工范围',
      'Only chosen scopes that a staff gives can go unasked',
    ];
  return problems;
}
