import { z } from 'zod';
import { handContractsOver } from '../../../domain/contract/contract-owner.server.ts';
import { dictionaryOptions } from '../../../domain/dictionary/dictionary.server.ts';
import { requireProjectsInReach, filteredProjects } from '../../../domain/permission/project-reach.server.ts';
import {
  noteAssignment,
  requireClaim,
  requireRoom,
} from '../../../domain/commercial-client/client.server.ts';
import { clientOptions } from '../../../domain/commercial-client/client-options.server.ts';
import {
  ALL_CLIENTS,
  clientsOf,
  leadersOf,
  seenClients,
  writersOf,
} from '../../../domain/commercial-client/client-sight.server.ts';
import {
  mergeClient,
  mergedInto,
  type MergedClient,
  type MergedField,
} from '../../../domain/commercial-client/merge-client.server.ts';
import {
  isLicence,
  likeness,
  LIMITS,
  plainName,
  stageProblem,
  type Stage,
} from '../../../domain/commercial-client/client.rules.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { tellReceivables } from '../../../domain/receivable/receivable.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, transaction, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, Refusal, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf, type Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import {
  endpoint,
  type Job,
  type OptionSource,
  type Registration,
} from '../../../kernel/server/registration.ts';
import { inReach } from '../../../kernel/server/resource/abilities/reach.ts';
import { NOW } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import type { ImportRow, ImportTarget } from '../../../kernel/server/tables/import-target.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { TODAY } from '../../../kernel/server/today.ts';
import { binClient } from './client-bin.server.ts';
import { contractReach, deskEndpoints, todayBlocks } from './client-desk.server.ts';
import { matchingSpaces } from '../space/space-figures.server.ts';
import { CLIENT_MENU, commercialClient } from './client.contract.ts';

const NOT_OWNER: Label = ['只有负责人或上级可以操作', 'Only the owner or a leader may do this'];
const READER: Label = ['您只能查看该客户', 'You may only read this client'];
const NOT_LEADER: Label = ['只有上级或招商管理员可以合并', 'Only a leader or an administrator merges'];
const IN_POOL: Label = ['客户在公海，请先认领', 'It is in the pool, claim it first'];

const leads = (row: DbRow, caller: Caller) =>
  (row.leaders as readonly number[]).map(Number).includes(caller.staffId) || caller.elements.has(ALL_CLIENTS);
const owns = (row: DbRow, caller: Caller) => Number(row.ownerId) === caller.staffId && row.ownerId !== null;
const manages = (row: DbRow, caller: Caller): Label | undefined =>
  owns(row, caller) || leads(row, caller) ? undefined : NOT_OWNER;
const managesOwned = (row: DbRow, caller: Caller): Label | undefined =>
  row.ownerId === null ? IN_POOL : manages(row, caller);
const writes = (row: DbRow, caller: Caller): Label | undefined =>
  owns(row, caller) ||
  leads(row, caller) ||
  (row.writers as readonly number[]).map(Number).includes(caller.staffId)
    ? undefined
    : READER;

/** What row rules of a client and of what hangs on it read. */
export const RIGHTS = {
  ownerId: 't.owner_id',
  leaders: leadersOf('t.owner_id'),
  writers: writersOf('t.id'),
};

/** SQL: the business day a client goes to the pool unless it is followed up or signed. Source: group 20, customerList, rules. */
const POOL_DAY = `least((greatest(t.assigned_at, t.last_follow_at) AT TIME ZONE 'Asia/Shanghai')::date + client_limit(t.owner_id, 'no_follow_days', client_days('client.no_follow_days', 15)),
        (t.assigned_at AT TIME ZONE 'Asia/Shanghai')::date + client_limit(t.owner_id, 'no_deal_days', client_days('client.no_deal_days', 90)))`;
/** SQL: clients that go to the pool by themselves some day. */
const MAY_LEAVE = `t.owner_id IS NOT NULL AND NOT t.locked AND t.state NOT IN ('signed', 'lost')`;

const SCOPE = { tenant: 'none', project: 'none', owner: 'NULL::bigint', own: seenClients } as const;
const clientSight = listSight({ entity: 'client', menu: CLIENT_MENU, table: 'client', scope: SCOPE });

const bound: BoundResource = bindResource(commercialClient, {
  table: 'client',
  from: `client t LEFT JOIN client_contact k ON k.client_id = t.id AND k.main LEFT JOIN staff o ON o.id = t.owner_id LEFT JOIN department w ON w.id = o.department_id
    LEFT JOIN biz_dict i ON i.id = t.industry_id LEFT JOIN biz_dict q ON q.id = t.source_id LEFT JOIN biz_dict l ON l.id = t.lost_reason_id`,
  scope: SCOPE,
  codePrefix: 'CL',
  search: `lower(t.code || ' ' || t.name || ' ' || t.brand)`,
  searchExact: [
    't.id IN (SELECT c.client_id FROM client_contact c WHERE c.phone = :value)',
    // The number of a client that was joined to another finds the one that stayed.
    't.id IN (SELECT a.client_id FROM client_alias a WHERE a.code = :value)',
  ],
  links: { projects: { table: 'client_project', own: 'client_id', other: 'project_id', to: 'project' } },
  columns: {
    industry: { id: 't.industry_id', title: 'i.name', titleEn: 'i.name_en' },
    source: { id: 't.source_id', title: 'q.name', titleEn: 'q.name_en' },
    lostReason: { id: 't.lost_reason_id', title: 'l.name', titleEn: 'l.name_en' },
    owner: { id: 't.owner_id', title: 'o.name' },
    areaMin: 't.area_min / 100',
    areaMax: 't.area_max / 100',
    // In the pool nobody learns more of a number than its shape.
    contactName: `(CASE WHEN t.owner_id IS NULL THEN left(k.name, 1) || '*' ELSE k.name END)`,
    contactPhone: `(CASE WHEN t.owner_id IS NULL THEN regexp_replace(k.phone, '^(.{3}).*(.{4})$', '\\1****\\2') ELSE k.phone END)`,
    confirmed: 'false',
    assignee: { id: 'NULL::bigint', title: 'NULL::text' },
    contacts: `'[]'::jsonb`,
    members: `'[]'::jsonb`,
    toPool: 'false',
    department: { id: 'o.department_id', title: 'w.name' },
    idleDays: `(${TODAY} - (coalesce(t.last_follow_at, t.created_at) AT TIME ZONE 'Asia/Shanghai')::date)`,
    stageDays: `(${TODAY} - (t.stage_since AT TIME ZONE 'Asia/Shanghai')::date)`,
    poolOn: `(CASE WHEN ${MAY_LEAVE} THEN ${POOL_DAY} END)`,
  },
  writes: {
    areaMin: false,
    areaMax: false,
    contactName: false,
    contactPhone: false,
    confirmed: false,
    assignee: false,
    contacts: false,
    members: false,
    toPool: false,
  },
  unique: { client_licence: ['该统一社会信用代码已存在', 'A client with this licence number exists'] },
  filters: {
    tags: (value, parameters) => `t.tags @> ARRAY[${parameters.bind(value)}::text]`,
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM client_project x WHERE x.client_id = t.id AND x.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
  },
  tabs: {
    today: (caller, parameters) =>
      `(t.owner_id = ${parameters.bind(caller.staffId)} AND (${Object.values(todayBlocks(contractReach(caller, parameters))).join(' OR ')}))`,
    mine: (caller, parameters) => clientsOf.mine(parameters.bind(caller.staffId)),
    shared: (caller, parameters) => clientsOf.shared(parameters.bind(caller.staffId)),
    below: (caller, parameters) => clientsOf.below(parameters.bind(caller.staffId)),
    pool: () => 't.owner_id IS NULL',
    all: () => 'TRUE',
  },
  extra: RIGHTS,
  ruleReads: [...Object.keys(RIGHTS), 'locked'],
  rowRules: {
    update: (row, caller) => (row.ownerId === null && !leads(row, caller) ? IN_POOL : writes(row, caller)),
    advance: (row, caller) => (row.ownerId === null ? IN_POOL : writes(row, caller)),
    lose: managesOwned,
    revive: managesOwned,
    // Whom it went to meanwhile is said by the action itself.
    claim: (row, caller) => (owns(row, caller) ? ['已是您的客户', 'It is yours already'] : undefined),
    assign: (row, caller) => (leads(row, caller) ? undefined : NOT_OWNER),
    transfer: managesOwned,
    merge: (row, caller) => (leads(row, caller) ? undefined : NOT_LEADER),
    remove: (row, caller) =>
      leads(row, caller)
        ? undefined
        : ['只有上级或招商管理员可以删除', 'Only a leader or an administrator deletes'],
    release: managesOwned,
    contract: (row, caller) => (row.ownerId === null ? IN_POOL : writes(row, caller)),
    lock: (row, caller) => (row.locked === true ? ['已锁定', 'Locked already'] : managesOwned(row, caller)),
    unlock: (row, caller) => (row.locked === true ? manages(row, caller) : ['未锁定', 'It is not locked']),
  },
  before: [check],
  after: [
    async ({ action, input, columns, tx, caller }, id) => {
      if (action !== 'create') return [];
      const staffId = staffIdOf(caller)!;
      const owner = columns.owner_id as number | null;
      await run(
        tx,
        `INSERT INTO client_contact (client_id, name, phone, main, created_by, updated_by) VALUES ($1, $2, $3, true, $4, $4)`,
        [id, input.contactName, input.contactPhone, staffId],
      );
      for (const one of (input.contacts ?? []) as readonly Readonly<Record<string, string | null>>[])
        await run(
          tx,
          `INSERT INTO client_contact (client_id, name, phone, position, created_by, updated_by) VALUES ($1, $2, $3, $4, $5, $5)`,
          [id, one.name, one.phone, one.position ?? '', staffId],
        );
      await run(
        tx,
        `INSERT INTO client_member (client_id, staff_id, access, created_by)
         SELECT $1, m, 'read', $3 FROM unnest($2::bigint[]) m WHERE m IS DISTINCT FROM $4::bigint`,
        [id, ((input.members ?? []) as readonly number[]).map(Number), staffId, owner],
      );
      await noteAssignment(tx, id, { from: null, to: owner }, 'create', { by: staffId });
      return [];
    },
  ],
  checks: {
    lock: async ({ tx, row }) => {
      const held = (await runOne<{ n: number; most: number }>(
        tx,
        `SELECT count(*)::int AS n, client_limit($1, 'max_locked', $2) AS most FROM client WHERE owner_id = $1 AND locked`,
        [row.owner_id, LIMITS.locked],
      ))!;
      if (held.n >= held.most)
        throw ruleBroken([`最多锁定 ${held.most} 个客户`, `At most ${held.most} clients are locked`]);
    },
  },
  sets: {
    lock: { locked: true },
    revive: { lost_reason_id: null, lost_note: '', stage_since: NOW },
    unlock: { locked: false },
    fallBack: { stage_since: NOW },
  },
  handlers: {
    advance,
    lose: ({ input }) =>
      Promise.resolve({
        set: {
          lost_reason_id: input.because,
          lost_note: [input.competitor && `竞品：${String(input.competitor)}`, input.note]
            .filter(Boolean)
            .join('；'),
          stage_since: new Date(),
          locked: false,
        },
        remark: String(input.note ?? ''),
      }),
    claim,
    assign: async (context) =>
      give(
        context,
        await leastLoaded(context, (context.input.to as readonly number[]).map(Number)),
        'assign',
        '',
      ),
    transfer: async (context) => {
      const { tx, id, row, input, caller, platform } = context;
      const done = await give(context, Number(input.to), 'transfer', String(input.reason));
      if (input.keep === true && row.owner_id)
        await run(
          tx,
          `INSERT INTO client_member (client_id, staff_id, access, created_by, until) VALUES ($1, $2, 'read', $3, ${TODAY} + 30)
           ON CONFLICT (client_id, staff_id) DO UPDATE SET until = greatest(client_member.until, EXCLUDED.until) WHERE client_member.until IS NOT NULL`,
          [id, row.owner_id, staffIdOf(caller)],
        );
      if (row.owner_id) {
        const hands = { from: Number(row.owner_id), to: Number(input.to) };
        await handContractsOver(tx, id, hands, {
          contracts: input.contracts !== false,
          receivables: input.receivables !== false,
        });
        tellReceivables(platform);
      }
      return input.follows === false ? { ...done, set: { ...done.set, next_follow_at: null } } : done;
    },
    remove: ({ tx, id, row, input, caller }) =>
      binClient(tx, { id, code: String(row.code) }, String(input.reason), staffIdOf(caller)!),
    merge,
    release: (context) => toPool(context, 'release', String(context.input.reason)),
    autoPool: (context) => toPool(context, 'auto_pool', '长期未跟进或未签约'),
  },
  detail: async (db, id, row, caller) => {
    // Seen by its owner: it waits in 今日 no longer.
    if (Number(row.ownerId) === caller.staffId)
      await run(db, 'UPDATE client SET opened = true WHERE id = $1 AND NOT opened', [id]);
    return {};
  },
  endpoints: [
    ...deskEndpoints(() => bound),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/client/known',
      title: ['查重', 'Whether a client is known'],
      access: { code: `${CLIENT_MENU}:btn_add` },
      query: z.strictObject({
        name: z.string().max(60).optional(),
        licenceNo: z.string().max(18).optional(),
        contactPhone: z.string().max(20).optional(),
        id: z
          .string()
          .regex(/^\d{1,15}$/)
          .optional(),
      }),
      handle: async ({ caller, platform, query }) => ({
        problem: await knownProblem(platform.database.db, caller, query),
      }),
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/client/spaces',
      title: ['匹配铺位', 'Spaces that fit a client'],
      access: { code: CLIENT_MENU },
      query: z.strictObject({ client: z.string().regex(/^\d{1,15}$/) }),
      handle: async ({ caller, platform, query }) => ({
        rows: await matchingSpaces(platform.database.db, caller, Number(query.client)),
      }),
    }),
  ],
  also: {
    sights: [clientSight],
    options: [
      dictionaryOptions({ catalogue: 'business', dictionary: 'client_industry' }),
      dictionaryOptions({ catalogue: 'business', dictionary: 'client_source' }),
      dictionaryOptions({ catalogue: 'business', dictionary: 'client_lost_reason' }),
      businessStaff(),
      clientSpaces(),
      clientOptions('clientToMerge', [CLIENT_MENU], `(t.code || ' ' || t.name || ' ' || t.brand)`),
    ],
    jobs: [
      poolJob(),
      todayJob(),
      dueJob(() => bound, {
        name: 'client.stage',
        title: ['签约客户回到谈判', 'Signed clients whose contracts are over'],
        cron: '0 * * * *',
        action: 'fallBack',
        when: `EXISTS (SELECT FROM contract k WHERE k.client_id = t.id AND k.direction = 'income' AND k.state IN ('expired', 'terminated'))
          AND NOT EXISTS (SELECT FROM contract k WHERE k.client_id = t.id AND k.direction = 'income' AND k.state IN ('active', 'expiring'))`,
      }),
    ],
  },
});

/** Commercial clients. Who comes second to a client of the pool is told who was first, though it is out of sight by then. */
export const registration: Registration = {
  ...bound.registration,
  imports: bound.registration.imports!.map(emptyOwnerIsPool),
  endpoints: bound.registration.endpoints.map((one) =>
    one.path === '/jinmao/web/client/:id/claim'
      ? {
          ...one,
          handle: async (call) => {
            try {
              return await one.handle(call);
            } catch (error) {
              if (!(error instanceof Refusal) || error.http !== 404) throw error;
              const winner = await claimedBy(call.platform.database.db, idOf(call.params.id), call.caller);
              throw winner === undefined ? error : claimedText(winner);
            }
          },
        }
      : one.method === 'GET' && one.path === '/jinmao/web/client/:id'
        ? {
            ...one,
            // A link to a client that was joined to another opens the one that stayed.
            handle: async (call) => {
              const into = await mergedInto(call.platform.database.db, idOf(call.params.id));
              return one.handle(
                into === undefined ? call : { ...call, params: { ...call.params, id: String(into) } },
              );
            },
          }
        : one,
  ),
};

/** A line of a file that names no owner goes to the pool, whoever brings it. Source: group 20, customerList, import. */
function emptyOwnerIsPool(target: ImportTarget): ImportTarget {
  const filled = (rows: readonly ImportRow[]) =>
    rows.map((row) => ({ ...row, values: { ...row.values, toPool: row.values.assignee ? '' : '是' } }));
  return {
    ...target,
    columns: target.columns.filter((column) => column.name !== 'toPool'),
    check: (call, rows) => target.check(call, filled(rows)),
    commit: (tx, call, rows) => target.commit(tx, call, filled(rows)),
  };
}

/** Who claimed a client today that stood in a pool of the caller; undefined where the caller could not have seen it. */
async function claimedBy(db: Executor, id: number, caller: Caller): Promise<string | undefined> {
  const row = await runOne<{ name: string }>(
    db,
    `SELECT s.name FROM client_assignment a JOIN staff s ON s.id = a.to_staff
      WHERE a.client_id = $1 AND a.kind = 'claim' AND a.at > now() - interval '1 day'
        AND a.id = (SELECT max(x.id) FROM client_assignment x WHERE x.client_id = $1)
        AND EXISTS (SELECT FROM client_project x JOIN business_person_project y ON y.project_id = x.project_id JOIN business_person b ON b.id = y.person_id
             WHERE x.client_id = $1 AND b.staff_id = $2 AND b.state = 'active')`,
    [id, caller.staffId],
  );
  return row?.name;
}

const claimedText = (name: string) => ruleBroken([`已被${name}认领`, `${name} claimed it already`]);

/** Looks at the values of the form. Source: group 20, addCustomer. */
async function check(context: ActionContext): Promise<void> {
  const { action, input, row, columns, tx, caller, id } = context;
  if (action !== 'create' && action !== 'update') return;
  for (const name of ['brand', 'region', 'address', 'note']) if (columns[name] === null) columns[name] = '';
  const problems: Record<string, Label> = {};
  const licence = columns.licence_no as string | null | undefined;
  if (licence && !isLicence(licence)) problems.licenceNo = BAD_LICENCE;
  for (const name of ['areaMin', 'areaMax'] as const)
    if (input[name] !== undefined)
      columns[name === 'areaMin' ? 'area_min' : 'area_max'] =
        input[name] === null ? null : Number(input[name]) * 100;
  const now: DbRow = { ...row, ...columns };
  if (now.area_max && now.area_min && Number(now.area_max) < Number(now.area_min))
    problems.areaMax = ['不能小于意向面积下限', 'Not below the smallest area'];
  if (now.area_max && !now.area_min) problems.areaMin = ['请填写下限', 'Write the smallest area'];
  if (Object.keys(problems).length > 0) throw invalid(problems);
  if (columns.name !== undefined) columns.plain_name = plainName(String(columns.name));
  if (input.projects !== undefined) requireProjectsInReach(caller, (input.projects as number[]).map(Number));
  if (licence) await refuseKnown(tx, caller, 'licenceNo', BY_LICENCE, licence, action === 'update' ? id : 0);
  if (action !== 'create') return;
  const phones = [
    ['contactPhone', String(input.contactPhone)],
    ...((input.contacts ?? []) as readonly { readonly phone: string }[]).map((one) => [
      'contacts',
      one.phone,
    ]),
  ] as const;
  if (new Set(phones.map(([, phone]) => phone)).size < phones.length)
    throw invalid({ contacts: ['联系电话重复', 'A number stands there twice'] });
  for (const [field, phone] of phones) await refuseKnown(tx, caller, field!, BY_PHONE, phone!, 0);
  if (input.confirmed !== true) await refuseAlike(tx, caller, String(columns.plain_name));
  await giveNew(context);
}

/** Whose a new client is: who is named, else a business person's own, else the pool's. Source: group 20, addCustomer, owner. */
async function giveNew(context: ActionContext): Promise<void> {
  const { tx, input, columns, caller } = context;
  const { fields } = commercialClient;
  const self = staffIdOf(caller)!;
  const named = input.assignee ? Number(input.assignee) : null;
  if (named !== null) await inReach(context, fields.assignee, [named], 'assignee');
  const members = ((input.members ?? []) as readonly number[]).map(Number);
  if (members.length > 0) await inReach(context, fields.members, members, 'members');
  if (named !== null && named !== self && !caller.elements.has(ALL_CLIENTS)) {
    const above = await runOne<{ all: readonly number[] }>(tx, `SELECT ${leadersOf('$1::bigint')} AS all`, [
      named,
    ]);
    if (!above!.all.map(Number).includes(self))
      throw invalid({ assignee: ['只能指定自己或下属', 'Only yourself or somebody below you'] });
  }
  const person = await runOne(tx, `SELECT 1 FROM business_person WHERE staff_id = $1 AND state = 'active'`, [
    self,
  ]);
  if (input.toPool === true && named !== null)
    throw invalid({ toPool: ['已选择归属人', 'Somebody was chosen already'] });
  if (input.toPool === true || (named === null && !person && caller.elements.has(ALL_CLIENTS))) {
    Object.assign(columns, { owner_id: null, pool_since: new Date() });
    return;
  }
  const owner = named ?? self;
  await requireRoom(tx, owner);
  Object.assign(columns, { owner_id: owner, assigned_at: new Date(), opened: owner === self });
}

const BY_LICENCE = 'c.licence_no = $1';
const BY_PHONE = 'EXISTS (SELECT FROM client_contact x WHERE x.client_id = c.id AND x.phone = $1)';

/** A client is known by licence or phone once, said at that field; who has it is said only to those who see it. */
async function refuseKnown(
  tx: Tx,
  caller: Caller,
  field: string,
  where: string,
  value: string,
  id: number,
): Promise<void> {
  const label = await knownText(tx, caller, where, value, id);
  if (label) throw ruleBroken(label, { fields: { [field]: label } });
}

/** What is wrong with a value as it is left in the form: the same words saving would have. */
async function knownProblem(
  db: Executor,
  caller: Caller,
  value: {
    readonly name?: string | undefined;
    readonly licenceNo?: string | undefined;
    readonly contactPhone?: string | undefined;
    readonly id?: string | undefined;
  },
): Promise<Label | null> {
  const id = Number(value.id ?? 0);
  if (value.licenceNo) {
    if (!isLicence(value.licenceNo)) return BAD_LICENCE;
    return (await knownText(db, caller, BY_LICENCE, value.licenceNo, id)) ?? null;
  }
  if (value.contactPhone) return (await knownText(db, caller, BY_PHONE, value.contactPhone, id)) ?? null;
  return value.name ? ((await alikeText(db, caller, plainName(value.name), id)) ?? null) : null;
}

const BAD_LICENCE: Label = ['统一社会信用代码不正确', 'This is no valid licence number'];

async function knownText(
  tx: Executor,
  caller: Caller,
  where: string,
  value: string,
  id: number,
): Promise<Label | undefined> {
  const known = await runOne<{ id: number; code: string; owner: string | null }>(
    tx,
    `SELECT c.id, c.code, s.name AS owner FROM client c LEFT JOIN staff s ON s.id = c.owner_id WHERE ${where} AND c.id <> $2 LIMIT 1`,
    [value, id],
  );
  if (!known) return undefined;
  const parameters = new Parameters();
  const mine = await runOne(
    tx,
    `SELECT 1 FROM client t WHERE t.id = ${parameters.bind(known.id)} AND ${seenClients(caller, parameters)}`,
    parameters.values,
  );
  return mine
    ? [
        `已存在客户 ${known.code}（负责人 ${known.owner ?? '公海'}）`,
        `Client exists: ${known.code} (owner ${known.owner ?? 'the pool'})`,
      ]
    : ['该客户已存在，请联系招商管理员', 'Client exists; ask the leasing administrator'];
}

/** Names that are nearly the same are shown before a second client is made of one. */
async function refuseAlike(tx: Tx, caller: Caller, plain: string): Promise<void> {
  const label = await alikeText(tx, caller, plain, 0);
  if (label) throw invalid({ confirmed: label });
}

async function alikeText(
  tx: Executor,
  caller: Caller,
  plain: string,
  id: number,
): Promise<Label | undefined> {
  const parameters = new Parameters();
  const rows = await run<{ id: number; code: string; name: string; plain_name: string }>(
    tx,
    `SELECT t.id, t.code, t.name, t.plain_name FROM client t WHERE ${seenClients(caller, parameters)}
        AND (t.plain_name = ${parameters.bind(plain)} OR left(t.plain_name, 2) = left(${parameters.bind(plain)}, 2)) ORDER BY t.id DESC LIMIT 500`,
    parameters.values,
  );
  const alike = rows.filter((one) => one.id !== id && likeness(one.plain_name, plain) >= 0.8).slice(0, 3);
  if (alike.length === 0) return undefined;
  const names = alike.map((one) => `${one.code} ${one.name}`).join('、');
  return [`名称相近：${names}，请确认不是同一客户`, `Alike names: ${names}. Is it another client?`];
}

const STAGE_TEXTS: Readonly<Record<NonNullable<ReturnType<typeof stageProblem>>, Label>> = {
  signed: ['签约由合同审批产生', 'Set by an approved contract'],
  same: ['已在该阶段', 'It is in this stage'],
  skips: ['最多跳过一个阶段', 'Skip one stage at most'],
  reason: ['退回阶段请填写原因', 'Say why it goes back'],
  viewing: ['请先写一条看铺跟进', 'Write a follow-up of a viewing first'],
};

async function advance({ tx, id, row, input }: ActionContext): Promise<ActionResult> {
  const reason = String(input.reason ?? '');
  const viewed = await runOne(
    tx,
    `SELECT 1 FROM follow_up WHERE client_id = $1 AND kind = 'viewing' AND NOT struck LIMIT 1`,
    [id],
  );
  const problem = stageProblem(row.state as Stage, input.stage as Stage, {
    reason,
    viewed: viewed !== undefined,
  });
  if (problem) throw ruleBroken(STAGE_TEXTS[problem]);
  return { to: String(input.stage), set: { stage_since: new Date() }, remark: reason };
}

/** Moves a client along with a follow-up, by the rules of stages and as its own action. */
export async function moveStage(
  call: Pick<ActionContext, 'tx' | 'caller' | 'platform' | 'facts'>,
  clientId: number,
  stage: string,
  reason: string,
): Promise<void> {
  await bound.actIn(call.tx, call, 'advance', clientId, { stage, reason: reason.slice(0, 200) });
}

/** Tells colleagues who see the client of a follow-up they were named in. */
export async function tellColleagues(
  tx: Tx,
  clientId: number,
  staffIds: readonly number[],
  by: string,
): Promise<void> {
  const client = await runOne<{ code: string; name: string }>(
    tx,
    'SELECT code, name FROM client WHERE id = $1',
    [clientId],
  );
  await notify(tx, {
    kind: 'clientNews',
    staffIds,
    rows: { sight: clientSight, ids: [clientId] },
    title: [`${by} 在跟进中@了您`, `${by} named you in a follow-up`],
    body: [`${client!.code} ${client!.name}`, `${client!.code} ${client!.name}`],
    route: `/yueshang/details?id=${clientId}`,
  });
}

/** Takes it out of the pool; the row is locked, so that one of two gets it. */
async function claim(context: ActionContext): Promise<ActionResult> {
  const { tx, id, row, caller } = context;
  if (row.owner_id !== null) {
    const owner = await runOne<{ name: string }>(tx, 'SELECT name FROM staff WHERE id = $1', [row.owner_id]);
    throw claimedText(owner!.name);
  }
  const staffId = staffIdOf(caller)!;
  await requireRoom(tx, staffId);
  await requireClaim(tx, staffId, id);
  await noteAssignment(tx, id, { from: null, to: staffId }, 'claim', { by: staffId });
  return { set: { ...hands(staffId), opened: true } };
}

/** Of several business people the one with the fewest open clients; they are locked in one order. */
async function leastLoaded({ tx }: ActionContext, staff: readonly number[]): Promise<number> {
  if (staff.length === 1) return staff[0]!;
  await run(tx, 'SELECT 1 FROM business_person WHERE staff_id = ANY($1::bigint[]) ORDER BY id FOR UPDATE', [
    staff,
  ]);
  const least = await runOne<{ id: number }>(
    tx,
    `SELECT b.staff_id AS id FROM business_person b WHERE b.staff_id = ANY($1::bigint[]) AND b.state = 'active'
      ORDER BY (SELECT count(*) FROM client c WHERE c.owner_id = b.staff_id AND c.state NOT IN ('signed', 'lost')), array_position($1::bigint[], b.staff_id) LIMIT 1`,
    [staff],
  );
  return least?.id ?? staff[0]!;
}

/** Columns of a client that goes to somebody. */
const hands = (staffId: number) => ({
  owner_id: staffId,
  assigned_at: new Date(),
  opened: false,
  pool_since: null,
  pool_reason: '',
  warned_at: null,
});

async function give(
  { tx, id, row, caller }: ActionContext,
  to: number,
  kind: 'assign' | 'transfer',
  reason: string,
): Promise<ActionResult> {
  if (Number(row.owner_id) === to) throw ruleBroken(['已是该人员的客户', 'It is theirs already']);
  await requireRoom(tx, to);
  await noteAssignment(tx, id, { from: row.owner_id as number | null, to }, kind, {
    reason,
    by: staffIdOf(caller),
  });
  const name = await runOne<{ name: string }>(tx, 'SELECT name FROM staff WHERE id = $1', [to]);
  return { set: { ...hands(to), locked: false }, remark: [name!.name, reason].filter(Boolean).join(' · ') };
}

async function toPool(
  { tx, id, row, caller }: ActionContext,
  kind: 'release' | 'auto_pool',
  reason: string,
): Promise<ActionResult> {
  await noteAssignment(tx, id, { from: Number(row.owner_id), to: null }, kind, {
    reason,
    by: caller.staffId === 0 ? null : caller.staffId,
  });
  return {
    set: {
      owner_id: null,
      assigned_at: null,
      locked: false,
      pool_since: new Date(),
      pool_reason: reason,
      next_follow_at: null,
    },
    remark: reason,
  };
}

/** Clients nobody followed up or signed for long go to the pool: counted from the later of assignment and last follow-up. */
function poolJob(): Job {
  return {
    name: 'client.pool',
    title: ['客户进入公海', 'Clients that go to the pool'],
    cron: '0 18 * * *',
    run: async (_payload, platform) => {
      const { db } = platform.database;
      const due = await run<{ id: number }>(
        db,
        `SELECT t.id FROM client t WHERE ${MAY_LEAVE} AND ${POOL_DAY} <= ${TODAY} ORDER BY t.id`,
      );
      for (const { id } of due)
        await transaction(db, (tx) => bound.actAsSystem(tx, platform, 'autoPool', id)).catch(
          (error: unknown) => {
            if (!(error instanceof Refusal)) throw error;
          },
        );
      const warned = await warnOwners(db);
      if (due.length > 0 || warned > 0) platform.changed('client');
    },
  };
}

/** Every morning: what is due to each owner, and to leaders what was assigned a day ago and never opened. The pattern is UTC. */
function todayJob(): Job {
  return {
    name: 'client.today',
    title: ['招商今日待办', 'The day of business people'],
    cron: '30 0 * * *',
    run: (_payload, platform) =>
      transaction(platform.database.db, async (tx) => {
        const due = await run<{ owner: number; n: number }>(
          tx,
          `SELECT t.owner_id AS owner, count(*)::int AS n FROM client t
            WHERE t.owner_id IS NOT NULL AND (t.next_follow_at AT TIME ZONE 'Asia/Shanghai')::date <= ${TODAY} GROUP BY 1 ORDER BY 1`,
        );
        for (const { owner, n } of due)
          await notify(tx, {
            kind: 'clientNews',
            staffIds: [owner],
            aboutReceiver: true,
            title: [`今日有 ${n} 个客户待联系`, `${n} clients are to be called today`],
            route: '/yueshang/customerList',
          });
        // Told once: whoever is a day late this morning was not yesterday.
        const late = await run<{ leader: number; id: number; code: string; owner: string }>(
          tx,
          `SELECT b.leader_id AS leader, t.id, t.code, s.name AS owner FROM client t JOIN business_person b ON b.staff_id = t.owner_id JOIN staff s ON s.id = t.owner_id
            WHERE NOT t.opened AND b.leader_id IS NOT NULL AND t.assigned_at <= now() - interval '1 day' AND t.assigned_at > now() - interval '2 days' ORDER BY 1, 2`,
        );
        for (const leader of new Set(late.map((one) => one.leader))) {
          const rows = late.filter((one) => one.leader === leader);
          const words = rows
            .slice(0, 5)
            .map((one) => `${one.code} ${one.owner}`)
            .join('、');
          await notify(tx, {
            kind: 'clientNews',
            staffIds: [leader],
            rows: { sight: clientSight, ids: rows.map((one) => one.id) },
            title: [
              `${rows.length} 个分配的客户超过 24 小时未读`,
              `${rows.length} assigned clients were not opened for a day`,
            ],
            body: [words, words],
            route: '/yueshang/customerList?tab=below',
          });
        }
      }),
  };
}

/** Tells owners once of the clients that go to the pool within three days; a follow-up begins anew. Returns how many clients. */
async function warnOwners(db: Platform['database']['db']): Promise<number> {
  return transaction(db, async (tx) => {
    const warned = await run<{ owner: number; code: string }>(
      tx,
      `UPDATE client t SET warned_at = now() WHERE ${MAY_LEAVE} AND t.warned_at IS NULL AND ${POOL_DAY} BETWEEN ${TODAY} + 1 AND ${TODAY} + client_limit(t.owner_id, 'warn_days', $1::int)
       RETURNING t.owner_id AS owner, t.code`,
      [LIMITS.warnDays],
    );
    for (const owner of new Set(warned.map((one) => one.owner))) {
      const codes = warned.filter((one) => one.owner === owner).map((one) => one.code);
      const some = codes.slice(0, 5).join('、');
      await notify(tx, {
        kind: 'clientPool',
        staffIds: [owner],
        aboutReceiver: true,
        title: [`${codes.length} 个客户即将进入公海`, `${codes.length} clients go to the pool soon`],
        body: [`${some}，请尽快跟进`, `${some}: follow them up`],
        route: '/yueshang/customerList?tab=mine',
      });
    }
    return warned.length;
  });
}

/** Joins another client the caller leads, too, to this one. */
async function merge({ tx, id, row, input, caller }: ActionContext): Promise<ActionResult> {
  if (Number(input.other) === id) throw invalid({ other: ['不能与自己合并', 'Not with itself'] });
  const parameters = new Parameters();
  // Somebody who joins them the other way round at this moment holds it already.
  const other = await runOne<MergedClient & { ownerId: number | null; leaders: readonly number[] }>(
    tx,
    `SELECT t.id, t.code, t.name, t.state, ${RIGHTS.ownerId} AS "ownerId", ${RIGHTS.leaders} AS leaders FROM client t
      WHERE t.id = ${parameters.bind(Number(input.other))} AND ${seenClients(caller, parameters)} FOR UPDATE OF t SKIP LOCKED`,
    parameters.values,
  );
  if (!other)
    throw ruleBroken(['该客户正在被其他人操作，请重试', 'Somebody works on that client, try again']);
  if (!leads(other as unknown as DbRow, caller)) throw ruleBroken(NOT_LEADER);
  const { state, ...set } = await mergeClient(
    tx,
    { id, code: String(row.code), name: String(row.name), state: String(row.state) },
    other,
    (input.take ?? []) as readonly MergedField[],
    staffIdOf(caller)!,
  );
  return {
    to: String(state ?? row.state),
    set,
    remark: `${other.code} ${other.name}`,
  };
}

/** Business people who take clients. */
function businessStaff(): OptionSource {
  return {
    target: 'businessStaff',
    anyOf: [CLIENT_MENU, 'busPerManagement', 'proAdministration'],
    find: async ({ platform }, query) =>
      (
        await run<{ id: number; title: string; note: string }>(
          platform.database.db,
          `SELECT s.id, s.name AS title, s.account AS note FROM business_person p JOIN staff s ON s.id = p.staff_id
            WHERE CASE WHEN cardinality($1::bigint[]) > 0 THEN s.id = ANY($1::bigint[]) ELSE p.state = 'active' AND (s.name || ' ' || s.account) ILIKE $2 END
            ORDER BY s.name, s.id LIMIT $3 OFFSET $4`,
          [query.ids.map(Number), containing(query.searchVal), query.limit, query.offset],
        )
      ).map((row) => ({ ...row, id: String(row.id) })),
  };
}

/** Spaces of projects the caller works in, for follow-ups of a viewing. */
function clientSpaces(): OptionSource {
  return {
    target: 'clientSpace',
    anyOf: [CLIENT_MENU],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const chosen =
        query.ids.length > 0
          ? `s.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`
          : `s.closed_on IS NULL AND s.number ILIKE ${parameters.bind(containing(query.searchVal))}`;
      const rows = await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT s.id, s.number AS title, p.name || ' ' || b.name || ' ' || s.floor || 'F' AS note FROM space s JOIN project p ON p.id = s.project_id JOIN building b ON b.id = s.building_id
          WHERE ${chosen} AND ${placeCondition(caller, residentScope('s.project_id'), parameters)}
          ORDER BY p.name, b.name, s.floor, s.number, s.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}
