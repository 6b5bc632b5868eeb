import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import type { GrantDifference } from './grant-diff.rules.ts';
import { BASELINE, grantsOfState, stateAt } from './grant-history.server.ts';
import { rightTitles } from './own-right.server.ts';

/** A page of the history, newest first, with differences in words; rows nobody asked for stand apart. */
export async function historyOf(
  db: Executor,
  groupId: number,
  query: { readonly kind: string | undefined; readonly page: number; readonly limit: number },
): Promise<object> {
  const where = `group_id = $1 AND NOT difference ? '${BASELINE}' AND ($2::text IS NULL OR kind = $2)`;
  const values = [groupId, query.kind ?? null];
  const total = await runOne<{ n: number }>(
    db,
    `SELECT count(*) AS n FROM grant_history WHERE ${where}`,
    values,
  );
  const rows = await run<{
    id: number;
    at: Date;
    who: string;
    kind: string;
    reason: string;
    difference: Difference;
  }>(
    db,
    `SELECT id, at, who, kind, reason, difference FROM grant_history WHERE ${where} ORDER BY at DESC, id DESC LIMIT $3 OFFSET $4`,
    [...values, query.limit, (query.page - 1) * query.limit],
  );
  const names = await namesOf(
    db,
    rows.map((row) => row.difference),
  );
  const first = await run<{ id: number; at: Date; kind: string }>(
    db,
    `SELECT id, at, kind FROM grant_history WHERE group_id = $1 AND difference ? '${BASELINE}' AND ($2::text IS NULL OR kind = $2) ORDER BY at DESC, id DESC LIMIT 20`,
    values,
  );
  return {
    total: total!.n,
    // The state before the first change, or what a release changed: nobody's doing, but it can be restored.
    baselines: first.map((row) => ({ id: String(row.id), at: isoInstant(row.at), kind: row.kind })),
    rows: rows.map(({ difference, ...row }) => ({
      ...row,
      id: String(row.id),
      at: isoInstant(row.at),
      restores: difference.restores === undefined ? null : String(difference.restores),
      created: difference.created === true,
      deleted: difference.deleted === true,
      inherit: difference.inherit ?? null,
      ...changesOf(difference, names),
    })),
  };
}

/** Grants and members as they were at an instant; null where the group did not exist yet. */
export async function stateOf(db: Executor, groupId: number, at: Date): Promise<object> {
  const grants = await stateAt(db, groupId, 'grant', at);
  const members = await stateAt(db, groupId, 'member', at);
  const group = await stateAt(db, groupId, 'group', at);
  const kept = grants ? grantsOfState(grants) : undefined;
  const titles = await rightTitles(
    db,
    kept ? [...kept.menus.map((menu) => menu.code), ...kept.elements] : [],
  );
  const people = await peopleOf(db, members?.members.map((member) => member.staffId) ?? []);
  return {
    at: isoInstant(at),
    group: group ? { name: group.name, enabled: group.enabled, inherit: group.inherit } : null,
    menus:
      kept?.menus.map((menu) => ({
        ...titled(menu.code, titles),
        dataScope: menu.dataScope,
        departmentIds: menu.departmentIds.map(String),
      })) ?? null,
    elements: kept?.elements.map((code) => titled(code, titles)) ?? null,
    members:
      members?.members.map((member) => ({
        id: String(member.staffId),
        name: people.get(member.staffId) ?? '',
        kind: member.kind,
        expiresAt: member.expiresAt,
      })) ?? null,
  };
}

type Difference = Partial<GrantDifference> & {
  readonly restores?: number;
  readonly created?: boolean;
  readonly deleted?: boolean;
  readonly inherit?: boolean;
  readonly added?: readonly number[];
  readonly removed?: readonly number[];
  readonly changed?: readonly number[];
  readonly ended?: readonly number[];
  readonly changes?: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[];
};

interface Names {
  readonly titles: Awaited<ReturnType<typeof rightTitles>>;
  readonly people: ReadonlyMap<number, string>;
}

async function namesOf(db: Executor, differences: readonly Difference[]): Promise<Names> {
  const codes = differences.flatMap((one) => [
    ...[...(one.addedMenus ?? []), ...(one.removedMenus ?? []), ...(one.scopes ?? [])].map(
      (menu) => menu.code,
    ),
    ...(one.addedElements ?? []),
    ...(one.removedElements ?? []),
  ]);
  const staff = differences.flatMap((one) => [
    ...(one.added ?? []),
    ...(one.removed ?? []),
    ...(one.changed ?? []),
    ...(one.ended ?? []),
  ]);
  return {
    titles: await rightTitles(db, [...new Set(codes)]),
    people: await peopleOf(db, [...new Set(staff)]),
  };
}

function changesOf(one: Difference, { titles, people }: Names) {
  const person = (id: number) => ({
    code: String(id),
    title: people.get(id) ?? String(id),
    titleEn: people.get(id) ?? String(id),
  });
  const right = (code: string) => titled(code, titles);
  return {
    added: [...[...(one.addedMenus ?? [])].map((menu) => menu.code), ...(one.addedElements ?? [])]
      .map(right)
      .concat((one.added ?? []).map(person)),
    removed: [...[...(one.removedMenus ?? [])].map((menu) => menu.code), ...(one.removedElements ?? [])]
      .map(right)
      .concat([...(one.removed ?? []), ...(one.ended ?? [])].map(person)),
    changed: (one.changed ?? []).map(person),
    scopes: (one.scopes ?? []).map((change) => ({
      ...right(change.code),
      before: change.before.dataScope,
      after: change.after.dataScope,
      direction: change.direction,
    })),
    fields: (one.changes ?? []).map((change) => ({
      field: change.field,
      before: change.before,
      after: change.after,
    })),
  };
}

function titled(code: string, titles: Names['titles']) {
  return { code, title: titles.get(code)?.[0] ?? code, titleEn: titles.get(code)?.[1] ?? code };
}

async function peopleOf(db: Executor, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = await run<{ id: number; name: string }>(
    db,
    'SELECT id, name FROM staff WHERE id = ANY($1::bigint[])',
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row.name]));
}
