import { fill, type Label } from '../../../kernel/contract/label.ts';
import { run, transaction, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { forbidden, InvalidInput, Refusal } from '../../../kernel/server/http/errors.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import {
  importFacts,
  type ImportCall,
  type ImportProblem,
  type ImportRow,
  type ImportTarget,
} from '../../../kernel/server/tables/import-target.ts';

class TakenBack extends Error {}

/**
 * Classes by their path (`粮油副食/大米`): found ones get the English name and commission of the file, others are made; rows
 * above may stand in the same file in any order. The dry run carries everything out and takes it back.
 */
export function classImport(bound: () => BoundResource): ImportTarget {
  const write = async (
    tx: Tx,
    call: ImportCall,
    rows: readonly ImportRow[],
    stopAt: (row: ImportRow, error: Refusal) => void,
  ) => {
    if (call.caller.tenantKind !== 3) throw forbidden(['分类由平台维护', 'Classes are kept by the platform']);
    const businesses = await businessIds(tx);
    const classes = await classIds(tx);
    const context = { ...call, facts: importFacts(call) };
    let written = 0;
    for (const row of [...rows].sort((a, b) => parts(a).length - parts(b).length || a.number - b.number)) {
      const names = parts(row);
      const business = businesses.get(keyOf(row.values.business ?? ''));
      const above = names.length > 1 ? classes.get(pathOf(business, names.slice(0, -1))) : undefined;
      const known = classes.get(pathOf(business, names));
      const values = {
        ...(row.values.nameEn ? { nameEn: row.values.nameEn } : {}),
        ...(row.values.commission ? { commission: row.values.commission.replace('%', '') } : {}),
      };
      await run(tx, 'SAVEPOINT import_class');
      try {
        if (business === undefined)
          throw new InvalidInput({ business: ['没有此业务', 'There is no such business'] });
        if (names.length > 1 && above === undefined)
          throw new InvalidInput({
            path: fill(['上级「{name}」不存在', 'There is no class "{name}" above'], {
              name: names.slice(0, -1).join('/'),
            }),
          });
        if (known !== undefined) await bound().actIn(tx, context, 'update', known, values);
        else {
          const made = await bound().actIn(tx, context, 'create', undefined, {
            business: String(business),
            ...(above === undefined ? {} : { parent: String(above) }),
            name: names.at(-1),
            ...values,
          });
          classes.set(pathOf(business, names), made.id);
        }
        written += 1;
        await run(tx, 'RELEASE SAVEPOINT import_class');
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        await run(tx, 'ROLLBACK TO SAVEPOINT import_class');
        stopAt(row, error);
      }
    }
    return written;
  };
  return {
    source: 'productClass',
    menu: 'Proclass',
    element: 'btn_import',
    title: ['商品分类', 'Product classes'],
    maxRows: 2_000,
    columns: [
      {
        name: 'business',
        title: ['业务', 'Business'],
        required: true,
        max: 40,
        note: ['名称或编码', 'Name or code'],
        example: '商品',
      },
      {
        name: 'path',
        title: ['分类路径', 'Path'],
        required: true,
        max: 70,
        note: ['上级与名称以 / 分隔，最多三级', 'Names from the top, separated by /, three levels at most'],
        example: '粮油副食/大米',
      },
      {
        name: 'nameEn',
        title: ['英文名称', 'English name'],
        max: 20,
        example: 'Rice',
        note: ['新分类必填', 'Needed for new classes'],
      },
      {
        name: 'commission',
        title: ['建议佣金', 'Suggested commission'],
        max: 8,
        example: '5',
        note: ['百分比', 'Percent'],
      },
    ],
    check: async (call, rows) => {
      const problems: ImportProblem[] = [];
      const first = new Map<string, number>();
      for (const row of rows) {
        const key = `${keyOf(row.values.business ?? '')}|${parts(row).map(keyOf).join('/')}`;
        const same = first.get(key);
        if (same !== undefined)
          problems.push({
            row: row.number,
            column: 'path',
            message: fill(['与第{n}行重复', 'Same as row {n}'], { n: same }),
          });
        else first.set(key, row.number);
      }
      const doubled = new Set(problems.map((one) => one.row));
      await transaction(call.platform.database.db, async (tx) => {
        await write(
          tx,
          call,
          rows.filter((row) => !doubled.has(row.number)),
          (row, error) => problems.push(...told(row, error)),
        );
        throw new TakenBack();
      }).catch((error: unknown) => {
        if (!(error instanceof TakenBack)) throw error;
      });
      return problems;
    },
    commit: async (tx, call, rows) => {
      const written = await write(tx, call, rows, (_row, error) => {
        throw error;
      });
      call.platform.changed('productClass');
      return written;
    },
  };
}

const COLUMNS: Readonly<Record<string, string>> = { name: 'path', parent: 'path' };

function told(row: ImportRow, error: Refusal): ImportProblem[] {
  if (!(error instanceof InvalidInput)) return [{ row: row.number, message: error.label }];
  return Object.entries(error.fields).map(([field, message]: [string, Label]) => ({
    row: row.number,
    column: COLUMNS[field] ?? field,
    message,
  }));
}

const keyOf = (text: string): string => text.trim().toLowerCase();
const parts = (row: ImportRow): string[] => (row.values.path ?? '').split(/[/／]/).map((one) => one.trim());
const pathOf = (business: number | undefined, names: readonly string[]): string =>
  `${business ?? ''}|${names.map(keyOf).join('/')}`;

async function businessIds(db: Executor): Promise<Map<string, number>> {
  const rows = await run<{ id: number; code: string; name: string }>(
    db,
    'SELECT id, code, name FROM business',
  );
  return new Map(
    rows.flatMap((row) => [[keyOf(row.code), row.id] as const, [keyOf(row.name), row.id] as const]),
  );
}

async function classIds(db: Executor): Promise<Map<string, number>> {
  const rows = await run<{ id: number; business_id: number; path: string[] }>(
    db,
    `WITH RECURSIVE way AS (
       SELECT id, business_id, ARRAY[name] AS path FROM product_class WHERE parent_id IS NULL
       UNION ALL SELECT c.id, c.business_id, w.path || c.name FROM way w JOIN product_class c ON c.parent_id = w.id)
     SELECT id, business_id, path FROM way`,
  );
  return new Map(rows.map((row) => [pathOf(row.business_id, row.path), row.id]));
}
