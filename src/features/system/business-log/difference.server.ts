import { exportText } from '../../../kernel/server/resource/export-rows.ts';
import { optionTitles } from '../../../kernel/server/resource/option-titles.ts';
import { textOf, type Language } from '../../../kernel/contract/label.ts';
import type { Field, Fields } from '../../../kernel/contract/fields.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import type { Call } from '../../../kernel/server/registration.ts';
import { auditWords, type Entity } from './audit-words.server.ts';
import type { Difference } from './business-log.contract.ts';
import {
  isSecretName,
  STARS,
  undeclaredText,
  withoutPersonal,
} from '../../../kernel/server/http/log-value.rules.ts';

/** What a record says: as the database holds it. */
export interface RecordedRow {
  readonly entity: string;
  readonly action: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

/**
 * A record field by field, in words: labels, yuan, names as far as the caller may see them. Personal values are masked as their
 * field says, secrets and texts of no declared field are stars.
 */
export async function differencesOf(
  call: Pick<Call, 'caller' | 'platform' | 'facts'>,
  record: RecordedRow,
): Promise<Difference[]> {
  const { language } = call.facts;
  const words = auditWords(call.platform.registrations);
  const entity = words.entities.get(record.entity);
  const { input, ...after } = asObject(record.after);
  const before = asObject(record.before);
  const lines: Line[] = [];
  for (const column of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const read = readable(entity, column, before[column] ?? null, after[column] ?? null, call);
    if (!read || JSON.stringify(read.before) === JSON.stringify(read.after)) continue;
    const label = words.column(record.entity, column);
    lines.push({
      title: label ? textOf(label, language) : column,
      name: column,
      field: entity?.fieldOf(column),
      before: read.before,
      after: read.after,
      typed: false,
    });
  }
  // What an action was given stands as it was sent, in the form of the wire.
  const inputs: Fields = entity?.resource.actions?.[record.action]?.input ?? {};
  for (const [name, value] of Object.entries(asObject(input))) {
    if (name === 'version' || value === null || value === '') continue;
    const field = inputs[name];
    const label = field?.label ?? words.column(record.entity, name);
    lines.push({
      title: label ? textOf(label, language) : name,
      name,
      field,
      before: null,
      after: value,
      typed: true,
    });
  }
  const titles = await titlesOf(call, lines);
  return lines.map((line) => ({
    field: line.title,
    before: valueText(line, line.before, language, titles),
    after: valueText(line, line.after, language, titles),
  }));
}

interface Line {
  readonly title: string;
  readonly name: string;
  readonly field: Field | undefined;
  readonly before: unknown;
  readonly after: unknown;
  /** As it was typed: money in yuan, ids as text. */
  readonly typed: boolean;
}

const isRef = (field: Field | undefined) =>
  field?.kind === 'ref' || field?.kind === 'treeRef' || field?.kind === 'refs';

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

function readable(
  entity: Entity | undefined,
  column: string,
  before: unknown,
  after: unknown,
  call: Pick<Call, 'caller'>,
): { before: unknown; after: unknown } | undefined {
  if (!entity) return { before, after };
  return entity.read({ field: column, before, after }, call.caller);
}

async function titlesOf(
  call: Pick<Call, 'caller' | 'platform' | 'facts'>,
  lines: readonly Line[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = new Map<string, Set<string>>();
  for (const { field, before, after } of lines) {
    if (!isRef(field) || !field?.target) continue;
    const ids = wanted.get(field.target) ?? new Set<string>();
    for (const value of [before, after].flat())
      if (typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value)))
        ids.add(String(value));
    wanted.set(field.target, ids);
  }
  const titles = new Map<string, string>();
  for (const [target, ids] of wanted)
    for (const [id, title] of await optionTitles(call, target, ids)) titles.set(`${target}:${id}`, title);
  return titles;
}

function valueText(
  { name, field, typed }: Line,
  value: unknown,
  language: Language,
  titles: ReadonlyMap<string, string>,
): string {
  if (value === null || value === undefined || value === '') return '–';
  if (isSecretName(name)) return STARS;
  if (!field) return undeclaredText(name, value);
  if (field.mask) return maskValue(field.mask, String(value));
  if (isRef(field))
    return [value]
      .flat()
      .map((id) =>
        typeof id === 'object' ? STARS : (titles.get(`${field.target}:${String(id)}`) ?? `#${id}`),
      )
      .join('、');
  if (field.kind === 'lines' || field.kind === 'json') return linesText(field, value, language);
  if (typed && field.kind === 'money') return String(value);
  return withoutPersonal(exportText(field, value, language)).slice(0, 2_000);
}

/** Rows inside of a field: each value under the rule of its own field. */
function linesText(field: Field, value: unknown, language: Language): string {
  if (!Array.isArray(value) || !field.lines) return STARS;
  return value
    .map((row) =>
      Object.entries(asObject(row))
        .filter(([name]) => name !== 'id')
        .map(([name, one]) => {
          const inner = field.lines![name];
          return inner
            ? valueText(
                { name, field: inner, title: '', before: null, after: one, typed: true },
                one,
                language,
                new Map(),
              )
            : undeclaredText(name, one);
        })
        .join(', '),
    )
    .join('; ')
    .slice(0, 2_000);
}
