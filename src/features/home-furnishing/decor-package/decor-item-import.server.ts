import { currentVersion } from '../../../domain/furnishing/decor-version.server.ts';
import { OPTION_MODES } from '../../../domain/furnishing/price.rules.ts';
import { ROOM_KINDS } from '../../../domain/furnishing/rooms.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
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
import { PACKAGE_MENU, PACKAGE_SCOPE } from './decor-package-scope.server.ts';

interface Draft {
  readonly packageId: number;
  readonly item: Readonly<Record<string, unknown>>;
}

const word = (choices: Readonly<Record<string, { readonly label: Label }>>, text: string) =>
  Object.entries(choices).find(([, { label }]) =>
    label.some((one) => one.toLowerCase() === text.toLowerCase()),
  )?.[0];
const named = (choices: Readonly<Record<string, { readonly label: Label }>>): Label => [
  Object.values(choices)
    .map((one) => one.label[0])
    .join(' / '),
  Object.values(choices)
    .map((one) => one.label[1])
    .join(' / '),
];

/** Contents of packages as a table, added behind what stands; those of a package on sale wait for review. */
export function decorItemImport(bound: () => BoundResource): ImportTarget {
  return {
    source: 'decorItem',
    menu: PACKAGE_MENU,
    element: 'btn_edit',
    title: ['套餐内容', 'Package contents'],
    maxRows: 2_000,
    columns: [
      {
        name: 'package',
        title: ['套餐编号', 'Package code'],
        required: true,
        max: 40,
        example: 'MJ20260101000001',
      },
      {
        name: 'room',
        title: ['房间', 'Room'],
        required: true,
        max: 20,
        example: '客厅',
        note: named(ROOM_KINDS),
      },
      { name: 'category', title: ['类别', 'Category'], required: true, max: 20, example: '地面' },
      { name: 'name', title: ['名称', 'Name'], required: true, max: 40, example: '强化复合地板' },
      { name: 'brand', title: ['品牌', 'Brand'], max: 30 },
      { name: 'spec', title: ['规格', 'Spec'], max: 40 },
      {
        name: 'rule',
        title: ['计量', 'Counted'],
        required: true,
        max: 20,
        example: '按房间面积',
        note: named(OPTION_MODES),
      },
      { name: 'quantity', title: ['数量', 'Quantity'], required: true, max: 8, example: '1' },
    ],
    check: async (call, rows) => (await read(call.platform.database.db, call, rows)).problems,
    commit: async (tx, call, rows) => {
      const { drafts } = await read(tx, call, rows);
      const context = { ...call, facts: importFacts(call) };
      for (const id of new Set(drafts.map((one) => one.packageId))) {
        const version = (await currentVersion(tx, id))!;
        const items = [
          ...version.items,
          ...drafts.filter((one) => one.packageId === id).map((one) => one.item),
        ];
        await bound().actIn(tx, context, 'update', id, { items });
      }
      call.platform.changed(decorPackage.name);
      return drafts.length;
    },
  };
}

async function read(db: Executor, call: ImportCall, rows: readonly ImportRow[]) {
  const problems: ImportProblem[] = [];
  const parameters = new Parameters();
  const packages = await run<{ id: number; code: string; status: string; held: number }>(
    db,
    `SELECT t.id, lower(t.code) AS code, t.status,
            (SELECT count(*)::integer FROM decor_item i JOIN decor_version v ON v.id = i.version_id
              WHERE v.product_id = t.id AND v.standing = CASE WHEN EXISTS (SELECT FROM decor_version w WHERE w.product_id = t.id AND w.standing = 'working') THEN 'working' ELSE 'live' END) AS held
       FROM product t WHERE t.kind = 'home_decor' AND t.recycled_at IS NULL
        AND lower(t.code) = ANY(${parameters.bind(rows.map((row) => row.values.package!.toLowerCase()))}::text[]) AND ${scopeCondition(call.caller, PACKAGE_MENU, PACKAGE_SCOPE, parameters)}`,
    parameters.values,
  );
  const counts = new Map(packages.map((one) => [one.id, one.held]));
  const drafts: Draft[] = [];
  for (const row of rows) {
    const before = problems.length;
    const bad = (column: string, message: Label) => problems.push({ row: row.number, column, message });
    const { values } = row;
    const found = packages.find((one) => one.code === values.package!.toLowerCase());
    if (!found) bad('package', ['没有此套餐', 'There is no such package']);
    else if (found.status === 'reviewing')
      bad('package', ['套餐待审核，请先撤回', 'It waits for review: recall it first']);
    else {
      const count = counts.get(found.id)! + 1;
      counts.set(found.id, count);
      if (count > 200) bad('package', ['内容最多 200 行', 'At most 200 rows of contents']);
    }
    const room = word(ROOM_KINDS, values.room!);
    if (!room) bad('room', ['请填写列表中的值', 'Please write a value of the list']);
    const rule = word(OPTION_MODES, values.rule!);
    if (!rule) bad('rule', ['请填写列表中的值', 'Please write a value of the list']);
    if (!/^\d{1,4}(\.\d{1,2})?$/.test(values.quantity!) || Number(values.quantity) <= 0)
      bad('quantity', ['须大于 0，最多两位小数', 'Above 0, at most two decimals']);
    if (problems.length === before)
      drafts.push({
        packageId: found!.id,
        item: {
          room,
          category: values.category!,
          name: values.name!,
          brand: values.brand ?? '',
          spec: values.spec ?? '',
          rule,
          quantity: values.quantity!,
          included: true,
        },
      });
  }
  return { drafts, problems };
}
