import { fill, type Label } from '../../../kernel/contract/label.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { forbidden } from '../../../kernel/server/http/errors.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import {
  importFacts,
  type ImportCall,
  type ImportProblem,
  type ImportRow,
  type ImportTarget,
} from '../../../kernel/server/tables/import-target.ts';
import { levelOfCode, parentCodeOf } from '../../../domain/region/region.rules.ts';

interface Known {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly level: number;
  readonly source: string;
  readonly enabled: boolean;
}

interface Comparison {
  /** Upper levels first, so that a new district finds its new city. */
  readonly added: readonly ImportRow[];
  readonly renamed: readonly { readonly known: Known; readonly name: string }[];
  /** Own regions the national list has taken up. */
  readonly adopted: readonly Known[];
  readonly vanished: readonly Known[];
  readonly problems: readonly ImportProblem[];
}

/** Names shown of each kind before the commit. */
const SHOWN = 20;

/** The national list as code and name: adds and renames, and says what has vanished from it. Nothing is deleted. */
export function regionImport(bound: () => BoundResource): ImportTarget {
  return {
    source: 'region',
    menu: 'areaNew',
    element: 'btn_import',
    title: ['国家名录', 'National list'],
    maxRows: 10_000,
    columns: [
      { name: 'code', title: ['编码', 'Code'], required: true, max: 6, example: '310115' },
      { name: 'name', title: ['名称', 'Name'], required: true, max: 30, example: '浦东新区' },
    ],
    check: async (call, rows) => (await compare(call.platform.database.db, call, rows)).problems,
    summary: async (call, rows) => {
      const { added, renamed, vanished } = await compare(call.platform.database.db, call, rows);
      return [
        told(
          ['新增', 'Added'],
          added.map(({ values }) => `${values.code} ${values.name}`),
        ),
        told(
          ['改名', 'Renamed'],
          renamed.map(({ known, name }) => `${known.code} ${known.name} → ${name}`),
        ),
        told(
          [
            '名录中已消失（不会删除，可用「替代」处理）',
            'Vanished from the list (nothing is deleted; use "Replace")',
          ],
          vanished.map((one) => `${one.code} ${one.name}`),
        ),
      ];
    },
    commit: async (tx, call, rows) => {
      const { added, renamed, adopted } = await compare(tx, call, rows);
      const facts = importFacts(call);
      const context = { ...call, facts };
      for (const { values } of added) {
        const [above] = await run<{ id: number }>(tx, 'SELECT id FROM region WHERE code = $1', [
          parentCodeOf(values.code!),
        ]);
        const made = await bound().actIn(tx, context, 'create', undefined, {
          code: values.code,
          name: values.name,
          parent: String(above!.id),
        });
        await run(tx, `UPDATE region SET source = 'national' WHERE id = $1`, [made.id]);
      }
      for (const { known, name } of renamed) await bound().actIn(tx, context, 'update', known.id, { name });
      await run(tx, `UPDATE region SET source = 'national' WHERE id = ANY($1::bigint[])`, [
        adopted.map((one) => one.id),
      ]);
      call.platform.changed('region');
      return added.length + renamed.length;
    },
  };
}

/** The file beside what stands: read anew at the commit, so that the dry run may be old. */
async function compare(db: Executor, call: ImportCall, rows: readonly ImportRow[]): Promise<Comparison> {
  if (call.caller.tenantKind !== 3) throw forbidden(['区域由平台维护', 'Regions are kept by the platform']);
  const known = await run<Known>(
    db,
    'SELECT id, code, name, level, source, enabled FROM region ORDER BY code',
  );
  const byCode = new Map(known.map((one) => [one.code, one]));
  const problems: ImportProblem[] = [];
  const first = new Map<string, number>();
  const good: ImportRow[] = [];
  for (const row of rows) {
    const { code = '', name = '' } = row.values;
    const bad = (column: string, message: Label) => problems.push({ row: row.number, column, message });
    if (!/^[1-9]\d{5}$/.test(code)) bad('code', ['须为 6 位数字', 'Must have 6 digits']);
    else if (first.has(code))
      bad('code', fill(['与第{n}行重复', 'Same as row {n}'], { n: first.get(code)! }));
    else if (name.length < 2 && byCode.get(code)?.name !== name)
      bad('name', ['名称须为 2–30 个字', 'The name must have 2 to 30 characters']);
    else good.push(row);
    if (!first.has(code)) first.set(code, row.number);
  }
  const listed = new Set(good.map((row) => row.values.code!));
  const added = good
    .filter((row) => !byCode.has(row.values.code!))
    .sort((a, b) => levelOfCode(a.values.code!) - levelOfCode(b.values.code!) || a.number - b.number)
    .filter((row) => {
      const parent = parentCodeOf(row.values.code!);
      if (parent !== null && (byCode.has(parent) || listed.has(parent))) return true;
      problems.push({
        row: row.number,
        column: 'code',
        message: fill(['上级 {code} 不存在', 'The parent {code} does not exist'], { code: parent ?? '–' }),
      });
      return false;
    });
  const found = good.flatMap((row) => {
    const one = byCode.get(row.values.code!);
    return one ? [{ known: one, name: row.values.name! }] : [];
  });
  // Lists leave out the one city of a municipality: while its districts are named, it has not vanished.
  const above = new Set([...listed].map((code) => parentCodeOf(code)));
  return {
    added,
    renamed: found.filter((one) => one.known.name !== one.name),
    adopted: found.map((one) => one.known).filter((one) => one.source === 'own'),
    vanished: known.filter(
      (one) => one.source === 'national' && one.enabled && !listed.has(one.code) && !above.has(one.code),
    ),
    problems,
  };
}

function told(what: Label, names: readonly string[]): Label {
  const shown = names.slice(0, SHOWN);
  const more = names.length > SHOWN;
  return [
    `${what[0]} ${names.length}${shown.length > 0 ? `：${shown.join('、')}${more ? ' 等' : ''}` : ''}`,
    `${what[1]}: ${names.length}${shown.length > 0 ? ` – ${shown.join(', ')}${more ? ' …' : ''}` : ''}`,
  ];
}
