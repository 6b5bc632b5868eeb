import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { ResourceTable } from '../../../kernel/client/list/resource-table.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { valueText } from '../../../kernel/client/value-text.rules.ts';
import { useView } from '../../../kernel/client/view.ts';
import { pointsRule } from '../../system/points-rule/points-rule.contract.ts';
import { pointsConfig, TOUCHES } from './points-config.contract.ts';

/** What the change does, before it is saved: the value before and after, and what it touches. */
function Touches({ values }: { readonly values: Readonly<Record<string, unknown>> }) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const { data } = useQuery({
    queryKey: ['settings', pointsConfig.name],
    staleTime: Infinity,
    queryFn: () =>
      call<{ values: Record<string, unknown>; version: number }>(
        'GET',
        `/api/jinmao/web/settings/${pointsConfig.name}`,
      ),
  });
  const word = (name: string, value: unknown): string =>
    value === null || value === undefined ? '–' : valueText(pointsConfig.fields[name]!, value, language);
  const changed = data
    ? Object.keys(pointsConfig.keys).filter(
        (name) => values[name] !== undefined && word(name, values[name]) !== word(name, data.values[name]),
      )
    : [];
  if (changed.length === 0)
    return (
      <p className="k-quiet">{text(['修改后在此说明影响范围', 'What a change touches is told here'])}</p>
    );
  return (
    <dl aria-live="polite">
      {changed.map((name) => (
        <div key={name} style={{ marginBlockEnd: 12 }}>
          <dt>
            <b>{text(pointsConfig.fields[name]!.label)}</b>{' '}
            {`${word(name, data!.values[name])} → ${word(name, values[name])}`}
          </dt>
          <dd style={{ margin: 0 }}>{text(TOUCHES[name]!)}</dd>
        </div>
      ))}
    </dl>
  );
}

const slots: ScreenSlots = {
  aside: (values) => <Touches values={values} />,
};

/** Other screens that belong to points: sign-ins, cards, budgets. */
function Links() {
  const text = useText();
  const view = useView();
  const links = (
    [
      ['os_userSign', '签到配置', 'Sign-in rules'],
      ['os_resignCard', '补签卡', 'Make-up cards'],
      ['os_taskIntegral', '任务积分', 'Task points'],
      ['pointsSend', '积分发放与预算', 'Batches and budgets'],
      ['ssm_personIntegralRule', '个人积分规则', 'Points rules'],
    ] as const
  ).flatMap(([menu, zh, en]) => {
    const path = view.pathOf(menu);
    return path ? [{ path, label: text([zh, en]) }] : [];
  });
  if (links.length === 0) return null;
  return (
    <nav className="k-quiet" style={{ marginBlock: '8px 16px' }} aria-label={text(['相关配置', 'Related'])}>
      {text(['相关配置：', 'Related: '])}
      {links.map(({ path, label }) => (
        <button
          key={path}
          type="button"
          className="k-link"
          style={{ marginInlineEnd: 12 }}
          onClick={() => view.open(path)}
        >
          {label}
        </button>
      ))}
    </nav>
  );
}

/** Settings of points, and the rules they are earned and spent by. */
function PointsConfigScreen() {
  const text = useText();
  const view = useView();
  const rules = view.pathOf('ssm_personIntegralRule') !== undefined;
  const asked = rules && view.query.get('as') === 'rules';
  const above = (
    <>
      {rules && (
        <TabList
          label={text(pointsConfig.title)}
          tabs={[
            { key: 'settings', label: text(['配置', 'Settings']) },
            { key: 'rules', label: text(['规则', 'Rules']) },
          ]}
          active={asked ? 'rules' : 'settings'}
          onChange={(key) => view.setQuery(new URLSearchParams(key === 'rules' ? { as: 'rules' } : {}))}
        />
      )}
      <Links />
    </>
  );
  if (!asked) return <ScreenOf contract={pointsConfig} slots={{ ...slots, above }} />;
  return (
    <div className="k-screen">
      <h1>{text(pointsConfig.title)}</h1>
      {above}
      <ResourceTable
        resource={pointsRule}
        search
        columns={[
          'code',
          'name',
          'state',
          'direction',
          'event',
          'points',
          'dayLimit',
          'monthLimit',
          'totalLimit',
          'dimension',
        ]}
        filters={{}}
        limit={50}
      />
    </div>
  );
}

/** 积分配置. */
export const screen = { contract: pointsConfig, component: PointsConfigScreen };
