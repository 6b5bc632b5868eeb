import type { Label } from '../../../kernel/contract/label.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { namedOptions } from '../../../domain/dictionary/named-options.server.ts';
import {
  fixedText,
  heldText,
  totalUse,
  usesOfValues,
  type ValueUse,
} from '../../../domain/dictionary/dictionary-uses.server.ts';
import { bizDict } from './biz-dict.contract.ts';

const REQUIRED: Label = ['此项必填', 'This field is required'];
const NO_VALUE: Label = [
  '字典本身没有值，请先选择上级',
  'A dictionary itself has no value, choose what it stands below',
];
const SYSTEM_FIXED: Label = ['系统字典的编码不能修改', 'The code of a system dictionary cannot be changed'];
const SYSTEM_STAYS: Label = ['系统字典不能删除', 'A system dictionary cannot be deleted'];
const OTHER_DICTIONARY: Label = ['只能在同一字典内移动', 'It can be moved inside its dictionary only'];
const HAS_VALUES: Label = ['请先删除下级', 'Delete what stands below it first'];

const bound = bindResource(bizDict, {
  table: 'biz_dict',
  joins: { parent: 'biz_dict' },
  columns: {
    // Counted in code: who uses a value is declared by the features.
    used: 'NULL::integer',
    below: '(SELECT count(*)::int FROM biz_dict b WHERE b.parent_id = t.id)',
  },
  scope: { tenant: 'none', project: 'none', owner: 't.created_by', platformOnly: true },
  search: `lower(t.name || ' ' || t.name_en || ' ' || t.val || ' ' || t.code)`,
  extra: { root: 't.root_id' },
  rowRules: { remove: (row) => (row.system ? SYSTEM_STAYS : undefined) },
  ruleReads: ['system'],
  present: async (rows, db, _caller, platform) => {
    const used = await usesBelow(
      db,
      platform,
      rows.map((row) => Number(row.id)),
    );
    for (const row of rows) row.used = totalUse(used.get(Number(row.id)));
  },
  completes: ['code'],
  // Left empty, the code comes from the value.
  unique: { biz_dict_code: ['编码或值已存在', 'The code or the value exists already'] },
  before: [
    async ({ action, tx, platform, id, row, columns, input }) => {
      if (action === 'create') return place(tx, columns);
      // An emptied code or value stays what it was.
      for (const name of ['code', 'val'])
        if (columns[name] === null || columns[name] === '') delete columns[name];
      if (action === 'update' && columns.val !== undefined && row.parent_id === null)
        throw invalid({ val: NO_VALUE });
      if (action === 'move') {
        const to = typeof input.parent === 'number' ? await rootOf(tx, input.parent) : null;
        if ((row.parent_id === null ? null : row.root_id) !== to)
          throw invalid({ parent: OTHER_DICTIONARY }, OTHER_DICTIONARY);
        return;
      }
      const moves =
        action === 'update' &&
        (['code', 'val'] as const).some((name) => columns[name] !== undefined && columns[name] !== row[name]);
      if (!moves && action !== 'remove') return;
      if (moves && row.system) throw ruleBroken(SYSTEM_FIXED);
      // Whoever writes a row with this value holds it: behind this lock every such row is seen.
      await run(tx, 'SELECT 1 FROM biz_dict WHERE id = $1 FOR UPDATE', [id]);
      const uses = (await usesBelow(tx, platform, [id])).get(id) ?? [];
      if (uses.length > 0) throw ruleBroken(moves ? fixedText(uses) : heldText(uses));
      if (
        action === 'remove' &&
        (await runOne(tx, 'SELECT 1 FROM biz_dict WHERE parent_id = $1 LIMIT 1', [id]))
      )
        throw ruleBroken(HAS_VALUES);
    },
  ],
  also: { options: [namedOptions({ target: 'bizDict', table: 'biz_dict', menu: 'ssm_bizDict' })] },
});

/** Business dictionaries with their values. */
export const registration = bound.registration;

/** A dictionary needs a code and has no value; a value needs one and gets its code from its dictionary. */
async function place(tx: Tx, columns: Record<string, unknown>): Promise<void> {
  const parent = columns.parent_id as number | null | undefined;
  if (parent == null) {
    if (columns.val) throw invalid({ val: NO_VALUE });
    if (!columns.code) throw invalid({ code: REQUIRED });
    columns.val = '';
    return;
  }
  if (!columns.val) throw invalid({ val: REQUIRED });
  if (columns.code) return;
  const root = await runOne<{ code: string }>(
    tx,
    'SELECT r.code FROM biz_dict p JOIN biz_dict r ON r.id = p.root_id WHERE p.id = $1',
    [parent],
  );
  columns.code = `${root?.code ?? ''}.${String(columns.val)}`;
}

/** Throws 404 when there is no such row. */
async function rootOf(db: Executor, id: number): Promise<number> {
  const row = await runOne<{ root_id: number }>(db, 'SELECT root_id FROM biz_dict WHERE id = $1', [id]);
  if (!row) throw notFound();
  return row.root_id;
}

/** Who uses each of these rows; a dictionary, and a value with others below it, counts theirs. */
async function usesBelow(
  db: Executor,
  platform: Platform,
  ids: readonly number[],
): Promise<ReadonlyMap<number, readonly ValueUse[]>> {
  const rows = await run<DbRow & { start: number; id: number; dictionary: string; value: string }>(
    db,
    `WITH RECURSIVE below AS (
       SELECT id AS start, id FROM biz_dict WHERE id = ANY($1::bigint[])
       UNION ALL SELECT b.start, c.id FROM below b JOIN biz_dict c ON c.parent_id = b.id)
     SELECT b.start, v.id, r.code AS dictionary, v.val AS value FROM below b JOIN biz_dict v ON v.id = b.id JOIN biz_dict r ON r.id = v.root_id`,
    [ids],
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const uses = await usesOfValues(db, platform, 'business', [...byId.values()]);
  const found = new Map<number, ValueUse[]>();
  for (const { start, id } of rows)
    for (const use of uses.get(id) ?? []) {
      const known = found.get(start) ?? [];
      const same = known.findIndex((one) => one.noun[0] === use.noun[0]);
      if (same < 0) known.push(use);
      else known[same] = { noun: use.noun, count: known[same]!.count + use.count };
      found.set(start, known);
    }
  return found;
}
