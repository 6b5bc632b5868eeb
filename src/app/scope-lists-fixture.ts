import { groupBy, type Dice, type Held, type Raw, type Standing, type World } from './scope-world-fixture.ts';

/*
 * The registered lists a second time: where their rows stand and what their filters mean, written over raw table rows.
 */

/** A filter: random values, and which rows they keep. */
export interface FilterRule {
  value(dice: Dice, world: World): string;
  keeps(row: Raw, value: string, world: World, held: Held): boolean;
}

/** One registered list. */
export interface ListRule {
  readonly name: string;
  readonly root: string;
  readonly menu: string;
  readonly table: string;
  /** Rows of the table the list is about. */
  readonly where?: (row: Raw) => boolean;
  standing(row: Raw, world: World): Standing;
  readonly filters: Readonly<Record<string, FilterRule>>;
  readonly tabs?: Readonly<Record<string, (row: Raw, world: World, held: Held) => boolean>>;
  /** Text the keyword looks in, in lower case. */
  readonly text?: (row: Raw) => string;
  /** Column of the export that names the row, by field or title; without one rows are counted. `lines`: rows one makes. */
  readonly export?: {
    readonly field?: string;
    readonly title?: string;
    key(row: Raw): string;
    lines?(row: Raw, world: World): number;
  };
  readonly extra?: (row: Raw, world: World, held: Held) => boolean;
}

const list = (value: string) => value.split(',');

/** A filter by words of a column, one or several. */
const words = (column: string | ((row: Raw) => unknown), choices: readonly string[]): FilterRule => ({
  value: (dice) => dice.some(choices, 1 + dice.upTo(Math.min(3, choices.length))).join(','),
  keeps: (row, value) => list(value).includes(String(typeof column === 'string' ? row[column] : column(row))),
});

/** A filter by ids of another table. */
const ids = (column: string, table: string, where: (row: Raw) => boolean = () => true): FilterRule => ({
  value: (dice, world) =>
    dice
      .some(world.rows[table]!.filter(where), 1 + dice.upTo(3))
      .map((one) => one.id)
      .join(','),
  keeps: (row, value) => list(value).includes(String(row[column])),
});

const isMerchant = (row: Raw) => row.kind === 2;

const yuan = (fen: number) => (fen / 100).toFixed(2);

const moneyRange = (from: string, to: string = from): FilterRule => ({
  value: (dice) => {
    const low = dice.upTo(20_000);
    return `${dice.chance(0.8) ? yuan(low) : ''}~${dice.chance(0.8) ? yuan(low + dice.upTo(40_000)) : ''}`;
  },
  keeps: (row, value) => {
    const [low, high] = value
      .split('~')
      .map((side) => (side === '' ? undefined : Math.round(Number(side) * 100)));
    return (low === undefined || row[to] >= low) && (high === undefined || row[from] <= high);
  },
});

const DAY = 86_400_000;

/** The business day of an instant, reckoned here by itself: eight hours before UTC. */
export const dayOf = (instant: Date): string =>
  new Date(instant.getTime() + 8 * 3_600_000).toISOString().slice(0, 10);

const dayRange = (column: string): FilterRule => ({
  value: (dice) => {
    const from = Date.now() - dice.upTo(60) * DAY;
    return `${dayOf(new Date(from))}~${dice.chance(0.8) ? dayOf(new Date(from + dice.upTo(40) * DAY)) : ''}`;
  },
  keeps: (row, value) => {
    const [from = '', to = ''] = value.split('~');
    if (row[column] === null) return false;
    const day = dayOf(row[column] as Date);
    return (from === '' || day >= from) && (to === '' || day <= to);
  },
});

const yes = (column: string): FilterRule => ({
  value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
  keeps: (row, value) => row[column] === (value === 'true'),
});

const part = (column: string): FilterRule => ({
  value: (dice) => dice.pick(['1', '2', '角', '部', '岗', 'p', '油', '米', '5']),
  keeps: (row, value) => String(row[column]).toLowerCase().includes(value),
});

const centres = (): FilterRule => ({
  value: (dice, world) => String(dice.pick(world.rows.project!).centre_id),
  keeps: (row, value, world) =>
    String(world.rows.project!.find((one) => one.id === row.project_id)!.centre_id) === value,
});

const indexes = new WeakMap<object, Map<string, Map<number, Raw[]>>>();

/** Rows of a table by a column, made once. */
export function by(world: World, table: string, column: string): Map<number, Raw[]> {
  let maps = indexes.get(world.rows);
  if (!maps) indexes.set(world.rows, (maps = new Map()));
  const key = `${table}.${column}`;
  let map = maps.get(key);
  if (!map) maps.set(key, (map = groupBy(world.rows[table]!, (row) => Number(row[column]))));
  return map;
}

const linked = (table: string, own: string, other: string, target: string): FilterRule => ({
  value: (dice, world) =>
    dice
      .some(world.rows[target]!, 1 + dice.upTo(3))
      .map((one) => one.id)
      .join(','),
  keeps: (row, value, world) =>
    (by(world, table, own).get(row.id) ?? []).some((one) => list(value).includes(String(one[other]))),
});

/**
 * A filter by projects rows are linked with: asked for projects they do not work in, staff learn nothing of them, so that
 * rows of all projects (`everywhere`) come only where one of those asked for is the own.
 */
const projectsOf = (
  table: string,
  own: string,
  everywhere: (row: Raw) => boolean = () => false,
): FilterRule => ({
  ...linked(table, own, 'project_id', 'project'),
  keeps: (row, value, world, held) => {
    const asked = list(value)
      .map(Number)
      .filter((id) => held.projects?.has(id) ?? true);
    if (everywhere(row)) return asked.length > 0;
    return (by(world, table, own).get(row.id) ?? []).some((one) => asked.includes(Number(one.project_id)));
  },
});

/** When an order counts as sold: paid, a group order when its team formed. */
export function soldAt(order: Raw, world: World): Date | null {
  if (order.paid_at === null) return null;
  if (order.type !== 'group') return order.paid_at as Date;
  return (by(world, 'formed', 'id').get(order.id)?.[0]?.at as Date | undefined) ?? null;
}

const tradeStanding = (row: Raw): Standing => ({
  tenant: row.tenant_id,
  projects: [row.project_id],
  owner: row.created_by,
  rule: 'places',
});
const ownTenant =
  (owner: string) =>
  (row: Raw): Standing => ({ tenant: row.tenant_id, projects: undefined, owner: row[owner], rule: 'own' });

const staffFilters: Readonly<Record<string, FilterRule>> = {
  name: part('name'),
  department: ids('department_id', 'department'),
  projects: projectsOf('staff_project', 'staff_id'),
  groups: {
    value: (dice, world) => String(dice.pick(world.rows.permission_group!).id),
    keeps: (row, value, world) =>
      (by(world, 'group_member', 'staff_id').get(row.id) ?? []).some(
        (one) =>
          String(one.group_id) === value &&
          (one.expires_at === null || (one.expires_at as Date).getTime() > Date.now()),
      ),
  },
  state: words('state', ['normal', 'disabled', 'left']),
};
const projectsOfStaff = (row: Raw, world: World): number[] =>
  (by(world, 'staff_project', 'staff_id').get(row.id) ?? []).map((one) => one.project_id as number);
const staffText = (row: Raw) => `${row.name} ${row.account} ${row.staff_no ?? ''}`.toLowerCase();
const staffTabs = {
  all: () => true,
  normal: (row: Raw) => row.state === 'normal',
  disabled: (row: Raw) => row.state === 'disabled',
  left: (row: Raw) => row.state === 'left',
};
const byAccount = { field: 'account', key: (row: Raw) => String(row.account) };
const byCode = { field: 'code', key: (row: Raw) => String(row.code) };
const byName = { field: 'name', key: (row: Raw) => String(row.name) };
const counted = { key: () => '' };

const stateTabs = (...states: readonly string[]) =>
  Object.fromEntries(states.map((state) => [state, (row: Raw) => row.state === state]));

/** Who waits for whom: the refunds a staff may pass or reject now. */
export function waitsFor(row: Raw, held: Held): boolean {
  if (row.state !== 'reviewing') return false;
  if (row.applicant_type === 2 && row.applicant_id === held.row.id) return false;
  return row.level === 1
    ? held.elements.has('mm_orderRefund:btn_audit')
    : held.elements.has('mm_orderRefund:btn_auditFinance') && row.auditor1 !== held.row.id;
}

/** Goods products outside the recycle bin. */
const kept = (row: Raw) => row.recycled_at === null;

/** Every list of the registry. The test checks that none is missing. */
export const LISTS: readonly ListRule[] = [
  {
    name: 'refund',
    root: '/api/jinmao/web/refund',
    menu: 'mm_orderRefund',
    table: 'refund',
    standing: tradeStanding,
    filters: {
      state: words('state', ['reviewing', 'refunding', 'succeeded', 'failed', 'cancelled']),
      merchant: ids('tenant_id', 'tenant', isMerchant),
      project: ids('project_id', 'project'),
      centreCity: centres(),
      applicantType: words((row) => (row.applicant_type === 1 ? 'buyer' : 'staff'), ['buyer', 'staff']),
      level: words((row) => (row.level === 1 ? 'one' : 'two'), ['one', 'two']),
      businessType: words(
        (row) => ['original', 'goods', 'service'][row.business_type],
        ['original', 'goods', 'service'],
      ),
      cost: moneyRange('cash'),
      appliedAt: dayRange('created_at'),
      productName: part('product_name'),
    },
    tabs: {
      mine: (row, _world, held) => waitsFor(row, held),
      all: () => true,
      ...stateTabs('reviewing', 'refunding', 'failed', 'succeeded', 'cancelled'),
    },
    text: (row) => `${row.code} ${row.product_name}`.toLowerCase(),
    export: byCode,
  },
  {
    name: 'goodsOrder',
    root: '/api/jinmao/web/goodsOrder',
    menu: 'mm_businessOrder_wx',
    table: 'sales_order',
    where: (row) => row.kind === 'goods',
    standing: tradeStanding,
    filters: {
      state: words('state', ['pending_payment', 'to_ship', 'to_receive', 'completed', 'closed', 'grouping']),
      merchant: ids('tenant_id', 'tenant', isMerchant),
      project: ids('project_id', 'project'),
      centre: centres(),
      type: words('type', ['ordinary', 'group', 'rush', 'seckill']),
      refundStatus: words('refund_status', ['none', 'refunding', 'part', 'full']),
      source: words('source', ['1', '2', '3', '4', '5']),
      payChannel: words((row) => (row.paid_at === null ? '' : row.pay_channel), ['0', '1', '2']),
      payable: moneyRange('payable'),
      createdAt: dayRange('created_at'),
      paidAt: dayRange('paid_at'),
      soldAt: {
        value: (dice) => {
          const from = Date.now() - dice.upTo(60) * DAY;
          return `${dayOf(new Date(from))}~${dayOf(new Date(from + dice.upTo(40) * DAY))}`;
        },
        keeps: (row, value, world) => {
          const at = soldAt(row, world);
          const [from, to] = value.split('~');
          return at !== null && dayOf(at) >= from! && dayOf(at) <= to!;
        },
      },
      product: {
        value: (dice, world) => String(dice.pick(world.rows.product!).id),
        keeps: (row, value, world) =>
          (by(world, 'order_line', 'order_id').get(row.id) ?? []).some(
            (one) => String(one.product_id) === value,
          ),
      },
    },
    tabs: {
      all: () => true,
      ...stateTabs(
        'pending_payment',
        'grouping',
        'to_ship',
        'part_shipped',
        'to_receive',
        'completed',
        'closed',
      ),
      to_comment: (row) =>
        row.state === 'completed' && row.comment_status === 0 && row.refund_status === 'none',
      refunding: (row) => row.refund_status === 'refunding',
      refunded: (row) => row.refund_status === 'full',
    },
    text: (row) => `${row.code} ${row.title}`.toLowerCase(),
    export: {
      title: '订单号',
      key: (row) => String(row.code),
      lines: (row, world) => (by(world, 'order_line', 'order_id').get(row.id) ?? []).length,
    },
  },
  {
    name: 'product',
    root: '/api/jinmao/web/product',
    menu: 'mm_commodityMana',
    table: 'product',
    where: (row) => row.kind === 'goods',
    standing: (row, world) => ({
      tenant: row.tenant_id,
      projects: (by(world, 'product_project', 'product_id').get(row.id) ?? []).map((one) =>
        Number(one.project_id),
      ),
      owner: row.created_by,
      rule: 'places',
    }),
    filters: {
      state: words('status', ['draft', 'reviewing', 'published', 'rejected', 'off_shelf']),
      merchant: {
        ...ids('tenant_id', 'tenant', isMerchant),
        // From a merchant another tenant's id is ignored.
        keeps: (row, value, _world, held) => held.kind === 2 || list(value).includes(String(row.tenant_id)),
      },
      projects: projectsOf('product_project', 'product_id'),
      price: moneyRange('price_min', 'price_max'),
      stockState: words(
        (row) => (row.stock_total === 0 ? 'out' : row.stock_low ? 'low' : 'enough'),
        ['enough', 'low', 'out'],
      ),
    },
    tabs: {
      all: kept,
      selling: (row) => kept(row) && row.status === 'published',
      draft: (row) => kept(row) && row.status === 'draft',
      reviewing: (row) => kept(row) && row.status === 'reviewing',
      rejected: (row) => kept(row) && row.status === 'rejected',
      off: (row) => kept(row) && row.status === 'off_shelf',
      soldOut: (row) => kept(row) && row.status === 'published' && row.stock_total === 0,
      low: (row) => kept(row) && row.status === 'published' && row.stock_low,
      recycled: (row) => !kept(row),
    },
    text: (row) => `${row.code} ${row.name}`.toLowerCase(),
    export: byCode,
  },
  {
    name: 'staff',
    root: '/api/admin/staff',
    menu: 'userManager',
    table: 'staff',
    standing: ownTenant('id'),
    filters: staffFilters,
    tabs: staffTabs,
    text: staffText,
    export: byAccount,
  },
  {
    name: 'projectStaff',
    root: '/api/admin/projectStaff',
    menu: 'userManager1',
    table: 'staff',
    standing: ownTenant('id'),
    // Whoever works in every project counts as working in each; a caller with projects sees the staff of these.
    extra: (row, world, held) => {
      const projects = projectsOfStaff(row, world);
      if (!row.all_projects && projects.length === 0) return false;
      if (!held.projects) return true;
      return row.all_projects ? held.projects.size > 0 : projects.some((id) => held.projects!.has(id));
    },
    filters: {
      ...staffFilters,
      projects: projectsOf('staff_project', 'staff_id', (row) => row.all_projects === true),
    },
    tabs: staffTabs,
    text: staffText,
    export: byAccount,
  },
  {
    name: 'allStaff',
    root: '/api/admin/allStaff',
    menu: 'allUserManager',
    table: 'staff',
    standing: (row) => ({ tenant: row.tenant_id, projects: undefined, owner: row.id, rule: 'platform' }),
    filters: {
      ...staffFilters,
      tenant: ids('tenant_id', 'tenant'),
      tenantType: {
        value: (dice) => dice.pick(['1', '2', '3', '4']),
        keeps: (row, value, world) => String(world.tenants.get(row.tenant_id)!.kind) === value,
      },
    },
    text: staffText,
    export: byAccount,
  },
  {
    name: 'department',
    root: '/api/admin/department',
    menu: 'departManager',
    table: 'department',
    standing: ownTenant('leader_id'),
    filters: {
      type: words('type', ['function', 'project', 'region']),
      enabled: yes('enabled'),
      parent: ids('parent_id', 'department'),
    },
    text: (row) => `${row.name} ${row.code}`.toLowerCase(),
    export: byName,
  },
  {
    name: 'allDepartment',
    root: '/api/admin/allDepartment',
    menu: 'departManager1',
    table: 'department',
    standing: (row) => ({ tenant: row.tenant_id, projects: undefined, owner: row.leader_id, rule: 'places' }),
    filters: {
      tenant: ids('tenant_id', 'tenant'),
      type: words('type', ['function', 'project', 'region']),
      enabled: yes('enabled'),
    },
    text: (row) => `${row.name} ${row.code}`.toLowerCase(),
    export: byName,
  },
  {
    name: 'station',
    root: '/api/admin/station',
    menu: 'stationManage',
    table: 'station',
    standing: ownTenant('created_by'),
    filters: {
      type: words('type', ['manager', 'repair', 'finance', 'sales']),
      enabled: yes('enabled'),
      departments: linked('station_department', 'station_id', 'department_id', 'department'),
    },
    text: (row) => `${row.name} ${row.code}`.toLowerCase(),
    export: byCode,
  },
  {
    name: 'groupType',
    root: '/api/admin/groupType',
    menu: 'groupTypeManager',
    table: 'group_type',
    standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'everybody' }),
    filters: { name: part('name') },
  },
  {
    name: 'role',
    root: '/api/admin/role',
    menu: 'roleManager',
    table: 'permission_group',
    where: (row) => row.typeCode === 'role',
    standing: ownTenant('created_by'),
    filters: { name: part('name'), enabled: yes('enabled') },
    text: (row) => `${row.name} ${row.code}`.toLowerCase(),
    // A leader without the administration of groups sees the groups he leads.
    extra: (row, _world, held) =>
      held.menus.has('groupManager') ||
      held.elements.has('roleManager:btn_resourceManager') ||
      !held.leads ||
      held.ledGroups.has(row.id),
  },
  {
    name: 'whitelist',
    root: '/api/admin/whitelist',
    menu: 'WhiteManage',
    table: 'login_whitelist',
    standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'platform' }),
    filters: { purpose: words('purpose', ['allow', 'skip_code']), staff: ids('staff_id', 'staff') },
    export: counted,
  },
  {
    name: 'overtimeRecord',
    root: '/api/admin/overtimeRecord',
    menu: 'workOvertimeManager',
    table: 'overtime_record',
    standing: ownTenant('staff_id'),
    filters: {
      state: words('state', ['pending', 'approved', 'rejected', 'cancelled', 'void']),
      compensation: words('compensation', ['time_off', 'pay']),
      staff: ids('staff_id', 'staff'),
    },
    tabs: { all: () => true, ...stateTabs('pending', 'approved') },
    export: counted,
  },
  {
    name: 'leaveRecord',
    root: '/api/admin/leaveRecord',
    menu: 'workOvertimeManager',
    table: 'leave_record',
    standing: ownTenant('staff_id'),
    filters: {
      state: words('state', ['pending', 'approved', 'rejected', 'cancelled', 'void']),
      kind: words('kind', ['leave', 'credit', 'expiry', 'adjustment']),
    },
    tabs: { all: () => true, leave: (row) => row.kind === 'leave', ...stateTabs('pending') },
    export: counted,
  },
];
