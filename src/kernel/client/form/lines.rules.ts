import type { Field } from '../../contract/fields.ts';
import { inputProblem } from '../../contract/input.ts';
import type { Label } from '../../contract/label.ts';
import { constantValues } from './first-values.rules.ts';
import { formProblem, toWrite, type FormValues } from './form-values.rules.ts';

/** A row of a field of kind lines as its inputs hold it. */
export type Line = FormValues;

/** Names of the inputs of a row. */
export function lineInputs(field: Field): string[] {
  return Object.keys(field.lines ?? {});
}

/** A row just added. */
export function newLine(field: Field): Line {
  return constantValues(field.lines ?? {}, lineInputs(field));
}

/**
 * What is wrong with rows: of all of them under the empty name, of one cell under `<row>.<name>`, rows counted from 0; the
 * same names as the server's behind that of the field.
 */
export function lineProblems(field: Field, rows: readonly Line[]): ReadonlyMap<string, Label> {
  const problems = new Map<string, Label>();
  const whole = inputProblem(field, toWrite(field, rows));
  if (whole) problems.set('', whole);
  rows.forEach((row, index) => {
    for (const [name, one] of Object.entries(field.lines ?? {})) {
      const problem = one.readOnly ? undefined : formProblem(one, row[name]);
      if (problem) problems.set(`${index}.${name}`, problem);
    }
  });
  return problems;
}

const SEPARATOR = '\u0001';

/** An error of the form's field that belongs to one cell. */
export function cellError(cell: string, text: string): string {
  return `${cell}${SEPARATOR}${text}`;
}

/** Errors of the form's field by cell; what belongs to no cell stands under the empty name. */
export function errorsByCell(errors: readonly unknown[]): Readonly<Record<string, string>> {
  const byCell: Record<string, string> = {};
  for (const error of errors) {
    const text = String(error);
    const at = text.indexOf(SEPARATOR);
    byCell[at < 0 ? '' : text.slice(0, at)] ??= at < 0 ? text : text.slice(at + 1);
  }
  return byCell;
}
