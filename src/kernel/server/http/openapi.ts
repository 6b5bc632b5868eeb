import { z } from 'zod';
import { textOf, type Language } from '../../contract/label.ts';
import { holds, type Caller } from '../people/caller.ts';
import { mayCall } from './mount.ts';
import { endpoint, type Endpoint } from '../registration.ts';

/** `GET /api/docs/json`: OpenAPI 3.1 of exactly what the caller may call; `GET /api/docs`: the same as a readable page. */
export function openApiEndpoints(endpoints: readonly Endpoint[]): Endpoint[] {
  const readable = (caller: Caller) => [...endpoints, ...own].filter((one) => mayRead(one, caller));
  const own: Endpoint[] = [
    endpoint({
      method: 'GET',
      path: '/docs/json',
      title: ['接口说明', 'API description'],
      access: 'staff',
      rawReply: true,
      handle: async (call) =>
        call.reply.send(describe(readable(call.caller), call.facts.language, call.platform.config.build)),
    }),
    endpoint({
      method: 'GET',
      path: '/docs',
      title: ['接口说明', 'API description'],
      access: 'staff',
      rawReply: true,
      handle: async (call) =>
        call.reply.type('text/html; charset=utf-8').send(page(readable(call.caller), call.facts.language)),
    }),
  ];
  return own;
}

/** Endpoints as an OpenAPI 3.1 document. */
export function describe(endpoints: readonly Endpoint[], language: Language, build: string): unknown {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const one of endpoints)
    (paths[describedPath(one)] ??= {})[one.method.toLowerCase()] = describeCall(one, language);
  return {
    openapi: '3.1.0',
    info: { title: textOf(['社区零售系统接口', 'Community retail system API'], language), version: build },
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      responses: {
        refused: {
          description: 'Refused',
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: { status: { type: 'integer' }, message: { type: 'string' }, data: {} },
              },
            },
          },
        },
      },
    },
  };
}

/** Path of a call as descriptions write it: `/api/admin/station/{id}`. */
export function describedPath(one: Pick<Endpoint, 'path'>): string {
  return `/api${one.path.replace(/:(\w+)/g, '{$1}')}`;
}

/** True when a description for this caller names the call: what it may call, and what is meant for programs to who keeps the list. */
export function mayRead(one: Endpoint, caller: Caller): boolean {
  return (
    mayCall(one, caller) ||
    (typeof one.access === 'object' && 'program' in one.access && !caller.program && holds(caller, API_MENU))
  );
}

/** Menu of the list of calls. */
const API_MENU = 'apiManager';

// Made once per call and language: schemas of a thousand calls are no work for every question.
const known = new WeakMap<Endpoint, Partial<Record<Language, unknown>>>();

/** One call as OpenAPI describes it. */
export function describeCall(one: Endpoint, language: Language): unknown {
  let kept = known.get(one);
  if (!kept) known.set(one, (kept = {}));
  return (kept[language] ??= operation(one, language));
}

function operation(one: Endpoint, language: Language): unknown {
  const path = describedPath(one);
  const parameters: unknown[] = [...path.matchAll(/\{(\w+)\}/g)].map((match) => ({
    name: match[1],
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const query = (one.query ? schemaOf(one.query) : one.described?.query) as
    { properties?: Record<string, unknown>; required?: string[] } | undefined;
  for (const [name, schema] of Object.entries(query?.properties ?? {}))
    parameters.push({ name, in: 'query', required: query?.required?.includes(name) ?? false, schema });
  const body = one.body ? schemaOf(one.body) : one.described?.body;
  return {
    summary: textOf(one.title, language),
    operationId: `${one.method.toLowerCase()}${path.replace(/[^A-Za-z0-9]+(.)?/g, (_all, letter: string | undefined) => (letter ?? '').toUpperCase())}`,
    parameters,
    ...(one.method === 'GET' || (one.method === 'DELETE' && !body)
      ? {}
      : { requestBody: { content: { 'application/json': { schema: body ?? { type: 'object' } } } } }),
    responses: {
      200: {
        description: 'OK',
        content: {
          'application/json': {
            schema: one.rawReply
              ? {}
              : {
                  type: 'object',
                  required: ['status', 'message', 'data'],
                  properties: {
                    status: { const: 200 },
                    message: { type: 'string' },
                    data: one.answer ?? {},
                  },
                },
          },
        },
      },
      default: { $ref: '#/components/responses/refused' },
    },
    security: one.access === 'public' ? [] : [{ token: [] }],
  };
}

function schemaOf(schema: z.ZodType): unknown {
  const { $schema: _schema, ...rest } = z.toJSONSchema(schema, {
    unrepresentable: 'any',
    io: 'input',
  }) as Record<string, unknown>;
  return rest;
}

function page(endpoints: readonly Endpoint[], language: Language): string {
  const rows = [...endpoints]
    .sort((a, b) => a.path.localeCompare(b.path))
    .map(
      (one) =>
        `<tr><td>${one.method}</td><td><code>/api${escape(one.path)}</code></td><td>${escape(textOf(one.title, language))}</td></tr>`,
    );
  const title = escape(textOf(['接口说明', 'API description'], language));
  return `<!doctype html><html lang="${language === 'zh' ? 'zh-CN' : 'en'}"><meta charset="utf-8"><title>${title}</title><body><h1>${title}</h1><table>${rows.join('')}</table></body></html>`;
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
