import type { Field } from '../../contract/fields.ts';
import { useLanguageStore, useText } from '../language.ts';
import { cellValue, isNumeric } from '../parts/field-value.tsx';
import type { RowData } from '../wire.ts';

/** Rows that belong to a row, to read. */
export function LinesTable({
  field,
  rows,
  encryptionField,
  canReveal,
}: {
  readonly field: Field;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly encryptionField: string | undefined;
  readonly canReveal: boolean;
}) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const fields = Object.entries(field.lines ?? {});
  return (
    <div className="k-lines-scroll k-lines-view">
      <table aria-label={text(field.label)}>
        <thead>
          <tr>
            {fields.map(([name, one]) => (
              <th key={name} scope="col" className={isNumeric(one) ? 'k-number' : ''}>
                {text(one.label)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={String(row.id ?? index)}>
              {fields.map(([name, one]) => (
                <td key={name} className={isNumeric(one) ? 'k-number' : ''}>
                  {cellValue(
                    name,
                    one,
                    { ...row, encryptionField: row.encryptionField ?? encryptionField } as RowData,
                    {
                      language,
                      canReveal,
                    },
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
