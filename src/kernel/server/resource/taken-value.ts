import { fill, type Label } from '../../contract/label.ts';
import { fieldsOf, type Resource } from '../../contract/resource.ts';
import { run, type Db } from '../database.ts';
import { invalid, ruleBroken, type Refusal } from '../http/errors.ts';
import type { Binding } from './binding.ts';
import { snakeCase } from './list-query.ts';
import { columnOfField, REQUIRED } from './field-columns.ts';

/** Columns by the name of a unique index or constraint, asked once. */
const known = new Map<string, Promise<readonly string[]>>();

/**
 * The refusal for a value that another row has, told by the database's own unique index or exclusion: also right in a race. `data.fields` names
 * the fields. The same for a field that was emptied and may not be. Undefined when the error is another one, or belongs to no field.
 */
export async function takenValue(
  db: Db,
  resource: Resource,
  binding: Binding,
  error: unknown,
): Promise<Refusal | undefined> {
  const { code, constraint, schema, table, column } = error as Record<string, string | undefined>;
  if (code === '23502' && table === binding.table) return leftEmpty(resource, binding, column);
  if ((code !== '23505' && code !== '23P01') || !constraint) return undefined;
  // What overlaps can only be said in words of its own.
  if (code === '23P01' && !binding.unique?.[constraint]) return undefined;
  const columns = new Set(await columnsOf(db, schema ?? 'public', constraint));
  const fields = Object.entries(fieldsOf(resource)).filter(([name]) =>
    [binding.writes?.[name], snakeCase(name), `${snakeCase(name)}_id`].some(
      (column) => typeof column === 'string' && columns.has(column),
    ),
  );
  const own = binding.unique?.[constraint];
  // References only say within what a value is unique: the typed ones are what has to change.
  const typed = fields.filter(([, field]) => field.kind !== 'ref' && field.kind !== 'treeRef');
  const named = typed.length > 0 ? typed : fields;
  if (!own && named.length === 0) return undefined;
  const label = own ?? takenText(named.map(([, field]) => field.label));
  return ruleBroken(label, { fields: Object.fromEntries(named.map(([name]) => [name, label])) });
}

/** The refusal of a field that was emptied though its column holds something always. */
function leftEmpty(resource: Resource, binding: Binding, column: string | undefined): Refusal | undefined {
  const name = Object.keys(resource.fields).find(
    (one) => column !== undefined && columnOfField(resource.fields, binding, one) === column,
  );
  return name === undefined || resource.fields[name]!.readOnly ? undefined : invalid({ [name]: REQUIRED });
}

function takenText(labels: readonly Label[]): Label {
  const zh = labels.map((label) => label[0]).join('、');
  const en = labels.map((label) => label[1]).join(', ');
  return fill(['{zh}已存在', '{en} exists'], { zh, en });
}

function columnsOf(db: Db, schema: string, index: string): Promise<readonly string[]> {
  const key = `${schema}.${index}`;
  let found = known.get(key);
  if (!found) {
    found = run<{ definition: string }>(
      db,
      'SELECT pg_get_indexdef(i.indexrelid) AS definition FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2',
      [schema, index],
    ).then((rows) => {
      // Expressions such as lower(code) name their column too; the condition of a partial index does not count.
      const definition = (rows[0]?.definition ?? '').replace(/\sWHERE\s.*$/s, '');
      return definition.slice(definition.indexOf('(')).match(/[a-z_][a-z0-9_]*/g) ?? [];
    });
    known.set(key, found);
    found.catch(() => known.delete(key));
  }
  return found;
}
