import { bizDictValue } from '../../../domain/dictionary/dictionary.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { contractTemplate } from './contract-template.contract.ts';
import { unknownFields } from './contract-template.rules.ts';

const PLATFORM: Label = ['打印模板由平台维护', 'Templates are kept by the platform'];
const ofPlatform = (_row: DbRow, caller: Caller) => (caller.tenantKind === 3 ? undefined : PLATFORM);

/** What contracts are printed with, by kind: the same for everybody, kept by the platform. */
export const registration = bindResource(contractTemplate, {
  table: 'contract_template',
  scope: { tenant: 'none', project: 'none', owner: 't.created_by' },
  joins: { kind: bizDictValue },
  unique: { contract_template_kind: ['该类型已有打印模板', 'The kind has a template already'] },
  rowRules: { update: ofPlatform, remove: ofPlatform },
  before: [
    ({ action, input, caller }) => {
      if (action === 'create' && caller.tenantKind !== 3) throw ruleBroken(PLATFORM);
      const unknown = unknownFields(String(input.body ?? ''));
      if (unknown.length > 0)
        throw invalid({
          body: [`合同没有字段 {${unknown[0]}}`, `Contracts have no field {${unknown[0]}}`],
        });
      return Promise.resolve();
    },
  ],
}).registration;
