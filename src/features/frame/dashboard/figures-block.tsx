import { useState } from 'react';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { figureChange, figureText, sparkPath } from '../../../kernel/client/report/figures.rules.ts';
import { useSession } from '../../../kernel/client/session.ts';
import { BlockFailed, BlockWaits, HomeBlock } from './home-block.tsx';
import { bySet, FIGURES_AT_FIRST, setOrder } from './home-layout.rules.ts';
import { useFigures, type Figure, type HomeRange } from './use-home.ts';

/** Figures of the period: value, change against the previous equal period, spark line; a click opens the counted rows. */
export function FiguresBlock({
  range,
  open,
}: {
  readonly range: HomeRange;
  readonly open: (path: string) => void;
}) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const sets = useSetOrder();
  const [isAll, setAll] = useState(false);
  const { data, isPending, isError, refetch } = useFigures(range, language);
  const figures = bySet(data?.figures ?? [], sets);
  const shown = isAll ? figures : figures.slice(0, FIGURES_AT_FIRST);
  return (
    <HomeBlock
      name="figures"
      title={['指标', 'Figures']}
      wide
      asOf={data?.asOf}
      actions={
        figures.length > FIGURES_AT_FIRST && (
          <button type="button" className="link-button" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? text(['收起', 'Fewer']) : text(['全部', 'All'])}
          </button>
        )
      }
    >
      {isPending ? (
        <BlockWaits height={92} />
      ) : isError && !data ? (
        <BlockFailed onRetry={() => void refetch()} />
      ) : figures.length === 0 ? (
        <p className="todo-none">{text(['没有可看的指标', 'There are no figures for you'])}</p>
      ) : (
        <ul className="home-figures">
          {shown.map((figure) => (
            <li key={figure.code}>
              <FigureButton figure={figure} period={range.period} onClick={() => open(figure.route)} />
            </li>
          ))}
        </ul>
      )}
    </HomeBlock>
  );
}

const ARROWS = { up: '↑ ', down: '↓ ', same: '' } as const;

/** Figures that nobody wants to see rise. */
const RISE_IS_BAD: ReadonlySet<string> = new Set(['refund_amount', 'error_rate']);

/** The colour of a change: that of a rise when it is good, of a fall when it is not. */
function toneOf(code: string, direction: 'up' | 'down' | 'same' | undefined): string {
  if (!direction || direction === 'same' || !RISE_IS_BAD.has(code)) return direction ?? 'same';
  return direction === 'up' ? 'down' : 'up';
}

function FigureButton({
  figure,
  period,
  onClick,
}: {
  readonly figure: Figure;
  readonly period: HomeRange['period'];
  readonly onClick: () => void;
}) {
  const text = useText();
  const change = figureChange(figure.kind, figure);
  const path = sparkPath(figure.spark, 64, 18);
  return (
    <button
      type="button"
      className="home-figure"
      data-figure={figure.code}
      title={figure.formula}
      onClick={onClick}
    >
      <span className="home-figure-label">{figure.label}</span>
      <span className="home-figure-value">
        {figure.failed ? text(['没有算出来', 'Not available']) : figureText(figure.kind, figure.value)}
      </span>
      <span className="home-figure-foot">
        {figure.previous !== null && (
          <span>
            {text(period === 'today' ? ['较昨日全天', 'vs all of yesterday'] : ['较上期', 'vs previous'])}{' '}
            <span data-direction={toneOf(figure.code, change?.direction)}>
              {change ? `${ARROWS[change.direction]}${change.text}` : '–'}
            </span>
          </span>
        )}
        {path && (
          <svg width="64" height="20" viewBox="0 -1 64 20" aria-hidden="true">
            <path d={path} fill="none" stroke="var(--theme)" strokeWidth="1.5" />
          </svg>
        )}
      </span>
    </button>
  );
}

/** Order of the sets for this staff. */
export function useSetOrder() {
  const tenantType = useSession((state) => state.info?.tenantType ?? 3);
  const holdsFinance = useSession((state) => state.tree.some((group) => group.code === 'financialManage'));
  return setOrder(tenantType, holdsFinance);
}
