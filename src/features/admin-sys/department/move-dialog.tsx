import { Skeleton } from 'antd';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { message } from '../../../kernel/client/feedback.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import { keysOf } from '../../../kernel/client/wire.ts';
import type { DepartmentEntry } from './use-department-tree.ts';

/** A department dragged to a place: below `parent` (none: top), in front of `before` (none: last). */
export interface Move {
  readonly moving: DepartmentEntry;
  readonly parent: DepartmentEntry | undefined;
  readonly before: DepartmentEntry | undefined;
}

/** What a change of the structure touches, as the server counts it. */
export interface Impact {
  readonly staff: number;
  /** The first of them. */
  readonly staffNames: readonly string[];
  readonly secondary: number;
  readonly approvals: number;
  readonly below: number;
  readonly children: number;
  readonly stations: number;
  readonly groups: number;
  readonly scopeChanges: number;
  readonly scopeNames: readonly string[];
}

/** Asks before a department moves and names whose data scope changes. */
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
          data && <ImpactText impact={data} />
        ))}
    </AppModal>
  );
}

/** The impact of a change in words. */
export function ImpactText({ impact }: { readonly impact: Impact }) {
  const text = useText();
  return (
    <ul className="plain-rows">
      <li>
        <span>
          {text([`部门及下级共 ${impact.below} 名员工`, `${impact.below} staff in the department and below`])}
        </span>
      </li>
      <li>
        <span>
          {text([
            `${impact.scopeChanges} 人的数据范围发生变化`,
            `The data scope of ${impact.scopeChanges} staff changes`,
          ])}
          {impact.scopeNames.length > 0 && (
            <>
              <br />
              <span className="k-quiet k-small">{impact.scopeNames.join('、')}</span>
            </>
          )}
        </span>
      </li>
    </ul>
  );
}

/** Asks the server what moving or merging a department touches; nothing is asked without a target. */
export function useImpact(
  id: string,
  query: { readonly parent?: string | undefined; readonly into?: string | undefined } | undefined,
) {
  return useQuery({
    queryKey: ['resource', 'department', 'impact', id, query],
    enabled: query !== undefined,
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<Impact>('GET', `/api/admin/department/${id}/impact`, { query: { ...query }, signal, quiet: true }),
  });
}
