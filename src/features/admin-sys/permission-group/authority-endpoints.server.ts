import { z } from 'zod';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { transaction } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { endpoint, type Endpoint } from '../../../kernel/server/registration.ts';
import {
  checkGrants,
  grantsOfHistory,
  offeredCodes,
  onlyOffered,
  READ_ONLY,
  saveGrants,
} from './authority-commands.server.ts';
import { authorityOf, previewOf, wireGrants } from './authority-view.server.ts';
import { DATA_SCOPES, type DataScope, type Grants } from './grant-diff.rules.ts';
import { keepBaseline } from './grant-history.server.ts';
import { grantsOf } from './grant-rules.server.ts';
import { anyOf, groupFor, isPlatformAdmins } from './group-access.server.ts';
import { historyOf, stateOf } from './history-view.server.ts';

const wanted = {
  menus: z
    .array(
      z.strictObject({
        code: z.string().max(60),
        dataScope: z.enum(DATA_SCOPES as readonly [DataScope, ...DataScope[]]).default('all'),
        departmentIds: z
          .array(z.union([z.string().regex(/^\d{1,15}$/), z.number().int().positive()]).transform(Number))
          .max(500)
          .default([]),
      }),
    )
    .max(1000),
  elements: z.array(z.string().max(120)).max(4000),
  inherit: z.boolean().optional(),
};
const reason = z.string().max(200).default('');

/** Endpoints of the grants dialog and of the history, below `/{root}/:id`. */
export function authorityEndpoints(root: string): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: `${root}/:id/authority`,
      title: ['权限分配', 'Grants of a group'],
      access: anyOf('btn_resourceManager'),
      handle: async ({ platform, caller, params }) =>
        authorityOf(
          platform,
          caller,
          await groupFor(platform.database.db, caller, idOf(params.id), 'btn_resourceManager'),
        ),
    }),
    endpoint({
      method: 'GET',
      path: `${root}/:id/grants`,
      title: ['角色权限', 'Grants to copy'],
      access: anyOf('btn_resourceManager'),
      handle: async ({ platform, caller, params }) => {
        const { db } = platform.database;
        const group = await groupFor(db, caller, idOf(params.id), 'btn_resourceManager');
        return wireGrants(onlyOffered(await grantsOf(db, group.id), await offeredCodes(db)));
      },
    }),
    endpoint({
      method: 'POST',
      path: `${root}/:id/authority/preview`,
      title: ['预览变更', 'Preview of grants'],
      access: anyOf('btn_resourceManager'),
      body: z.strictObject(wanted),
      handle: async ({ platform, caller, params, body }) => {
        const { db } = platform.database;
        const group = await groupFor(db, caller, idOf(params.id), 'btn_resourceManager');
        if (isPlatformAdmins(group)) throw ruleBroken(READ_ONLY);
        return previewOf(db, group, await checkGrants(db, { platform, caller }, group, body));
      },
    }),
    endpoint({
      method: 'PUT',
      path: `${root}/:id/authority`,
      title: ['保存权限', 'Save grants'],
      access: anyOf('btn_resourceManager'),
      body: z.strictObject({ version: z.number().int(), reason, ...wanted }),
      handle: async (call) => {
        const version = await transaction(call.platform.database.db, (tx) =>
          saveGrants(tx, call, idOf(call.params.id), call.body),
        );
        call.platform.changed('role');
        return { version };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${root}/:id/history`,
      title: ['权限历史', 'History of a group'],
      access: anyOf('btn_history'),
      query: z.strictObject({
        kind: z.enum(['grant', 'member', 'group']).optional(),
        page: z.coerce.number().int().min(1).max(10_000).default(1),
        limit: z.coerce.number().int().min(1).max(200).default(20),
      }),
      handle: async ({ platform, caller, params, query }) => {
        const group = await groupFor(platform.database.db, caller, idOf(params.id), 'btn_history');
        return historyOf(platform.database.db, group.id, { ...query, kind: query.kind });
      },
    }),
    endpoint({
      method: 'GET',
      path: `${root}/:id/history/at`,
      title: ['某时刻的权限', 'State at a time'],
      access: anyOf('btn_history'),
      query: z.strictObject({ at: z.string().max(40) }),
      handle: async ({ platform, caller, params, query }) => {
        const at = instantOf(query.at);
        const group = await groupFor(platform.database.db, caller, idOf(params.id), 'btn_history');
        return transaction(platform.database.db, async (tx) => {
          await keepBaseline(tx, [group.id]);
          return stateOf(tx, group.id, at);
        });
      },
    }),
    endpoint({
      method: 'POST',
      path: `${root}/:id/history/:historyId/restore/preview`,
      title: ['预览恢复', 'Preview of a restore'],
      access: anyOf('btn_history'),
      handle: async ({ platform, caller, params }) => {
        const { db } = platform.database;
        const group = await groupFor(db, caller, idOf(params.id), 'btn_history');
        if (isPlatformAdmins(group)) throw ruleBroken(READ_ONLY);
        const { grants, gone } = await grantsOfHistory(db, group.id, idOf(params.historyId));
        return {
          ...(await previewOf(db, group, await checkGrants(db, { platform, caller }, group, grants))),
          gone,
          reasonRequired: true,
        };
      },
    }),
    endpoint({
      method: 'POST',
      path: `${root}/:id/history/:historyId/restore`,
      title: ['恢复到此版本', 'Restore'],
      access: anyOf('btn_resourceManager'),
      body: z.strictObject({ version: z.number().int(), reason: z.string().max(200) }),
      handle: async (call) => {
        if (call.body.reason.trim().length < 2)
          throw invalid({ reason: ['此项必填', 'This field is required'] });
        const id = idOf(call.params.id);
        const historyId = idOf(call.params.historyId);
        const version = await transaction(call.platform.database.db, async (tx) => {
          await groupFor(tx, call.caller, id, 'btn_resourceManager', true);
          const { grants } = await grantsOfHistory(tx, id, historyId);
          const plain: Grants = grants;
          return saveGrants(tx, call, id, { ...plain, ...call.body, restores: historyId });
        });
        call.platform.changed('role');
        return { version };
      },
    }),
  ];
}

/** Reads an instant of a query; 422 for what is none and for the future. Returns whole milliseconds. */
export function instantOf(text: string): Date {
  const at = new Date(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T23:59:59.999+08:00` : text);
  if (Number.isNaN(at.getTime())) throw invalid({ at: ['时间不正确', 'The time is not valid'] });
  return at;
}

/** An instant on the wire, or null. */
export function wireInstant(milliseconds: number | null): string | null {
  return milliseconds === null ? null : isoInstant(new Date(milliseconds));
}
