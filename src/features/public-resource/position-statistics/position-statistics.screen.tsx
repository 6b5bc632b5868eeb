import '../position/position.css';
import { useText } from '../../../kernel/client/language.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { positionStatistics } from './position-statistics.contract.ts';

/** What positions are ranked by. */
const RANKED = ['income', 'perArea', 'attainment'] as const;

/** Which positions bring most and which least: the table by position in that order. */
function Ranks() {
  const text = useText();
  const view = useView();
  const sort = view.query.get('by') === 'position' ? view.query.get('sort') : null;
  const show = (by: string) => {
    const query = new URLSearchParams(view.query);
    query.delete('page');
    for (const [name, value] of Object.entries({ by: 'position', sort: by })) query.set(name, value);
    view.setQuery(query);
  };
  return (
    <div className="ps-ranks" role="group" aria-label={text(['点位排行', 'Ranks of positions'])}>
      <span className="k-quiet">{text(['点位排行', 'Positions by'])}</span>
      {RANKED.map((name) => (
        <span key={name}>
          {text(positionStatistics.fields[name]!.label)}{' '}
          {(['-', ''] as const).map((order) => (
            <button
              key={order}
              type="button"
              className="k-link"
              aria-pressed={sort === `${order}${name}`}
              onClick={() => show(`${order}${name}`)}
            >
              {text(order === '-' ? ['最高', 'highest'] : ['最低', 'lowest'])}
            </button>
          ))}
        </span>
      ))}
    </div>
  );
}

/** 资源统计: a project or type opens its positions with their days. */
function StatisticsScreen() {
  const text = useText();
  const view = useView();
  return (
    <ScreenOf
      contract={positionStatistics}
      slots={{
        above: <Ranks />,
        cells: {
          name: (row) => {
            const drill = row.drill as Readonly<Record<string, string>> | null | undefined;
            if (!drill) return String(row.name ?? '');
            const position = `/publicResource/positionDetails?id=${drill.position ?? ''}`;
            if (drill.position && !view.mayOpen(position.split('?')[0]!)) return String(row.name ?? '');
            const open = () => {
              if (drill.position) return view.open(position);
              const query = new URLSearchParams(view.query);
              query.delete('page');
              for (const [name, value] of Object.entries({ ...drill, by: 'position' }))
                query.set(name, value);
              view.setQuery(query);
            };
            return (
              <button
                type="button"
                className="k-link"
                title={text(
                  drill.position
                    ? ['打开点位', 'Open the position']
                    : ['查看点位与天数', 'Show its positions with their days'],
                )}
                onClick={open}
              >
                {String(row.name)}
              </button>
            );
          },
        },
      }}
    />
  );
}

/** 资源统计. */
export const screen = { contract: positionStatistics, component: StatisticsScreen };
