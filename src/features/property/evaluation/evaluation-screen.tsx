import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { PageTitle } from '../../../kernel/client/parts/page-title.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { useView } from '../../../kernel/client/view.ts';
import type { Resource } from '../../../kernel/contract/resource.ts';
import './evaluation.css';

const Ranking = lazyPart(() => import('./ranking-part.tsx').then((module) => module.RankingPart));

/** Ratings and their ranking as two tabs. */
export function EvaluationScreen({
  contract,
  byHousekeeper = false,
}: {
  readonly contract: Resource;
  readonly byHousekeeper?: boolean;
}) {
  const text = useText();
  const view = useView();
  const ranked = view.query.get('part') === 'ranking';
  const strip = (
    <TabList
      label={text(contract.title)}
      className="ev-tabs"
      tabs={[
        { key: 'list', label: text(['评价', 'Ratings']) },
        { key: 'ranking', label: text(['排名', 'Ranking']) },
      ]}
      active={ranked ? 'ranking' : 'list'}
      onChange={(key) => view.setQuery(new URLSearchParams(key === 'list' ? {} : { part: key }))}
    />
  );
  if (!ranked) return <ScreenOf contract={contract} slots={{ above: strip }} />;
  return (
    <div className="k-screen">
      <PageTitle title={contract.title} purpose={contract.purpose} />
      {strip}
      <Ranking contract={contract} byHousekeeper={byHousekeeper} />
    </div>
  );
}
