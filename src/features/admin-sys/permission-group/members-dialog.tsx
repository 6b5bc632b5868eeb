import { useState } from 'react';
import { Alert, Button, Input, Skeleton, Table } from 'antd';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { message } from '../../../kernel/client/feedback.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { useSettled } from '../../../kernel/client/parts/use-options.ts';
import { words } from '../../../kernel/client/texts.ts';
import { keysOf } from '../../../kernel/client/wire.ts';
import { EndDate } from './end-date.tsx';
import { GROUP_KEY, GROUP_ROOT, type GroupHandle } from './group-wire.ts';
import './permission-group.css';

interface Member {
  readonly id: string;
  readonly name: string;
  readonly account: string;
  readonly state: string;
  readonly department: string | null;
  readonly tenant: string | null;
  readonly kind: 'leader' | 'member';
  readonly source: 'manual' | 'department';
  readonly endsOn: string | null;
  readonly ended: boolean;
}
interface MembersAnswer {
  readonly readOnly: boolean;
  /** Leaders can be changed too. */
  readonly leaders: boolean;
  readonly rows: readonly Member[];
  /** Members of other companies, whom the caller is not shown. */
  readonly others: number;
}
interface Candidate {
  readonly id: string;
  readonly name: string;
  readonly account: string;
  readonly department: string | null;
  readonly tenant: string | null;
}
type Kind = Member['kind'];

const PAGE = 50;

/** Leaders and members of a group: search, add many, take away many, end dates. Each change acts at once. */
export function MembersDialog({
  group,
  onClose,
}: {
  readonly group: GroupHandle;
  readonly onClose: () => void;
}) {
  const text = useText();
  const client = useQueryClient();
  const [kind, setKind] = useState<Kind>('member');
  const [adding, setAdding] = useState(false);
  const [keyword, setKeyword] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...GROUP_KEY, group.id, 'members'],
    queryFn: ({ signal }) => call<MembersAnswer>('GET', `${GROUP_ROOT}/${group.id}/members`, { signal }),
  });
  const change = async (body: object) => {
    await call('PUT', `${GROUP_ROOT}/${group.id}/members`, { body, idempotencyKey: newIdempotencyKey() });
    setChosen([]);
    void message.success(text(words.saved), 2);
    void client.invalidateQueries({ queryKey: GROUP_KEY });
    void client.invalidateQueries({ queryKey: keysOf.all('role') });
  };
  const rows = data?.rows ?? [];
  const wanted = keyword.trim().toLowerCase();
  const shown = rows.filter(
    (row) =>
      row.kind === kind &&
      `${row.name} ${row.account} ${row.department ?? ''}`.toLowerCase().includes(wanted),
  );
  const canEdit = data !== undefined && !data.readOnly && (kind === 'member' || data.leaders);
  const count = (one: Kind) => (
    <span className="k-count">{rows.filter((row) => row.kind === one).length}</span>
  );
  return (
    <AppModal
      open
      width={920}
      title={`${text(['关联用户', 'Members'])}${text(['：', ': '])}${group.name}`}
      footer={null}
      onCancel={onClose}
    >
      {isError ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton active paragraph={{ rows: 8 }} />
      ) : (
        <div className="pg-body">
          {data.readOnly && (
            <Alert
              type="info"
              showIcon
              title={text([
                '部门角色的成员由部门决定，此处只读',
                'Members of a department group follow the department and cannot be changed here',
              ])}
            />
          )}
          {data.others > 0 && (
            <p className="k-quiet">
              {text(
                fill(
                  [
                    '另有{n}名其他公司的成员，此处不显示',
                    '{n} more of other companies {n|is|are} not shown here',
                  ],
                  {
                    n: data.others,
                  },
                ),
              )}
            </p>
          )}
          <div className="pg-bar">
            <TabList
              label={text(['成员类别', 'Kind of member'])}
              active={kind}
              onChange={(key) => {
                setKind(key as Kind);
                setChosen([]);
              }}
              tabs={[
                { key: 'leader', label: text(['负责人', 'Leaders']), extra: count('leader') },
                { key: 'member', label: text(['成员', 'Members']), extra: count('member') },
              ]}
            />
            <Input.Search
              className="pg-search"
              allowClear
              placeholder={text(['姓名、账号、部门', 'Name, account, department'])}
              value={keyword}
              onChange={(event) => setKeyword(event.target.value)}
            />
            {canEdit && chosen.length > 0 && (
              <Button danger onClick={() => void change({ remove: chosen }).catch(() => {})}>
                {text(fill(['移除所选 {n} 人', 'Remove {n}'], { n: chosen.length }))}
              </Button>
            )}
            {canEdit && (
              <Button type={adding ? 'default' : 'primary'} onClick={() => setAdding(!adding)}>
                {text(
                  adding
                    ? ['收起', 'Close the list']
                    : kind === 'leader'
                      ? ['添加负责人', 'Add leaders']
                      : ['添加成员', 'Add members'],
                )}
              </Button>
            )}
          </div>
          {adding && canEdit && (
            <Candidates
              group={group}
              kind={kind}
              onAdd={(staffIds, endsOn) =>
                change({ set: staffIds.map((staffId) => ({ staffId, kind, endsOn })) })
              }
            />
          )}
          <Table<Member>
            className="k-table k-compact"
            size="small"
            rowKey="id"
            virtual
            scroll={{ y: adding ? 200 : 360, x: 820 }}
            pagination={false}
            dataSource={shown}
            locale={{
              emptyText: text(
                kind === 'leader' ? ['还没有负责人', 'No leaders yet'] : ['还没有成员', 'No members yet'],
              ),
            }}
            {...(canEdit
              ? {
                  rowSelection: {
                    columnWidth: 44,
                    selectedRowKeys: chosen as string[],
                    onChange: (keys: React.Key[]) => setChosen(keys as string[]),
                    getCheckboxProps: (row: Member) => ({ disabled: row.source === 'department' }),
                  },
                }
              : {})}
            columns={[
              {
                title: text(['姓名', 'Name']),
                dataIndex: 'name',
                width: 130,
                render: (_, row) => <span title={row.account}>{row.name}</span>,
              },
              { title: text(['账号', 'Account']), dataIndex: 'account', width: 130 },
              {
                title: text(['部门', 'Department']),
                dataIndex: 'department',
                width: 260,
                render: (_, row) => [row.tenant, row.department].filter(Boolean).join(' · ') || '–',
              },
              {
                title: text(['状态', 'Status']),
                dataIndex: 'state',
                width: 80,
                render: (state: string) =>
                  text(
                    state === 'normal'
                      ? ['正常', 'Normal']
                      : state === 'left'
                        ? ['离职', 'Left']
                        : ['停用', 'Disabled'],
                  ),
              },
              {
                title: text(['结束日期', 'Ends on']),
                dataIndex: 'endsOn',
                width: 170,
                render: (_, row) =>
                  canEdit && row.source === 'manual' ? (
                    <EndDate
                      value={row.endsOn}
                      ended={row.ended}
                      onChange={(endsOn) =>
                        void change({ set: [{ staffId: row.id, kind: row.kind, endsOn }] }).catch(() => {})
                      }
                    />
                  ) : (
                    (row.endsOn ?? '–')
                  ),
              },
            ]}
          />
        </div>
      )}
    </AppModal>
  );
}

function Candidates({
  group,
  kind,
  onAdd,
}: {
  readonly group: GroupHandle;
  readonly kind: Kind;
  readonly onAdd: (ids: readonly string[], endsOn: string | null) => Promise<void>;
}) {
  const text = useText();
  const [keyword, setKeyword, typed] = useSettled();
  const [page, setPage] = useState(1);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [endsOn, setEndsOn] = useState<string | null>(null);
  const { data, isFetching } = useQuery({
    queryKey: [...GROUP_KEY, group.id, 'candidates', keyword, page],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call<{ total: number; rows: readonly Candidate[] }>('GET', `${GROUP_ROOT}/${group.id}/candidates`, {
        query: { searchVal: keyword, page, limit: PAGE },
        signal,
      }),
  });
  return (
    <section className="pg-candidates" aria-label={text(['可加入的员工', 'Staff who can be added'])}>
      <div className="pg-bar">
        <Input.Search
          className="pg-search"
          allowClear
          placeholder={text(['姓名、账号、工号', 'Name, account, staff no.'])}
          value={typed}
          onChange={(event) => {
            setPage(1);
            setKeyword(event.target.value);
          }}
        />
        <label className="pg-switch">
          {text(['结束日期', 'Ends on'])} <EndDate value={endsOn} ended={false} onChange={setEndsOn} />
        </label>
        <Button
          type="primary"
          disabled={chosen.length === 0}
          onClick={() =>
            void onAdd(chosen, endsOn).then(
              () => setChosen([]),
              () => {},
            )
          }
        >
          {text(
            fill(
              kind === 'leader'
                ? ['设为负责人（{n}）', 'Make leaders ({n})']
                : ['加入成员（{n}）', 'Add members ({n})'],
              { n: chosen.length },
            ),
          )}
        </Button>
      </div>
      <Table<Candidate>
        className="k-table k-compact"
        size="small"
        rowKey="id"
        loading={isFetching && !data}
        scroll={{ y: 180 }}
        dataSource={data?.rows as Candidate[] | undefined}
        pagination={
          (data?.total ?? 0) > PAGE
            ? {
                size: 'small',
                current: page,
                pageSize: PAGE,
                total: data?.total ?? 0,
                showSizeChanger: false,
                onChange: setPage,
              }
            : false
        }
        rowSelection={{
          selectedRowKeys: chosen as string[],
          preserveSelectedRowKeys: true,
          onChange: (keys) => setChosen(keys as string[]),
        }}
        columns={[
          { title: text(['姓名', 'Name']), dataIndex: 'name', width: 140 },
          { title: text(['账号', 'Account']), dataIndex: 'account', width: 140 },
          {
            title: text(['部门', 'Department']),
            dataIndex: 'department',
            render: (_, row) => [row.tenant, row.department].filter(Boolean).join(' · ') || '–',
          },
        ]}
      />
    </section>
  );
}
