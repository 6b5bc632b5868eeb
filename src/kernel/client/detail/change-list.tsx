import type { Fields } from '../../contract/fields.ts';
import { useLanguageStore, useText } from '../language.ts';
import { formWords } from '../texts.ts';
import { valueText } from '../value-text.rules.ts';
import type { FieldChange } from '../wire.ts';
import '../kernel.css';

/** Changed fields with the value before and after. */
export function ChangeList({
  fields,
  changes,
}: {
  readonly fields: Fields;
  readonly changes: readonly FieldChange[];
}) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const show = (name: string, value: unknown) => {
    const field = fields[name];
    // History may speak of a reference by its bare text.
    if (!field || (typeof value === 'string' && /^(ref|treeRef|image|file|lines)/.test(field.kind)))
      return value === null || value === undefined ? '–' : String(value);
    return valueText(field, value, language, true);
  };
  return (
    <ul className="k-changes">
      {changes.map((change) => (
        <li key={change.field}>
          <span className="k-quiet">
            {fields[change.field] ? text(fields[change.field]!.label) : change.field}
          </span>
          <span>
            <del aria-label={text(formWords.before)}>{show(change.field, change.before)}</del>
            {' → '}
            <ins aria-label={text(formWords.after)}>{show(change.field, change.after)}</ins>
          </span>
        </li>
      ))}
    </ul>
  );
}
