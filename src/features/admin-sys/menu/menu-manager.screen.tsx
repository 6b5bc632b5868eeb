import { useState } from 'react';
import { Button, Skeleton } from 'antd';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ask, message } from '../../../kernel/client/feedback.ts';
import { fill, type Label } from '../../../kernel/contract/label.ts';
import { call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { useExport } from '../../../kernel/client/parts/use-export.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { AppDrawer } from '../../../kernel/client/parts/app-drawer.tsx';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { PageTitle } from '../../../kernel/client/parts/page-title.tsx';
import { useLeaveQuestion } from '../../../kernel/client/parts/use-confirm.ts';
import { words } from '../../../kernel/client/texts.ts';
import { useView } from '../../../kernel/client/view.ts';
import { ImportButton } from '../../../kernel/client/import/import-button.tsx';
import { ElementTable } from './element-table.tsx';
import { menuFields, menuManager } from './menu.contract.ts';
import { MenuForm } from './menu-form.tsx';
import { MenuTree } from './menu-tree.tsx';
import { MENU_KEY, MENU_ROOT, type MenuItem } from './menu-wire.ts';
import '../../../kernel/client/kernel.css';
import '../permission-group/permission-group.css';

interface Finding {
  readonly kind: string;
  readonly code: string;
  readonly menu: string | null;
  readonly title: string;
  readonly titleEn: string;
}

const KINDS: Readonly<Record<string, Label>> = {
  elementWithoutEndpoint: ['没有接口的按钮', 'Elements that open no call'],
  endpointWithoutElement: ['没有按钮的接口', 'Calls whose right does not exist'],
  menuWithoutHolder: ['无人持有的菜单', 'Menus nobody holds'],
  titleMissing: ['缺少标题', 'Titles missing'],
};

/** Menus as a tree with form and elements. */
function MenuManager() {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const view = useView();
  const held = useHeld(menuManager);
  const client = useQueryClient();
  const mayLeave = useLeaveQuestion();
  const [dirty, setDirty] = useState(false);
  const [dialog, setDialog] = useState<'create' | 'check'>();
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...MENU_KEY, 'tree'],
    queryFn: ({ signal }) => call<readonly MenuItem[]>('GET', `${MENU_ROOT}/tree`, { signal }),
  });
  const menus = data ?? [];
  const menu = menus.find((one) => one.code === view.query.get('code'));
  const markDirty = (on: boolean) => {
    setDirty(on);
    view.setDirty(on);
  };
  const open = async (code: string | undefined) => {
    if (dirty && !(await mayLeave())) return;
    markDirty(false);
    const next = new URLSearchParams(view.query);
    if (code) next.set('code', code);
    else next.delete('code');
    view.setQuery(next);
  };
  const order = (parent: string | null, codes: readonly string[]) =>
    void call('PUT', `${MENU_ROOT}/order`, {
      body: { parent, codes },
      idempotencyKey: newIdempotencyKey(),
    }).then(
      () => void client.invalidateQueries({ queryKey: MENU_KEY }),
      () => {},
    );
  const remove = async (one: MenuItem) => {
    const agreed = await ask({
      title: `${text(['删除菜单', 'Delete menu'])}${text(['：', ': '])}${language === 'zh' ? one.titleZh : one.titleEn}`,
      confirm: ['删除', 'Delete'],
      cancel: words.cancel,
      danger: true,
    });
    if (!agreed) return;
    await call('DELETE', `${MENU_ROOT}/item/${one.code}`, { idempotencyKey: newIdempotencyKey() }).then(
      () => {
        message.success(text(['已删除', 'Deleted']), 2);
        void open(undefined);
        void client.invalidateQueries({ queryKey: MENU_KEY });
      },
      () => {},
    );
  };
  const exporting = useExport(`${MENU_ROOT}/export`);
  const parentTitle = (code: string | null | undefined) => {
    const parent = menus.find((one) => one.code === code);
    return parent ? (language === 'zh' ? parent.titleZh : parent.titleEn) : text(['顶级', 'Top']);
  };
  const newParent =
    menu === undefined ? null : menu.type === 'dirt' ? menu.code : (menu.places[0]?.parent ?? null);
  return (
    <div className="k-screen">
      <PageTitle title={menuManager.title} purpose={menuManager.purpose}>
        {held('btn_check') && <Button onClick={() => setDialog('check')}>{text(['自检', 'Check'])}</Button>}
        <ImportButton
          element="menuManager:btn_import"
          choice={{ source: 'menu', resource: 'menu', title: ['菜单', 'Menus'] }}
        />
        {held('btn_export') && (
          <Button loading={exporting.busy} disabled={exporting.locked} onClick={() => exporting.start({})}>
            {text(words.export)}
          </Button>
        )}
        {held('btn_add') && (
          <Button type="primary" onClick={() => setDialog('create')}>
            {text(['新增', 'Add'])}
          </Button>
        )}
      </PageTitle>
      {isError ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton active paragraph={{ rows: 12 }} />
      ) : (
        <div className="pg-layout">
          <MenuTree
            menus={menus}
            active={menu?.code}
            canDrag={held('btn_edit')}
            onActive={(code) => void open(code)}
            onOrder={order}
          />
          {menu ? (
            <section className="pg-detail" aria-label={language === 'zh' ? menu.titleZh : menu.titleEn}>
              <header className="pg-detail-head">
                <h2>{language === 'zh' ? menu.titleZh : menu.titleEn}</h2>
                <span className="k-quiet">{text(menu.builtIn ? ['内置', 'Built-in'] : ['自建', 'Own'])}</span>
                {menu.retired && <span className="k-bad">{text(['已下线', 'Retired'])}</span>}
                <span className="pg-detail-actions">
                  {held('btn_del') && !menu.builtIn && (
                    <Button danger onClick={() => remove(menu)}>
                      {text(['删除', 'Delete'])}
                    </Button>
                  )}
                </span>
              </header>
              <dl className="pg-facts">
                <Fact label={['编码', 'Code']} value={menu.code} />
                <Fact label={['类型', 'Type']} value={text(menuFields.type.choices[menu.type].label)} />
                <Fact
                  label={['上级', 'Above']}
                  value={
                    menu.modeOf
                      ? parentTitle(menu.modeOf)
                      : menu.places.map((place) => parentTitle(place.parent)).join(text(['、', ', ']))
                  }
                />
                <Fact label={['路由', 'Route']} value={menu.places.map((place) => place.route).join('  ')} />
                <Fact label={['组件', 'Component']} value={menu.component} />
                <Fact label={['持有角色', 'Groups']} value={String(menu.groups)} />
                <Fact
                  label={['更新', 'Updated']}
                  value={`${instantFull(menu.updatedAt)} ${menu.updater ?? ''}`}
                />
              </dl>
              <MenuForm
                key={menu.code}
                menu={menu}
                parent={null}
                canEdit={held('btn_edit') && !menu.retired}
                onDirty={markDirty}
                onSaved={() => {}}
              />
              {held('btn_element') && menu.type !== 'dirt' && (
                <ElementTable key={`e-${menu.code}`} menu={menu.code} />
              )}
            </section>
          ) : (
            <p className="k-state k-quiet pg-detail">
              {text(['从左侧选择一个菜单', 'Choose a menu on the left'])}
            </p>
          )}
        </div>
      )}
      {dialog === 'create' && (
        <AppModal
          open
          width={560}
          title={`${text(['新增菜单', 'Add a menu'])} · ${parentTitle(newParent)}`}
          footer={null}
          onCancel={() => setDialog(undefined)}
        >
          <MenuForm
            menu={undefined}
            parent={newParent}
            canEdit
            onDirty={() => {}}
            onCancel={() => setDialog(undefined)}
            onSaved={(saved) => {
              setDialog(undefined);
              void open(saved.code);
            }}
          />
        </AppModal>
      )}
      {dialog === 'check' && (
        <CheckDrawer
          onClose={() => setDialog(undefined)}
          onOpen={(code) => {
            setDialog(undefined);
            void open(code);
          }}
        />
      )}
    </div>
  );
}

function Fact({ label, value }: { readonly label: Label; readonly value: string }) {
  const text = useText();
  return (
    <div className="k-fact">
      <dt>{text(label)}</dt>
      <dd>{value || '–'}</dd>
    </div>
  );
}

function CheckDrawer({
  onClose,
  onOpen,
}: {
  readonly onClose: () => void;
  readonly onOpen: (code: string) => void;
}) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...MENU_KEY, 'check'],
    staleTime: 0,
    queryFn: ({ signal }) => call<readonly Finding[]>('GET', `${MENU_ROOT}/check`, { signal }),
  });
  return (
    <AppDrawer open size={640} title={text(['自检', 'Check'])} onClose={onClose}>
      {isError ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton active paragraph={{ rows: 8 }} />
      ) : data.length === 0 ? (
        <p className="k-state k-good">{text(['没有发现问题', 'Nothing to report'])}</p>
      ) : (
        Object.entries(KINDS).map(([kind, label]) => {
          const findings = data.filter((finding) => finding.kind === kind);
          if (findings.length === 0) return null;
          return (
            <section key={kind}>
              <h3 className="pg-heading">
                {text(label)}{' '}
                <span className="k-count">{text(fill(['{n} 项', '{n}'], { n: findings.length }))}</span>
              </h3>
              <ul className="pg-changes pg-findings">
                {findings.map((finding) => (
                  <li key={`${finding.code}${finding.title}`}>
                    {finding.menu ? (
                      <button type="button" className="k-link" onClick={() => onOpen(finding.menu!)}>
                        {language === 'zh' ? finding.title : finding.titleEn}
                      </button>
                    ) : (
                      <span>{language === 'zh' ? finding.title : finding.titleEn}</span>
                    )}{' '}
                    <small className="k-quiet">{finding.code}</small>
                  </li>
                ))}
              </ul>
            </section>
          );
        })
      )}
    </AppDrawer>
  );
}

/** Menus. */
export const screen = { contract: menuManager, component: MenuManager };
