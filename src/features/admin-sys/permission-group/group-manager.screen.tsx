import { lazy, Suspense, useEffect, useState } from 'react';
import { Button, Skeleton } from 'antd';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ask, message } from '../../../kernel/client/feedback.ts';
import { call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { useExport } from '../../../kernel/client/parts/use-export.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { preloadable } from '../../../kernel/client/parts/preloadable.ts';
import { PageTitle } from '../../../kernel/client/parts/page-title.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { useLeaveQuestion } from '../../../kernel/client/parts/use-confirm.ts';
import { useView } from '../../../kernel/client/view.ts';
import { GroupForm } from './group-form.tsx';
import { GroupTreePanel } from './group-tree-panel.tsx';
import { authorityQuery } from './authority-query.ts';
import { GROUP_KEY, GROUP_ROOT, type GroupNode, type GroupTree } from './group-wire.ts';
import { GROUP_ELEMENTS, groupManager } from './permission-group.contract.ts';
import '../../../kernel/client/kernel.css';
import './permission-group.css';

const grants = preloadable(() => import('./authority-dialog.tsx').then((module) => module.AuthorityDialog));
const MembersDialog = lazy(() =>
  import('./members-dialog.tsx').then((module) => ({ default: module.MembersDialog })),
);
const HistoryDrawer = lazy(() =>
  import('./history-drawer.tsx').then((module) => ({ default: module.HistoryDrawer })),
);
const CopyDialog = lazy(() => import('./copy-dialog.tsx').then((module) => ({ default: module.CopyDialog })));

type Dialog = 'grants' | 'members' | 'history' | 'copy' | 'create';

/** Groups by type as a tree, with form, grants, members and history of the chosen one. */
function GroupManager() {
  const text = useText();
  const view = useView();
  const held = useHeld(groupManager);
  const client = useQueryClient();
  const mayLeave = useLeaveQuestion();
  const [dialog, setDialog] = useState<Dialog>();
  const [dirty, setDirty] = useState(false);
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...GROUP_KEY, 'tree'],
    queryFn: ({ signal }) => call<GroupTree>('GET', `${GROUP_ROOT}/tree`, { signal }),
  });
  const type = view.query.get('type') ?? 'role';
  const groups = data?.groups ?? [];
  const group = groups.find((one) => one.id === view.query.get('id') && one.type === type);
  const mayGrant = group?.actions.includes('btn_resourceManager') === true;
  useEffect(() => {
    // The dialog must be there at once when it is asked for.
    if (mayGrant) grants.preload();
  }, [mayGrant]);
  const markDirty = (on: boolean) => {
    setDirty(on);
    view.setDirty(on);
  };
  const go = async (change: Readonly<Record<string, string | undefined>>) => {
    if (dirty && !(await mayLeave())) return;
    markDirty(false);
    const next = new URLSearchParams(view.query);
    for (const [key, value] of Object.entries(change)) {
      if (value === undefined) next.delete(key);
      else next.set(key, value);
    }
    view.setQuery(next);
  };
  const remove = async (one: GroupNode) => {
    const agreed = await ask({
      title: `${text(['删除角色', 'Delete'])}${text(['：', ': '])}${one.name}`,
      text: ['删除后不能恢复，其权限历史保留。', 'This cannot be undone; the history of its rights is kept.'],
      confirm: ['删除', 'Delete'],
      cancel: ['取消', 'Cancel'],
      danger: true,
    });
    if (!agreed) return;
    await call('DELETE', `${GROUP_ROOT}/${one.id}`, {
      query: { version: one.version },
      idempotencyKey: newIdempotencyKey(),
    }).then(
      () => {
        message.success(text(['已删除', 'Deleted']), 2);
        void go({ id: undefined });
        void client.invalidateQueries({ queryKey: GROUP_KEY });
      },
      () => {},
    );
  };
  const matrix = useExport(`${GROUP_ROOT}/export`);
  const can = (verb: string) => group?.actions.includes(verb) === true;
  return (
    <div className="k-screen">
      <PageTitle title={groupManager.title} purpose={groupManager.purpose}>
        {held('btn_export') && (
          <Button
            loading={matrix.busy}
            disabled={matrix.locked}
            onClick={() => matrix.start({ menu: 'groupManager' })}
          >
            {text(['导出权限矩阵', 'Export the matrix'])}
          </Button>
        )}
        {held('btn_add') && (
          <Button type="primary" onClick={() => setDialog('create')}>
            {text(GROUP_ELEMENTS.btn_add)}
          </Button>
        )}
      </PageTitle>
      <TabList
        className="pg-tabs"
        label={text(['角色类型', 'Group types'])}
        active={type}
        onChange={(key) => void go({ type: key, id: undefined })}
        tabs={(data?.types ?? []).map((one) => ({
          key: one.code,
          label: text([one.name, one.nameEn]),
          extra: <span className="k-count">{groups.filter((entry) => entry.type === one.code).length}</span>,
        }))}
      />
      {isError ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton active paragraph={{ rows: 12 }} />
      ) : (
        <div className="pg-layout">
          <GroupTreePanel
            key={type}
            groups={groups.filter((one) => one.type === type)}
            active={group?.id}
            onActive={(id) => void go({ id })}
          />
          {group ? (
            <section className="pg-detail" aria-label={group.name}>
              <header className="pg-detail-head">
                <h2>{group.name}</h2>
                <span className={`k-tag k-tone-${group.enabled ? 'success' : 'default'}`}>
                  <i aria-hidden="true" />
                  {text(group.enabled ? ['启用', 'Enabled'] : ['停用', 'Disabled'])}
                </span>
                {group.builtIn && <span className="k-quiet">{text(['内置', 'Built-in'])}</span>}
                <span className="pg-detail-actions">
                  {can('btn_resourceManager') && (
                    <Button
                      onClick={() => {
                        // Asked for while the dialog is drawn, not after.
                        void client.prefetchQuery(authorityQuery(group.id));
                        setDialog('grants');
                      }}
                    >
                      {text(GROUP_ELEMENTS.btn_resourceManager)}
                    </Button>
                  )}
                  {can('btn_userManager') && (
                    <Button onClick={() => setDialog('members')}>
                      {text(GROUP_ELEMENTS.btn_userManager)}
                    </Button>
                  )}
                  {can('btn_history') && (
                    <Button onClick={() => setDialog('history')}>{text(GROUP_ELEMENTS.btn_history)}</Button>
                  )}
                  {can('btn_copy') && (
                    <Button onClick={() => setDialog('copy')}>{text(GROUP_ELEMENTS.btn_copy)}</Button>
                  )}
                  {can('btn_del') && (
                    <Button danger onClick={() => remove(group)}>
                      {text(GROUP_ELEMENTS.btn_del)}
                    </Button>
                  )}
                </span>
              </header>
              <p className="pg-figures k-quiet">
                <span>
                  {text(['成员', 'Members'])} <strong>{group.members}</strong>
                </span>
                <span>
                  {text(['菜单', 'Menus'])}{' '}
                  <strong>{group.builtIn ? text(['全部', 'All']) : group.menus}</strong>
                </span>
                <span>
                  {text(['按钮', 'Elements'])}{' '}
                  <strong>{group.builtIn ? text(['全部', 'All']) : group.elements}</strong>
                </span>
                {group.inherit && <span>{text(['继承上级权限', 'Inherits from above'])}</span>}
                <span>
                  {text(['更新', 'Updated'])} {instantFull(group.updatedAt)} {group.updater ?? ''}
                </span>
              </p>
              <GroupForm
                key={group.id}
                group={group}
                type={type}
                groups={groups}
                canEdit={can('btn_edit')}
                onDirty={markDirty}
                onSaved={() => {}}
              />
            </section>
          ) : (
            <p className="k-state k-quiet pg-detail">
              {text(['从左侧选择一个角色', 'Choose a group on the left'])}
            </p>
          )}
        </div>
      )}
      <Suspense>
        {group && dialog === 'grants' && (
          <grants.Component group={group} onClose={() => setDialog(undefined)} />
        )}
        {group && dialog === 'members' && (
          <MembersDialog group={group} onClose={() => setDialog(undefined)} />
        )}
        {group && dialog === 'history' && (
          <HistoryDrawer
            group={group}
            canRestore={can('btn_resourceManager')}
            onClose={() => setDialog(undefined)}
          />
        )}
        {group && dialog === 'copy' && (
          <CopyDialog
            group={group}
            onClose={() => setDialog(undefined)}
            onCopied={(copy) => {
              setDialog(undefined);
              void go({ id: copy.id });
            }}
          />
        )}
        {dialog === 'create' && (
          <AppModal
            open
            width={560}
            title={text(['新增角色', 'Add a group'])}
            footer={null}
            onCancel={() => setDialog(undefined)}
          >
            <GroupForm
              group={undefined}
              type={type}
              parent={group?.builtIn ? undefined : group?.id}
              groups={groups}
              canEdit
              onDirty={() => {}}
              onCancel={() => setDialog(undefined)}
              onSaved={(saved) => {
                setDialog(undefined);
                void go({ id: saved.id });
              }}
            />
          </AppModal>
        )}
      </Suspense>
    </div>
  );
}

/** Groups and permissions. */
export const screen = { contract: groupManager, component: GroupManager };
