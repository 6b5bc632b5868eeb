import { useState } from 'react';
import { Alert, Button, Checkbox, Input, Select, Skeleton, Switch } from 'antd';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { message, tellFault } from '../../../kernel/client/feedback.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { ApiError, call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useLeave } from '../../../kernel/client/parts/use-confirm.ts';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import { words } from '../../../kernel/client/texts.ts';
import { keysOf } from '../../../kernel/client/wire.ts';
import {
  addGrants,
  changeCount,
  grantsOfTicks,
  ticksOf,
  toggleMenu,
  type Ticks,
} from './authority-state.rules.ts';
import { authorityQuery } from './authority-query.ts';
import { AuthorityTree } from './authority-tree.tsx';
import { GrantPreview } from './grant-preview.tsx';
import {
  GROUP_KEY,
  GROUP_ROOT,
  type Authority,
  type GroupHandle,
  type GroupTree,
  type PreviewAnswer,
  type WireGrants,
} from './group-wire.ts';
import { MenuRights } from './menu-rights.tsx';
import './permission-group.css';

/** The grants of a group: ticks are collected, previewed and saved together. */
export function AuthorityDialog({
  group,
  onClose,
}: {
  readonly group: GroupHandle;
  readonly onClose: () => void;
}) {
  const text = useText();
  const [dirty, setDirty] = useState(false);
  const { leave, forget } = useLeave(dirty, onClose);
  const { data, isError, error, refetch } = useQuery(authorityQuery(group.id));
  return (
    <AppModal
      open
      width="min(1240px, 96vw)"
      title={`${text(['权限分配', 'Grants'])}${text(['：', ': '])}${group.name}`}
      footer={null}
      onCancel={leave}
      className="pg-dialog"
    >
      {isError ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <AuthorityEditor
          authority={data}
          onDirty={setDirty}
          onClose={leave}
          onDone={() => {
            forget();
            onClose();
          }}
        />
      ) : (
        <Skeleton active paragraph={{ rows: 12 }} />
      )}
    </AppModal>
  );
}

function AuthorityEditor(props: {
  readonly authority: Authority;
  readonly onDirty: (dirty: boolean) => void;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const { authority } = props;
  const { group } = authority;
  const text = useText();
  const client = useQueryClient();
  const guard = useSubmitGuard();
  const [saved] = useState(() => ticksOf(authority.granted, group.inherit));
  const [ticks, setTicks] = useState(saved);
  const [active, setActive] = useState<string>();
  const [linked, setLinked] = useState(false);
  const [preview, setPreview] = useState<PreviewAnswer>();
  const [reason, setReason] = useState('');
  const [failure, setFailure] = useState('');
  const changes = changeCount(saved, ticks);
  const change = (next: Ticks) => {
    setTicks(next);
    props.onDirty(changeCount(saved, next) > 0);
  };
  const incomplete = [...ticks.menus].filter(
    ([, grant]) => grant.dataScope === 'depts' && grant.departmentIds.length === 0,
  );
  const show = () =>
    void guard.run(async () => {
      setFailure('');
      try {
        setPreview(
          await call<PreviewAnswer>('POST', `${GROUP_ROOT}/${group.id}/authority/preview`, {
            body: grantsOfTicks(ticks),
            quiet: true,
          }),
        );
      } catch (error) {
        tellFault(error);
        setFailure(error instanceof ApiError ? error.message : '');
      }
    });
  const save = () =>
    void guard.run(async () => {
      setFailure('');
      try {
        await call('PUT', `${GROUP_ROOT}/${group.id}/authority`, {
          body: { version: group.version, reason: reason.trim(), ...grantsOfTicks(ticks) },
          idempotencyKey: newIdempotencyKey(),
          quiet: true,
        });
      } catch (error) {
        tellFault(error);
        setFailure(error instanceof ApiError ? error.message : '');
        return;
      }
      void message.success(text(words.saved), 2);
      void client.invalidateQueries({ queryKey: GROUP_KEY });
      void client.invalidateQueries({ queryKey: keysOf.all('role') });
      props.onDone();
    });
  if (preview)
    return (
      <div className="pg-body">
        {failure && <Alert type="error" showIcon title={failure} />}
        <GrantPreview preview={preview} departments={authority.departments} />
        <label className="pg-reason">
          <span>
            {text(['变更原因', 'Reason'])}
            {preview.reasonRequired && <i aria-hidden="true">*</i>}
          </span>
          <Input.TextArea
            value={reason}
            maxLength={200}
            autoSize={{ minRows: 2, maxRows: 4 }}
            placeholder={text(
              preview.reasonRequired
                ? ['扩大权限须填写原因', 'Widening rights needs a reason']
                : ['选填', 'Optional'],
            )}
            onChange={(event) => setReason(event.target.value)}
          />
        </label>
        <footer className="pg-foot">
          <span className="k-quiet">
            {text(
              fill(['保存后 1 秒内对 {n} 名员工生效', 'Acts on {n} staff within a second of saving'], {
                n: preview.staff,
              }),
            )}
          </span>
          <Button onClick={() => setPreview(undefined)}>{text(['返回修改', 'Back'])}</Button>
          <Button
            type="primary"
            loading={guard.busy}
            disabled={
              (guard.locked && !guard.busy) ||
              preview.missing.length > 0 ||
              (preview.reasonRequired && reason.trim().length < 2)
            }
            onClick={save}
          >
            {text(words.save)}
          </Button>
        </footer>
      </div>
    );
  return (
    <div className="pg-body">
      {group.readOnly && (
        <Alert
          type="info"
          showIcon
          title={text([
            '内置管理员角色拥有全部权限，不可修改',
            'The built-in administrators hold every right; nothing can be changed',
          ])}
        />
      )}
      {failure && <Alert type="error" showIcon title={failure} />}
      <div className="pg-bar">
        <Checkbox checked={linked} onChange={(event) => setLinked(event.target.checked)}>
          {text(['父子联动', 'Link parent and child'])}
        </Checkbox>
        {group.hasParent && (
          <label className="pg-switch">
            <Switch
              size="small"
              checked={ticks.inherit}
              disabled={group.readOnly}
              onChange={(inherit) => change({ ...ticks, inherit })}
            />
            {text(['继承上级权限', 'Inherit from the group above'])}
          </label>
        )}
        {!group.readOnly && (
          <CopyFrom groupId={group.id} onCopy={(grants) => change(addGrants(authority, ticks, grants))} />
        )}
      </div>
      <div className="pg-columns">
        <AuthorityTree
          authority={authority}
          ticks={ticks}
          active={active}
          onActive={setActive}
          onToggle={(code, on) => change(toggleMenu(authority, ticks, code, on, linked))}
        />
        <MenuRights authority={authority} ticks={ticks} menu={active} onChange={change} />
      </div>
      <footer className="pg-foot">
        <span className="k-quiet" aria-live="polite">
          {text(
            fill(
              [
                '已选 {menus} 个菜单、{elements} 个按钮',
                '{menus} {menus|menu|menus} and {elements} {elements|element|elements} chosen',
              ],
              {
                menus: ticks.menus.size,
                elements: ticks.elements.size,
              },
            ),
          )}
          {changes > 0 && (
            <strong>{text(fill(['，{n} 项未保存', ', {n} not saved'], { n: changes }))}</strong>
          )}
          {incomplete.length > 0 && (
            <button type="button" className="k-link k-danger" onClick={() => setActive(incomplete[0]![0])}>
              {text(
                fill(['{n} 个菜单未选部门', '{n} {n|menu lacks|menus lack} departments'], {
                  n: incomplete.length,
                }),
              )}
            </button>
          )}
        </span>
        <Button onClick={props.onClose}>{text(words.cancel)}</Button>
        <Button
          type="primary"
          disabled={changes === 0 || incomplete.length > 0 || (guard.locked && !guard.busy)}
          loading={guard.busy}
          onClick={show}
        >
          {text(['预览变更', 'Preview'])}
        </Button>
      </footer>
    </div>
  );
}

function CopyFrom({
  groupId,
  onCopy,
}: {
  readonly groupId: string;
  readonly onCopy: (grants: WireGrants) => void;
}) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const [open, setOpen] = useState(false);
  const { data } = useQuery({
    queryKey: [...GROUP_KEY, 'tree'],
    enabled: open,
    queryFn: ({ signal }) => call<GroupTree>('GET', `${GROUP_ROOT}/tree`, { signal }),
  });
  const options = (data?.groups ?? [])
    .filter(
      (group) => group.id !== groupId && !group.builtIn && group.actions.includes('btn_resourceManager'),
    )
    .map((group) => ({
      value: group.id,
      label: `${group.name}${language === 'zh' ? '（' : ' ('}${group.menus}${language === 'zh' ? '）' : ')'}`,
    }));
  return (
    <Select
      className="pg-copy"
      value={null}
      showSearch={{ optionFilterProp: 'label' }}
      placeholder={text(['从其他角色复制权限', 'Copy from another group'])}
      aria-label={text(['从其他角色复制权限', 'Copy from another group'])}
      options={options}
      onOpenChange={setOpen}
      onChange={(id: string | null) => {
        if (id) void call<WireGrants>('GET', `${GROUP_ROOT}/${id}/grants`).then(onCopy, () => {});
      }}
    />
  );
}
