import { z } from 'zod';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, transaction, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { endpoint, type Endpoint, type OptionSource } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { checkPictures } from '../picture-columns.server.ts';
import { MOST_PINNED } from './assistant-entry.ts';
import { TODAY } from '../../../kernel/server/today.ts';

/** What the programs behind the owners' app hold. */
export const APP_SCOPE = 'member_event';
/** Entries belong to the platform: whoever holds the menu sees them. */
export const ENTRY_SCOPE = { tenant: 'none', project: 'none', owner: 't.created_by' } as const;
/** Advisory lock of the places at the bottom. */
const PIN_LOCK = 8_601;
const FULL: Label = [
  `底部最多置顶 ${MOST_PINNED} 个，请先取消其他置顶`,
  `At most ${MOST_PINNED} are pinned at the bottom, please unpin another first`,
];

/** What entries are: functions or questions. */
export type EntryKind = 'function' | 'question';

/** SQL over the last 30 days of an entry `t`. */
export const metricOf = (kind: EntryKind, value: string): string =>
  `(SELECT ${value} FROM assistant_metric m WHERE m.kind = '${kind}' AND m.entry_id = t.id AND m.day > ${TODAY} - 30)`;

/** SQL of a value of a dictionary in both languages, for {@link inLanguage}. */
export const bothNames = (alias: string): string =>
  `${alias}.name || ' / ' || coalesce(nullif(${alias}.name_en, ''), ${alias}.name)`;

/** The part of {@link bothNames} in a language. */
export function inLanguage(value: unknown, { language }: { readonly language: 'zh' | 'en' }): string {
  const [zh = '', en = zh] = String(value).split(' / ');
  return language === 'en' ? en : zh;
}

/** Pinning takes the lowest free place, one after the other; what is withdrawn leaves its place. */
export function pinHandlers(table: 'assistant_function' | 'assistant_question') {
  return {
    pin: async ({ tx }: ActionContext): Promise<ActionResult> => {
      await run(tx, 'SELECT pg_advisory_xact_lock($1, hashtext($2))', [PIN_LOCK, table]);
      const free = await runOne<{ place: number }>(
        tx,
        `SELECT p.place FROM generate_series(1, $1::int) p (place)
          WHERE NOT EXISTS (SELECT FROM ${table} x WHERE x.pin_place = p.place) ORDER BY p.place LIMIT 1`,
        [MOST_PINNED],
      );
      if (!free) throw ruleBroken(FULL);
      return { set: { pin_place: free.place } };
    },
  };
}

/** Who is not shown, or not first, gives its place free. */
export const pinSets = { unpin: { pin_place: null }, withdraw: { pin_place: null } };

/** Which of the two pin actions fits a row. */
export const pinRules = {
  pin: (row: DbRow): Label | undefined => (row.pinned === true ? ['已置顶', 'It is pinned'] : undefined),
  unpin: (row: DbRow): Label | undefined =>
    row.pinned === true ? undefined : ['未置顶', 'It is not pinned'],
};

/** Pictures of an entry fit. */
export async function checkEntryPictures(context: ActionContext): Promise<void> {
  const { action, input, row } = context;
  if ((action === 'create' || action === 'update') && Array.isArray(input.images))
    await checkPictures(context, 'images', input.images as string[], (row.image_ids ?? []) as string[]);
}

/** Counts what a member did with a published entry, each number of an event once; false when nothing was counted. */
export async function countEntry(
  tx: Tx,
  event: {
    readonly eventId: string;
    readonly kind: EntryKind;
    readonly id: number;
    readonly what: 'hits' | 'helpful' | 'unhelpful';
  },
): Promise<boolean> {
  if (!(await firstTold(tx, event.eventId))) return false;
  const counted = await runOne(
    tx,
    `INSERT INTO assistant_metric AS m (kind, entry_id, day, ${event.what})
     SELECT $1, t.id, ${TODAY}, 1 FROM assistant_${event.kind} t WHERE t.id = $2 AND t.state = 'published'
     ON CONFLICT (kind, entry_id, day) DO UPDATE SET ${event.what} = m.${event.what} + 1 RETURNING entry_id`,
    [event.kind, event.id],
  );
  return counted !== undefined;
}

/** Marks the number of an event as told; false when it was before. */
export async function firstTold(tx: Tx, eventId: string): Promise<boolean> {
  return (
    (await runOne(
      tx,
      'INSERT INTO assistant_told (event_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING event_id',
      [eventId],
    )) !== undefined
  );
}

/** Numbers of events of days that are over go, and with them the counts of entries that were deleted. */
export async function forgetTold(db: Executor): Promise<void> {
  await run(db, `DELETE FROM assistant_told WHERE at < now() - interval '3 days'`);
  await run(
    db,
    `DELETE FROM assistant_metric m WHERE m.day < ${TODAY} - 400
        OR (m.kind = 'function' AND NOT EXISTS (SELECT FROM assistant_function f WHERE f.id = m.entry_id))
        OR (m.kind = 'question' AND NOT EXISTS (SELECT FROM assistant_question q WHERE q.id = m.entry_id))`,
  );
}

/** Several entries in a new order at once, as a page that was dragged sends them: each goes before the next of the list. */
export function sortEndpoint(root: string, menu: string, bound: () => BoundResource): Endpoint {
  return endpoint({
    method: 'POST',
    path: `${root}/sort`,
    title: ['保存排序', 'Save the order'],
    access: { code: `${menu}:btn_sort` },
    body: z.strictObject({
      list: z
        .array(
          z.strictObject({
            id: z.string().regex(/^\d{1,15}$/),
            name: z.string().max(100).optional(),
            viewSort: z.number().int().min(1).max(99_999),
          }),
        )
        .min(1)
        .max(500),
    }),
    handle: async (call) => {
      const { platform, body } = call;
      const ids = [...body.list].sort((a, b) => a.viewSort - b.viewSort).map((one) => Number(one.id));
      await transaction(platform.database.db, async (tx) => {
        for (let at = ids.length - 2; at >= 0; at--)
          await bound().actIn(tx, call, 'order', ids[at], { before: String(ids[at + 1]) });
      });
      platform.changed(bound().resource.name);
      return { sorted: ids.length };
    },
  });
}

/** Modules of the owners' app an entry may lead to: whoever keeps entries need not keep the modules. */
export const assistantModules: OptionSource = {
  target: 'assistantModule',
  anyOf: ['cs_function', 'cs_question'],
  find: async ({ platform }, query) =>
    (
      await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT id, name AS title, code AS note FROM app_module
          WHERE system = 'owner' AND CASE WHEN cardinality($1::bigint[]) > 0 THEN id = ANY($1::bigint[]) ELSE enabled AND (name || ' ' || code) ILIKE $2 END
          ORDER BY position, id LIMIT $3 OFFSET $4`,
        [query.ids.map(Number), containing(query.searchVal), query.limit, query.offset],
      )
    ).map((row) => ({ ...row, id: String(row.id) })),
};
