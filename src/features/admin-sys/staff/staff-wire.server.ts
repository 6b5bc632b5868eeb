import { z } from 'zod';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import type { Resource } from '../../../kernel/contract/resource.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { Binding, DbRow } from '../../../kernel/server/resource/binding.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { allowedActions, grantedActions } from '../../../kernel/server/resource/run-action.ts';
import { encryptionToken } from '../../../kernel/server/resource/row-token.ts';
import type { Call } from '../../../kernel/server/registration.ts';

/** A view of staff: contract, binding and the functions the engine made of them. */
export interface StaffView {
  readonly resource: Resource;
  readonly binding: Binding;
  readonly bound: BoundResource;
}

/** An id in a query or body, as text or number; empty means none. */
export const idText = z
  .union([z.string().regex(/^\d{0,15}$/), z.number().int().nonnegative()])
  .transform(String)
  .optional();
/** Fuzzy keyword of the specification's paths. */
export const keyword = z.string().max(100).default('');

/** Query of the specification's lists of staff. */
export const staffQuery = {
  name: keyword,
  searchVal: keyword,
  departId: idText,
  stationId: idText,
  groupId: idText,
  projectId: idText,
  enableStatus: z.enum(['0', '1', '3']).optional(),
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  limit: z.coerce.number().int().min(1).max(200).default(10),
};
type StaffQuery = z.infer<z.ZodObject<typeof staffQuery>>;

const STATES: Readonly<Record<string, string | undefined>> = { '0': 'disabled', '1': 'normal' };

/** A page of a view in the shape of the specification; `filters` are those the view has besides. */
export async function staffPage(
  view: StaffView,
  call: Pick<Call, 'caller' | 'platform'>,
  query: StaffQuery,
  filters: Readonly<Record<string, string | undefined>> = {},
  more: (row: DbRow) => Record<string, unknown> = () => ({}),
): Promise<unknown> {
  const { rows, ...totals } = await view.bound.rawPage(call, {
    page: query.page,
    limit: query.limit,
    searchVal: query.searchVal || query.name,
    sort: '-createdAt',
    tab: undefined,
    cursor: undefined,
    exact: false,
    filters: Object.fromEntries(
      Object.entries({
        department: query.departId,
        stations: query.stationId,
        groups: query.groupId,
        projects: query.projectId,
        state: STATES[query.enableStatus ?? '3'],
        ...filters,
      }).filter((entry): entry is [string, string] => Boolean(entry[1])),
    ),
  });
  return { ...totals, rows: rows.map((row) => ({ ...wireStaff(view, call.caller, row), ...more(row) })) };
}

/** A staff in the shape of the specification; phone and e-mail masked. */
export function wireStaff(view: StaffView, caller: Caller, row: DbRow): Record<string, unknown> {
  const { resource, binding } = view;
  return {
    id: String(row.id),
    username: row.account,
    name: row.name,
    sex: row.sex === 'female' ? 0 : row.sex === 'male' ? 1 : 2,
    mobilePhone: row.mobilePhone ? maskValue('phone', String(row.mobilePhone)) : '',
    email: row.email ? maskValue('email', String(row.email)) : '',
    staffNo: row.staffNo ?? '',
    departId: row.department === null ? null : String(row.department),
    departName: row.department__title ?? '',
    stationNames: titles(row.stations),
    groupNames: titles(row.groups),
    projectCount: (row.projects as unknown[]).length,
    enableStatus: row.state === 'normal' ? 1 : 0,
    state: row.locked && row.state === 'normal' ? 'locked' : row.state,
    lastLoginTime: row.lastLoginAt ? isoInstant(row.lastLoginAt as Date) : null,
    description: row.description,
    updTime: isoInstant(row.updatedAt as Date),
    updName: row.updater ?? '',
    encryptionField: encryptionToken(resource.name, row.id as number),
    actions: allowedActions(resource, binding, grantedActions(resource, caller, resource.menu), row, caller),
  };
}

/** Ids of a list of references as rows carry them. */
export function refIds(value: unknown): string[] {
  return (value as { id: string }[]).map((one) => one.id);
}

function titles(value: unknown): string[] {
  return (value as { title: string }[]).map((one) => one.title);
}
