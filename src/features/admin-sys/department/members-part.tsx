import { useState } from 'react';
import { Button, Form, Skeleton, Table } from 'antd';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ask, message } from '../../../kernel/client/feedback.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useView } from '../../../kernel/client/view.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { RemoteTreeSelect } from '../../../kernel/client/parts/remote-tree-select.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import { words } from '../../../kernel/client/texts.ts';
import { keysOf, rootOf, type OptionEntry, type RowData } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import type { Resource } from '../../../kernel/contract/resource.ts';
import { staff } from '../staff/staff.contract.ts';
import { department } from './department.contract.ts';
import { ImpactText, useImpact } from './impact-text.tsx';

interface Member {
  readonly id: string;
  readonly name: string;
  readonly account: string;
  readonly stations: string;
  readonly state: string;
  readonly isLeader: boolean;
  /** True: the main department of the member. */
  readonly main: boolean;
  /** Main department of a secondary member. */
  readonly home: string | null;
}

/**
 * Staff of a department, main and secondary. In the own company the chosen ones move to another department or, where the
 * department is only a secondary one, leave it.
 */
export function MembersPart({ resource, row }: { readonly resource: Resource; readonly row: RowData }) {
  const text = useText();
  const client = useQueryClient();
  const held = useHeld(resource);
  const own = resource.name === department.name;
  const view = useView();
  const users = view.pathOf(own ? 'userManager' : 'allUserManager');
  const guard = useSubmitGuard();
  const [selected, setSelected] = useState<readonly string[]>([]);
  const [moving, setMoving] = useState(false);
  const [into, setInto] = useState<OptionEntry>();
  const { data, isPending, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.row(resource.name, row.id), 'members'],
    queryFn: ({ signal }) =>
      call<readonly Member[]>('GET', `${rootOf(resource)}/${row.id}/members`, { signal, quiet: true }),
  });
  const main = selected.filter((id) => data?.find((one) => one.id === id)?.main);
  const { data: impact } = useImpact(
    row.id,
    moving && into ? { into: into.id, staff: main.join(',') } : undefined,
  );
  if (isPending) return <Skeleton active />;
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  const save = () =>
    void guard.run(async () => {
      try {
        await call('POST', `/api/admin/department/${row.id}/moveMembers`, {
          body: { staff: main, into: into?.id },
        });
        void message.success(text(['已调整部门', 'Moved']), 2);
        setMoving(false);
        setSelected([]);
      } catch {
        // The frame has shown why.
      }
      await client.invalidateQueries({ queryKey: keysOf.all('department') });
      await client.invalidateQueries({ queryKey: keysOf.all('staff') });
    });
  const secondary = selected.filter((id) => !main.includes(id));
  const counted = (label: Label, n: number): Label =>
    n > 0 ? [`${label[0]}（${n}）`, `${label[1]} (${n})`] : label;
  const remove = () =>
    void guard.run(async () => {
      const sure = await ask({
        title: [`移出 ${secondary.length} 名兼任成员？`, `Remove ${secondary.length} secondary members?`],
        confirm: ['移出', 'Remove'],
        cancel: words.cancel,
      });
      if (!sure) return;
      try {
        await call('POST', `/api/admin/department/${row.id}/removeMembers`, { body: { staff: secondary } });
        void message.success(text(['已移出', 'Removed']), 2);
        setSelected([]);
      } catch {
        // The frame has shown why.
      }
      await client.invalidateQueries({ queryKey: keysOf.all('department') });
    });
  const selects = own && (held('btn_move') || held('btn_member_remove'));
  return (
    <div className="k-part">
      {selects && (
        <div className="screen-buttons">
          {held('btn_move') && (
            <Button size="small" disabled={main.length === 0} onClick={() => setMoving(true)}>
              {text(counted(['调出成员', 'Move members'], main.length))}
            </Button>
          )}
          {held('btn_member_remove') && (
            <Button size="small" disabled={secondary.length === 0} onClick={remove}>
              {text(counted(['移出兼任', 'Remove secondary'], secondary.length))}
            </Button>
          )}
        </div>
      )}
      <Table
        className="k-table k-compact"
        size="small"
        rowKey="id"
        scroll={{ x: 'max-content' }}
        dataSource={data as Member[]}
        pagination={{ pageSize: 20, size: 'small', hideOnSinglePage: true, showSizeChanger: false }}
        locale={{ emptyText: text(['部门下没有员工', 'No staff in the department']) }}
        {...(selects
          ? {
              rowSelection: {
                selectedRowKeys: selected as string[],
                onChange: (keys: React.Key[]) => setSelected(keys.map(String)),
              },
            }
          : {})}
        columns={[
          {
            title: text(['姓名', 'Name']),
            dataIndex: 'name',
            render: (name: string, member) => (
              <>
                {users ? (
                  <button
                    type="button"
                    className="k-link"
                    onClick={() => view.open(`${users}?detail=${member.id}`)}
                  >
                    {name}
                  </button>
                ) : (
                  name
                )}
                {member.isLeader && <span className="split-count">{text(['负责人', 'Leader'])}</span>}
              </>
            ),
          },
          { title: text(['账号', 'Account']), dataIndex: 'account' },
          {
            title: text(['归属', 'Belongs as']),
            dataIndex: 'main',
            render: (isMain: boolean, member) =>
              isMain
                ? text(['主部门', 'Main'])
                : text([`兼任（主部门：${member.home ?? '–'}）`, `Secondary (main: ${member.home ?? '–'})`]),
          },
          { title: text(['岗位', 'Posts']), dataIndex: 'stations', render: (value: string) => value || '–' },
          {
            title: text(['状态', 'State']),
            dataIndex: 'state',
            render: (value: string) => <StatusTag choice={staff.states![value]!} />,
          },
        ]}
      />
      <AppModal
        open={moving}
        title={text(['调出成员', 'Move members'])}
        okButtonProps={{ disabled: !into || guard.locked }}
        confirmLoading={guard.busy}
        onOk={save}
        onCancel={() => setMoving(false)}
      >
        <p className="k-question">
          {text([
            `${main.length} 名员工调入其他部门后，部门角色和数据范围按新部门计算。`,
            `Department group and data scope of ${main.length} staff follow the new department.`,
          ])}
        </p>
        <Form layout="vertical" component={false}>
          <Form.Item label={text(['调入部门', 'Into'])} required>
            <RemoteTreeSelect
              target="department"
              label={text(['调入部门', 'Into'])}
              placeholder={text(['请选择部门', 'Choose a department'])}
              value={into ? [into.id] : []}
              known={into ? { [into.id]: into.title } : {}}
              onChange={(_ids, entries) => setInto(entries[0])}
            />
          </Form.Item>
        </Form>
        {into && impact && <ImpactText impact={impact} />}
      </AppModal>
    </div>
  );
}
