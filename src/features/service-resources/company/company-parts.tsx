import { Alert, Tree } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import { words } from '../../../kernel/client/texts.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { fill } from '../../../kernel/contract/label.ts';

interface MenuRights {
  readonly code: string;
  readonly zh: string;
  readonly en: string;
  readonly group: string;
  readonly groupZh: string;
  readonly groupEn: string;
  readonly elements: readonly { readonly code: string; readonly zh: string; readonly en: string }[];
}

type RightTitle = readonly [zh: string, en: string, code: string];

interface Difference {
  readonly gained: readonly RightTitle[];
  readonly lost: readonly RightTitle[];
  readonly staff: number;
}

/** Menus and their buttons by group, ticked. */
export function RightsInput({ id, value, onChange, rows, disabled }: SlotInputProps) {
  const text = useText();
  const { data } = useQuery({
    queryKey: ['tenantPackage', 'rightsTree'],
    queryFn: ({ signal }) =>
      call<readonly MenuRights[]>('GET', '/api/jinmao/web/tenantPackage/rightsTree', { signal, quiet: true }),
  });
  const { data: holders } = useQuery({
    queryKey: ['tenantPackage', 'affects', rows[0]?.id],
    enabled: rows[0] !== undefined,
    queryFn: ({ signal }) =>
      call<readonly { name: string; staff: number }[]>('GET', '/api/jinmao/web/tenantPackage/affects', {
        query: { id: rows[0]!.id },
        signal,
        quiet: true,
      }),
  });
  // Inputs hold JSON as its text.
  const chosen = value ? (JSON.parse(String(value)) as readonly string[]) : [];
  const byGroup = new Map<string, MenuRights[]>();
  for (const menu of data ?? []) byGroup.set(menu.group, [...(byGroup.get(menu.group) ?? []), menu]);
  const tree = [...byGroup].map(([group, menus]) => ({
    key: `group ${group}`,
    title: text([menus[0]!.groupZh, menus[0]!.groupEn]),
    selectable: false,
    children: menus.map((menu) => ({
      key: menu.code,
      title: text([menu.zh, menu.en]),
      children: menu.elements.map((one) => ({ key: one.code, title: text([one.zh, one.en]) })),
    })),
  }));
  const codesOf = (menus: readonly MenuRights[]) =>
    menus.flatMap((menu) => [menu.code, ...menu.elements.map((one) => one.code)]);
  const held = new Set(chosen);
  // A group is no right of its own: it is ticked while all of it is.
  const groups = [...byGroup].map(([group, menus]) => {
    const codes = codesOf(menus);
    return { key: `group ${group}`, of: codes.length, n: codes.filter((code) => held.has(code)).length };
  });
  const ofMenu = new Map((data ?? []).map((menu) => [menu.code, menu.elements.map((one) => one.code)]));
  // A button needs its menu; a menu that goes takes its buttons along.
  const change = (keys: readonly string[]) => {
    const wanted = new Set(keys.filter((key) => !key.startsWith('group ')));
    const before = new Set(chosen);
    for (const key of wanted) if (key.includes(':') && !before.has(key)) wanted.add(key.split(':')[0]!);
    for (const [menu, buttons] of ofMenu) {
      if (before.has(menu) && !wanted.has(menu)) for (const one of buttons) wanted.delete(one);
      if (!before.has(menu) && wanted.has(menu) && !buttons.some((one) => wanted.has(one)))
        for (const one of buttons) wanted.add(one);
    }
    onChange?.(wanted.size > 0 ? JSON.stringify([...wanted].sort()) : undefined);
  };
  return (
    <div id={id} tabIndex={-1}>
      {holders && holders.length > 0 && (
        <Alert
          type="info"
          showIcon
          title={text([
            `使用中：${holders.map((one) => `${one.name}（${one.staff}人）`).join('、')}`,
            `In use by ${holders.map((one) => `${one.name} (${one.staff} staff)`).join(', ')}`,
          ])}
        />
      )}
      <p className="k-quiet k-small">
        {text([
          `已选 ${chosen.filter((one) => !one.includes(':')).length} 个菜单、${chosen.filter((one) => one.includes(':')).length} 个按钮`,
          `${chosen.filter((one) => !one.includes(':')).length} menus and ${chosen.filter((one) => one.includes(':')).length} buttons chosen`,
        ])}
      </p>
      <Tree
        checkable
        checkStrictly
        selectable={false}
        disabled={disabled}
        height={320}
        treeData={tree}
        checkedKeys={{
          checked: [...chosen, ...groups.filter((one) => one.n === one.of).map((one) => one.key)],
          halfChecked: groups.filter((one) => one.n > 0 && one.n < one.of).map((one) => one.key),
        }}
        onCheck={(keys, { node, checked }) => {
          const list = (Array.isArray(keys) ? keys : keys.checked).map(String);
          const group = String(node.key);
          if (!group.startsWith('group ')) return change(list);
          const codes = codesOf(byGroup.get(group.slice(6)) ?? []);
          return change(
            checked ? [...new Set([...chosen, ...codes])] : chosen.filter((one) => !codes.includes(one)),
          );
        }}
      />
    </div>
  );
}

/** The package of a tenant, with what another one gives and takes before it is saved. */
export function PackageInput({ id, value, onChange, rows, disabled }: SlotInputProps) {
  const text = useText();
  const chosen = value as RefValue | undefined;
  const row = rows[0];
  const changed =
    row !== undefined && chosen !== undefined && chosen.id !== (row.package as RefValue | null)?.id;
  const { data } = useQuery({
    queryKey: ['tenantCompany', 'packageDifference', row?.id, chosen?.id],
    enabled: changed,
    queryFn: ({ signal }) =>
      call<Difference>('GET', `/api/jinmao/web/tenantCompany/${row!.id}/packageDifference`, {
        query: { package: chosen!.id },
        signal,
        quiet: true,
      }),
  });
  const listed = (titles: readonly RightTitle[]) =>
    `${titles
      .slice(0, 12)
      .map(([zh, en]) => text([zh, en]))
      .join(
        text(['、', ', ']),
      )}${titles.length > 12 ? text([`等 ${titles.length} 项`, ` and ${titles.length - 12} more`]) : ''}`;
  return (
    <>
      <RemoteSelect
        {...(id ? { id } : {})}
        target="tenantPackage"
        label={text(['套餐', 'Package'])}
        placeholder={text(fill(words.pleaseSelect, { label: '' })).trim()}
        disabled={disabled}
        value={chosen ? [chosen.id] : []}
        known={chosen ? { [chosen.id]: chosen.title } : {}}
        onChange={(_, entries) => onChange?.(entries[0] ?? undefined)}
      />
      {changed && data && (
        <Alert
          type={data.lost.length > 0 ? 'warning' : 'info'}
          showIcon
          title={text([
            `新增 ${data.gained.length} 项，收回 ${data.lost.length} 项，影响 ${data.staff} 名员工`,
            `${data.gained.length} gained, ${data.lost.length} lost, ${data.staff} staff concerned`,
          ])}
          description={
            data.lost.length > 0
              ? text([`收回：${listed(data.lost)}`, `Lost: ${listed(data.lost)}`])
              : undefined
          }
        />
      )}
    </>
  );
}
