import './dictionary.css';
import { useState, type ReactNode } from 'react';
import { Button, Select, Table } from 'antd';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { fill } from '../../../kernel/contract/label.ts';
import type { SettingScope } from '../../../kernel/contract/setting-declaration.ts';
import { call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { ask, message, tellFault } from '../../../kernel/client/feedback.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { Icon } from '../../../kernel/client/parts/icon.tsx';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { LightInput } from '../../../kernel/client/parts/light-input.tsx';
import { PageTitle } from '../../../kernel/client/parts/page-title.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { useOptionTitles } from '../../../kernel/client/parts/use-options.ts';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { useExport } from '../../../kernel/client/parts/use-export.ts';
import { useDraftText } from '../../../kernel/client/parts/use-draft-text.ts';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import { words } from '../../../kernel/client/texts.ts';
import { useView } from '../../../kernel/client/view.ts';
import { dictValue } from './dict-value.contract.ts';
import { settingPage, SETTING_SOURCES, type SettingPage, type SettingRow } from './setting.contract.ts';
import { SETTING_KEY, SETTING_ROOT, useSettingPlace } from './setting-place.ts';

const SettingDialog = lazyPart(() => import('./setting-dialog.tsx').then((module) => module.SettingDialog));
const SenderDialog = lazyPart(() => import('./sender-dialog.tsx').then((module) => module.SenderDialog));
const SettingHistory = lazyPart(() =>
  import('./setting-history.tsx').then((module) => module.SettingHistory),
);

const PAGE_SIZE = 50;
const SOURCE_TONES = {
  default: 'default',
  platform: 'processing',
  tenant: 'warning',
  project: 'success',
} as const;

/** Setting keys by group, as they hold for the platform, a tenant or a project. Everything shown stands in the address. */
export function SettingList({ tabs }: { readonly tabs: ReactNode }) {
  const text = useText();
  const view = useView();
  const held = useHeld(settingPage);
  const language = useLanguageStore((state) => state.language);
  const { scope, place, setQuery } = useSettingPlace();
  const exporting = useExport(`${SETTING_ROOT}/export`);
  const [edited, setEdited] = useState<SettingRow>();
  const [history, setHistory] = useState<SettingRow>();
  const [senders, setSenders] = useState(false);
  const reset = useReset(place);
  const group = view.query.get('group') ?? '';
  const page = Math.max(1, Number(view.query.get('page')) || 1);
  const filters = {
    ...place,
    ...named(view.query, ['searchVal', 'source']),
  };
  const waits = scope !== 'platform' && Object.keys(place).length === 0;
  const { data, isError, error, refetch, isFetching } = useQuery({
    queryKey: [...SETTING_KEY, 'page', filters, group, page, language],
    enabled: !waits,
    staleTime: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call<SettingPage>('GET', `${SETTING_ROOT}/page`, {
        query: { ...filters, ...(group ? { group } : {}), page, limit: PAGE_SIZE },
        signal,
      }),
  });
  const all = (data?.groups ?? []).reduce((sum, one) => sum + one.count, 0);
  return (
    <div className="k-screen">
      <PageTitle title={dictValue.title} purpose={settingPage.purpose}>
        {(held('btn_testSender') || held('btn_senderSecret')) && (
          <Button onClick={() => setSenders(true)}>{text(['发送通道', 'Senders'])}</Button>
        )}
        {held('btn_export') && (
          <Button
            loading={exporting.busy}
            disabled={exporting.locked || waits}
            onClick={() => exporting.start({ query: { ...filters, ...(group ? { group } : {}) } })}
          >
            {text(words.export)}
          </Button>
        )}
      </PageTitle>
      {tabs}
      <SettingTools />
      {waits ? (
        <p className="k-state k-quiet">
          {text(
            scope === 'tenant'
              ? ['请选择租户，查看并设置该租户的值', 'Choose a tenant to see and set its values']
              : ['请选择项目，查看并设置该项目的值', 'Choose a project to see and set its values'],
          )}
        </p>
      ) : isError ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : (
        <div className="dict-settings">
          <nav aria-label={text(['参数分组', 'Groups of settings'])}>
            <TabList
              vertical
              label={text(['参数分组', 'Groups of settings'])}
              className="dict-groups"
              active={group}
              onChange={(key) => setQuery({ group: key, page: '' })}
              tabs={[
                {
                  key: '',
                  label: text(['全部', 'All']),
                  extra: <span className="k-count">{all}</span>,
                },
                ...(data?.groups ?? []).map((one) => ({
                  key: one.group,
                  label: one.name,
                  extra: <span className="k-count">{one.count}</span>,
                })),
              ]}
            />
          </nav>
          <Table<SettingRow>
            className="k-table dict-table"
            size="small"
            rowKey="key"
            loading={isFetching && !data}
            dataSource={(data?.rows ?? []) as SettingRow[]}
            scroll={{ x: 1000 }}
            locale={{ emptyText: text(['没有符合条件的参数', 'No setting matches']) }}
            pagination={{
              current: page,
              pageSize: PAGE_SIZE,
              total: data?.total ?? 0,
              size: 'small',
              hideOnSinglePage: true,
              showSizeChanger: false,
              onChange: (next) => setQuery({ page: next > 1 ? String(next) : '' }),
            }}
            columns={[
              {
                title: text(['参数', 'Setting']),
                key: 'name',
                width: 230,
                render: (_value, row) => (
                  <>
                    <div className="dict-name">{row.name}</div>
                    <small className="k-quiet dict-key">{row.key}</small>
                  </>
                ),
              },
              {
                title: text(['当前值', 'Value']),
                key: 'value',
                width: 140,
                render: (_value, row) => <strong>{withUnit(row.text, row)}</strong>,
              },
              {
                title: text(['默认值', 'Default']),
                key: 'default',
                width: 120,
                render: (_value, row) => withUnit(row.defaultText, row),
              },
              {
                title: text(['限制', 'Limits']),
                key: 'limits',
                width: 120,
                render: (_value, row) => <span className="k-quiet">{row.limits ?? '–'}</span>,
              },
              {
                title: text(['来源', 'Source']),
                key: 'source',
                width: 110,
                render: (_value, row) => (
                  <>
                    <StatusTag
                      choice={{ label: SETTING_SOURCES[row.source], tone: SOURCE_TONES[row.source] }}
                    />
                    {scope === 'platform' && row.overrides > 0 && (
                      <button type="button" className="k-link dict-own" onClick={() => setHistory(row)}>
                        {text(fill(['{n} 处单独设置', '{n} of their own'], { n: row.overrides }))}
                      </button>
                    )}
                  </>
                ),
              },
              {
                title: text(['修改', 'Changed']),
                key: 'changed',
                width: 130,
                render: (_value, row) =>
                  row.changedAt ? (
                    <>
                      <div>{row.changedBy || text(['系统', 'System'])}</div>
                      <small className="k-quiet">{instantFull(row.changedAt)}</small>
                    </>
                  ) : (
                    '–'
                  ),
              },
              {
                title: text(['操作', 'Actions']),
                key: 'actions',
                width: 150,
                fixed: 'right',
                render: (_value, row) => (
                  <span className="k-links">
                    {held('btn_setting') && !row.keptOn && (
                      <button type="button" className="k-link" onClick={() => setEdited(row)}>
                        {text(['设置', 'Set'])}
                      </button>
                    )}
                    {row.keptOn && <KeptOn menu={row.keptOn} />}
                    {held('btn_settingReset') && !row.keptOn && row.setHere && (
                      <button type="button" className="k-link" onClick={() => void reset(row)}>
                        {text(scope === 'platform' ? ['恢复默认', 'Reset'] : ['取消单独设置', 'Remove'])}
                      </button>
                    )}
                    <button type="button" className="k-link" onClick={() => setHistory(row)}>
                      {text(['记录', 'History'])}
                    </button>
                  </span>
                ),
              },
            ]}
          />
        </div>
      )}
      {edited && <SettingDialog row={edited} place={place} onClose={() => setEdited(undefined)} />}
      {senders && <SenderDialog onClose={() => setSenders(false)} />}
      {history && <SettingHistory row={history} onClose={() => setHistory(undefined)} />}
    </div>
  );
}

/** Keyword, source, and the place whose values are shown. */
function SettingTools() {
  const text = useText();
  const view = useView();
  const { scope, place, setQuery } = useSettingPlace();
  const [typed, setTyped] = useDraftText(view.query.get('searchVal') ?? '');
  const search = () => setQuery({ searchVal: typed.trim(), page: '' });
  const chosen = place.projectId ?? place.tenantId;
  const target = scope === 'tenant' ? 'settingTenant' : 'project';
  const names = useOptionTitles(target, chosen ? [chosen] : []);
  return (
    <form
      className="dict-tools"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        search();
      }}
    >
      <TabList
        className="dict-scopes"
        label={text(['设置范围', 'Place'])}
        active={scope}
        onChange={(key) =>
          setQuery({ scope: key === 'platform' ? '' : key, place: '', page: '', source: '' })
        }
        tabs={(['platform', 'tenant', 'project'] as const).map((one) => ({
          key: one,
          label: text(SETTING_SOURCES[one]),
        }))}
      />
      {scope !== 'platform' && (
        <span className="dict-place">
          <RemoteSelect
            key={scope}
            target={target}
            label={text(SETTING_SOURCES[scope])}
            placeholder={text(
              scope === 'tenant' ? ['选择租户', 'Choose a tenant'] : ['选择项目', 'Choose a project'],
            )}
            value={chosen ? [chosen] : []}
            known={names}
            onChange={(ids) => setQuery({ place: ids[0] ?? '', page: '' })}
          />
        </span>
      )}
      <span className="dict-search">
        <LightInput
          value={typed}
          prefix={<Icon name="search" />}
          placeholder={text(['搜索名称或参数', 'Search by name or key'])}
          aria-label={text(['搜索名称或参数', 'Search by name or key'])}
          onChange={setTyped}
          onClear={() => {
            setTyped('');
            setQuery({ searchVal: '', page: '' });
          }}
        />
      </span>
      <Select
        className="dict-source"
        aria-label={text(['来源', 'Source'])}
        value={view.query.get('source') ?? ''}
        onChange={(source: string) => setQuery({ source, page: '' })}
        options={[
          { value: '', label: text(['全部来源', 'Every source']) },
          ...sourcesOf(scope).map((source) => ({ value: source, label: text(SETTING_SOURCES[source]) })),
        ]}
      />
      <Button htmlType="submit">{text(['查询', 'Search'])}</Button>
    </form>
  );
}

/** A key that another screen keeps: the way there, where the staff holds it. */
function KeptOn({ menu }: { readonly menu: string }) {
  const text = useText();
  const view = useView();
  const path = view.pathOf(menu);
  if (!path) return null;
  return (
    <button type="button" className="k-link" onClick={() => view.open(path)}>
      {text(['前往设置', 'Open its screen'])}
    </button>
  );
}

function useReset(place: Readonly<Record<string, string>>) {
  const text = useText();
  const client = useQueryClient();
  const guard = useSubmitGuard();
  const isPlatform = Object.keys(place).length === 0;
  return async (row: SettingRow) => {
    const agreed = await ask({
      title: text(
        fill(
          isPlatform
            ? ['将「{name}」恢复为默认值 {value}？', 'Reset "{name}" to its default {value}?']
            : [
                '取消「{name}」的单独设置？将使用上级的值。',
                'Remove the value of "{name}" here? The outer one holds again.',
              ],
          { name: row.name, value: row.defaultText },
        ),
      ),
      confirm: isPlatform ? ['恢复默认', 'Reset'] : ['取消单独设置', 'Remove'],
      cancel: words.cancel,
    });
    if (!agreed) return;
    await guard.run(async () => {
      try {
        await call('POST', `${SETTING_ROOT}/${row.key}/reset`, {
          body: { ...place, version: row.version },
          idempotencyKey: newIdempotencyKey(),
        });
        message.success(text(words.saved), 2);
      } catch (failure) {
        tellFault(failure);
      }
      await client.invalidateQueries({ queryKey: SETTING_KEY });
    });
  };
}

function sourcesOf(scope: SettingScope): (keyof typeof SETTING_SOURCES)[] {
  return scope === 'platform' ? ['default', 'platform'] : ['default', 'platform', scope];
}

function withUnit(value: string, row: SettingRow): string {
  return row.unit && value !== '–' ? `${value} ${row.unit}` : value;
}

function named(query: URLSearchParams, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (query.get(name) ? [[name, query.get(name)!] as const] : [])),
  );
}
