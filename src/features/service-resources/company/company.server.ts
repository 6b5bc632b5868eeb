import { z } from 'zod';
import { textOf, type Label } from '../../../kernel/contract/label.ts';
import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { forbidden, invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { endSessions } from '../../../kernel/server/people/session-changes.ts';
import { endpoint, type OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import {
  giveTenantSignIn,
  nextTenantAccount,
  type FirstSignIn,
} from '../../../domain/merchant/merchant-account.server.ts';
import { isCreditCode } from '../../../domain/merchant/merchant.rules.ts';
import {
  draftPayee,
  isBegun,
  requireWholeDraft,
  type PayeeDraft,
} from '../../../domain/tenant/draft-payee.server.ts';
import { fitPackage, packageDifference, projectTaken } from '../../../domain/tenant/tenant-package.server.ts';
import { companyJobs, companySight, COMPANY_SCOPE, PAST_READING } from './company-jobs.server.ts';
import { COMPANY_MENU, PACKAGE_KINDS, tenantCompany } from './company.contract.ts';

const KIND = `CASE t.kind WHEN 1 THEN 'company' WHEN 3 THEN 'platform' ELSE 'city' END`;
const IS_PLATFORM: Label = ['平台租户不能禁用', 'The platform tenant cannot be disabled'];
const ID = z.string().regex(/^\d{1,15}$/);

/** What a call that creates a tenant tells once, and the payee accounts it drafts. */
const made = new WeakMap<
  ActionContext,
  { first: { account: string; password: string }; drafts: PayeeDraft[] }
>();

/** Companies, centre cities and the platform. */
export const boundCompany: BoundResource = bindResource(tenantCompany, {
  table: 'tenant',
  where: 't.kind IN (1, 3, 4)',
  scope: COMPANY_SCOPE,
  search: `lower(t.account || ' ' || t.name)`,
  searchExact: ['t.contact_phone'],
  columns: {
    kind: KIND,
    contact: 't.contact_name',
    phone: 't.contact_phone',
    staffUsed: `(SELECT count(*)::int FROM staff s WHERE s.tenant_id = t.id AND s.state = 'normal')`,
    staffLimit: `coalesce(t.max_staff, (SELECT p.max_staff FROM tenant_package p WHERE p.id = t.package_id))`,
    expiresWithin: 'NULL::int',
    intro: 't.intro_html',
    alipayName: `''`,
    alipayAppId: `''`,
    alipayFee: 'NULL::numeric',
    wechatName: `''`,
    wechatAppId: `''`,
    wechatFee: 'NULL::numeric',
  },
  joins: {
    package: { table: 'tenant_package', column: 'package_id' },
    city: { table: 'region', column: 'city_id' },
  },
  links: { projects: { table: 'tenant_project', own: 'tenant_id', other: 'project_id', to: 'project' } },
  writes: {
    contact: 'contact_name',
    phone: 'contact_phone',
    intro: 'intro_html',
    package: 'package_id',
    city: 'city_id',
    alipayName: false,
    alipayAppId: false,
    alipayFee: false,
    wechatName: false,
    wechatAppId: false,
    wechatFee: false,
  },
  filters: {
    expiresWithin: (value, parameters) =>
      /^\d{1,3}$/.test(value)
        ? `t.expires_on BETWEEN (now() AT TIME ZONE 'Asia/Shanghai')::date AND (now() AT TIME ZONE 'Asia/Shanghai')::date + ${parameters.bind(Number(value))}::int`
        : ['请输入0至999的整数', 'A whole number from 0 to 999'],
  },
  unique: {
    tenant_company_name: ['该类型已有同名公司', 'A company of this name exists for the kind'],
    tenant_project_once: ['有项目已属于其他公司', 'A project belongs to another company already'],
  },
  extra: { kindNo: 't.kind' },
  ruleReads: ['kindNo', 'enabled'],
  rowRules: {
    enable: (row) => (row.enabled ? ['已是启用状态', 'It is enabled'] : undefined),
    disable: (row) =>
      Number(row.kindNo) === 3 ? IS_PLATFORM : row.enabled ? undefined : ['已是禁用状态', 'It is disabled'],
    resetPassword: (row) =>
      Number(row.kindNo) === 3
        ? ['平台管理员请在用户管理中重置密码', 'Passwords of the platform are reset among the users']
        : undefined,
  },
  before: [check],
  after: [open, refit],
  checks: {
    // It would be disabled again the same night.
    enable: async ({ tx, id }) => {
      if (await runOne(tx, `SELECT FROM tenant t WHERE t.id = $1 AND ${PAST_READING}`, [id]))
        throw ruleBroken([
          '套餐到期已满90天，请先延长到期日',
          'The package ended more than 90 days ago: set a later end first',
        ]);
    },
  },
  createDefaults: async (tx) => ({ kind: 1, account: await nextTenantAccount(tx, 'C') }),
  handlers: {
    create: async (context) => {
      const first = { account: '', password: '' };
      const drafts = [draftOf(context.input, 'alipay'), draftOf(context.input, 'wechat')].filter(isBegun);
      for (const draft of drafts) requireWholeDraft(draft);
      made.set(context, { first, drafts });
      return { result: first };
    },
    addCity,
    disable: async ({ tx, id, input, platform }) => {
      const staff = await run<{ id: number }>(tx, 'SELECT id FROM staff WHERE tenant_id = $1 ORDER BY id', [
        id,
      ]);
      await endSessions(tx, { staffId: staff.map((one) => one.id) }, 'disabled');
      platform.changed('session');
      return { set: { enabled: false }, remark: String(input.reason) };
    },
    resetPassword: async ({ tx, caller, row, id }) => {
      requirePlatform(caller);
      return {
        result: {
          ...(await giveTenantSignIn(
            tx,
            caller,
            { id, account: String(row.account), contact: String(row.contact_name) },
            await rightsOf(tx, Number(row.package_id)),
          )),
        },
      };
    },
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/tenantCompany/:id/packageDifference',
      title: ['套餐差异', 'What a package changes'],
      access: { code: COMPANY_MENU },
      query: z.strictObject({ package: ID }),
      handle: async (call) => {
        requirePlatform(call.caller);
        if (!/^\d{1,15}$/.test(String(call.params.id))) throw notFound();
        const { db } = call.platform.database;
        return packageDifference(db, Number(call.params.id), await rightsOf(db, Number(call.query.package)));
      },
    }),
  ],
  also: {
    sights: [companySight],
    jobs: companyJobs(() => boundCompany),
    options: [freeProjects('freeProject', 1), freeProjects('freeCityProject', 4), packages(), cities()],
  },
});

export const registration = {
  ...boundCompany.registration,
  options: boundCompany.registration.options?.filter((one) => one.target !== tenantCompany.name) ?? [],
};

function requirePlatform(caller: Caller): void {
  if (caller.tenantKind !== 3) throw forbidden();
}

async function check(context: ActionContext): Promise<void> {
  const { action, input, row, tx, caller, columns, id } = context;
  // A company reads its own row; who keeps it is the platform.
  requirePlatform(caller);
  if (action !== 'create' && action !== 'update' && action !== 'addCity') return;
  const kind = action === 'create' ? 1 : action === 'addCity' ? 4 : Number(row.kind);
  const problems: Record<string, Label> = {};
  const licence = (input.licenceNo ?? row.licence_no ?? '') as string;
  if (kind === 1 && action !== 'addCity') {
    if (licence === '') problems.licenceNo = ['此项必填', 'This field is required'];
    else if (licence !== row.licence_no && !isCreditCode(licence))
      problems.licenceNo = ['不是有效的统一社会信用代码', 'Not a valid unified social credit code'];
    if (input.city) problems.city = ['仅中心城市填写', 'For centre cities only'];
  }
  if (kind === 4 && input.licenceNo)
    problems.licenceNo = ['中心城市不填执照号', 'A centre city has no licence no.'];
  if (kind === 4 && 'city' in input && !input.city) problems.city = ['此项必填', 'This field is required'];
  if (input.foundedOn) {
    const today = await runOne<{ day: string }>(
      tx,
      `SELECT ((now() AT TIME ZONE 'Asia/Shanghai')::date)::text AS day`,
      [],
    );
    if (String(input.foundedOn) > today!.day) problems.foundedOn = ['不能晚于今天', 'Not in the future'];
  }
  if (input.package !== undefined && input.package !== null && Number(input.package) !== row.package_id) {
    const chosen = await runOne<{ kind: number; months: number }>(
      tx,
      'SELECT kind, months FROM tenant_package WHERE id = $1 FOR SHARE',
      [Number(input.package)],
    );
    if (!chosen) problems.package = ['没有此选项', 'There is no such choice'];
    else if (kind !== 3 && chosen.kind !== kind)
      problems.package = ['该套餐不适用于此类型', 'The package is for another kind'];
    // A new package begins today unless somebody says until when; a form that adds a company says it was left empty.
    else if (action === 'create' ? !input.expiresOn : action === 'update' && input.expiresOn === undefined)
      columns.expires_on = (await runOne<{ day: string }>(
        tx,
        `SELECT ((now() AT TIME ZONE 'Asia/Shanghai')::date + make_interval(months => $1))::date::text AS day`,
        [chosen.months],
      ))!.day;
  }
  if (Object.keys(problems).length > 0) throw invalid(problems);
  if (Array.isArray(input.projects))
    await checkProjects(tx, id, kind, (input.projects as unknown[]).map(Number));
}

/** Projects are free or the tenant's own; one that leaves has nothing open. */
async function checkProjects(tx: Tx, id: number, kind: number, projects: readonly number[]): Promise<void> {
  if (kind === 1 || kind === 4) {
    const taken = await runOne<{ name: string }>(
      tx,
      `SELECT n.name FROM tenant_project o JOIN tenant n ON n.id = o.tenant_id
        WHERE o.project_id = ANY($1::bigint[]) AND n.kind = $2 AND n.id <> $3 ORDER BY n.id LIMIT 1`,
      [projects, kind, id],
    );
    if (taken) throw ruleBroken(projectTaken(taken.name), { fields: { projects: projectTaken(taken.name) } });
  }
  if (id === 0) return;
  const open = await runOne<{ n: number }>(
    tx,
    `WITH gone AS (SELECT project_id AS id FROM tenant_project WHERE tenant_id = $1 AND project_id <> ALL($2::bigint[]))
     SELECT (SELECT count(*) FROM work_order w WHERE w.project_id IN (SELECT id FROM gone) AND w.status NOT IN ('finished', 'cancelled_by_member', 'cancelled_by_staff'))::int
          + (SELECT count(*) FROM bill b WHERE b.project_id IN (SELECT id FROM gone) AND b.state IN ('unpaid', 'part'))::int
          + (SELECT count(*) FROM contract k WHERE k.project_id IN (SELECT id FROM gone) AND k.state IN ('active', 'expiring'))::int AS n`,
    [id, projects],
  );
  if (open!.n > 0) {
    const label: Label = [
      `该项目还有 ${open!.n} 项未结业务，不能移出`,
      `Project still has ${open!.n} open items`,
    ];
    throw ruleBroken(label, { fields: { projects: label } });
  }
}

async function open(context: ActionContext, id: number): Promise<readonly []> {
  const begun = made.get(context);
  if (context.action !== 'create' || !begun) return [];
  const row = (await runOne<{ account: string; name: string; contact: string; package_id: number }>(
    context.tx,
    'SELECT account, name, contact_name AS contact, package_id FROM tenant WHERE id = $1',
    [id],
  ))!;
  Object.assign(begun.first, await signIn(context, { id, ...row }));
  for (const draft of begun.drafts)
    await draftPayee(context.tx, context.platform, context.caller, { id, ...row }, draft);
  return [];
}

async function signIn(
  { tx, caller }: Pick<ActionContext, 'tx' | 'caller'>,
  row: { id: number; account: string; contact: string; package_id: number },
): Promise<FirstSignIn> {
  return giveTenantSignIn(tx, caller, row, await rightsOf(tx, row.package_id));
}

/** Another package fits the groups of the tenant at once. */
async function refit({ action, tx, columns, row }: ActionContext, id: number): Promise<readonly []> {
  if (action === 'update' && columns.package_id !== undefined && columns.package_id !== row.package_id)
    await fitPackage(tx, id);
  return [];
}

async function addCity(context: ActionContext) {
  const { tx, caller, input } = context;
  const city = (await runOne<{ name: string }>(tx, 'SELECT name FROM region WHERE id = $1', [
    Number(input.city),
  ]))!;
  const account = await nextTenantAccount(tx, 'S');
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO tenant (kind, account, name, city_id, address, contact_name, contact_phone, email, package_id, expires_on, intro_html, created_by, updated_by)
     SELECT 4, $1, $2, $3, $4, $5, $6, $7, p.id, coalesce($9::date, ((now() AT TIME ZONE 'Asia/Shanghai')::date + make_interval(months => p.months))::date), $10, $11, $11
       FROM tenant_package p WHERE p.id = $8 AND p.kind = 4
     ON CONFLICT DO NOTHING RETURNING id`,
    [
      account,
      city.name,
      Number(input.city),
      input.address ?? '',
      input.contact,
      input.phone,
      input.email,
      Number(input.package),
      input.expiresOn ?? null,
      input.intro ?? '',
      caller.staffId,
    ],
  );
  if (!row) {
    const label: Label = [`中心城市“${city.name}”已存在`, `The centre city “${city.name}” exists`];
    throw ruleBroken(label, { fields: { city: label } });
  }
  await run(tx, 'INSERT INTO tenant_project (tenant_id, project_id) SELECT $1, unnest($2::bigint[])', [
    row.id,
    (input.cityProjects as unknown[]).map(Number),
  ]);
  await writeTimeline(tx, {
    entity: tenantCompany.name,
    entityId: row.id,
    caller,
    action: 'create',
    label: ['新增中心城市', 'Centre city added'],
  });
  const first = await signIn(context, {
    id: row.id,
    account,
    contact: String(input.contact),
    package_id: Number(input.package),
  });
  return { result: { ...first, id: String(row.id) } };
}

async function rightsOf(db: Parameters<typeof run>[0], packageId: number): Promise<readonly string[]> {
  const row = await runOne<{ rights: string[] }>(db, 'SELECT rights FROM tenant_package WHERE id = $1', [
    packageId,
  ]);
  return row?.rights ?? [];
}

function draftOf(input: Readonly<Record<string, unknown>>, channel: 'alipay' | 'wechat'): PayeeDraft {
  const said = (name: string) => String(input[name] ?? '').trim();
  return channel === 'alipay'
    ? {
        channel,
        name: said('alipayName'),
        appId: said('alipayAppId'),
        feeRate: said('alipayFee'),
        secrets: {
          number: said('alipayPartner'),
          privateKey: said('alipayPrivateKey'),
          publicKey: said('alipayPublicKey'),
        },
        fields: {
          name: 'alipayName',
          appId: 'alipayAppId',
          number: 'alipayPartner',
          privateKey: 'alipayPrivateKey',
          publicKey: 'alipayPublicKey',
        },
      }
    : {
        channel,
        name: said('wechatName'),
        appId: said('wechatAppId'),
        feeRate: said('wechatFee'),
        secrets: {
          number: said('wechatMerchantNo'),
          apiKey: said('wechatApiKey'),
          certificate: said('wechatCertificate'),
          privateKey: said('wechatPrivateKey'),
        },
        fields: {
          name: 'wechatName',
          appId: 'wechatAppId',
          number: 'wechatMerchantNo',
          apiKey: 'wechatApiKey',
          certificate: 'wechatCertificate',
          privateKey: 'wechatPrivateKey',
        },
      };
}

/** Projects that no tenant of the kind has; by id also those it holds, for their names. */
function freeProjects(target: string, kind: 1 | 4): OptionSource {
  return {
    target,
    anyOf: [COMPANY_MENU],
    find: async ({ platform, caller }, query) =>
      caller.tenantKind !== 3
        ? []
        : (
            await run<{ id: number; title: string; note: string }>(
              platform.database.db,
              `SELECT p.id, p.name AS title, p.code AS note FROM project p
                WHERE CASE WHEN cardinality($1::bigint[]) > 0 THEN p.id = ANY($1::bigint[])
                      ELSE p.enabled AND (p.name || ' ' || p.code) ILIKE $2
                       AND NOT EXISTS (SELECT FROM tenant_project o JOIN tenant n ON n.id = o.tenant_id WHERE o.project_id = p.id AND n.kind = $3) END
                ORDER BY p.code LIMIT $4 OFFSET $5`,
              [query.ids.map(Number), containing(query.searchVal), kind, query.limit, query.offset],
            )
          ).map((row) => ({ ...row, id: String(row.id) })),
  };
}

function packages(): OptionSource {
  return {
    target: 'tenantPackage',
    anyOf: [COMPANY_MENU],
    find: async ({ platform, caller, facts }, query) =>
      (
        await run<{ id: number; title: string; kind: keyof typeof PACKAGE_KINDS }>(
          platform.database.db,
          `SELECT p.id, p.name AS title, CASE p.kind WHEN 1 THEN 'company' ELSE 'city' END AS kind FROM tenant_package p
            WHERE CASE WHEN cardinality($1::bigint[]) > 0 THEN p.id = ANY($1::bigint[]) ELSE p.name ILIKE $2 END
              AND ($5 OR EXISTS (SELECT FROM tenant n WHERE n.id = $6 AND n.package_id = p.id))
            ORDER BY p.name, p.id LIMIT $3 OFFSET $4`,
          [
            query.ids.map(Number),
            containing(query.searchVal),
            query.limit,
            query.offset,
            caller.tenantKind === 3,
            caller.tenantId,
          ],
        )
      ).map(({ id, title, kind }) => ({
        id: String(id),
        title,
        note: textOf(PACKAGE_KINDS[kind].label, facts.language),
      })),
  };
}

function cities(): OptionSource {
  return {
    target: 'companyCity',
    anyOf: [COMPANY_MENU],
    find: async ({ platform }, query) =>
      (
        await run<{ id: number; title: string; note: string | null }>(
          platform.database.db,
          `SELECT r.id, r.name AS title, u.name AS note FROM region r LEFT JOIN region u ON u.id = r.parent_id
            WHERE CASE WHEN cardinality($1::bigint[]) > 0 THEN r.id = ANY($1::bigint[]) ELSE r.enabled AND r.level = 2 AND r.name ILIKE $2 END
            ORDER BY r.code LIMIT $3 OFFSET $4`,
          [query.ids.map(Number), containing(query.searchVal), query.limit, query.offset],
        )
      ).map((row) => ({ id: String(row.id), title: row.title, ...(row.note ? { note: row.note } : {}) })),
  };
}
