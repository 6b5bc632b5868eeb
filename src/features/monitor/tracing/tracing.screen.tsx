import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { PageTitle } from '../../../kernel/client/parts/page-title.tsx';
import { ScreenWaits } from '../../../kernel/client/screen-of.tsx';
import { Parts, usePart } from '../monitor-page.tsx';
import { OutsidePanel, useOutsideOffered } from '../outside/outside-panel.tsx';
import { tracingPage } from './tracing.contract.ts';

const TraceSearch = lazyPart(
  () => import('./trace-search.tsx').then((module) => module.TraceSearch),
  <ScreenWaits />,
);
const Dependencies = lazyPart(
  () => import('./dependencies-part.tsx').then((module) => module.Dependencies),
  <ScreenWaits />,
);

/** Traces: search, dependencies, outside console. */
function Tracing() {
  const part = usePart('search');
  const offered = useOutsideOffered('zipkin');
  return (
    <div className="k-screen">
      <PageTitle title={tracingPage.title} purpose={tracingPage.purpose} />
      <Parts
        title={tracingPage.title}
        parts={[
          { key: 'search', label: ['查找', 'Search'] },
          { key: 'dependencies', label: ['依赖', 'Dependencies'] },
          ...(offered ? [{ key: 'outside', label: ['外部控制台', 'Outside console'] as const }] : []),
        ]}
      />
      {part === 'dependencies' ? (
        <Dependencies />
      ) : part === 'outside' ? (
        <OutsidePanel kind="zipkin" />
      ) : (
        <TraceSearch />
      )}
    </div>
  );
}

/** 服务链路监控. */
export const screen = { contract: tracingPage, component: Tracing };
