import { useState } from 'react';
import { Button, Input, Popover, Skeleton } from 'antd';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ask, message } from '../../../kernel/client/feedback.ts';
import { call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { useInputForm } from '../../../kernel/client/action/use-input-form.ts';
import { DraftOffer } from '../../../kernel/client/form/draft-offer.tsx';
import { FieldForm } from '../../../kernel/client/form/field-form.tsx';
import { initialValues } from '../../../kernel/client/form/form-values.rules.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { words } from '../../../kernel/client/texts.ts';
import { elementFields, menuManager } from './menu.contract.ts';
import { MENU_KEY, MENU_ROOT, type ElementItem } from './menu-wire.ts';

/** The elements of a menu with the groups that hold each and the calls it opens. */
export function ElementTable({ menu }: { readonly menu: string }) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const client = useQueryClient();
  const held = useHeld(menuManager);
  const [keyword, setKeyword] = useState('');
  const [edited, setEdited] = useState<ElementItem | 'new'>();
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...MENU_KEY, menu, 'elements'],
    queryFn: ({ signal }) =>
      call<readonly ElementItem[]>('GET', `${MENU_ROOT}/item/${menu}/elements`, { signal }),
  });
  const wanted = keyword.trim().toLowerCase();
  const rows = (data ?? []).filter((row) =>
    `${row.name} ${row.nameEn} ${row.code}`.toLowerCase().includes(wanted),
  );
  const remove = async (row: ElementItem) => {
    const agreed = await ask({
      title: `${text(['删除按钮', 'Delete element'])}${text(['：', ': '])}${language === 'zh' ? row.name : row.nameEn}`,
      confirm: ['删除', 'Delete'],
      cancel: words.cancel,
      danger: true,
    });
    if (!agreed) return;
    await call('DELETE', `${MENU_ROOT}/element/${encodeURIComponent(row.code)}`, {
      idempotencyKey: newIdempotencyKey(),
    }).then(
      () => {
        message.success(text(['已删除', 'Deleted']), 2);
        void client.invalidateQueries({ queryKey: MENU_KEY });
      },
      () => {},
    );
  };
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active paragraph={{ rows: 4 }} />;
  return (
    <section className="pg-body" aria-label={text(['按钮', 'Elements'])}>
      <div className="pg-bar">
        <h3 className="pg-heading">
          {text(['按钮', 'Elements'])} <span className="k-count">{data.length}</span>
        </h3>
        <Input.Search
          className="pg-search"
          allowClear
          placeholder={text(['名称或编码', 'Name or code'])}
          value={keyword}
          onChange={(event) => setKeyword(event.target.value)}
        />
        {held('btn_element_add') && (
          <Button onClick={() => setEdited('new')}>{text(['新增按钮', 'Add element'])}</Button>
        )}
      </div>
      {rows.length === 0 ? (
        <p className="k-quiet">
          {text(
            data.length === 0
              ? ['该菜单没有按钮', 'This menu has no elements']
              : ['没有符合条件的按钮', 'No element matches'],
          )}
        </p>
      ) : (
        <div className="pg-table-host">
          <table className="pg-table">
            <thead>
              <tr>
                <th>{text(['名称', 'Name'])}</th>
                <th>{text(['编码', 'Code'])}</th>
                <th>{text(['类型', 'Type'])}</th>
                <th>{text(['地址', 'URI'])}</th>
                <th>{text(['方式', 'Method'])}</th>
                <th>{text(['开放的接口', 'Opens'])}</th>
                <th>{text(['角色', 'Groups'])}</th>
                <th>{text(['描述', 'Description'])}</th>
                <th>{text(words.actions)}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.code} className={row.retired ? 'pg-locked' : ''}>
                  <td>{language === 'zh' ? row.name : row.nameEn}</td>
                  <td className="k-quiet">{row.code}</td>
                  <td className="k-quiet">{text(elementFields.type.choices[row.type].label)}</td>
                  <td className="k-quiet">{row.uri || '–'}</td>
                  <td className="k-quiet">{row.method}</td>
                  <td className="k-quiet" title={row.endpoints.join('\n')}>
                    {row.endpoints[0] ?? '–'}
                    {row.endpoints.length > 1 && ` +${row.endpoints.length - 1}`}
                  </td>
                  <td>{row.groups > 0 ? <Holders code={row.code} count={row.groups} /> : '0'}</td>
                  <td className="k-quiet" title={row.description}>
                    {row.description || '–'}
                  </td>
                  <td>
                    <span className="k-links">
                      {row.retired && <span>{text(['已下线', 'Retired'])}</span>}
                      {held('btn_element_edit') && !row.retired && (
                        <button type="button" className="k-link" onClick={() => setEdited(row)}>
                          {text(['编辑', 'Edit'])}
                        </button>
                      )}
                      {held('btn_element_del') && !row.builtIn && (
                        <button type="button" className="k-link k-danger" onClick={() => remove(row)}>
                          {text(['删除', 'Delete'])}
                        </button>
                      )}
                    </span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {edited && (
        <ElementDialog
          menu={menu}
          element={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </section>
  );
}

function Holders({ code, count }: { readonly code: string; readonly count: number }) {
  const text = useText();
  const [open, setOpen] = useState(false);
  const { data } = useQuery({
    queryKey: [...MENU_KEY, code, 'groups'],
    enabled: open,
    queryFn: ({ signal }) =>
      call<readonly { id: string; name: string }[]>(
        'GET',
        `${MENU_ROOT}/element/${encodeURIComponent(code)}/groups`,
        { signal },
      ),
  });
  return (
    <Popover
      trigger="click"
      open={open}
      onOpenChange={setOpen}
      content={data ? data.map((group) => <div key={group.id}>{group.name}</div>) : text(words.loading)}
    >
      <button type="button" className="k-link">
        {count}
      </button>
    </Popover>
  );
}

function ElementDialog({
  menu,
  element,
  onClose,
}: {
  readonly menu: string;
  readonly element: ElementItem | undefined;
  readonly onClose: () => void;
}) {
  const text = useText();
  const client = useQueryClient();
  const names = element
    ? ['name', 'nameEn', ...(element.builtIn ? [] : ['type', 'uri', 'method']), 'description']
    : Object.keys(elementFields);
  const fields = Object.fromEntries(
    names.map((name) => [name, elementFields[name as keyof typeof elementFields]]),
  );
  const [initial] = useState(() =>
    element
      ? initialValues(fields, names, element as unknown as Record<string, unknown>)
      : { code: `${menu}:btn_`, type: 'button', method: 'POST' },
  );
  const input = useInputForm(fields, 'menu-element', `element:${element?.code ?? `${menu}:new`}`, initial);
  const submit = () =>
    void input.submit(
      (body, idempotencyKey) => {
        const sent = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, value ?? '']));
        return element
          ? call('PUT', `${MENU_ROOT}/element/${encodeURIComponent(element.code)}`, {
              body: { version: element.version, ...sent },
              idempotencyKey,
            })
          : call('POST', `${MENU_ROOT}/item/${menu}/elements`, { body: sent, idempotencyKey });
      },
      () => {
        void message.success(text(words.saved), 2);
        void client.invalidateQueries({ queryKey: MENU_KEY });
        onClose();
      },
    );
  return (
    <AppModal
      open
      title={
        element
          ? `${text(['编辑按钮', 'Edit element'])}${text(['：', ': '])}${element.code}`
          : text(['新增按钮', 'Add element'])
      }
      okText={text(words.save)}
      confirmLoading={input.busy}
      okButtonProps={{ disabled: input.locked && !input.busy }}
      onOk={submit}
      onCancel={() => void input.leave(onClose)}
    >
      {input.draft && (
        <DraftOffer draft={input.draft} onRestore={input.restoreDraft} onDrop={input.discardDraft} />
      )}
      <FieldForm
        form={input.form}
        name="menu-element"
        fields={fields}
        sections={[{ fields: names }]}
        initial={initial}
        onChange={input.changed}
        onSubmit={submit}
      />
    </AppModal>
  );
}
