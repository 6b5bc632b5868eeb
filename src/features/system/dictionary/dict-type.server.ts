import type { Label } from '../../../kernel/contract/label.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { runOne } from '../../../kernel/server/database.ts';
import { namedOptions } from '../../../domain/dictionary/named-options.server.ts';
import { dictType } from './dict-type.contract.ts';

const SYSTEM_CODE: Label = ['系统类型的编码不能修改', 'The code of a system type cannot be changed'];
const SYSTEM_STAYS: Label = ['系统类型不能删除', 'A system type cannot be deleted'];
const HAS_VALUES: Label = [
  '类型下已有字典值，不能修改编码',
  'The type has values, its code cannot be changed',
];

const bound = bindResource(dictType, {
  table: 'dictionary_type',
  joins: { parent: 'dictionary_type' },
  columns: { values: '(SELECT count(*)::int FROM dictionary_value v WHERE v.type_id = t.id)' },
  scope: { tenant: 'none', project: 'none', owner: 't.created_by', platformOnly: true },
  search: `lower(t.name || ' ' || t.name_en || ' ' || t.code)`,
  usedBy: {
    dictionary_value: ['字典值', 'Values'],
    dictionary_type: ['下级类型', 'Types below'],
  },
  rowRules: { remove: (row) => (row.system ? SYSTEM_STAYS : undefined) },
  ruleReads: ['system'],
  before: [
    async ({ action, tx, id, row, columns }) => {
      if (action !== 'update' || columns.code === undefined || columns.code === row.code) return;
      if (row.system) throw ruleBroken(SYSTEM_CODE);
      if (await runOne(tx, 'SELECT 1 FROM dictionary_value WHERE type_id = $1 LIMIT 1', [id]))
        throw ruleBroken(HAS_VALUES);
    },
  ],
  also: { options: [namedOptions({ target: 'dictType', table: 'dictionary_type', menu: 'dictManager' })] },
});

/** Types of platform dictionaries. */
export const registration = bound.registration;
