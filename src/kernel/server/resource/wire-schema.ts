import type { Field, Fields } from '../../contract/fields.ts';
import { fieldsOf, formFieldNames, type ActionSpec, type Resource } from '../../contract/resource.ts';

/** JSON Schemas of what a resource answers and takes, for the API description: made from its contract alone. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const REF = {
  type: ['object', 'null'],
  required: ['id', 'title'],
  properties: { id: { type: 'string' }, title: { type: 'string' }, titleEn: { type: 'string' } },
} as const;
const FILE = {
  type: ['object', 'null'],
  properties: {
    id: { type: 'string' },
    name: { type: 'string' },
    url: { type: 'string' },
    type: { type: 'string' },
    size: { type: 'integer' },
  },
} as const;
const listOf = (items: JsonSchema) => ({ type: ['array', 'null'], items });

/** A value as it is read. */
export function readSchema(field: Field): JsonSchema {
  const described = { title: field.label[1] };
  switch (field.kind) {
    case 'integer':
      return { ...described, type: ['integer', 'null'] };
    case 'boolean':
      return { ...described, type: ['boolean', 'null'] };
    case 'instant':
      return { ...described, type: ['string', 'null'], format: 'date-time' };
    case 'date':
      return { ...described, type: ['string', 'null'], format: 'date' };
    case 'ref':
    case 'treeRef':
      return { ...described, ...REF };
    case 'refs':
      return { ...described, ...listOf(REF) };
    case 'image':
    case 'file':
      return { ...described, ...FILE };
    case 'images':
    case 'files':
      return { ...described, ...listOf(FILE) };
    case 'tags':
    case 'dateRange':
      return { ...described, ...listOf({ type: 'string' }) };
    case 'lines':
      return { ...described, ...listOf({ type: 'object', properties: readProperties(field.lines ?? {}) }) };
    case 'json':
      return described;
    default:
      return { ...described, type: ['string', 'null'] };
  }
}

/** A value as it is written. */
export function writeSchema(field: Field): JsonSchema {
  const described = { title: field.label[1] };
  const bounds = {
    ...(field.min === undefined ? {} : { minimum: field.min }),
    ...(field.max === undefined ? {} : { maximum: field.max }),
  };
  switch (field.kind) {
    case 'integer':
      return { ...described, type: 'integer', ...bounds };
    case 'boolean':
      return { ...described, type: 'boolean' };
    case 'choice':
      return { ...described, enum: Object.keys(field.choices ?? {}) };
    case 'instant':
      return { ...described, type: 'string', format: 'date-time' };
    case 'date':
      return { ...described, type: 'string', format: 'date' };
    case 'ref':
    case 'treeRef':
      return { ...described, type: 'string', description: `id of ${field.target ?? ''}` };
    case 'refs':
    case 'tags':
    case 'dateRange':
    case 'images':
    case 'files':
      return { ...described, type: 'array', items: { type: 'string' } };
    case 'lines':
      return {
        ...described,
        type: 'array',
        items: { type: 'object', properties: writeProperties(field.lines ?? {}) },
      };
    case 'json':
      return described;
    default:
      return {
        ...described,
        type: 'string',
        ...(isMeasured(field) && field.max !== undefined ? { maxLength: field.max } : {}),
        ...(field.secret ? { writeOnly: true } : {}),
      };
  }
}

/** One row as lists and details show it; details add parts of their own. */
export function rowSchema(resource: Resource): JsonSchema {
  return {
    type: 'object',
    required: ['id', 'version', 'actions'],
    properties: {
      id: { type: 'string' },
      version: { type: ['integer', 'null'] },
      actions: { type: 'array', items: { type: 'string' } },
      ...readProperties(fieldsOf(resource)),
    },
  };
}

/** A page of rows. */
export function pageSchema(resource: Resource): JsonSchema {
  return {
    type: 'object',
    required: ['total', 'rows'],
    properties: {
      total: { type: 'integer' },
      totalCapped: { type: 'boolean' },
      rows: { type: 'array', items: rowSchema(resource) },
      nextCursor: { type: 'string' },
    },
  };
}

/** What list and export take as filters. */
export function listQuerySchema(resource: Resource): JsonSchema {
  const filters = Object.entries(fieldsOf(resource)).filter(([, field]) => field.search !== undefined);
  return {
    type: 'object',
    properties: {
      page: { type: 'integer', minimum: 1 },
      limit: { type: 'integer', minimum: 1, maximum: 200 },
      sort: { type: 'string' },
      searchVal: { type: 'string' },
      ...(resource.list.tabs ? { tab: { enum: resource.list.tabs.map((tab) => tab.key) } } : {}),
      ...Object.fromEntries(
        filters.map(([name, field]) => [name, { type: 'string', title: field.label[1] }]),
      ),
    },
  };
}

/** What an action takes. */
export function inputSchema(resource: Resource, name: string, spec: ActionSpec): JsonSchema {
  const isWrite = name === 'create' || name === 'update';
  const fields: Fields = isWrite
    ? Object.fromEntries([
        ...formFieldNames(resource, name).map((one) => [one, resource.fields[one]!] as const),
        ...Object.entries(spec.input ?? {}),
      ])
    : (spec.input ?? {});
  const required = Object.entries(fields).flatMap(([one, field]) =>
    field.required && name !== 'update' ? [one] : [],
  );
  return {
    type: 'object',
    ...(name === 'update' ? { required: ['version'] } : required.length > 0 ? { required } : {}),
    properties: {
      ...(name === 'create' || spec.on === 'page' ? {} : { version: { type: 'integer' } }),
      ...writeProperties(fields),
    },
    additionalProperties: false,
  };
}

const isMeasured = (field: Field) => ['text', 'longText', 'code', 'richText'].includes(field.kind);

function readProperties(fields: Fields): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => (field.secret ? [] : [[name, readSchema(field)]])),
  );
}

function writeProperties(fields: Fields): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => (field.readOnly ? [] : [[name, writeSchema(field)]])),
  );
}
