import { inputProblem } from '../../../kernel/contract/input.ts';
import type { Field, Fields } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';

/** Values of the menu form by field name. */
export type MenuInput = Readonly<Record<string, unknown>>;

/** Checks given values by the form's rules; throws 422 with a message per field. Texts come back trimmed. */
export function checked(
  fields: Fields,
  names: readonly string[],
  input: MenuInput,
  partial: boolean,
): Record<string, unknown> {
  const problems: Record<string, Label> = {};
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(input))
    if (!names.includes(name)) problems[name] = ['不接受此字段', 'This field is not accepted'];
  for (const name of names) {
    const field = fields[name] as Field;
    if (!Object.hasOwn(input, name)) {
      if (!partial && field.required) problems[name] = ['此项必填', 'This field is required'];
      continue;
    }
    const given = input[name];
    const value = typeof given === 'string' ? given.trim() : given;
    const problem = inputProblem(field, value);
    if (problem) problems[name] = problem;
    else values[name] = value;
  }
  if (Object.keys(problems).length > 0) throw invalid(problems);
  return values;
}
