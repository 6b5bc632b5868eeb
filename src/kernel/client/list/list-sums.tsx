import { fieldsOf, type ResourceSpec } from '../../contract/resource.ts';
import { thousands } from '../format.rules.ts';
import { useText } from '../language.ts';
import { MoneyText } from '../parts/money-text.tsx';

/** Totals of a list over all its pages. */
export function ListSums(props: {
  readonly resource: ResourceSpec;
  readonly sums: Readonly<Record<string, string | number>>;
}) {
  const text = useText();
  const fields = fieldsOf(props.resource);
  return (
    <dl className="k-sums" aria-label={text(['合计', 'Totals'])}>
      {(props.resource.list.sums ?? []).map((name) => (
        <div key={name}>
          <dt>{text(fields[name]!.label)}</dt>
          <dd className="k-number">
            {fields[name]!.kind === 'money' ? (
              <MoneyText value={props.sums[name] as string} />
            ) : (
              thousands(props.sums[name] as number)
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
