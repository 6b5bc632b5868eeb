import { z } from 'zod';
import { seenClients } from '../../../domain/commercial-client/client-sight.server.ts';
import { STAGES } from '../../../domain/commercial-client/client.rules.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { endpoint, type Endpoint } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import { readListRequest, whereOf } from '../../../kernel/server/resource/list-query.ts';
import { dayOf, TODAY } from '../../../kernel/server/today.ts';
import {
  CLIENT_MENU,
  type ClientBoard,
  type ClientCard,
  type ClientEvent,
  type ClientToday,
} from './client.contract.ts';

/** Cards of a column. */
const CARDS = 50;

const OWED = `r.principal + r.charges - r.received`;
const contracts = (where: string, reach: string) =>
  `EXISTS (SELECT FROM contract k WHERE k.client_id = t.id AND k.direction = 'income' AND ${reach} AND ${where})`;

/** SQL conditions over own clients (`t`) of the blocks of 今日. `reach` is the condition over contracts (`k`) the caller may know of. */
export const todayBlocks = (reach: string) =>
  ({
    due: `t.next_follow_at IS NOT NULL AND ${dayOf('t.next_follow_at')} <= ${TODAY}`,
    unread: 'NOT t.opened',
    ending: contracts(`k.state = 'expiring'`, reach),
    owed: contracts(
      `EXISTS (SELECT FROM receivable r WHERE r.source_kind = 'contract' AND r.source_id = k.id AND r.state IN ('open', 'part') AND r.due_on < ${TODAY})`,
      reach,
    ),
  }) as const;

/** The condition over contracts (`k`) of projects the caller works in. */
export const contractReach = (caller: Caller, parameters: Parameters) =>
  placeCondition(caller, residentScope('k.project_id'), parameters);

/** What the day brings to the caller. Source: group 20, customerList, 今日. */
async function todayOf(db: Executor, caller: Caller): Promise<ClientToday> {
  const blocks: ClientToday['blocks'][number][] = [];
  for (const key of ['due', 'unread', 'ending', 'owed'] as const) {
    const parameters = new Parameters();
    // A parameter nothing reads is refused.
    const reach = key === 'due' || key === 'unread' ? 'TRUE' : contractReach(caller, parameters);
    const condition = todayBlocks(reach)[key];
    const own = `t.owner_id = ${parameters.bind(caller.staffId)}`;
    const note = {
      due: `to_char(t.next_follow_at AT TIME ZONE 'Asia/Shanghai', 'MM-DD HH24:MI')`,
      unread: `to_char(t.assigned_at AT TIME ZONE 'Asia/Shanghai', 'MM-DD HH24:MI')`,
      ending: `(SELECT k.code || ' ' || min(k.ends_on) FROM contract k WHERE k.client_id = t.id AND k.state = 'expiring' AND ${reach} GROUP BY k.code ORDER BY min(k.ends_on) LIMIT 1)`,
      owed: `(SELECT (sum(${OWED}) / 100.0)::numeric(14, 2)::text FROM receivable r JOIN contract k ON k.id = r.source_id
               WHERE r.source_kind = 'contract' AND k.client_id = t.id AND r.state IN ('open', 'part') AND r.due_on < ${TODAY} AND ${reach})`,
    }[key];
    const rows = await run<{ client: string; title: string; note: string; count: number }>(
      db,
      `SELECT t.id::text AS client, t.name AS title, coalesce(${note}, '') AS note, (count(*) OVER ())::int AS count FROM client t
        WHERE ${own} AND ${condition} ORDER BY t.next_follow_at NULLS LAST, t.id LIMIT 8`,
      parameters.values,
    );
    const sum =
      key === 'owed'
        ? await runOne<{ sum: number }>(
            db,
            `SELECT coalesce(sum(${OWED}), 0)::bigint AS sum FROM receivable r JOIN contract k ON k.id = r.source_id JOIN client t ON t.id = k.client_id
              WHERE r.source_kind = 'contract' AND k.direction = 'income' AND r.state IN ('open', 'part') AND r.due_on < ${TODAY} AND ${own} AND ${reach}`,
            parameters.values,
          )
        : undefined;
    blocks.push({
      key,
      count: rows[0]?.count ?? 0,
      ...(sum && { sum: yuanFromFen(sum.sum) }),
      rows: rows.map(({ count: _count, ...row }) => row),
    });
  }
  return { blocks };
}

/** Clients of a list by stage, with the filters of the list. Source: group 20, customerList, funnel board. */
async function boardOf(
  bound: BoundResource,
  call: { readonly caller: Caller; readonly platform: Platform },
  query: Readonly<Record<string, unknown>>,
): Promise<ClientBoard> {
  const request = readListRequest(bound.resource, query);
  const { state: _state, ...filters } = request.filters;
  const columns: ClientBoard['columns'][number][] = [];
  for (const stage of [...STAGES, 'lost']) {
    const asked = { ...request, filters: { ...filters, state: stage } };
    const parameters = new Parameters();
    const where = await whereOf(
      bound.resource,
      bound.binding,
      bound.columns,
      call,
      CLIENT_MENU,
      asked,
      parameters,
    );
    const sums = (await runOne<{ count: number; low: number; high: number }>(
      call.platform.database.db,
      `SELECT count(*)::int AS count, coalesce(sum(coalesce(t.area_min, 0)), 0)::bigint AS low, coalesce(sum(coalesce(t.area_max, t.area_min, 0)), 0)::bigint AS high
         FROM ${bound.columns.from} WHERE ${where}`,
      parameters.values,
    ))!;
    const page = await bound.page(call, { ...asked, page: 1, limit: CARDS, cursor: undefined });
    // What the list does not show.
    const areas = await run<{ id: number; area: string }>(
      call.platform.database.db,
      `SELECT id, concat_ws('–', area_min / 100, CASE WHEN area_max > area_min THEN area_max / 100 END) AS area FROM client WHERE id = ANY($1::bigint[])`,
      [page.rows.map((row) => Number(row.id))],
    );
    const areaOf = new Map(areas.map((one) => [String(one.id), one.area]));
    columns.push({
      stage,
      count: sums.count,
      areaMin: yuanFromFen(sums.low),
      areaMax: yuanFromFen(sums.high),
      cards: page.rows.map((row) => cardOf(row, areaOf.get(String(row.id)) ?? '')),
    });
  }
  return { columns };
}

function cardOf(row: Readonly<Record<string, unknown>>, area: string): ClientCard {
  return {
    id: String(row.id),
    version: Number(row.version),
    name: String(row.name),
    brand: String(row.brand ?? ''),
    level: String(row.level),
    owner: (row.owner as { title: string } | null)?.title ?? '',
    nextFollowAt: (row.nextFollowAt as string | null) ?? null,
    area,
    actions: (row.actions as readonly string[] | undefined) ?? [],
  };
}

/** All that happened with a client the caller sees, newest first. Source: group 20, details, 时间线. */
async function streamOf(db: Executor, caller: Caller, clientId: number): Promise<readonly ClientEvent[]> {
  const parameters = new Parameters();
  const id = parameters.bind(clientId);
  const seen = await runOne(
    db,
    `SELECT 1 FROM client t WHERE t.id = ${id} AND ${seenClients(caller, parameters)}`,
    parameters.values,
  );
  if (!seen) throw notFound();
  const own = new Parameters();
  const client = own.bind(clientId);
  const reach = contractReach(caller, own);
  const rows = await run<{
    kind: ClientEvent['kind'];
    at: Date;
    zh: string;
    en: string;
    text: string;
    by: string;
  }>(
    db,
    `SELECT x.kind, x.at, x.zh, x.en, coalesce(x.text, '') AS text, coalesce(x.by, '') AS by FROM (
       SELECT 'change' AS kind, n.at, n.label_zh AS zh, n.label_en AS en, n.remark AS text, n.who AS by FROM entity_event n WHERE n.entity = 'client' AND n.entity_id = ${client}
       UNION ALL SELECT 'follow', f.at, CASE f.kind WHEN 'phone' THEN '电话' WHEN 'visit' THEN '拜访' WHEN 'wechat' THEN '微信' WHEN 'meeting' THEN '会谈' ELSE '看铺' END, initcap(f.kind),
              f.content, s.name FROM follow_up f LEFT JOIN staff s ON s.id = f.created_by WHERE f.client_id = ${client} AND NOT f.struck
       UNION ALL SELECT 'owner', a.at, '归属：' || coalesce(o.name, '公海') || ' → ' || coalesce(g.name, '公海'), 'Owner: ' || coalesce(o.name, 'pool') || ' → ' || coalesce(g.name, 'pool'), a.reason, b.name
         FROM client_assignment a LEFT JOIN staff o ON o.id = a.from_staff LEFT JOIN staff g ON g.id = a.to_staff LEFT JOIN staff b ON b.id = a.by_staff WHERE a.client_id = ${client}
       UNION ALL SELECT 'contract', k.created_at, '起草合同 ' || k.code, 'Contract ' || k.code || ' drafted', k.name, s.name FROM contract k LEFT JOIN staff s ON s.id = k.created_by WHERE k.client_id = ${client} AND ${reach}
       UNION ALL SELECT 'contract', k.approved_at, '合同生效 ' || k.code, 'Contract ' || k.code || ' approved', k.name, s.name FROM contract k LEFT JOIN staff s ON s.id = k.owner_id
         WHERE k.client_id = ${client} AND k.approved_at IS NOT NULL AND ${reach}
       UNION ALL SELECT 'comment', m.created_at, '评论', 'Comment', m.content, s.name FROM client_comment m LEFT JOIN staff s ON s.id = m.created_by WHERE m.client_id = ${client}
     ) x ORDER BY x.at DESC LIMIT 300`,
    own.values,
  );
  return rows.map(({ zh, en, at, ...row }) => ({ ...row, at: isoInstant(at), title: [zh, en] as const }));
}

/** What the desk of a business person asks besides the list: the day, the board, the stream of a client. */
export function deskEndpoints(bound: () => BoundResource): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/client/today',
      title: ['今日', 'Today'],
      access: { code: CLIENT_MENU },
      handle: ({ caller, platform }) => todayOf(platform.database.db, caller),
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/client/board',
      title: ['漏斗看板', 'Board of stages'],
      access: { code: CLIENT_MENU },
      rawQuery: true,
      handle: (call) => boardOf(bound(), call, call.query as Record<string, unknown>),
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/client/stream',
      title: ['客户时间线', 'All that happened with a client'],
      access: { code: CLIENT_MENU },
      query: z.strictObject({ client: z.string().regex(/^\d{1,15}$/) }),
      handle: async ({ caller, platform, query }) => ({
        rows: await streamOf(platform.database.db, caller, Number(query.client)),
      }),
    }),
  ];
}
