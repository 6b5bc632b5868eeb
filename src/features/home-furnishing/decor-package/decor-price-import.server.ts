import { currentVersion } from '../../../domain/furnishing/decor-version.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import {
  importFacts,
  type ImportCall,
  type ImportProblem,
  type ImportRow,
  type ImportTarget,
} from '../../../kernel/server/tables/import-target.ts';
import { decorPackage } from './decor-package.contract.ts';
import { decorHouseTypes, PACKAGE_MENU, PACKAGE_SCOPE } from './decor-package-scope.server.ts';

interface Draft {
  readonly packageId: number;
  readonly houseType: string;
  readonly amount: number;
  readonly cost: number | null;
}

/** Prices of packages by house type as a table; those of a package on sale wait for review. */
export function decorPriceImport(bound: () => BoundResource): ImportTarget {
  return {
    source: 'decorPrice',
    menu: PACKAGE_MENU,
    element: 'btn_priceImport',
    title: ['套餐价格', 'Package prices'],
    maxRows: 2_000,
    columns: [
      {
        name: 'package',
        title: ['套餐编号', 'Package code'],
        required: true,
        max: 40,
        example: 'MJ20260101000001',
      },
      { name: 'project', title: ['项目', 'Project'], required: true, max: 40 },
      {
        name: 'houseType',
        title: ['户型', 'House type'],
        required: true,
        max: 34,
        example: 'B户型 两室一厅一卫',
      },
      { name: 'amount', title: ['价格', 'Price'], required: true, max: 14, example: '899.00' },
      { name: 'cost', title: ['成本价', 'Cost'], max: 14, example: '720.00' },
    ],
    check: async (call, rows) => (await read(call.platform.database.db, call, rows)).problems,
    commit: async (tx, call, rows) => {
      const { drafts } = await read(tx, call, rows);
      const context = { ...call, facts: importFacts(call) };
      for (const id of new Set(drafts.map((one) => one.packageId))) {
        const fresh = new Map(
          drafts.filter((one) => one.packageId === id).map((one) => [one.houseType, one]),
        );
        const version = (await currentVersion(tx, id))!;
        const kept = version.prices.filter((one) => !fresh.has(String(one.houseTypeId)));
        const prices = [
          ...kept.map((one) => ({ houseType: String(one.houseTypeId), amount: one.amount, cost: one.cost })),
          ...fresh.values(),
        ].map(({ houseType, amount, cost }) => ({
          houseType,
          amount: yuanFromFen(amount),
          cost: cost === null ? null : yuanFromFen(cost),
        }));
        await bound().actIn(tx, context, 'update', id, { prices });
      }
      call.platform.changed(decorPackage.name);
      return drafts.length;
    },
  };
}

async function read(db: Executor, call: ImportCall, rows: readonly ImportRow[]) {
  const problems: ImportProblem[] = [];
  const parameters = new Parameters();
  const packages = await run<{ id: number; code: string; status: string }>(
    db,
    `SELECT t.id, lower(t.code) AS code, t.status FROM product t WHERE t.kind = 'home_decor' AND t.recycled_at IS NULL
        AND lower(t.code) = ANY(${parameters.bind(rows.map((row) => row.values.package!.toLowerCase()))}::text[]) AND ${scopeCondition(call.caller, PACKAGE_MENU, PACKAGE_SCOPE, parameters)}`,
    parameters.values,
  );
  const titles = new Map<string, string | undefined>();
  const facts = importFacts(call);
  const first = new Map<string, number>();
  const drafts: Draft[] = [];
  for (const row of rows) {
    const before = problems.length;
    const bad = (column: string, message: Label) => problems.push({ row: row.number, column, message });
    const { values } = row;
    const found = packages.find((one) => one.code === values.package!.toLowerCase());
    if (!found) bad('package', ['没有此套餐', 'There is no such package']);
    else if (found.status === 'reviewing')
      bad('package', ['套餐待审核，请先撤回', 'It waits for review: recall it first']);
    const title = `${values.project} · ${values.houseType}`.toLowerCase();
    if (!titles.has(title)) {
      const hits = await decorHouseTypes.find(
        { ...call, facts },
        { searchVal: `${values.project} ${values.houseType}`, ids: [], offset: 0, limit: 50 },
      );
      titles.set(title, hits.find((hit) => hit.title.toLowerCase() === title)?.id);
    }
    const houseType = titles.get(title);
    if (!houseType) bad('houseType', ['该项目没有此户型', 'The project has no such type']);
    const amount = fenFromYuan(values.amount!);
    if (amount === undefined || amount <= 0)
      bad('amount', ['须大于 0，最多两位小数', 'Above 0, at most two decimals']);
    const cost = values.cost ? fenFromYuan(values.cost) : null;
    if (cost === undefined || (cost !== null && cost <= 0))
      bad('cost', ['须大于 0，最多两位小数', 'Above 0, at most two decimals']);
    const key = `${found?.id} ${houseType}`;
    if (first.has(key)) bad('houseType', [`与第${first.get(key)}行重复`, `Same as row ${first.get(key)}`]);
    else first.set(key, row.number);
    if (problems.length === before)
      drafts.push({ packageId: found!.id, houseType: houseType!, amount: amount!, cost: cost ?? null });
  }
  return { drafts, problems };
}
