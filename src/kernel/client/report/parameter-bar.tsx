import { Button } from 'antd';
import type { Report } from '../../contract/report.ts';
import { useText } from '../language.ts';
import { FilterInput } from '../list/filter-input.tsx';
import { joinRange, splitRange } from '../list/filter-values.rules.ts';
import { DayRangeField } from '../parts/day-range-field.tsx';
import { words } from '../texts.ts';
import { parameterFields, rangeProblem, type ReportState } from './report-state.rules.ts';

/** Parameters of a report: the period first, then its filters. A period that is too long says so and is not sent. */
export function ParameterBar(props: {
  readonly report: Report;
  readonly state: ReportState;
  readonly onChange: (parameters: Readonly<Record<string, string>>) => void;
  readonly onReset: () => void;
  readonly onRefresh: () => void;
}) {
  const { report, state } = props;
  const text = useText();
  const fields = parameterFields(report);
  const problem = rangeProblem(report, state.parameters.range ?? '', state.parameters);
  const set = (name: string, wire: string) => {
    const parameters: Record<string, string> = { ...state.parameters };
    if (wire) parameters[name] = wire;
    else delete parameters[name];
    props.onChange(parameters);
  };
  const label = text(report.parameters.range?.label ?? ['时间范围', 'Period']);
  return (
    <div className="k-search" role="search">
      <div className="k-parameters">
        <div className="k-parameter-range">
          <DayRangeField
            whole
            label={label}
            value={splitRange(state.parameters.range)}
            {...(problem ? { status: 'error' as const } : {})}
            onChange={([from, to]) => set('range', joinRange(from, to))}
          />
          {problem && (
            <div className="k-problem k-small" role="alert">
              {text(problem)}
            </div>
          )}
        </div>
        {Object.entries(fields).map(([name, field]) => (
          <div key={name} className="k-parameter">
            <FilterInput
              field={field}
              value={state.parameters[name] ?? ''}
              onChange={(wire) => set(name, wire)}
            />
          </div>
        ))}
        <div className="k-search-buttons">
          <Button onClick={props.onRefresh} disabled={problem !== undefined}>
            {text(words.search)}
          </Button>
          <Button onClick={props.onReset}>{text(words.reset)}</Button>
        </div>
      </div>
    </div>
  );
}
