import type { Report, ReportAnswer } from '../../contract/report.ts';
import { useLanguageStore, useText } from '../language.ts';
import { reportWords } from '../texts.ts';
import { figureChange, figureText, sparkPath } from './figures.rules.ts';

/** The figures of a report: value, change against the previous equal period, spark line; the formula on hover. */
export function FiguresRow({
  report,
  answer,
  onDrill,
}: {
  readonly report: Report;
  readonly answer: ReportAnswer | undefined;
  readonly onDrill?: ((figure: string) => void) | undefined;
}) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  return (
    <div className="k-figures">
      {Object.entries(report.figures).map(([name, spec]) => {
        const value = answer?.figures[name];
        // What the caller is not told of has no place either.
        if (answer && !value) return null;
        const change = value && figureChange(spec.kind, value);
        const label = text(spec.label);
        const body = (
          <>
            <span className="k-figure-label">{label}</span>
            <span className="k-figure-value">
              {answer ? figureText(spec.kind, value?.value, language) : <i className="k-figure-wait" />}
            </span>
            <span className="k-figure-foot">
              {answer && (
                <span className="k-quiet">
                  {text(reportWords.previous)}{' '}
                  <span className={`k-change k-${change?.direction ?? 'same'}`}>
                    {change ? `${ARROWS[change.direction]}${change.text}` : '–'}
                  </span>
                </span>
              )}
              <Spark values={value?.spark ?? []} />
            </span>
          </>
        );
        const hint = `${label} · ${text(reportWords.formula)}: ${text(spec.formula)}${value?.working ? `\n${value.working}` : ''}`;
        return onDrill && value?.value && report.drills?.some((drill) => drill.column === name) ? (
          <button
            key={name}
            type="button"
            className="k-figure"
            title={`${hint}\n${text(reportWords.drill)}`}
            onClick={() => onDrill(name)}
          >
            {body}
          </button>
        ) : (
          <div key={name} className="k-figure" title={hint}>
            {body}
          </div>
        );
      })}
    </div>
  );
}

const ARROWS = { up: '↑ ', down: '↓ ', same: '' } as const;

function Spark({ values }: { readonly values: readonly number[] }) {
  const path = sparkPath(values, 64, 18);
  if (!path) return null;
  return (
    <svg className="k-spark" width="64" height="20" viewBox="0 -1 64 20" aria-hidden="true">
      <path d={path} fill="none" strokeWidth="1.5" />
    </svg>
  );
}
