import './dashboard.css';
import { useEffect, useRef, useState } from 'react';
import { usePreference, usePreferencesSettled } from '../../../kernel/client/preference.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useSession } from '../../../kernel/client/session.ts';
import { useView } from '../../../kernel/client/view.ts';
import { ChartBlock } from './chart-block.tsx';
import { CustomisePanel } from './customise-panel.tsx';
import { FiguresBlock, useSetOrder } from './figures-block.tsx';
import { HomeBlock } from './home-block.tsx';
import { HomeHead } from './home-head.tsx';
import { bySet, fixedBlocks, orderedBlocks, type HomeLayout } from './home-layout.rules.ts';
import { ShortcutLinks } from './shortcut-links.tsx';
import { TodoList } from './todo-list.tsx';
import { periods, useCharts, type HomeRange, type Period } from './use-home.ts';
import { useTodos } from './use-todos.ts';

/** Home page of every staff: waiting work, figures and charts of the own scope, shortcuts; blocks as the staff likes them. */
function Dashboard() {
  const view = useView();
  const [layout, storeLayout] = usePreference<HomeLayout | null>('home.layout');
  const settled = usePreferencesSettled();
  const [isCustomising, setCustomising] = useState(false);
  const charts = bySet(useCharts().data ?? [], useSetOrder());
  const range = rangeOf(view.query);
  const known = [
    ...fixedBlocks,
    ...charts.map((chart) => ({ key: `chart.${chart.code}`, title: chart.title })),
  ];
  const blocks = orderedBlocks(known, layout ?? undefined);
  const hidden = layout?.hidden ?? [];
  const setRange = (next: HomeRange) => {
    const query = new URLSearchParams();
    if (next.projectId) query.set('projectId', next.projectId);
    if (next.period !== 'today') query.set('period', next.period);
    view.setQuery(query);
  };
  const blockOf = (key: string) => {
    if (key === 'figures') return <FiguresBlock key={key} range={range} open={view.open} />;
    if (key === 'todo') return <TodoBlock key={key} />;
    if (key === 'shortcuts') return <ShortcutLinks key={key} />;
    const chart = charts.find((one) => `chart.${one.code}` === key);
    return chart && <ChartBlock key={key} chart={chart} range={range} open={view.open} />;
  };
  return (
    <div className="home">
      <HomeHead
        range={range}
        onRange={setRange}
        isCustomising={isCustomising}
        onCustomise={() => setCustomising(!isCustomising)}
      />
      {isCustomising && (
        <CustomisePanel
          blocks={blocks}
          layout={layout ?? undefined}
          onChange={storeLayout}
          onDone={() => setCustomising(false)}
        />
      )}
      <WithoutRights />
      <div className="home-blocks">
        {settled && blocks.filter((block) => !hidden.includes(block.key)).map((block) => blockOf(block.key))}
      </div>
    </div>
  );
}

/** Tells who holds no menu yet what to do: a newcomer's home page is empty otherwise. */
function WithoutRights() {
  const text = useText();
  // The page of an approval and those behind reports are everybody's: they give no work by themselves.
  const isEmpty = useSession((state) =>
    state.info?.menus.every(
      ({ uri }) =>
        uri === '/dashboard' ||
        uri.startsWith('/publicResource/pr_approvalProcess') ||
        uri.startsWith('/operReport/'),
    ),
  );
  if (!isEmpty) return null;
  return (
    <p className="home-notice" role="status">
      {text([
        '您的账号还没有任何功能权限，请联系管理员分配角色；分配后立即生效，不必重新登录。',
        'Your account has no rights yet. Ask an administrator to assign a role; it counts at once, without signing in again.',
      ])}
    </p>
  );
}

function TodoBlock() {
  const view = useView();
  const todos = useRef<HTMLElement>(null);
  const { dataUpdatedAt } = useTodos();
  const isAsked = view.query.get('part') === 'todo';
  useEffect(() => {
    if (isAsked && view.active) todos.current?.focus();
  }, [isAsked, view.active]);
  return (
    <HomeBlock
      ref={todos}
      name="todo"
      title={['待办', 'To-do']}
      asOf={dataUpdatedAt === 0 ? undefined : new Date(dataUpdatedAt).toISOString()}
    >
      <TodoList open={view.open} />
    </HomeBlock>
  );
}

function rangeOf(query: URLSearchParams): HomeRange {
  const period = query.get('period') ?? '';
  const projectId = query.get('projectId') ?? '';
  return {
    period: period in periods ? (period as Period) : 'today',
    projectId: /^\d{1,15}$/.test(projectId) ? projectId : '',
  };
}

/** The home page, opened by every staff. */
export const component = Dashboard;
