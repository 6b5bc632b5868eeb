import { Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { fill } from '../../../kernel/contract/label.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import './permission-group.css';

interface SideNode {
  readonly code: string;
  readonly title: string;
  readonly titleEn: string;
  readonly icon: string;
  readonly children: readonly SideNode[];
}
interface PreviewAs {
  readonly staff: { readonly name: string; readonly account: string };
  readonly menus: readonly SideNode[];
  readonly elements: readonly {
    readonly code: string;
    readonly menu: string;
    readonly name: string;
    readonly nameEn: string;
  }[];
}

/** The side menu and the elements of a staff as he has them: read-only, without any data. */
export function PreviewAsPart({ staffId }: { readonly staffId: string }) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const { data, isError, error, refetch } = useQuery({
    queryKey: ['effectivePermission', staffId, 'preview'],
    queryFn: ({ signal }) =>
      call<PreviewAs>('GET', `/api/admin/effectivePermission/${staffId}/preview`, { signal }),
  });
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active paragraph={{ rows: 8 }} />;
  const elementsOf = (menu: string) =>
    data.elements
      .filter((element) => element.menu === menu)
      .map((element) => (language === 'zh' ? element.name : element.nameEn));
  const draw = (nodes: readonly SideNode[]) => (
    <ul className="pg-side">
      {nodes
        .filter((node) => node.icon !== 'hidden')
        .map((node) => (
          <li key={node.code}>
            {language === 'zh' ? node.title : node.titleEn}
            {elementsOf(node.code).length > 0 && (
              <small className="k-quiet"> {elementsOf(node.code).join(text(['、', ', ']))}</small>
            )}
            {node.children.length > 0 && draw(node.children)}
          </li>
        ))}
    </ul>
  );
  return (
    <div className="pg-body">
      <p className="k-quiet">
        {text(
          fill(
            [
              '{name} 登录后看到的侧边菜单，以及每个页面可用的按钮；不含数据。',
              'The side menu of {name} and the elements usable on each page; without data.',
            ],
            { name: data.staff.name },
          ),
        )}
      </p>
      {data.menus.length === 0 ? (
        <p className="k-state k-quiet">{text(['没有任何菜单权限', 'No menu at all'])}</p>
      ) : (
        draw(data.menus)
      )}
    </div>
  );
}
