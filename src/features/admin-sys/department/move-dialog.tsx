import { Skeleton } from 'antd';
import { useQueryClient } from '@tanstack/react-query';
import { message } from '../../../kernel/client/feedback.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import { keysOf } from '../../../kernel/client/wire.ts';
import { ImpactText, useImpact } from './impact-text.tsx';
import type { DepartmentEntry } from './use-department-tree.ts';

/** A department dragged to a place: below `parent` (none: top), in front of `before` (none: last). */
export interface Move {
  readonly moving: DepartmentEntry;
  readonly parent: DepartmentEntry | undefined;
  readonly before: DepartmentEntry | undefined;
}

/** Asks before a department moves and names whose groups and data scope change. */
export function MoveDialog({ move, onClose }: { readonly move: Move; readonly onClose: () => void }) {
  const text = useText();
  const client = useQueryClient();
  const guard = useSubmitGuard();
  const { moving, parent, before } = move;
  const sameParent = (parent?.id ?? null) === moving.parentId;
  const { data, isPending } = useImpact(moving.id, sameParent ? undefined : { parent: parent?.id ?? 'top' });
  const save = () =>
    void guard.run(async () => {
      try {
        await call('POST', `/api/admin/department/${moving.id}/place`, {
          body: { version: moving.version, parent: parent?.id ?? null, before: before?.id ?? null },
        });
        void message.success(text(['已移动', 'Moved']), 2);
      } catch {
        // The frame has shown why.
      }
      await client.invalidateQueries({ queryKey: keysOf.all('department') });
      onClose();
    });
  return (
    <AppModal
      open
      title={text([`移动「${moving.name}」`, `Move "${moving.name}"`])}
      okText={text(['移动', 'Move'])}
      okButtonProps={{ disabled: guard.locked && !guard.busy }}
      confirmLoading={guard.busy}
      onOk={save}
      onCancel={onClose}
    >
      <p className="k-question">
        {text(
          sameParent
            ? ['只调整同级顺序，不影响数据范围。', 'Only the order changes; no data scope does.']
            : parent
              ? [`移动到「${parent.name}」之下。`, `It moves below "${parent.name}".`]
              : ['移动为最上级部门。', 'It becomes a department at the top.'],
        )}
      </p>
      {!sameParent &&
        (isPending ? (
          <Skeleton active paragraph={{ rows: 2 }} title={false} />
        ) : (
          data && <ImpactText impact={data} below={data.below} />
        ))}
    </AppModal>
  );
}
