import { run, runOne } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { ApprovalKind } from '../../../domain/approval/approval-kind.server.ts';
import { PAYEE_MENU, PAYEE_SCOPE } from '../../../domain/payee/payee-alert.server.ts';

/** What conditions may ask of a change of a payee account. */
export const payeeFacts: Required<Pick<ApprovalKind, 'fields' | 'facts' | 'samples'>> = {
  fields: [
    {
      name: 'kind',
      label: ['变更类型', 'Kind of change'],
      kind: 'choice',
      options: [
        { value: 'open', label: ['新开', 'Opening'] },
        { value: 'reopen', label: ['重新启用', 'Reopening'] },
        { value: 'data', label: ['资料变更', 'Data'] },
        { value: 'certificate', label: ['更换证书', 'Certificate'] },
        { value: 'assign', label: ['新增适用范围', 'New assignment'] },
        { value: 'end', label: ['调整失效时间', 'End of an assignment'] },
      ],
    },
    {
      name: 'channel',
      label: ['渠道', 'Channel'],
      kind: 'choice',
      options: [
        { value: 'alipay', label: ['支付宝', 'Alipay'] },
        { value: 'wechat', label: ['微信', 'WeChat'] },
        { value: 'bank', label: ['银行', 'Bank'] },
      ],
    },
    { name: 'needsTest', label: ['需要测试', 'Needs a test'], kind: 'boolean' },
    { name: 'account', label: ['账户名称', 'Account'], kind: 'text' },
  ],
  facts: async (db, id) =>
    (await runOne(
      db,
      `SELECT c.kind, t.channel, c.needs_test AS "needsTest", t.name AS account
         FROM payee_change c JOIN payee_account t ON t.id = c.account_id WHERE c.id = $1`,
      [id],
    )) ?? {},
  samples: (db, caller) => {
    const parameters = new Parameters();
    const scope = scopeCondition(caller, PAYEE_MENU, PAYEE_SCOPE, parameters);
    return run(
      db,
      `SELECT c.id, c.code || ' ' || t.name AS title FROM payee_change c JOIN payee_account t ON t.id = c.account_id
        WHERE ${scope} ORDER BY c.id DESC LIMIT 20`,
      parameters.values,
    );
  },
};
