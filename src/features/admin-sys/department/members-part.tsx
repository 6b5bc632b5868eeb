import { useState } from 'react';
import { Button, Form, Skeleton, Table } from 'antd';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { message } from '../../../kernel/client/feedback.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { RemoteTreeSelect } from '../../../kernel/client/parts/remote-tree-select.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import { keysOf, type OptionEntry, type RowData } from '../../../kernel/client/wire.ts';
import { staff } from '../staff/staff.contract.ts';
import { department } from './department.contract.ts';

interface Member {
  readonly id: string;
  readonly name: string;
  readonly account: string;
  readonly stations: string;
  readonly state: string;
  readonly isLeader: boolean;
}

/** Staff of a department; the chosen ones move to another department. */
export function MembersPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const client = useQueryClient();
  const held = useHeld(department);
  const guard = useSubmitGuard();
  const [selected, setSelected] = useState<readonly string[]>([]);
  const [moving, setMoving] = useState(false);
  const [into, setInto] = useState<OptionEntry>();
  const { data, isPending, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.row('department', row.id), 'members'],
    queryFn: ({ signal }) =>
      call<readonly Member[]>('GET', `/api/admin/department/${row.id}/members`, { signal, quiet: true }),
  });
  if (isPending) return <Skeleton active />;
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  const save = () =>
    void guard.run(async () => {
      try {
        await call('POST', `/api/admin/department/${row.id}/moveMembers`, {
          body: { staff: selected, into: into?.id },
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
  return (
    <div className="k-part">
      {held('btn_move') && (
        <div className="screen-buttons">
          <Button size="small" disabled={selected.length === 0} onClick={() => setMoving(true)}>
            {text([
              `调出成员${selected.length > 0 ? `（${selected.length}）` : ''}`,
              `Move members${selected.length > 0 ? ` (${selected.length})` : ''}`,
            ])}
          </Button>
        </div>
      )}
      <Table
        className="k-table k-compact"
        size="small"
        rowKey="id"
        dataSource={data as Member[]}
        pagination={{ pageSize: 20, size: 'small', hideOnSinglePage: true, showSizeChanger: false }}
        locale={{ emptyText: text(['部门下没有员工', 'No staff in the department']) }}
        {...(held('btn_move')
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
                {name}
                {member.isLeader && <span className="split-count">{text(['负责人', 'Leader'])}</span>}
              </>
            ),
          },
          { title: text(['账号', 'Account']), dataIndex: 'account' },
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
            `${selected.length} 名员工调入其他部门后，数据范围按新部门计算。`,
            `The data scope of ${selected.length} staff follows the new department.`,
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
      </AppModal>
    </div>
  );
}
