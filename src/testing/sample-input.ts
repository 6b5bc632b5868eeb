import type { Field } from '../kernel/contract/fields.ts';
import { inputProblem } from '../kernel/contract/input.ts';
import { formFieldNames, type Resource } from '../kernel/contract/resource.ts';

/** Texts that fit most patterns of codes, numbers, versions, addresses and names. */
const TEXTS = [
  'ZX',
  'zx',
  'ZX01',
  'zx01',
  'ZX-0001',
  'zx_0001',
  '0001',
  '000001',
  '123456',
  '12345678',
  '2088123456789012',
  '1.2.3',
  'https://example.com/zx',
  '测试一号',
  'Test one',
];

/** Asked like a picker: a picture that is uploaded. */
export const PICTURE = '$picture';

/** Choices of a picker, asked as the form asks them; `within` holds the id the form narrows them to. */
export type AskChoices = (target: string, within?: string) => Promise<readonly string[]>;

/**
 * A value a field accepts, different for every `turn`; undefined when none is found, which a resource with odd fields mends by
 * naming a sample in its oracle.
 */
export async function sampleValue(field: Field, turn: number, ask: AskChoices): Promise<unknown> {
  for (const value of await candidates(field, turn, ask)) if (!inputProblem(field, value)) return value;
  return undefined;
}

/** No value is found for a required field, perhaps because nothing lies within what was chosen before it. */
export class NoSample extends Error {}

/** The body of a new row: every field of the form that a value is found for. Throws NoSample for a required one without. */
export async function sampleBody(
  resource: Resource,
  turn: number,
  ask: AskChoices,
  given: Readonly<Record<string, unknown>> = {},
): Promise<Record<string, unknown>> {
  const extra = resource.actions?.create?.input ?? {};
  const fields = { ...resource.fields, ...extra };
  const body: Record<string, unknown> = {};
  for (const name of [...formFieldNames(resource, 'create'), ...Object.keys(extra)]) {
    const field = fields[name]!;
    const within =
      field.within && typeof body[field.within] === 'string' ? (body[field.within] as string) : undefined;
    const value =
      name in given
        ? given[name]
        : await sampleValue(field, turn, (target) =>
            ask(target, target === field.target ? within : undefined),
          );
    if (value !== undefined) body[name] = value;
    else if (field.required) throw new NoSample(`${resource.name}.${name}: no sample value fits`);
  }
  return body;
}

async function candidates(field: Field, turn: number, ask: AskChoices): Promise<unknown[]> {
  switch (field.kind) {
    case 'text':
    case 'longText':
    case 'code':
    case 'personName':
      return TEXTS.flatMap((text) => {
        const tail = String(turn);
        return [`${text}${tail}`, `${text.slice(0, -tail.length)}${tail}`, text];
      });
    case 'richText':
      return [`<p>文字 ${turn}</p>`];
    case 'money':
      return [`${1 + turn}.00`, '1.00', '100.00'];
    case 'integer':
      return [field.min ?? 1, 1, field.max ?? 1];
    case 'decimal':
    case 'percent':
      return ['1', String(field.min ?? 1), String(field.max ?? 1)];
    case 'boolean':
      return [turn % 2 === 0];
    case 'choice':
      // What the form starts with is the ordinary case.
      return [...(field.initial === undefined ? [] : [field.initial]), ...Object.keys(field.choices ?? {})];
    case 'date':
      return ['2027-03-01'];
    case 'instant':
      return ['2027-03-01T08:00:00+08:00'];
    case 'dateRange':
      return [['2027-03-01', '2027-03-31']];
    case 'ref':
    case 'treeRef':
      return [...(await ask(field.target!))];
    case 'refs':
      return [(await ask(field.target!)).slice(0, 1)];
    case 'image':
      return [...(await ask(PICTURE))];
    case 'images':
      return [await ask(PICTURE)];
    case 'phone':
      return [`138${String(10_000_000 + turn)}`];
    case 'idNumber':
      return ['11010519491231002X'];
    case 'email':
      return [`sample${turn}@example.com`];
    case 'tags':
      return [
        field.choices
          ? [Object.keys(field.choices)[turn % Object.keys(field.choices).length]!]
          : [`标签${turn}`],
      ];
    case 'lines': {
      const row: Record<string, unknown> = {};
      for (const [name, one] of Object.entries(field.lines ?? {})) {
        if (one.readOnly) continue;
        // Amounts inside a row need not differ from those of other rows, and small ones keep below any limit.
        const value = await sampleValue(one, one.kind === 'money' ? 0 : turn, ask);
        if (value !== undefined) row[name] = value;
      }
      return [[row], []];
    }
    default:
      return [];
  }
}
