import { z } from 'zod';
import { textOf, type Language } from '../../contract/label.ts';
import { mayCall } from './mount.ts';
import { endpoint, type Endpoint } from '../registration.ts';

/** `GET /api/docs/json`: OpenAPI 3.1 of exactly what the caller may call; `GET /api/docs`: the same as a readable page. */
export function openApiEndpoints(endpoints: readonly Endpoint[]): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/docs/json',
      title: ['接口说明', 'API description'],
      access: 'staff',
      rawReply: true,
      handle: async (call) =>
        call.reply.send(
          describe(
            endpoints.filter((one) => mayCall(one, call.caller)),
            call.facts.language,
            call.platform.config.build,
          ),
        ),
    }),
    endpoint({
      method: 'GET',
      path: '/docs',
      title: ['接口说明', 'API description'],
      access: 'staff',
      rawReply: true,
      handle: async (call) =>
        call.reply.type('text/html; charset=utf-8').send(
          page(
            endpoints.filter((one) => mayCall(one, call.caller)),
            call.facts.language,
          ),
        ),
    }),
  ];
}

function describe(endpoints: readonly Endpoint[], language: Language, build: string): unknown {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const one of endpoints) {
    const path = `/api${one.path.replace(/:(\w+)/g, '{$1}')}`;
    const parameters: unknown[] = [...path.matchAll(/\{(\w+)\}/g)].map((match) => ({
      name: match[1],
      in: 'path',
      required: true,
      schema: { type: 'string' },
    }));
    const query = one.query
      ? (schemaOf(one.query) as { properties?: Record<string, unknown>; required?: string[] })
      : undefined;
    for (const [name, schema] of Object.entries(query?.properties ?? {}))
      parameters.push({ name, in: 'query', required: query?.required?.includes(name) ?? false, schema });
    (paths[path] ??= {})[one.method.toLowerCase()] = {
      summary: textOf(one.title, language),
      operationId: `${one.method.toLowerCase()}${path.replace(/[^A-Za-z0-9]+(.)?/g, (_all, letter: string | undefined) => (letter ?? '').toUpperCase())}`,
      parameters,
      ...(one.method === 'GET' || one.method === 'DELETE'
        ? {}
        : {
            requestBody: {
              content: { 'application/json': { schema: one.body ? schemaOf(one.body) : { type: 'object' } } },
            },
          }),
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
        default: {
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
      security: one.access === 'public' ? [] : [{ token: [] }],
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: textOf(['社区零售系统接口', 'Community retail system API'], language), version: build },
    paths,
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
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
