import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { holds, type Caller } from '../../../kernel/server/people/caller.ts';
import { transaction, type Tx } from '../../../kernel/server/database.ts';
import { forbidden, invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { defineRegistration, endpoint, type Call } from '../../../kernel/server/registration.ts';
import * as store from './saved-view-store.server.ts';

/** Views a staff may keep for one menu. Source: 00-frame, saved views. */
export const VIEWS_A_MENU = 30;

const name = z
  .string()
  .trim()
  .min(1)
  .refine((text) => Array.from(text).length <= 30);
const id = z.string().regex(/^\d{1,15}$/);
const content = {
  name,
  // A filter field has a short name and a short text; the server of the list checks what they mean.
  filters: z
    .record(z.string().max(60), z.string().max(2_000))
    .refine((value) => Object.keys(value).length <= 60)
    .default({}),
  columns: z
    .array(
      z.strictObject({
        name: z.string().max(60),
        hidden: z.boolean().optional(),
        width: z.number().min(0).max(2_000).optional(),
        pin: z.union([z.boolean(), z.enum(['left', 'right'])]).optional(),
      }),
    )
    .max(200)
    .nullable()
    .default(null),
  sort: z.string().max(61).nullable().default(null),
  pageSize: z.number().int().min(1).max(200).nullable().default(null),
  shared: z.boolean().default(false),
  groupId: id.nullable().default(null),
  isDefault: z.boolean().default(false),
  isGroupDefault: z.boolean().default(false),
};
const createBody = z.strictObject({ menu: z.string().min(1).max(60), ...content });
// The page sends a view back as it got it; what cannot change is accepted and left alone.
const updateBody = z.strictObject({
  menu: z.string().max(60).optional(),
  shareKey: z.string().max(60).nullable().optional(),
  version: z.number().int(),
  ...content,
});
type Content = Omit<z.infer<typeof createBody>, 'menu'>;

/** Saved views of lists: own ones, those shared with a group of the caller, and one by its share link. */
export const registration = defineRegistration({
  options: [
    {
      // Groups a view may be handed to; the wider picker of the group screens is `permissionGroup`.
      target: 'group',
      find: ({ caller, platform }, query) => store.groupsToShareWith(platform.database.db, caller, query),
    },
  ],
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/admin/savedView',
      title: ['我的视图', 'Saved views'],
      access: 'staff',
      query: z.strictObject({
        menu: z.string().min(1).max(60).optional(),
        key: z.string().max(60).optional(),
      }),
      handle: async (call) => {
        const { menu, key } = call.query;
        if (menu !== undefined && !holds(call.caller, menu)) throw forbidden();
        const { db } = call.platform.database;
        const rows =
          menu === undefined
            ? await store.ownViews(db, call.caller)
            : await store.visibleViews(db, call.caller, menu, key);
        return rows.map((row) => store.wireOf(row, call.caller.staffId, key));
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/savedView/shared/:key',
      title: ['打开分享的视图', 'Open a shared view'],
      access: 'staff',
      handle: async (call) => {
        const row = await store.sharedView(call.platform.database.db, call.caller, call.params.key ?? '');
        // Without the menu the view says nothing, so it does not exist.
        if (!row || !holds(call.caller, row.menu)) throw notFound();
        return store.wireOf(row, call.caller.staffId);
      },
    }),
    endpoint({
      method: 'POST',
      path: '/admin/savedView',
      title: ['保存视图', 'Save a view'],
      access: 'staff',
      body: createBody,
      handle: create,
    }),
    endpoint({
      method: 'PUT',
      path: '/admin/savedView/:id',
      title: ['修改视图', 'Change a view'],
      access: 'staff',
      body: updateBody,
      handle: update,
    }),
    endpoint({
      method: 'DELETE',
      path: '/admin/savedView/:id',
      title: ['删除视图', 'Delete a view'],
      access: 'staff',
      query: z.strictObject({ version: z.coerce.number().int().optional() }),
      handle: remove,
    }),
  ],
});

async function create(call: Call<unknown, z.infer<typeof createBody>>): Promise<unknown> {
  const { caller, body } = call;
  if (!holds(caller, body.menu)) throw forbidden();
  return transaction(call.platform.database.db, async (tx) => {
    await store.lockViews(tx, caller.staffId, body.menu);
    if ((await store.countViews(tx, caller.staffId, body.menu)) >= VIEWS_A_MENU)
      throw ruleBroken([`每个页面最多保存${VIEWS_A_MENU}个视图`, `At most ${VIEWS_A_MENU} views a screen`]);
    await check(tx, caller, body.menu, body, undefined);
    const created = await store.insertView(tx, caller.staffId, body.menu, body);
    const row = (await store.viewById(tx, caller, created))!;
    await audit(call, tx, 'create', row.menu, created, undefined, body);
    return store.wireOf(row, caller.staffId);
  });
}

async function update(call: Call<unknown, z.infer<typeof updateBody>>): Promise<unknown> {
  const { caller } = call;
  const { version, menu: _menu, shareKey: _shareKey, ...body } = call.body;
  return transaction(call.platform.database.db, async (tx) => {
    const before = await ownView(tx, caller, call.params.id);
    await store.lockViews(tx, caller.staffId, before.menu);
    if (before.version !== version)
      throw ruleBroken(['视图已被修改，请刷新', 'The view was changed meanwhile, please refresh'], {
        current: store.wireOf(before, caller.staffId),
      });
    await check(tx, caller, before.menu, body, before);
    await store.updateView(tx, before.id, caller.staffId, before.menu, body);
    const row = (await store.viewById(tx, caller, before.id))!;
    await audit(
      call,
      tx,
      'update',
      row.menu,
      row.id,
      store.wireOf(before, caller.staffId),
      store.wireOf(row, caller.staffId),
    );
    return store.wireOf(row, caller.staffId);
  });
}

/** The owner deletes its view; who may share with its group takes it away from there and leaves it to the owner. */
async function remove(call: Call<{ version?: number | undefined }>): Promise<boolean> {
  const { caller } = call;
  return transaction(call.platform.database.db, async (tx) => {
    const before = await viewOf(tx, caller, call.params.id);
    const own = before?.owner_id === caller.staffId;
    const leads = before?.in_group && before.may_share && holds(caller, before.menu);
    if (!before || !(own || leads)) throw notFound();
    const { version } = call.query;
    if (version !== undefined && version !== before.version)
      throw ruleBroken(['视图已被修改，请刷新', 'The view was changed meanwhile, please refresh']);
    await (own ? store.deleteView : store.withdrawView)(tx, before.id);
    await audit(
      call,
      tx,
      own ? 'remove' : 'withdraw',
      before.menu,
      before.id,
      store.wireOf(before, caller.staffId),
      undefined,
    );
    return true;
  });
}

async function viewOf(
  tx: Tx,
  caller: Caller,
  idText: string | undefined,
): Promise<store.ViewRow | undefined> {
  return /^\d{1,15}$/.test(idText ?? '') ? store.viewById(tx, caller, Number(idText), true) : undefined;
}

async function ownView(tx: Tx, caller: Caller, idText: string | undefined): Promise<store.ViewRow> {
  const row = await viewOf(tx, caller, idText);
  // Views others share are looked at, never changed; those one cannot see do not exist.
  if (row?.owner_id !== caller.staffId) throw notFound();
  return row;
}

/**
 * Name once per menu and owner; a group's default only together with the group. What members see is changed only by who
 * leads the group or manages groups at that moment, and holds the menu; taking a view back is always free.
 */
async function check(
  tx: Tx,
  caller: Caller,
  menu: string,
  body: Content,
  before: store.ViewRow | undefined,
): Promise<void> {
  if (await store.isNameTaken(tx, caller.staffId, menu, body.name, before?.id))
    throw invalid({ name: ['已有同名视图', 'A view of this name exists already'] });
  if (body.isGroupDefault && body.groupId === null)
    throw invalid({ isGroupDefault: ['请先分享给角色', 'Share it with a group first'] });
  if (body.groupId === null) return;
  if (before && isDeepStrictEqual(store.seenByGroup(body), store.storedForGroup(before))) return;
  if (!holds(caller, menu) || !(await store.mayShareWith(tx, caller, Number(body.groupId))))
    throw forbidden(NOT_SHARING);
}

async function audit(
  call: Pick<Call, 'caller' | 'facts'>,
  tx: Tx,
  action: string,
  menu: string,
  entityId: number,
  before: unknown,
  after: unknown,
): Promise<void> {
  await writeAudit(tx, {
    caller: call.caller,
    facts: call.facts,
    menu,
    action,
    entity: 'savedView',
    entityId,
    before,
    after,
  });
}

const NOT_SHARING: Label = ['只有角色负责人可以分享给该角色', 'Only who leads the group can share with it'];
