import { dayOf, ids, isMerchant, linked, projectsOf, words } from './filters.ts';
import type { Oracle } from './oracle.ts';
import { by, run, type Raw, type Standing, type World } from './world.ts';

const STATES = [
  'draft',
  'in_review',
  'rejected',
  'to_activate',
  'operating',
  'suspended',
  'closing',
  'closed',
];

const standing = (tenant: number, owner: unknown, world: World): Standing => ({
  tenant,
  projects: (by(world, 'tenant_project', 'tenant_id').get(tenant) ?? []).map((one) => Number(one.project_id)),
  owner: owner as number | null,
  rule: 'places',
});

const inState = (state: string) => (row: Raw) => row.merchant_state === state;

const DAY = 86_400_000;

/** A certificate that ends within 30 days, or has ended. */
const certificateEnds = (row: Raw, world: World): boolean =>
  (by(world, 'merchant_certificate', 'tenant_id').get(row.id) ?? []).some(
    (one) => !one.long_term && String(one.valid_to).slice(0, 10) <= dayOf(new Date(Date.now() + 30 * DAY)),
  );

/** Trading, and its agreement in force ends within 60 days. */
const renews = (row: Raw, world: World): boolean => {
  const now = Date.now();
  const at = (value: unknown) => (value === null ? Infinity : new Date(value as string).getTime());
  return (
    ['operating', 'suspended'].includes(row.merchant_state) &&
    (by(world, 'merchant_agreement', 'tenant_id').get(row.id) ?? []).some(
      (one) =>
        ['active', 'superseded', 'expired'].includes(one.state) &&
        at(one.effective_from) <= now &&
        at(one.effective_to) > now &&
        at(one.effective_to) < now + 60 * DAY,
    )
  );
};

/** Less money in the ledger than the agreement in force asks for. */
const depositShort = (row: Raw, world: World): boolean => {
  const now = Date.now();
  const asked = (by(world, 'merchant_agreement', 'tenant_id').get(row.id) ?? []).find(
    (one) =>
      ['active', 'superseded', 'expired'].includes(one.state) &&
      new Date(one.effective_from).getTime() <= now &&
      (one.effective_to === null || new Date(one.effective_to).getTime() > now),
  );
  const account = (by(world, 'ledger_account', 'owner').get(row.id) ?? []).find(
    (one) => one.kind === 'merchant_deposit' && one.unit === 'fen',
  );
  return (
    ['to_activate', 'operating', 'suspended'].includes(row.merchant_state) &&
    Number(account?.balance ?? 0) < Number(asked?.deposit ?? 0)
  );
};

const TABS: Readonly<Record<string, (row: Raw, world: World) => boolean>> = {
  all: () => true,
  operating: inState('operating'),
  review: inState('in_review'),
  toOpen: inState('to_activate'),
  suspended: inState('suspended'),
  closing: inState('closing'),
  draft: inState('draft'),
  rejected: inState('rejected'),
  certificates: certificateEnds,
  renewal: renews,
  depositShort,
};

/** A credit code whose check digit is right, by GB 32100: the same sum written a second time. */
function creditCode(turn: number): string {
  const letters = [...'0123456789ABCDEFGHJKLMNPQRTUWXY'];
  const body = `9131${String(turn % 1_000_000_000).padStart(9, '0')}MA1K`.slice(0, 17);
  let power = 1;
  let sum = 0;
  for (const letter of body) {
    sum += letters.indexOf(letter) * power;
    power = (power * 3) % 31;
  }
  return body + letters[(31 - (sum % 31)) % 31]!;
}

/** Who sees which merchants, for each of the three menus. */
export const merchantRule = (
  name: string,
  menu: string,
  where: (row: Raw) => boolean,
  tabs: readonly string[],
): Oracle => ({
  name,
  menu,
  table: 'tenant',
  where,
  standing: (row, world) => standing(row.id, row.created_by, world),
  leftOut: ['cycle', 'certificate', 'depositShort', 'closedNow'],
  filters: {
    state: words('merchant_state', STATES),
    kind: words('merchant_kind', ['self', 'resident']),
    projects: projectsOf('tenant_project', 'tenant_id'),
    businesses: linked('tenant_business', 'tenant_id', 'business_id', 'business'),
  },
  tabs: Object.fromEntries(tabs.map((tab) => [tab, TABS[tab]!])),
  text: (row) => `${row.account} ${row.name}`.toLowerCase(),
  export: { field: 'account', key: (row) => String(row.account) },
  owner: 'created_by',
  reads: [
    'tenant_project',
    'tenant_business',
    'business',
    'project',
    'merchant_certificate',
    'merchant_agreement',
    'ledger_account',
  ],
  sample: (turn) => ({
    name: `商户${turn}`,
    kind: 'resident',
    licenceNo: creditCode(turn),
    legalPerson: '王小明',
    contact: '李小红',
    phone: '13900001111',
    email: 'shop@example.com',
    certificates: [],
    postage: [],
    foundedOn: '2020-01-01',
  }),
  ...(name === 'merchant'
    ? {
        // The picker of merchants is everybody's, within the own places.
        offered: 'everybody' as const,
        fill: async ({ db, dice, staff }) => {
          for (const [index, { id }] of staff.slice(0, 60).entries()) {
            const [row] = await run<{ id: number }>(
              db,
              `INSERT INTO tenant (kind, account, name, merchant_kind, merchant_state, enabled, created_by)
               VALUES (2, $1, $1, $2, $3, true, $4) RETURNING id`,
              [`PM${index}`, dice.pick(['self', 'resident']), dice.pick(STATES), id],
            );
            await run(
              db,
              'INSERT INTO tenant_project (tenant_id, project_id) SELECT $1, id FROM project ORDER BY id OFFSET $2 LIMIT 2',
              [row!.id, dice.upTo(6)],
            );
          }
        },
      }
    : {}),
});

/** Who sees which agreements. */
export const agreementRule = (name: string, menu: string, kind?: 'self' | 'resident'): Oracle => ({
  name,
  menu,
  table: 'merchant_agreement',
  ...(kind
    ? {
        extra: (row: Raw, world: World) => world.tenants.get(Number(row.tenant_id))?.merchant_kind === kind,
      }
    : {}),
  standing: (row, world) => standing(row.tenant_id, row.created_by, world),
  filters: { merchant: ids('tenant_id', 'tenant', isMerchant) },
  owner: 'created_by',
  reads: ['tenant_project', 'tenant', 'project'],
  sample: (turn) => ({
    signedOn: '2024-01-01',
    effectiveFrom: `20${30 + (turn % 60)}-01-01T00:00:00+08:00`,
    effectiveTo: `20${30 + (turn % 60)}-12-31T00:00:00+08:00`,
    contact: '李小红',
    phone: '13900001111',
    rules: [],
  }),
});
