import { z } from 'zod';
import { dictionaryValue, dictionaryOptions } from '../../../domain/dictionary/dictionary.server.ts';
import { run, transaction } from '../../../kernel/server/database.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { picturesOf } from '../picture-columns.server.ts';
import { assistantFunction } from './assistant-function.contract.ts';
import {
  APP_SCOPE,
  assistantModules,
  bothNames,
  checkEntryPictures,
  countEntry,
  ENTRY_SCOPE,
  forgetTold,
  inLanguage,
  metricOf,
  pinHandlers,
  pinSets,
  pinRules,
  sortEndpoint,
} from './assistant-entries.server.ts';

const ROOT = '/jinmao/web/assistantFunction';

const bound: BoundResource = bindResource(assistantFunction, {
  table: 'assistant_function',
  joins: { functionPoint: dictionaryValue },
  links: {
    links: {
      table: 'assistant_function_link',
      own: 'function_id',
      other: 'jump_link_id',
      to: 'jump_link',
    },
    modules: {
      table: 'assistant_function_module',
      own: 'function_id',
      other: 'app_module_id',
      to: 'app_module',
    },
  },
  columns: {
    images: picturesOf('t.image_ids'),
    functionPointText: bothNames('r_function_point'),
    pinned: '(t.pin_place IS NOT NULL)',
    hits: metricOf('function', 'coalesce(sum(m.hits), 0)::int'),
  },
  writes: { images: 'image_ids' },
  words: { functionPointText: inLanguage },
  scope: ENTRY_SCOPE,
  search: 'lower(t.code || t.content)',
  ruleReads: ['pinned'],
  rowRules: pinRules,
  before: [checkEntryPictures],
  sets: pinSets,
  handlers: pinHandlers('assistant_function'),
  endpoints: [
    sortEndpoint(ROOT, assistantFunction.menu, () => bound),
    endpoint({
      method: 'GET',
      path: `${ROOT}/app/list`,
      title: ['App 智能客服功能点', 'Functions of the assistant in the app'],
      access: { program: APP_SCOPE },
      query: z.strictObject({}),
      handle: async ({ platform }) => {
        const rows = await run<{
          id: number;
          code: string;
          point: string;
          name: string;
          name_en: string;
          content: string;
          image_ids: string[];
          pinned: boolean;
          view_sort: number;
          links: { code: string; name: string }[];
          modules: { code: string; name: string }[];
        }>(
          platform.database.db,
          `SELECT t.id, t.code, v.value AS point, v.name, v.name_en, t.content, t.image_ids, t.pin_place IS NOT NULL AS pinned, t.view_sort,
                  (SELECT coalesce(jsonb_agg(jsonb_build_object('code', l.code, 'name', l.name) ORDER BY l.code), '[]') FROM assistant_function_link x JOIN jump_link l ON l.id = x.jump_link_id AND l.enabled WHERE x.function_id = t.id) AS links,
                  (SELECT coalesce(jsonb_agg(jsonb_build_object('code', a.code, 'name', a.name) ORDER BY a.position, a.id), '[]') FROM assistant_function_module x JOIN app_module a ON a.id = x.app_module_id AND a.enabled WHERE x.function_id = t.id) AS modules
             FROM assistant_function t JOIN dictionary_value v ON v.id = t.function_point_id WHERE t.state = 'published' ORDER BY t.view_sort, t.id`,
        );
        return rows.map((row) => ({
          id: String(row.id),
          code: row.code,
          functionPoint: row.point,
          name: row.name,
          nameEn: row.name_en,
          content: row.content,
          images: row.image_ids.map((id) => `/api/file/${id}`),
          pinned: row.pinned ? 1 : 0,
          viewSort: row.view_sort,
          links: row.links,
          modules: row.modules,
        }));
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/app/event`,
      title: ['智能客服点击与评价', 'What members do with the assistant'],
      access: { program: APP_SCOPE },
      body: z.strictObject({
        eventId: z.string().min(1).max(64),
        kind: z.enum(['function', 'question']),
        id: z.string().regex(/^\d{1,15}$/),
        type: z.enum(['hit', 'helpful', 'unhelpful']),
      }),
      handle: async ({ platform, body }) => {
        const counted = await transaction(platform.database.db, (tx) =>
          countEntry(tx, {
            eventId: body.eventId,
            kind: body.kind,
            id: Number(body.id),
            what: body.type === 'hit' ? 'hits' : body.type,
          }),
        );
        return { accepted: counted, duplicate: !counted };
      },
    }),
  ],
  also: {
    options: [
      assistantModules,
      dictionaryOptions({ catalogue: 'platform', dictionary: 'function_point' }),
      dictionaryOptions({ catalogue: 'platform', dictionary: 'question_class' }),
    ],
    jobs: [
      {
        name: 'assistant.forget_told',
        title: ['清理智能客服计数去重记录', 'Marks of counted events of the assistant go'],
        cron: '55 19 * * *',
        run: (_payload, platform) => forgetTold(platform.database.db),
      },
    ],
  },
});

/** Functions of the assistant. */
export const registration = bound.registration;
