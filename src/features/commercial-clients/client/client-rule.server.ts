import type { Label } from '../../../kernel/contract/label.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { clientRule } from './client.contract.ts';

/** Rules of the pool; who works with clients reads them, merchants do not. */
export const registration = bindResource(clientRule, {
  table: 'client_rule',
  joins: { department: 'department', staff: { table: 'staff', title: 'name' } },
  scope: {
    tenant: 'none',
    project: 'none',
    owner: 'NULL::bigint',
    own: (caller) => (caller.tenantKind === 2 ? 'FALSE' : 'TRUE'),
  },
  unique: { client_rule_once: ['该范围已有规则', 'There is a rule for it already'] },
  before: [
    ({ action, input }) => {
      if (action !== 'create') return Promise.resolve();
      const problems: Record<string, Label> = {};
      for (const kind of ['department', 'person'] as const) {
        const field = kind === 'person' ? 'staff' : kind;
        const given = input[field] !== null && input[field] !== undefined;
        if (given !== (input.scopeKind === kind))
          problems[field] = given
            ? ['与适用范围不符', 'It does not fit what the rule is for']
            : ['请选择', 'Choose one'];
      }
      if (Object.keys(problems).length > 0) throw invalid(problems);
      return Promise.resolve();
    },
  ],
}).registration;
