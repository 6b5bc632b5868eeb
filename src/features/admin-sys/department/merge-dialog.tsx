import { useState } from 'react';
import { Form, Input } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { RemoteTreeSelect } from '../../../kernel/client/parts/remote-tree-select.tsx';
import { useView } from '../../../kernel/client/view.ts';
import type { OptionEntry } from '../../../kernel/client/wire.ts';
import { RowDialog, type RowDialogProps } from '../layout/row-dialog.tsx';
import { ImpactText, NameList, useImpact } from './impact-text.tsx';

/** Merges a department into another one after listing what follows; then one looks at the department that has it all. */
export function MergeDialog({ row, onClose, onDone }: RowDialogProps) {
  const text = useText();
  const view = useView();
  const [into, setInto] = useState<OptionEntry>();
  const [reason, setReason] = useState('');
  const { data } = useImpact(row.id, into ? { into: into.id } : undefined);
  return (
    <RowDialog
      title={text([`将「${String(row.name)}」合并到`, `Merge "${String(row.name)}" into`])}
      okText={text(['合并', 'Merge'])}
      danger
      typed={into !== undefined || reason !== ''}
      ready={into !== undefined && reason.trim() !== ''}
      save={() =>
        call('POST', `/api/admin/department/${row.id}/merge`, {
          body: { version: row.version, into: into?.id, reason: reason.trim() },
        })
      }
      onClose={onClose}
      onDone={() => {
        onDone();
        if (into && view.query.get('detail') === row.id) {
          const query = new URLSearchParams(view.query);
          query.set('detail', into.id);
          view.setQuery(query);
        }
      }}
      inputs={
        <>
          <Form.Item label={text(['目标部门', 'Into'])} required>
            <RemoteTreeSelect
              target="department"
              label={text(['目标部门', 'Into'])}
              placeholder={text(['请选择部门', 'Choose a department'])}
              value={into ? [into.id] : []}
              known={into ? { [into.id]: into.title } : {}}
              onChange={(_ids, entries) => setInto(entries[0])}
            />
          </Form.Item>
          <Form.Item label={text(['原因', 'Reason'])} required>
            <Input.TextArea
              rows={2}
              maxLength={200}
              value={reason}
              aria-label={text(['原因', 'Reason'])}
              onChange={(event) => setReason(event.target.value)}
            />
          </Form.Item>
        </>
      }
    >
      {into && data && (
        <>
          <p className="k-question">
            {text([
              `转到「${into.title}」：员工 ${data.staff} 名（兼任 ${data.secondary} 名）、下级部门 ${data.children} 个、岗位 ${data.stations} 个、部门角色 ${data.groups} 个、审批中 ${data.approvals} 件。原部门停用，历史记录保留其名称。`,
              `To "${into.title}" go ${data.staff} staff (${data.secondary} secondary), ${data.children} sub-departments, ${data.stations} posts, ${data.groups} department groups and ${data.approvals} open approvals. The department is disabled; old records keep its name.`,
            ])}
            <NameList names={data.staffNames} count={data.staff} />
          </p>
          {data.groupStays !== null && (
            <p className="k-question">
              {text([
                `「${into.title}」已有部门角色，以它为准；「${data.groupStays}」留在原部门，不再有成员，可在角色权限管理中删除。`,
                `"${into.title}" has its own department group, which counts for everybody; "${data.groupStays}" stays behind without members and can be deleted under groups and permissions.`,
              ])}
            </p>
          )}
          <ImpactText impact={data} />
        </>
      )}
    </RowDialog>
  );
}
