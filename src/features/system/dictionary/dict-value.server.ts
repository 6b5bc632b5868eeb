import { isRefused, readIds } from '../../../kernel/server/resource/list-query.ts';
import { textOf, type Label } from '../../../kernel/contract/label.ts';
import { elementCode } from '../../../kernel/contract/resource.ts';
import { belowSql } from '../../../kernel/server/resource/abilities/tree.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import {
  fixedText,
  heldText,
  totalUse,
  usesOfValues,
  type UsedValue,
  type ValueUse,
} from '../../../domain/dictionary/dictionary-uses.server.ts';
import { dictValue } from './dict-value.contract.ts';

const SYSTEM_FIXED: Label = [
  '系统字典的编码和值不能修改',
  'Code and value of a system dictionary cannot be changed',
];
const SYSTEM_STAYS: Label = ['系统字典值不能删除', 'A system value cannot be deleted'];

const bound = bindResource(dictValue, {
  table: 'dictionary_value',
  joins: { type: 'dictionary_type', tenant: 'tenant' },
  // `used` is counted in code: who uses a value is declared by the features.
  columns: { used: 'NULL::integer' },
  scope: { tenant: 'none', project: 'none', owner: 't.created_by', platformOnly: true },
  search: `lower(t.name || ' ' || t.name_en || ' ' || t.code || ' ' || t.value)`,
  filters: {
    // `below:7` are the values of every type below 7, as the tree asks for a folder of types.
    type: (value, parameters) => {
      const [, id] = /^below:(\d{1,15})$/.exec(value) ?? [];
      if (id) return `t.type_id IN ${belowSql('dictionary_type', 'parent_id', parameters.bind(Number(id)))}`;
      const ids = readIds(value);
      if (isRefused(ids)) return ids;
      return `t.type_id = ANY(${parameters.bind(ids)}::bigint[])`;
    },
  },
  extra: { dictionary: 'r_type.code' },
  rowRules: { remove: (row) => (row.system ? SYSTEM_STAYS : undefined) },
  ruleReads: ['system'],
  present: async (rows, db, _caller, platform) => {
    const uses = await usesOfRows(rows, db, platform);
    for (const row of rows) row.used = totalUse(uses.get(Number(row.id)));
  },
  completes: ['code'],
  // Left empty, the code comes from the value.
  unique: { dictionary_value_code: ['编码或值已存在', 'The code or the value exists already'] },
  before: [
    async ({ action, tx, platform, id, row, columns }) => {
      if (action === 'create') {
        if (columns.code) return;
        const type = await runOne<{ code: string }>(tx, 'SELECT code FROM dictionary_type WHERE id = $1', [
          columns.type_id,
        ]);
        columns.code = `${type?.code ?? ''}.${String(columns.value)}`;
        return;
      }
      // An emptied code stays what it was.
      if (columns.code === null) delete columns.code;
      const moves =
        action === 'update' &&
        (['code', 'value'] as const).some(
          (name) => columns[name] !== undefined && columns[name] !== row[name],
        );
      if (!moves && action !== 'remove') return;
      if (moves && row.system) throw ruleBroken(SYSTEM_FIXED);
      // Whoever writes a row with this value holds it: behind this lock every such row is seen.
      await run(tx, 'SELECT 1 FROM dictionary_value WHERE id = $1 FOR UPDATE', [id]);
      const uses = await usesOfOne(tx, platform, id);
      if (uses.length > 0) throw ruleBroken(moves ? fixedText(uses) : heldText(uses));
    },
  ],
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/admin/dictValue/:id/usage',
      title: ['查看使用', 'Usage'],
      access: { code: elementCode(dictValue, 'btn_usage') },
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        const uses = await usesOfOne(call.platform.database.db, call.platform, id);
        return uses.map((use) => ({ noun: textOf(use.noun, call.facts.language), count: use.count }));
      },
    }),
  ],
});

/** Values of platform dictionaries. */
export const registration = bound.registration;

function usesOfRows(rows: readonly DbRow[], db: Executor, platform: Platform) {
  const values = rows.map((row): UsedValue => ({
    id: Number(row.id),
    dictionary: String(row.dictionary),
    value: String(row.value),
  }));
  return usesOfValues(db, platform, 'platform', values);
}

/** Throws 404 when there is no such value. */
async function usesOfOne(db: Executor, platform: Platform, id: number): Promise<readonly ValueUse[]> {
  const row = await runOne<DbRow>(
    db,
    'SELECT v.id, v.value, d.code AS dictionary FROM dictionary_value v JOIN dictionary_type d ON d.id = v.type_id WHERE v.id = $1',
    [id],
  );
  if (!row) throw notFound();
  return (await usesOfRows([row], db, platform)).get(id) ?? [];
}
