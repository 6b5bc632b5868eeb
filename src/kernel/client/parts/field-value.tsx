import type { ReactNode } from 'react';
import { refLabel, type Field, type FileValue, type RefValue } from '../../contract/fields.ts';
import { isEmpty } from '../../contract/input.ts';
import { textOf, type Language } from '../../contract/label.ts';
import { NOTHING, instantFull } from '../format.rules.ts';
import { valueText } from '../value-text.rules.ts';
import type { RowData } from '../wire.ts';
import { MaskedText } from './masked-text.tsx';
import { MoneyText } from './money-text.tsx';
import { StatusTag } from './status-tag.tsx';

/** What showing a field needs to know besides its value. */
export interface ValueContext {
  readonly language: Language;
  /** The staff holds the reveal element. */
  readonly canReveal: boolean;
  readonly cells?: Readonly<Record<string, (row: RowData) => ReactNode>> | undefined;
}

/** The value of a field in a table cell: one line, plain wherever possible because a list holds hundreds of them. */
export function cellValue(name: string, field: Field, row: RowData, context: ValueContext): ReactNode {
  const slot = context.cells?.[name];
  if (slot) return slot(row);
  const value = row[name];
  if (isEmpty(value)) return <span className="k-nothing">{NOTHING}</span>;
  if (field.mask)
    return (
      <MaskedText
        value={String(value)}
        name={name}
        encryptionField={row.encryptionField}
        canReveal={context.canReveal}
      />
    );
  switch (field.kind) {
    case 'choice': {
      const choice = field.choices?.[String(value)];
      if (choice && (choice.tone || name === 'state')) return <StatusTag choice={choice} />;
      return valueText(field, value, context.language);
    }
    case 'money':
      return <MoneyText value={value as string} />;
    case 'instant':
      return <time title={instantFull(value as string)}>{valueText(field, value, context.language)}</time>;
    case 'image':
      return <Thumb file={value as FileValue} />;
    case 'images':
      return (
        <Thumb file={(value as readonly FileValue[])[0]!} count={(value as readonly FileValue[]).length} />
      );
    case 'refs': {
      const all = value as readonly RefValue[];
      const whole = valueText(field, value, context.language);
      if (all.length <= 2) return whole;
      return <span title={whole}>{`${textOf(refLabel(all[0]!), context.language)} +${all.length - 1}`}</span>;
    }
    default:
      return valueText(field, value, context.language);
  }
}

/** True for kinds that stand at the right edge of their column. */
export function isNumeric(field: Field): boolean {
  return (
    field.numeric === true ||
    field.kind === 'money' ||
    field.kind === 'integer' ||
    field.kind === 'decimal' ||
    field.kind === 'percent'
  );
}

function Thumb({ file, count = 1 }: { readonly file: FileValue; readonly count?: number }) {
  return (
    <span className="k-thumb">
      <img src={file.url} alt={file.name} loading="lazy" width={32} height={32} />
      {count > 1 && <span className="k-thumb-count">+{count - 1}</span>}
    </span>
  );
}
