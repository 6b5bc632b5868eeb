import type { Caller, MenuScope } from './caller.ts';

/** Collects parameters of one statement; `bind` returns the placeholder of a value. */
export class Parameters {
  readonly values: unknown[] = [];

  bind(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/**
 * SQL expressions that place a row: which tenant it belongs to, in which project it lies, who owns it.
 * Each is written out, also when it does not exist, so that no scope is forgotten.
 */
export interface ScopeColumns {
  /** Tenant the row belongs to, or `none` for data without tenant (dictionaries, platform data). */
  readonly tenant: string | 'none';
  /**
   * Project of the row; a function for rows of many projects, which may bind the caller's tenant; `none` when rows have no project.
   */
  readonly project: string | 'none' | ((projectIds: string, tenant: () => string) => string);
  /** Staff who owns the row, for the scopes "own rows" and "department". */
  readonly owner: string;
  /** The owner of a row may change: files made of own rows are read while these are still the own ones. */
  readonly ownerMoves?: boolean;
  /** Rows without a project are seen by project-limited callers too (default: not). */
  readonly projectless?: boolean;
  /** Rows of the caller's own tenant only, for platform staff too (staff, departments, groups). */
  readonly ownTenant?: boolean;
  /** Only platform staff see any row. */
  readonly platformOnly?: boolean;
  /**
   * Rows that belong to people by themselves, such as what somebody is asked to decide: this condition alone says which, and
   * the scope of the menu widens nothing.
   */
  readonly own?: (caller: Caller, parameters: Parameters) => string;
}

/**
 * The one data-scope condition: a boolean SQL expression for the rows the caller may see under a menu.
 * platform: all; merchant: its own tenant id, always; company and centre city: their projects, or their own tenant
 * where rows have no project; beneath that the staff's projects; beneath that the union of the menu's scopes.
 * A caller who does not hold the menu sees nothing. Source: ground rules section 4.
 */
export function scopeCondition(
  caller: Caller,
  menu: string,
  columns: ScopeColumns,
  parameters: Parameters,
): string {
  const scopes = caller.menus.get(menu);
  if (!scopes || scopes.length === 0) return 'FALSE';
  if (columns.own) return columns.own(caller, parameters);
  const place = placeCondition(caller, columns, parameters);
  const owners = ownerCondition(caller, scopes, columns, parameters);
  return owners === undefined ? place : place === 'TRUE' ? owners : `${place} AND ${owners}`;
}

/** The part of the scope that no grant can widen: tenant and projects. Pickers, which belong to no menu, use it alone. */
export function placeCondition(
  caller: Caller,
  columns: Omit<ScopeColumns, 'owner'>,
  parameters: Parameters,
): string {
  if (columns.platformOnly && caller.tenantKind !== 3) return 'FALSE';
  const isMerchant = caller.tenantKind === 2;
  const parts: string[] = [];
  if ((isMerchant || columns.ownTenant) && columns.tenant !== 'none')
    parts.push(`${columns.tenant} = ${parameters.bind(caller.tenantId)}`);
  else if (caller.tenantKind !== 3 && columns.project === 'none' && columns.tenant !== 'none')
    parts.push(`${columns.tenant} = ${parameters.bind(caller.tenantId)}`);
  if (caller.projectIds && columns.project !== 'none')
    parts.push(
      projectCondition(columns, parameters.bind(caller.projectIds), () => parameters.bind(caller.tenantId)),
    );
  return parts.length === 0 ? 'TRUE' : parts.join(' AND ');
}

/** A text that is equal for callers who see the same rows under a menu: the key of caches over scoped data. */
export function scopeKey(caller: Caller, menu: string): string {
  const scopes = caller.menus.get(menu) ?? [];
  const all = scopes.some((scope) => scope.kind === 'all');
  const owners = all ? '*' : `${caller.staffId}:${JSON.stringify(scopes)}`;
  return `${caller.tenantKind}:${caller.tenantId}:${caller.projectIds?.join(',') ?? '*'}:${owners}`;
}

function projectCondition(
  columns: Pick<ScopeColumns, 'project' | 'projectless'>,
  ids: string,
  tenant: () => string,
): string {
  if (typeof columns.project === 'function') return columns.project(ids, tenant);
  const inside = `${columns.project} = ANY(${ids}::bigint[])`;
  return columns.projectless ? `(${columns.project} IS NULL OR ${inside})` : inside;
}

function ownerCondition(
  caller: Caller,
  scopes: readonly MenuScope[],
  columns: ScopeColumns,
  parameters: Parameters,
): string | undefined {
  if (scopes.some((scope) => scope.kind === 'all')) return undefined;
  const departments = new Set<number>();
  let self = false;
  for (const scope of scopes) {
    if (scope.kind === 'self') self = true;
    else if (scope.kind === 'departments') for (const id of scope.ids) departments.add(id);
  }
  const parts: string[] = [];
  if (self) parts.push(`${columns.owner} = ${parameters.bind(caller.staffId)}`);
  if (departments.size > 0)
    parts.push(
      `${columns.owner} IN (SELECT scope_staff.id FROM staff scope_staff WHERE scope_staff.department_id = ANY(${parameters.bind([...departments])}::bigint[]))`,
    );
  return parts.length === 0 ? 'FALSE' : `(${parts.join(' OR ')})`;
}
