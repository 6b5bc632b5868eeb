import { useText } from '../../../kernel/client/language.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { positionStatistics } from './position-statistics.contract.ts';

/** 资源统计: a project or type opens its positions with their days. */
function StatisticsScreen() {
  const text = useText();
  const view = useView();
  return (
    <ScreenOf
      contract={positionStatistics}
      slots={{
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
