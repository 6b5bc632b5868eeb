import { isDeepStrictEqual } from 'node:util';
import type { Label } from '../../../kernel/contract/label.ts';
import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { checkAttachable } from '../../../kernel/server/files/files.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { forbidden, invalid } from '../../../kernel/server/http/errors.ts';
import { holds } from '../../../kernel/server/people/caller.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { insertRow, type ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { submitApproval } from '../../../domain/approval/approve.server.ts';
import {
  enterVerification,
  PAYEE_COLUMNS,
  payoutAccountOf,
} from '../../../domain/merchant/payee-verification.server.ts';
import { saidTwice } from '../../../domain/coupon/said-twice.rules.ts';
import { tailOf } from '../../../domain/payee/payee-secret.server.ts';
import { sealText } from '../../../domain/payee/sealed-text.server.ts';
import { fundsOf, WALLET } from '../../../domain/merchant/funds.server.ts';
import { applyWithdrawal } from '../../../domain/settlement/withdrawal.server.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { checklistItems, isCreditCode } from '../../../domain/merchant/merchant.rules.ts';
import { merchantBinding } from '../merchant/merchant-binding.server.ts';
import { CERTIFICATES } from '../merchant/merchant.contract.ts';
import { checklistOf } from '../merchant/merchant-state.server.ts';
import { CHANGE_KINDS } from './merchant-change.contract.ts';
import { CHANGE, CHANGED_NUMBER, LONG_TERM, type Proposed } from './merchant-change.server.ts';
import { merchantInfo, type MerchantTerms } from './merchant-info.contract.ts';

const {
  columns,
  writes,
  rowRules,
  handlers: _handlers,
  extra: _extra,
  tabs: _tabs,
  after: _after,
  ...shared
} = merchantBinding;
const { createDefaults: _defaults, joins: _joins, links: _links, ...base } = shared;
const { intro, logo, contact, phone } = writes!;

const bound: BoundResource = bindResource(merchantInfo, {
  ...base,
  // What happens here stands in the history of the merchant.
  entity: 'merchant',
  columns: {
    ...columns,
    ...PAYEE_COLUMNS,
    openChanges: `EXISTS (SELECT FROM merchant_change x WHERE x.tenant_id = t.id AND x.state = 'in_review')`,
  },
  writes: { intro: intro!, logo: logo!, contact: contact!, phone: phone! },
  lines: { postage: base.lines!.postage! },
  filters: {},
  unique: { merchant_change_open: ['已有待审核的变更', 'A change is already in review'] },
  before: [checkPostage, ...(base.before ?? [])],
  extra: { projects: `'[]'::jsonb`, walletHeld: WALLET },
  ruleReads: ['closedNow', 'invoice', 'print', 'payeeState', 'walletHeld'],
  rowRules: {
    verifyPayee: (row) =>
      row.payeeState === 'verifying' ? undefined : ['没有待验证的打款', 'No transfer waits to be verified'],
    withdraw: (row, caller) =>
      caller.tenantKind !== 2
        ? ['仅商户的员工可以申请提现', 'Only staff of the merchant ask for withdrawals']
        : Number(row.walletHeld) > 0
          ? undefined
          : ['钱包没有可提现余额', 'There is nothing in the wallet'],
    changePayee: (row) =>
      row.kind === 'self'
        ? ['自营商户不设收款账户', 'A shop of the company has no payee account']
        : undefined,
    closeShop: rowRules!.closeShop!,
    reopenShop: rowRules!.reopenShop!,
    invoiceOn: (row) => (row.invoice ? ['已开启', 'It is on'] : undefined),
    invoiceOff: (row) => (row.invoice ? undefined : ['未开启', 'It is off']),
    printOn: (row) => (row.print ? ['已开启', 'It is on'] : undefined),
    printOff: (row) => (row.print ? undefined : ['未开启', 'It is off']),
  },
  sets: {
    closeShop: base.sets!.closeShop!,
    reopenShop: base.sets!.reopenShop!,
    invoiceOn: { invoice: true },
    invoiceOff: { invoice: false },
    printOn: { print: true },
    printOff: { print: false },
  },
  handlers: {
    withdraw: async ({ tx, platform, id, caller, facts, input }) => {
      const amount = Number(input.amount);
      const made = await applyWithdrawal(tx, platform, {
        tenantId: id,
        amount,
        applicant: { caller },
        facts,
      });
      for (const entity of ['withdrawal', 'merchantFund']) platform.changed(entity);
      return { result: { code: made.code, fee: yuanFromFen(made.fee) }, remark: made.code };
    },
    changeLicence,
    changeLegal: (context) => {
      const legalPerson = String(context.input.legalPerson);
      if (legalPerson === context.row.legal_person) throw invalid({ legalPerson: SAME });
      return ask(context, 'legal', { legalPerson }, [
        maskValue('name', String(context.row.legal_person)),
        maskValue('name', legalPerson),
      ]);
    },
    changeContact,
    renewCertificate,
    changePayee,
    verifyPayee: async ({ tx, platform, id, input }) => {
      const { usableFrom } = await enterVerification(tx, platform, id, Number(input.amount));
      return { result: { usableFrom: businessTimeText(usableFrom).slice(0, 16) } };
    },
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/merchantInfo/:id/terms',
      title: ['协议条款与开业条件', 'Terms and checklist'],
      access: { code: merchantInfo.menu },
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        return termsOf(call.platform.database.db, id);
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/merchantInfo/:id/funds',
      title: ['商户资金', 'Money of the merchant'],
      access: { code: merchantInfo.menu },
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        return fundsOf(call.platform.database.db, id);
      },
    }),
  ],
});

/** The merchant's own page. */
export const registration = bound.registration;

const SAME: Label = ['与现有内容相同', 'The same as now'];

/** Postage is an own right: who may edit the shop may not always set prices. */
async function checkPostage({ action, input, caller, tx, id }: ActionContext): Promise<void> {
  if (action !== 'update' || input.postage === undefined || holds(caller, `${merchantInfo.menu}:btn_postage`))
    return;
  const now = await run<{ start: number; end: number | null; freight: number }>(
    tx,
    'SELECT start_fen AS start, end_fen AS "end", freight FROM postage_rule WHERE tenant_id = $1 ORDER BY position',
    [id],
  );
  const wanted = (input.postage as Record<string, unknown>[]).map((one) => ({
    start: Number(one.startFen),
    end: one.endFen === null || one.endFen === undefined ? null : Number(one.endFen),
    freight: Number(one.freight),
  }));
  if (!isDeepStrictEqual(wanted, now)) throw forbidden();
}

async function changeLicence(context: ActionContext): Promise<void> {
  const { input, row } = context;
  const columnOf = { name: 'name', licenceNo: 'licence_no', address: 'address' } as const;
  const proposed: Record<string, string> = {};
  for (const [field, column] of Object.entries(columnOf)) {
    const value = (input[field] as string | null | undefined)?.trim();
    if (value && value !== row[column]) proposed[field] = value;
  }
  const names = Object.keys(proposed) as (keyof typeof columnOf)[];
  if (names.length === 0) throw invalid({ name: ['请至少填写一项变更', 'Change one thing at least'] });
  if (proposed.licenceNo && !isCreditCode(proposed.licenceNo))
    throw invalid({ licenceNo: ['不是有效的统一社会信用代码', 'Not a valid unified social credit code'] });
  await ask(context, 'licence', proposed, [
    names.map((name) => String(row[columnOf[name]])).join(' · '),
    names.map((name) => proposed[name]).join(' · '),
  ]);
}

async function changeContact(context: ActionContext): Promise<void> {
  const { tx, id } = context;
  const now = await runOne<{ contact: string; phone: string }>(
    tx,
    `SELECT contact, phone FROM merchant_agreement WHERE tenant_id = $1 AND state = 'active' AND effective_from <= now()
        AND (effective_to IS NULL OR effective_to > now())`,
    [id],
  );
  if (!now) throw invalid({ contact: ['没有生效中的协议', 'There is no agreement in force'] });
  const contactNow = String(context.input.contact);
  const phoneNow = String(context.input.phone);
  if (contactNow === now.contact && phoneNow === now.phone) throw invalid({ contact: SAME });
  const shown = (name: string, number: string) =>
    [name && maskValue('name', name), number && maskValue('phone', number)].filter(Boolean).join(' · ');
  await ask(context, 'contact', { contact: contactNow, phone: phoneNow }, [
    shown(now.contact, now.phone),
    shown(contactNow, phoneNow),
  ]);
}

async function renewCertificate(context: ActionContext): Promise<void> {
  const { tx, id, input, caller } = context;
  const type = input.type as keyof typeof CERTIFICATES;
  const validTo = (input.validTo as string | null | undefined) ?? null;
  const validFrom = (input.validFrom as string | null | undefined) ?? null;
  if (validTo && validFrom && validTo < validFrom)
    throw invalid({ validTo: ['到期日不能早于生效日', 'The end lies before the start'] });
  const over = await runOne(
    tx,
    `SELECT 1 AS one WHERE $1::date < (now() AT TIME ZONE 'Asia/Shanghai')::date`,
    [validTo],
  );
  if (over) throw invalid({ validTo: ['到期日已过', 'It has ended already'] });
  const files = (input.files as string[] | undefined) ?? [];
  await checkAttachable(tx, caller, 'files', files, []);
  const old = await runOne<{ number: string; ends: string | null }>(
    tx,
    `SELECT number, valid_to::text AS ends FROM merchant_certificate WHERE tenant_id = $1 AND type = $2 ORDER BY valid_to NULLS LAST, id LIMIT 1`,
    [id, type],
  );
  const number = String(input.number ?? '');
  const shown = (no: string, ends: string | null): Label => {
    const said = (at: 0 | 1) =>
      [CERTIFICATES[type].label[at], no, ends ?? LONG_TERM[at]].filter(Boolean).join(' · ');
    return [said(0), said(1)];
  };
  await ask(context, 'certificate', { type, number, validFrom, validTo, longTerm: validTo === null, files }, [
    old ? shown(old.number, old.ends) : '',
    shown(number || (old?.number ?? ''), validTo),
  ]);
}

/** Another payout account: its number is sealed at once and shown by its end only. */
async function changePayee(context: ActionContext): Promise<void> {
  const { tx, id, input, platform } = context;
  const number = String(input.number).replace(/\s/g, '');
  if (!/^[0-9A-Za-z]{8,34}$/.test(number))
    throw invalid({ number: ['账号为 8–34 位数字或字母', 'The number has 8 to 34 digits or letters'] });
  const [holder, bank] = [String(input.holder).trim(), String(input.bank).trim()];
  const shown = (name: string, where: string, tail: string) =>
    `${where} ${maskValue('name', name)} ****${tail}`;
  const old = await payoutAccountOf(tx, id);
  const tail = tailOf(number);
  await ask(
    context,
    'payee',
    {
      holder,
      bank,
      branch: String(input.branch ?? ''),
      tail,
      sealed: sealText(platform.config, CHANGED_NUMBER, String(id), number).toString('base64'),
    },
    [old ? shown(old.account_name, old.bank, old.number_tail) : '', shown(holder, bank, tail)],
  );
}

/** Hands a change in; one of a kind is open at a time, which the index decides. */
async function ask(
  { tx, platform, id, row, caller, facts, input }: ActionContext,
  kind: keyof typeof CHANGE_KINDS,
  proposed: Proposed,
  [before, after]: readonly [string | Label, string | Label],
): Promise<void> {
  const stored = (said: string | Label) => (typeof said === 'string' ? said : saidTwice(said));
  const change = await insertRow(tx, 'merchant_change', {
    code: await nextCode(tx, 'MC'),
    tenant_id: id,
    kind,
    before_text: stored(before),
    after_text: stored(after),
    proposed: JSON.stringify(proposed),
    reason: String(input.reason),
    created_by: caller.staffId,
    updated_by: caller.staffId,
  });
  const about = CHANGE_KINDS[kind].label;
  await submitApproval(
    tx,
    platform,
    {
      kind: CHANGE,
      bizId: change,
      tenantId: caller.tenantId,
      title: [`${about[0]}变更 ${String(row.name)}`, `${about[1]} of ${String(row.name)}`],
      summary: [{ label: ['变更后', 'After'], value: typeof after === 'string' ? [after, after] : after }],
      starterId: caller.staffId,
    },
    { caller, facts },
  );
  platform.changed('merchantChange');
}

async function termsOf(db: Parameters<typeof checklistOf>[0], id: number): Promise<MerchantTerms> {
  const list = await checklistOf(db, id);
  const versions = await run<{
    no: number;
    bp: number;
    bearer: string;
    next: boolean;
    starts: string;
    rules: MerchantTerms['rules'];
  }>(
    db,
    `SELECT a.agreement_version AS no, a.commission_bp AS bp, a.channel_fee_bearer AS bearer, a.effective_from > now() AS next,
            (a.effective_from AT TIME ZONE 'Asia/Shanghai')::date::text AS starts,
            (SELECT coalesce(jsonb_agg(jsonb_build_object('bp', l.rate_bp, 'title', jsonb_build_array(concat_ws(' / ', b.name, c.name),
              concat_ws(' / ', coalesce(nullif(b.name_en, ''), b.name), coalesce(nullif(c.name_en, ''), c.name)))) ORDER BY l.position), '[]')
               FROM merchant_commission l JOIN business b ON b.id = l.business_id LEFT JOIN product_class c ON c.id = l.class_id
              WHERE l.agreement_id = a.id) AS rules
       FROM merchant_agreement a WHERE a.tenant_id = $1 AND a.state = 'active' AND (a.effective_to IS NULL OR a.effective_to > now())
      ORDER BY a.effective_from LIMIT 2`,
    [id],
  );
  const fee = await runOne<{ ppm: number }>(
    db,
    `SELECT fee_ppm AS ppm FROM payee_account WHERE purpose = 'collect' AND state = 'active' ORDER BY built_in, id LIMIT 1`,
  );
  const current = versions.find((one) => !one.next);
  const next = versions.find((one) => one.next);
  return {
    checklist: checklistItems(list),
    version: current?.no ?? null,
    commissionBp: current?.bp ?? null,
    feePpm: current?.bearer === 'merchant' ? (fee?.ppm ?? 0) : 0,
    rules: current?.rules ?? [],
    next: next ? { version: next.no, starts: next.starts, commissionBp: next.bp } : null,
  };
}
