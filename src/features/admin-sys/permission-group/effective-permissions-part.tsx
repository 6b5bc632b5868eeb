import { useState } from 'react';
import { Input, Skeleton } from 'antd';
import type { Dayjs } from 'dayjs';
import { useQuery } from '@tanstack/react-query';
import { fill } from '../../../kernel/contract/label.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { cappedCount } from '../../../kernel/client/format.rules.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { AtPicker, KEY, ROOT, Sources, useCodes, WhoCan, WhoSelect, type Source } from './who-can.tsx';
import './permission-group.css';

interface HeldMenu {
  readonly code: string;
  readonly title: string;
  readonly titleEn: string;
  readonly scope: string;
  readonly elements: number;
}
interface MenuAnswer {
  readonly menu: { readonly title: string; readonly titleEn: string };
  readonly allowed: boolean;
  readonly scope: string | null;
  readonly rows: { readonly total: number; readonly capped: boolean } | null;
  readonly sources: readonly Source[];
  readonly elements: readonly {
    readonly code: string;
    readonly name: string;
    readonly nameEn: string;
    readonly allowed: boolean;
    readonly sources: readonly Source[];
  }[];
}
/** What a staff may see and do, menu by menu with the source of each right, now or at a past time; and who holds a right. */
export function EffectivePermissionsPart({ staffId }: { readonly staffId: string }) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const [at, setAt] = useState<Dayjs | null>(null);
  const [keyword, setKeyword] = useState('');
  const [menu, setMenu] = useState<string>();
  const [who, setWho] = useState<string>();
  const instant = at?.toISOString();
  const codes = useCodes();
  const held = useQuery({
    queryKey: [...KEY, staffId, instant],
    queryFn: ({ signal }) =>
      call<{ menus: readonly HeldMenu[] }>('GET', `${ROOT}/${staffId}`, { query: { at: instant }, signal }),
  });
  const titleOf = (one: { title: string; titleEn: string }) => (language === 'zh' ? one.title : one.titleEn);
  const mine = new Map((held.data?.menus ?? []).map((one) => [one.code, one]));
  const wanted = keyword.trim().toLowerCase();
  const shown = (codes.data ?? []).filter(
    (one) =>
      one.menu === null &&
      (wanted === ''
        ? mine.has(one.code)
        : `${one.title} ${one.titleEn} ${one.code}`.toLowerCase().includes(wanted)),
  );
  return (
    <div className="pg-body">
      <div className="pg-bar">
        <AtPicker value={at} onChange={setAt} />
        <WhoSelect value={who} onChange={setWho} />
      </div>
      {who && <WhoCan code={who} at={instant} />}
      {held.isError ? (
        <ErrorPanel error={held.error} onRetry={() => void held.refetch()} />
      ) : !held.data || !codes.data ? (
        <Skeleton active paragraph={{ rows: 8 }} />
      ) : (
        <div className="pg-effective">
          <nav aria-label={text(['菜单', 'Menus'])}>
            <Input
              allowClear
              placeholder={text(['搜索任意菜单', 'Any menu'])}
              aria-label={text(['搜索任意菜单', 'Any menu'])}
              value={keyword}
              onChange={(event) => setKeyword(event.target.value)}
            />
            {shown.length === 0 && <p className="k-quiet">{text(['没有任何菜单权限', 'No menu at all'])}</p>}
            {shown.map((one) => (
              <button
                key={one.code}
                type="button"
                className="pg-menu"
                aria-current={one.code === menu || undefined}
                onClick={() => setMenu(one.code)}
              >
                <span>{titleOf(one)}</span>
                <small className="k-quiet">{mine.get(one.code)?.scope ?? text(['无权限', 'Not held'])}</small>
              </button>
            ))}
          </nav>
          {menu ? (
            <OneMenu staffId={staffId} menu={menu} at={instant} />
          ) : (
            <p className="k-quiet">
              {text(['选择菜单查看按钮、数据范围和来源', 'Choose a menu to see elements, scope and sources'])}
            </p>
          )}
        </div>
      )}
    </div>
  );
}

function OneMenu({
  staffId,
  menu,
  at,
}: {
  readonly staffId: string;
  readonly menu: string;
  readonly at: string | undefined;
}) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const { data } = useQuery({
    queryKey: [...KEY, staffId, at, menu],
    queryFn: ({ signal }) => call<MenuAnswer>('GET', `${ROOT}/${staffId}`, { query: { menu, at }, signal }),
  });
  if (!data) return <Skeleton active paragraph={{ rows: 5 }} />;
  return (
    <section className="pg-body">
      <header className="pg-bar">
        <strong>{language === 'zh' ? data.menu.title : data.menu.titleEn}</strong>
        <span className={`k-tag k-tone-${data.allowed ? 'success' : 'default'}`}>
          <i aria-hidden="true" />
          {text(data.allowed ? ['可以访问', 'Allowed'] : ['不可访问', 'Not allowed'])}
        </span>
        {data.scope && <span>{`${text(['数据范围', 'Data scope'])}${text(['：', ': '])}${data.scope}`}</span>}
        {data.rows && (
          <span className="k-quiet">
            {text(
              fill(['可见 {n} 条', '{n} {n|row|rows} visible'], {
                n: data.rows.capped ? '10,000+' : cappedCount(data.rows.total),
              }),
            )}
          </span>
        )}
      </header>
      <Sources sources={data.sources} />
      <table className="pg-table">
        <thead>
          <tr>
            <th>{text(['按钮', 'Element'])}</th>
            <th>{text(['编码', 'Code'])}</th>
            <th>{text(['来源', 'Source'])}</th>
          </tr>
        </thead>
        <tbody>
          {data.elements.map((element) => (
            <tr key={element.code} className={element.allowed ? '' : 'pg-locked'}>
              <td>{language === 'zh' ? element.name : element.nameEn}</td>
              <td>{element.code}</td>
              <td>
                {element.allowed
                  ? [...new Set(element.sources.map((source) => source.group))].join(text(['、', ', ']))
                  : text(['无', 'Not held'])}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
