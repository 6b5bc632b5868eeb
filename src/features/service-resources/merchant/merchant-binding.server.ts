import { notifyStaffChanged } from '../../../kernel/server/people/session-changes.ts';
import { commentScore } from '../../../domain/order-comment/comment-score.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import type { FileValue } from '../../../kernel/contract/fields.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { checkAttachable, filesById } from '../../../kernel/server/files/files.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { endpoint, type Endpoint } from '../../../kernel/server/registration.ts';
import { fromInput } from '../../../kernel/server/resource/abilities/sets.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { endSessions } from '../../../kernel/server/people/session-changes.ts';
import type { Binding, DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { requireFilesFit, requirePixels } from '../../../domain/content/file-size.server.ts';
import { submitApproval } from '../../../domain/approval/approve.server.ts';
import {
  giveTenantSignIn,
  nextTenantAccount,
  type FirstSignIn,
} from '../../../domain/merchant/merchant-account.server.ts';
import {
  bandProblem,
  checklistItems,
  checklistProblem,
  isCreditCode,
  type Band,
} from '../../../domain/merchant/merchant.rules.ts';
import {
  filteredProjects,
  projectsInReach,
  requireProjectsInReach,
} from '../../../domain/permission/project-reach.server.ts';
import { fundsOf } from '../../../domain/merchant/funds.server.ts';
import { depositSql } from '../../../domain/merchant/deposit.server.ts';
import { MERCHANT_SCOPE, ONBOARDING, onboarding as approval } from './merchant-approval.server.ts';
import { GOODS_OFF, putGoodsBack, takeAllOff } from './merchant-goods.server.ts';
import { businessOf, closingBlockers, closingRefusal, checklistOf } from './merchant-state.server.ts';
import { merchant, REVIEWED } from './merchant.contract.ts';
import { reviewOverdue, WAITING_DAYS } from './merchant-waiting.server.ts';
import { renewAgreement } from './renew-agreement.server.ts';
import { toCorrect } from './state-reason.rules.ts';
import { TODAY } from '../../../kernel/server/today.ts';

/** The agreement in force at this moment. */
const IN_FORCE = `LEFT JOIN LATERAL (SELECT * FROM merchant_agreement f WHERE f.tenant_id = t.id AND f.state IN ('active', 'superseded', 'expired')
  AND f.effective_from <= now() AND (f.effective_to IS NULL OR f.effective_to > now()) LIMIT 1) a ON true`;
const HELD = depositSql('t.id');
const NEXT_END = `(SELECT min(c.valid_to) FROM merchant_certificate c WHERE c.tenant_id = t.id AND NOT c.long_term)`;
const CERTIFICATE = `CASE WHEN NOT EXISTS (SELECT FROM merchant_certificate c WHERE c.tenant_id = t.id) THEN 'none'
  WHEN ${NEXT_END} < ${TODAY} THEN 'expired' WHEN ${NEXT_END} <= ${TODAY} + 30 THEN 'expiring' ELSE 'valid' END`;

const REQUIRED: Label = ['此项必填', 'This field is required'];

/** Passwords told once, by the call that made them. */
const told = new WeakMap<ActionContext, FirstSignIn>();

/** How merchants stand in the database, under whichever menu. */
export const merchantBinding: Binding = {
  table: 'tenant',
  // One story under whichever menu.
  entity: 'merchant',
  from: `tenant t ${IN_FORCE}`,
  where: 't.kind = 2',
  stateColumn: 'merchant_state',
  scope: MERCHANT_SCOPE,
  search: `lower(t.account || ' ' || t.name)`,
  searchExact: ['t.contact_phone'],
  columns: {
    kind: 't.merchant_kind',
    logo: 't.logo_id',
    contact: 't.contact_name',
    phone: 't.contact_phone',
    intro: 't.intro_html',
    qualifications: 't.qualification_ids',
    commission: `to_char(a.commission_bp / 100.0, 'FM990.00')`,
    cycle: 'a.settlement_cycle',
    score: commentScore('c.tenant_id = t.id'),
    depositHeld: HELD,
    depositRequired: 'coalesce(a.deposit, 0)',
    depositShort: `(${HELD} < coalesce(a.deposit, 0))`,
    certificate: CERTIFICATE,
    agreementEnds: 'a.effective_to',
    waitingDays: `CASE WHEN t.merchant_state = 'in_review' THEN ${WAITING_DAYS} END`,
    reviewLate: `(${reviewOverdue(1)})`,
    reviewer: `(SELECT string_agg(s.name, '、' ORDER BY s.name) FROM approval_instance i JOIN approval_task k ON k.instance_id = i.id AND k.state = 'pending'
      JOIN staff s ON s.id = k.assignee_id WHERE i.biz_type = '${ONBOARDING}' AND i.biz_id = t.id AND i.state = 'running')`,
    closedNow: `(t.state = 'closed')`,
    goodsOff: GOODS_OFF,
    state: 't.merchant_state',
  },
  joins: { owningCompany: { table: 'tenant' } },
  links: {
    projects: { table: 'tenant_project', own: 'tenant_id', other: 'project_id', to: 'project' },
    businesses: {
      table: 'tenant_business',
      own: 'tenant_id',
      other: 'business_id',
      to: 'business',
      titleEn: 'name_en',
    },
  },
  lines: {
    certificates: { table: 'merchant_certificate', own: 'tenant_id' },
    postage: { table: 'postage_rule', own: 'tenant_id' },
  },
  writes: {
    kind: 'merchant_kind',
    logo: 'logo_id',
    contact: 'contact_name',
    phone: 'contact_phone',
    intro: 'intro_html',
    qualifications: 'qualification_ids',
  },
  unique: {
    tenant_merchant_licence: ['该执照号已被其他商户使用', 'Another merchant uses the licence no.'],
    tenant_merchant_name: ['商户名称已存在', 'A merchant of this name exists'],
  },
  tabs: {
    depositShort: () =>
      `t.merchant_state IN ('to_activate', 'operating', 'suspended') AND ${HELD} < coalesce(a.deposit, 0)`,
    certificates: () => `${CERTIFICATE} IN ('expiring', 'expired')`,
    renewal: () =>
      `t.merchant_state IN ('operating', 'suspended') AND a.effective_to < now() + interval '60 days'`,
  },
  filters: {
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM tenant_project x WHERE x.tenant_id = t.id AND x.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
  },
  abilities: [approval.ability],
  extra: {
    recorderId: 't.applied_by',
    merchantKind: 't.merchant_kind',
    frozen: 't.settlement_frozen',
    hasAccount: 'TRUE',
  },
  ruleReads: ['recorderId', 'frozen', 'enabled', 'closedNow', 'goodsOff'],
  rowRules: {
    approve: ownApplication,
    reject: ownApplication,
    withdraw: (row, caller) =>
      Number(row.recorderId) === caller.staffId
        ? undefined
        : ['只有提交人可以撤回', 'Only who submitted it may withdraw it'],
    closeShop: (row) => (row.closedNow ? ['商户已打烊', 'The merchant is closed for now'] : undefined),
    reopenShop: (row) => (row.closedNow ? undefined : ['商户没有打烊', 'The merchant is not closed']),
    restoreGoods: (row) =>
      Number(row.goodsOff) > 0
        ? undefined
        : ['没有因资质到期下架的商品', 'No goods were taken off for a certificate'],
    freeze: (row) => (row.frozen ? ['结算已冻结', 'Settlement is frozen'] : undefined),
    unfreeze: (row) => (row.frozen ? undefined : ['结算未冻结', 'Settlement is not frozen']),
  },
  before: [check],
  after: [signIn, tellSessions],
  createDefaults: async (tx) => ({
    kind: 2,
    account: await nextTenantAccount(tx, 'M'),
    merchant_state: 'draft',
  }),
  checks: {
    activate: async ({ tx, id }) => {
      const problem = checklistProblem(await checklistOf(tx, id));
      if (problem) throw ruleBroken(problem);
    },
    resume: async ({ tx, id }) => {
      if (!(await checklistOf(tx, id)).agreement)
        throw ruleBroken(['没有生效中的协议，请先续约', 'No agreement is in force: renew it first']);
    },
    closeShop: ({ input }) => {
      if (new Date(String(input.until)) <= new Date())
        throw invalid({ until: ['恢复时间须晚于现在', 'Reopening must be in the future'] });
    },
    finishClosing: async ({ tx, id }) => {
      const blockers = await closingBlockers(tx, id);
      const refusal = closingRefusal(blockers);
      if (refusal) throw ruleBroken(refusal, { blockers });
    },
  },
  sets: {
    activate: { state_reason: '' },
    suspend: { state_reason: fromInput('reason') },
    resume: { state_reason: '' },
    closeShop: { state: 'closed', closed_until: fromInput('until'), closed_note: fromInput('note') },
    reopenShop: { state: 'open', closed_until: null, closed_note: '' },
    freeze: { settlement_frozen: true, freeze_reason: fromInput('reason') },
    unfreeze: { settlement_frozen: false, freeze_reason: '' },
  },
  handlers: {
    reject: (context) =>
      approval.handlers.reject({
        ...context,
        input: {
          ...context.input,
          opinion: `${toCorrect(context.input.fields as (keyof typeof REVIEWED)[])}${String(context.input.opinion)}`,
        },
      }),
    create: async (context) => {
      const first = { account: '', password: '' };
      told.set(context, first);
      return { result: first };
    },
    submit,
    restoreGoods: async ({ tx, platform, id }) => {
      const result = await putGoodsBack(tx, platform, id);
      if (result.back === 0 && result.edited === 0)
        throw ruleBroken(['资质尚未更新，不能恢复上架', 'The certificate has not been renewed yet']);
      return { result: { ...result } };
    },
    renew: renewAgreement,
    startClosing: async (context) => {
      const count = await takeAllOff(
        context.tx,
        context.platform,
        context.id,
        `商户清退：${String(context.input.reason)}`.slice(0, 200),
      );
      if (count > 0)
        for (const sold of ['product', 'service', 'decorPackage']) context.platform.changed(sold);
      return explained(context);
    },
    resetPassword: async (context) => {
      requirePlatform(context.caller);
      const { account, contact_name: contact } = context.row;
      return {
        result: await giveTenantSignIn(context.tx, context.caller, {
          id: context.id,
          account: String(account),
          contact: String(contact),
        }),
      };
    },
    disable: async ({ tx, id, input, platform }) => {
      const staff = await run<{ id: number }>(tx, 'SELECT id FROM staff WHERE tenant_id = $1', [id]);
      await endSessions(tx, { staffId: staff.map((one) => one.id) }, 'disabled');
      platform.changed('session');
      return { remark: String(input.reason) };
    },
  },
  present,
  revealPaths: {},
};

/** Four eyes, in the words of the screen. */
function ownApplication(row: DbRow, caller: Caller): Label | undefined {
  return Number(row.recorderId) === caller.staffId
    ? ['提交人不能审核自己的申请', 'Submitter cannot review']
    : undefined;
}

async function check(context: ActionContext): Promise<void> {
  const { action, input, row, tx, caller, id } = context;
  if (action !== 'create' && action !== 'update') return;
  const problems: Record<string, Label> = {};
  const kind = String(context.columns.merchant_kind ?? row.merchant_kind ?? kindOf(context));
  const licence = input.licenceNo as string | undefined;
  if (licence !== undefined && licence !== row.licence_no) {
    if (!isCreditCode(licence))
      problems.licenceNo = ['不是有效的统一社会信用代码', 'Not a valid unified social credit code'];
    else if (kind === 'resident') await requireFreeLicence(tx, licence, id);
  }
  if (kind === 'self' && (action === 'create' ? !input.owningCompany : input.owningCompany === null))
    problems.owningCompany = ['请选择所属公司', 'Choose the owning company'];
  if (input.foundedOn && String(input.foundedOn) > new Date().toISOString().slice(0, 10))
    problems.foundedOn = ['不能晚于今天', 'Not in the future'];
  for (const [index, one] of ((input.certificates ?? []) as DbRow[]).entries())
    if (!one.longTerm && !one.validTo)
      problems.certificates = [
        `第 ${index + 1} 行请填写到期日或勾选长期`,
        `Row ${index + 1}: give the end, or tick long term`,
      ];
  if (Object.keys(problems).length > 0) throw invalid(problems);
  if (input.postage) {
    const bands = (input.postage as DbRow[]).map((one): Band => ({
      start: Number(one.startFen),
      end: one.endFen === null || one.endFen === undefined ? null : Number(one.endFen),
    }));
    const problem = bandProblem(bands);
    if (problem) throw invalid({ postage: problem });
  }
  if (Array.isArray(input.projects)) requireProjectsInReach(caller, input.projects as number[]);
  const pictures = [
    ...(typeof input.logo === 'string' ? [input.logo] : []),
    ...((input.qualifications as string[] | undefined) ?? []),
  ];
  // What was submitted once keeps its pictures.
  if (action === 'update' && row.merchant_state !== 'draft') {
    if (input.logo === null) throw invalid({ logo: REQUIRED });
    if (Array.isArray(input.qualifications) && input.qualifications.length === 0)
      throw invalid({ qualifications: REQUIRED });
  }
  await checkAttachable(tx, caller, 'qualifications', pictures, [
    ...((row.qualification_ids as string[] | null) ?? []),
    ...(row.logo_id ? [String(row.logo_id)] : []),
  ]);
  if (typeof input.logo === 'string' && input.logo !== row.logo_id) {
    await requireFilesFit(tx, 'logo', merchant.fields.logo, [input.logo]);
    await requirePixels(tx, context.platform, 'logo', merchant.fields.logo, [input.logo]);
  }
}

/** The kind a view fixes; the value is no input there. */
function kindOf(context: ActionContext): string {
  return String(context.input.kind ?? 'resident');
}

async function requireFreeLicence(tx: Tx, licence: string, own: number): Promise<void> {
  const other = await runOne<{ name: string }>(
    tx,
    `SELECT name FROM tenant WHERE kind = 2 AND merchant_kind = 'resident' AND merchant_state <> 'closed' AND licence_no = $1 AND id <> $2`,
    [licence, own],
  );
  if (other) {
    const label: Label = [`该执照号已被商户“${other.name}”使用`, `Licence already used by “${other.name}”`];
    throw ruleBroken(label, { fields: { licenceNo: label } });
  }
}

async function signIn(context: ActionContext, id: number): Promise<readonly []> {
  const first = told.get(context);
  if (context.action !== 'create' || !first) return [];
  const row = (await runOne<{ account: string; contact: string }>(
    context.tx,
    'SELECT account, contact_name AS contact FROM tenant WHERE id = $1',
    [id],
  ))!;
  Object.assign(first, await giveTenantSignIn(context.tx, context.caller, { id, ...row }));
  return [];
}

async function submit(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, id, row, caller, facts } = context;
  const missing: Label[] = [
    ...(row.logo_id ? [] : [REVIEWED.logo.label]),
    ...(((row.qualification_ids as string[] | null) ?? []).length > 0 ? [] : [REVIEWED.qualifications.label]),
  ];
  if (missing.length > 0)
    throw ruleBroken([
      `还缺：${missing.map((one) => one[0]).join('、')}`,
      `Missing: ${missing.map((one) => one[1]).join(', ')}`,
    ]);
  if (row.merchant_kind === 'self') return { to: 'to_activate' };
  await submitApproval(
    tx,
    platform,
    {
      kind: ONBOARDING,
      bizId: id,
      tenantId: caller.tenantId,
      title: [`商户入驻 ${String(row.name)}`, `Onboarding of ${String(row.name)}`],
      summary: [
        { label: ['执照号', 'Licence no.'], value: [String(row.licence_no), String(row.licence_no)] },
        { label: ['账号', 'Account'], value: [String(row.account), String(row.account)] },
      ],
      starterId: caller.staffId,
    },
    { caller, facts },
  );
  return { to: 'in_review', set: { applied_at: new Date(), applied_by: caller.staffId, state_reason: '' } };
}

function explained({ input }: ActionContext): Promise<ActionResult> {
  const reason = String(input.reason);
  return Promise.resolve({ remark: reason, set: { state_reason: reason } });
}

function requirePlatform(caller: Caller): void {
  if (caller.tenantKind !== 3)
    throw ruleBroken(['仅平台可重置商户密码', 'Only the platform resets passwords of merchants']);
}

async function present(rows: DbRow[], db: Executor, caller: Caller): Promise<void> {
  const byId = await filesById(
    db,
    rows.flatMap((row) => [
      ...(row.logo ? [String(row.logo)] : []),
      ...((row.qualifications as string[] | null) ?? []),
    ]),
  );
  for (const row of rows) {
    row.logo = row.logo ? (byId.get(String(row.logo)) ?? null) : null;
    row.qualifications = ((row.qualifications as string[] | null) ?? []).flatMap((one): FileValue[] =>
      byId.get(one) ? [byId.get(one)!] : [],
    );
    row.projects = projectsInReach(caller, (row.projects ?? []) as { id: string }[]);
  }
}

/**
 * What the detail of a merchant shows beside its row, under each of the three menus: what is left before opening and before
 * closing, and where its business stands.
 */
export const merchantEndpoints = (
  root: string,
  menu: string,
  bound: () => BoundResource,
): readonly Endpoint[] => [
  endpoint({
    method: 'GET',
    path: `${root}/:id/checklist`,
    title: ['开业条件', 'What the opening of a merchant needs'],
    access: { code: menu },
    handle: async (call) => {
      const id = idOf(call.params.id);
      await bound().find(call, id);
      return checklistItems(await checklistOf(call.platform.database.db, id));
    },
  }),
  endpoint({
    method: 'GET',
    path: `${root}/:id/blockers`,
    title: ['清退前未结事项', 'What keeps a merchant from being closed'],
    access: { code: menu },
    handle: async (call) => {
      const id = idOf(call.params.id);
      await bound().find(call, id);
      return closingBlockers(call.platform.database.db, id);
    },
  }),
  endpoint({
    method: 'GET',
    path: `${root}/:id/business`,
    title: ['商户的商品、订单与账号', 'Goods, orders and accounts of a merchant'],
    access: { code: menu },
    handle: async (call) => {
      const id = idOf(call.params.id);
      await bound().find(call, id);
      return businessOf(call.platform.database.db, id);
    },
  }),
  endpoint({
    method: 'GET',
    path: `${root}/:id/funds`,
    title: ['商户资金', 'Money of a merchant'],
    access: { code: menu },
    handle: async (call) => {
      const id = idOf(call.params.id);
      await bound().find(call, id);
      return fundsOf(call.platform.database.db, id);
    },
  }),
];

/** What its staff may open follows the state: open pages learn of it within a second. */
async function tellSessions({ tx, row, id }: ActionContext): Promise<readonly []> {
  const now = await runOne<{ state: string }>(
    tx,
    'SELECT merchant_state AS state FROM tenant WHERE id = $1',
    [id],
  );
  if ((row.merchant_state === 'suspended') === (now?.state === 'suspended')) return [];
  const staff = await run<{ id: number }>(tx, 'SELECT id FROM staff WHERE tenant_id = $1', [id]);
  await notifyStaffChanged(
    tx,
    staff.map((one) => one.id),
  );
  return [];
}
