import { z } from 'zod';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { run } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { nameOrder } from '../../../kernel/server/resource/name-order.ts';
import { hotline } from './hotline.contract.ts';

const listed = (text: string, separator: string) =>
  `(SELECT string_agg(${text}, '${separator}' ORDER BY n.ord) FROM jsonb_array_elements(t.numbers) WITH ORDINALITY AS n (one, ord))`;

const bound = bindResource(hotline, {
  table: 'hotline',
  joins: { project: 'project' },
  columns: {
    phones: listed(`(n.one->>'name') || ' ' || (n.one->>'phone')`, '；'),
    hours: `(SELECT string_agg(DISTINCT n->>'hours', '；') FROM jsonb_array_elements(t.numbers) AS n WHERE coalesce(n->>'hours', '') <> '')`,
  },
  scope: residentScope('t.project_id', 't.created_by'),
  search: 't.search',
  writes: { numbers: false },
  before: [
    async ({ input, columns }) => {
      if (!input.numbers) return;
      columns.numbers = JSON.stringify(
        (input.numbers as readonly Record<string, unknown>[]).map(({ name, phone, hours }) => ({
          name,
          phone,
          hours: hours ?? '',
        })),
      );
    },
  ],
  unique: { hotline_project: ['该项目已有服务热线', 'The project has a hotline already'] },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/bizServiceHotline/getProjectListPC',
      title: ['项目与服务热线', 'Projects and whether they have a hotline'],
      access: { code: hotline.menu },
      query: z.strictObject({
        searchVal: z.string().trim().max(60).default(''),
        hasHotline: z.enum(['0', '1']).optional(),
      }),
      handle: async ({ caller, platform, query }) => {
        const parameters = new Parameters();
        const parts = [scopeCondition(caller, hotline.menu, residentScope('p.id'), parameters)];
        const has = 'EXISTS (SELECT FROM hotline h WHERE h.project_id = p.id)';
        if (query.searchVal) parts.push(`p.name ILIKE ${parameters.bind(containing(query.searchVal))}`);
        if (query.hasHotline) parts.push(query.hasHotline === '1' ? has : `NOT ${has}`);
        const rows = await run<{ id: number; name: string; has: boolean }>(
          platform.database.db,
          `SELECT p.id, p.name, ${has} AS has FROM project p WHERE ${parts.join(' AND ')} ORDER BY ${nameOrder('p.name')}, p.id`,
          parameters.values,
        );
        return rows.map((row) => ({
          id: String(row.id),
          projectName: row.name,
          hasHotline: row.has ? 1 : 0,
        }));
      },
    }),
  ],
});

/** Service numbers of the projects. */
export const registration = bound.registration;
