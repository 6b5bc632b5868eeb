import './organisation.css';
import { useQuery } from '@tanstack/react-query';
import { Skeleton } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { instantShort } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { KINDS, organisation } from './organisation.contract.ts';
import { useForest } from './use-forest.ts';

function useRows<T>(id: string, path: string) {
  return useQuery({
    queryKey: [...keysOf.row(organisation.name, id), path],
    queryFn: async ({ signal }) =>
      (
        await call<{ rows: readonly T[] }>('GET', `/api/jinmao/web/organisation/${id}/${path}`, {
          signal,
          quiet: true,
        })
      ).rows,
  });
}

/** Small tables of the detail: head and rows of texts. */
function Rows(props: {
  readonly label: Label;
  readonly head: readonly Label[];
  readonly rows: readonly (readonly React.ReactNode[])[] | undefined;
  readonly query: { readonly isError: boolean; readonly error: unknown; readonly refetch: () => unknown };
  readonly empty: Label;
}) {
  const text = useText();
  if (props.query.isError)
    return <ErrorPanel error={props.query.error as Error} onRetry={() => void props.query.refetch()} />;
  if (!props.rows) return <Skeleton active paragraph={{ rows: 5 }} title={false} />;
  if (props.rows.length === 0) return <p className="k-quiet">{text(props.empty)}</p>;
  return (
    <table className="org-rows" aria-label={text(props.label)}>
      <thead>
        <tr>
          {props.head.map((label) => (
            <th key={label[1]} scope="col">
              {text(label)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {props.rows.map((cells, index) => (
          <tr key={index}>
            {cells.map((cell, at) => (
              <td key={at}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Organisations and projects right below a node. */
export function BelowPart({ id }: { readonly id: string }) {
  const text = useText();
  const view = useView();
  const forest = useForest({ includeStopped: true });
  const open = (node: string) => {
    const query = new URLSearchParams(view.query);
    query.set('detail', node);
    view.setQuery(query);
  };
  return (
    <Rows
      label={['下级与项目', 'Below']}
      head={[
        ['名称', 'Name'],
        ['类型', 'Kind'],
        ['项目数', 'Projects'],
        ['户数', 'Houses'],
        ['状态', 'State'],
      ]}
      query={forest}
      empty={['没有下级，也没有项目', 'Neither organisations nor projects below']}
      rows={forest.data
        ?.filter((node) => node.parentId === id)
        .map((node) => [
          node.kind === 'project' ? (
            node.name
          ) : (
            <button key="name" type="button" className="k-link" onClick={() => open(node.id)}>
              {node.name}
            </button>
          ),
          text(node.kind === 'project' ? ['项目', 'Project'] : KINDS[node.kind].label),
          node.kind === 'project' ? '' : node.projects,
          node.houses,
          <StatusTag key="state" choice={organisation.states![node.state]!} />,
        ])}
    />
  );
}

/** Staff whose place is the node or one below it. */
export function StaffPart({ id }: { readonly id: string }) {
  const query = useRows<{
    name: string;
    tenant: string;
    department: string | null;
    place: string;
  }>(id, 'staff');
  return (
    <Rows
      label={['员工', 'Staff']}
      head={[
        ['姓名', 'Name'],
        ['公司', 'Company'],
        ['部门', 'Department'],
        ['所在机构', 'Place'],
      ]}
      query={query}
      empty={['没有员工', 'No staff']}
      rows={query.data?.map((one) => [one.name, one.tenant, one.department ?? '', one.place])}
    />
  );
}

const CHANGES: Readonly<Record<string, Label>> = {
  move: ['移动', 'Moved'],
  merge: ['合并', 'Merged'],
  stop: ['停用', 'Stopped'],
  enable: ['启用', 'Enabled'],
  hang: ['挂接项目', 'Projects hung'],
};

/** What was done to the node, with what it meant at that moment. */
export function HistoryPart({ id }: { readonly id: string }) {
  const text = useText();
  const query = useRows<{
    kind: string;
    node: string;
    from: string | null;
    to: string | null;
    reason: string;
    at: string;
    by: string | null;
    projects: readonly string[];
    lose: number;
    gain: number;
  }>(id, 'changes');
  return (
    <Rows
      label={['变更历史', 'History']}
      head={[
        ['时间', 'When'],
        ['变更', 'Change'],
        ['影响', 'Consequences'],
        ['原因', 'Reason'],
        ['操作人', 'By'],
      ]}
      query={query}
      empty={['没有变更', 'No changes']}
      rows={query.data?.map((one) => [
        instantShort(one.at),
        <span key="change">
          {text(CHANGES[one.kind] ?? ['变更', 'Changed'])}
          {text(['「', ' "'])}
          {one.node}
          {text(['」', '"'])}
          {(one.from ?? one.to) && ` ${one.from ?? ''} → ${one.to ?? text(['最上级', 'top'])}`}
        </span>,
        <span key="meant" title={one.projects.join('、')}>
          {text([
            `项目 ${one.projects.length} · 失去 ${one.lose} 人 · 得到 ${one.gain} 人`,
            `${one.projects.length} projects · ${one.lose} lose · ${one.gain} gain`,
          ])}
        </span>,
        one.reason,
        one.by ?? '',
      ])}
    />
  );
}

/** Opens the licence for whoever may see the organisation: the link is made when it is asked for. */
export function LicenceLink({ id, name }: { readonly id: string; readonly name: string }) {
  const open = () =>
    void call<{ url: string }>('GET', `/api/jinmao/web/organisation/${id}/licence`).then(
      (file) => window.open(file.url, '_blank', 'noopener'),
      () => undefined,
    );
  return (
    <button type="button" className="k-link" onClick={open}>
      {name}
    </button>
  );
}
