import type { Label } from '../../../kernel/contract/label.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { filesById } from '../../../kernel/server/files/files.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ApprovalKind, ApprovalOutcome } from '../../../domain/approval/approval-kind.server.ts';
import { replacePayoutAccount } from '../../../domain/merchant/payee-verification.server.ts';
import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { queueSms } from '../../../domain/message/queue-message.server.ts';
import { openText } from '../../../domain/payee/sealed-text.server.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { withdrawApproval } from '../../../domain/approval/approve.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { picturesOf } from '../../property/picture-columns.server.ts';
import { CERTIFICATES, merchant } from '../merchant/merchant.contract.ts';
import { CHANGE_KINDS, merchantChange } from './merchant-change.contract.ts';
import { OF_MERCHANT } from '../../../domain/merchant/merchant-scope.server.ts';

/** Word of the approval engine. */
export const CHANGE = 'merchant_change';
const AUDIT = `${merchant.menu}:btn_audit`;
const MENU = merchantChange.menu;

const rows = { entity: 'merchantChange', table: 'merchant_change', scope: OF_MERCHANT } as const;
/** Who audits merchants reads what waits, who looks after the merchant what became of it. */
const reviewSight = listSight({ ...rows, menu: merchant.menu });
const sight = listSight({ ...rows, menu: MENU });

/** Values a change writes; which of them is set follows from its kind. */
export interface Proposed {
  readonly name?: string;
  readonly licenceNo?: string;
  readonly address?: string;
  readonly legalPerson?: string;
  readonly contact?: string;
  readonly phone?: string;
  readonly type?: keyof typeof CERTIFICATES;
  readonly number?: string;
  readonly validFrom?: string | null;
  readonly validTo?: string | null;
  readonly longTerm?: boolean;
  readonly files?: readonly string[];
  readonly holder?: string;
  readonly bank?: string;
  readonly branch?: string;
  readonly tail?: string;
  /** The account number under the key of the installation. */
  readonly sealed?: string;
}

/** A certificate without an end. */
export const LONG_TERM: Label = ['长期', 'Long term'];

/** What account numbers of waiting changes are sealed for; the place is the merchant. */
export const CHANGED_NUMBER = 'merchant-change';

interface ChangeRow {
  readonly id: number;
  readonly code: string;
  readonly tenant_id: number;
  readonly kind: keyof typeof CHANGE_KINDS;
  readonly before_text: string;
  readonly after_text: string;
  readonly proposed: Proposed;
  readonly reason: string;
}

const OUTCOMES = {
  approved: ['变更通过', 'Change approved'],
  rejected: ['变更驳回', 'Change rejected'],
  withdrawn: ['变更撤回', 'Change withdrawn'],
} as const satisfies Readonly<Record<string, Label>>;

const FIELDS: readonly (readonly [keyof Proposed, Label])[] = [
  ['name', ['名称', 'Name']],
  ['licenceNo', ['执照号', 'Licence no.']],
  ['address', ['地址', 'Address']],
  ['legalPerson', ['法人', 'Legal person']],
  ['contact', ['协议联系人', 'Contact']],
  ['phone', ['协议电话', 'Phone']],
  ['number', ['证号', 'Number']],
  ['validFrom', ['生效日', 'Valid from']],
  ['validTo', ['到期日', 'Valid to']],
  ['holder', ['户名', 'Account holder']],
  ['bank', ['开户银行', 'Bank']],
  ['branch', ['支行', 'Branch']],
  ['tail', ['账号尾号', 'Number ends in']],
];

/** Changes merchants ask for; those of the platform decide who audit merchants, never who asked. */
const changeApproval: ApprovalKind = {
  kind: CHANGE,
  label: ['商户变更', 'Merchant change'],
  entity: 'merchantChange',
  sights: { toDecide: reviewSight, outcome: sight },
  moves: true,
  route: (bizId) => `/serviceSourceManager/${MENU}?as=changes&detail=${bizId}`,
  snapshot: async (db, id) => {
    const row = await readChange(db, id);
    const { name } = (await runOne<{ name: string }>(db, 'SELECT name FROM tenant WHERE id = $1', [
      row.tenant_id,
    ]))!;
    const value = (field: string, label: Label, text: string) => ({
      field,
      label,
      value: [text, text] as Label,
    });
    const { type, longTerm } = row.proposed;
    const pictures = [...(await filesById(db, row.proposed.files ?? [])).values()];
    return [
      {
        title: ['变更', 'Change'],
        values: [
          value('merchant', ['商户', 'Merchant'], name),
          { field: 'kind', label: ['变更内容', 'About'], value: CHANGE_KINDS[row.kind].label },
          { field: 'before', label: ['变更前', 'Before'], value: partsOfSaid(row.before_text) },
          ...(type
            ? [{ field: 'type', label: ['类型', 'Type'] as Label, value: CERTIFICATES[type].label }]
            : []),
          ...FIELDS.flatMap(([field, label]) =>
            row.proposed[field] ? [value(field, label, String(row.proposed[field]))] : [],
          ),
          ...(longTerm
            ? [{ field: 'validTo', label: ['到期日', 'Valid to'] as Label, value: LONG_TERM }]
            : []),
          ...(pictures.length > 0
            ? [{ ...value('files', ['证件图片', 'Pictures'], String(pictures.length)), pictures }]
            : []),
          value('reason', ['原因', 'Reason'], row.reason),
        ],
      },
    ];
  },
  approvers: async (tx, subject) => {
    const platform = await runOne<{ id: number }>(
      tx,
      'SELECT id FROM tenant WHERE kind = 3 ORDER BY id LIMIT 1',
    );
    return holdersOf(tx, platform!.id, AUDIT, [subject.starterId]);
  },
  decidable: (_db, decider, subjects) =>
    Promise.resolve(new Set(decider.elements.has(AUDIT) ? subjects.map((one) => one.bizId) : [])),
  onApproved: (outcome) => end(outcome, 'approved'),
  onRejected: (outcome) => end(outcome, 'rejected'),
  onWithdrawn: (outcome) => end(outcome, 'withdrawn'),
};

async function readChange(db: Executor, id: number): Promise<ChangeRow> {
  return (await runOne<ChangeRow>(db, 'SELECT * FROM merchant_change WHERE id = $1', [id]))!;
}

/** Writes the outcome on the request and, when it passed, on the merchant, in the one transaction of the decision. */
async function end(outcome: ApprovalOutcome, state: keyof typeof OUTCOMES): Promise<void> {
  const { tx, caller, bizId, opinion, platform } = outcome;
  const change = await readChange(tx, bizId);
  if (state === 'approved') await apply(tx, platform, change);
  if (!outcome.insideAction)
    await run(
      tx,
      `UPDATE merchant_change SET state = $2, opinion = $3, decided_by = CASE WHEN $2 = 'withdrawn' THEN NULL ELSE nullif($4::bigint, 0) END,
              decided_at = CASE WHEN $2 = 'withdrawn' THEN NULL ELSE now() END, version = version + 1, updated_at = now() WHERE id = $1`,
      [bizId, state, opinion, caller.staffId],
    );
  platform.changed('merchantChange');
  platform.changed('merchant');
  const by = caller.staffId === 0 ? {} : { caller };
  await writeTimeline(tx, {
    entity: 'merchant',
    entityId: change.tenant_id,
    ...by,
    action: `change_${state}`,
    label: OUTCOMES[state],
    remark: [change.code, opinion].filter(Boolean).join(' · '),
    changes:
      state === 'approved'
        ? [
            {
              field: change.kind,
              before: partsOfSaid(change.before_text)[0],
              after: partsOfSaid(change.after_text)[0],
            },
          ]
        : [],
  });
  if (outcome.insideAction) return;
  await writeTimeline(tx, {
    entity: 'merchantChange',
    entityId: bizId,
    ...by,
    action: state,
    label: OUTCOMES[state],
    from: 'in_review',
    to: state,
    remark: opinion,
  });
  await writeAudit(tx, {
    ...by,
    facts: outcome.facts,
    menu: MENU,
    action: state,
    entity: 'merchantChange',
    entityId: bizId,
    before: { state: 'in_review' },
    after: { state, opinion },
  });
}

async function apply(
  tx: Tx,
  platform: Platform,
  { tenant_id: tenant, kind, proposed }: ChangeRow,
): Promise<void> {
  await run(tx, 'SELECT FROM tenant WHERE id = $1 FOR NO KEY UPDATE', [tenant]);
  if (kind === 'licence') {
    await requireFree(tx, tenant, proposed);
    await run(
      tx,
      `UPDATE tenant SET name = coalesce($2, name), licence_no = coalesce($3, licence_no), address = coalesce($4, address) WHERE id = $1`,
      [tenant, proposed.name ?? null, proposed.licenceNo ?? null, proposed.address ?? null],
    );
  } else if (kind === 'legal')
    await run(tx, 'UPDATE tenant SET legal_person = $2 WHERE id = $1', [tenant, proposed.legalPerson]);
  else if (kind === 'contact')
    await run(
      tx,
      `UPDATE merchant_agreement SET contact = $2, phone = $3, version = version + 1, updated_at = now()
        WHERE tenant_id = $1 AND state = 'active' AND (effective_to IS NULL OR effective_to > now())`,
      [tenant, proposed.contact, proposed.phone],
    );
  else if (kind === 'payee') await replacePayee(tx, platform, tenant, proposed);
  else await renewCertificate(tx, tenant, proposed);
  await run(tx, 'UPDATE tenant SET version = version + 1, updated_at = now() WHERE id = $1', [tenant]);
}

/** The account that was asked for takes the place of the one before; it is verified anew, and both contacts are told. */
async function replacePayee(tx: Tx, platform: Platform, tenant: number, proposed: Proposed): Promise<void> {
  const number = openText(
    platform.config,
    CHANGED_NUMBER,
    String(tenant),
    Buffer.from(proposed.sealed!, 'base64'),
  );
  await replacePayoutAccount(tx, platform, tenant, {
    holder: proposed.holder!,
    bank: proposed.bank!,
    branch: proposed.branch ?? '',
    number,
  });
  const phones = await run<{ phone: string }>(
    tx,
    `SELECT contact_phone AS phone FROM tenant WHERE id = $1 AND contact_phone ~ '^1[0-9]{10}$'
     UNION SELECT a.phone FROM boss_link l JOIN boss_account a ON a.id = l.boss_account_id WHERE l.merchant_id = $1 AND l.role = 'owner'`,
    [tenant],
  );
  for (const { phone } of phones)
    await queueSms(tx, {
      phone,
      purpose: 'merchantPayee',
      body: `您的商户收款账户已变更为尾号 ${proposed.tail} 的账户，验证通过前不会向其付款。如非本人操作请立即联系平台。`,
      params: { tail: proposed.tail! },
    });
}

/** Somebody else may have taken the name or the licence while the request waited. */
async function requireFree(tx: Tx, tenant: number, proposed: Proposed): Promise<void> {
  const taken = await runOne<{ name: string }>(
    tx,
    `SELECT o.name FROM tenant o, tenant t WHERE t.id = $1 AND o.id <> t.id AND o.kind = 2 AND o.merchant_state <> 'closed'
        AND (o.name = $2 OR (o.licence_no = $3 AND o.merchant_kind = 'resident' AND t.merchant_kind = 'resident')) LIMIT 1`,
    [tenant, proposed.name ?? null, proposed.licenceNo ?? null],
  );
  if (taken)
    throw ruleBroken([
      `名称或执照号已被商户“${taken.name}”使用`,
      `Name or licence already used by “${taken.name}”`,
    ]);
}

/** The certificate of this kind that ends first is the one that is renewed; a first one is added. */
async function renewCertificate(tx: Tx, tenant: number, proposed: Proposed): Promise<void> {
  const values = [
    proposed.type,
    proposed.number ?? '',
    proposed.validFrom ?? null,
    proposed.longTerm ? null : (proposed.validTo ?? null),
    proposed.longTerm ?? false,
  ];
  const old = await runOne<{ id: number }>(
    tx,
    'SELECT id FROM merchant_certificate WHERE tenant_id = $1 AND type = $2 ORDER BY valid_to NULLS LAST, id LIMIT 1',
    [tenant, proposed.type],
  );
  if (old)
    await run(
      tx,
      `UPDATE merchant_certificate SET type = $2, number = coalesce(nullif($3, ''), number), valid_from = $4, valid_to = $5, long_term = $6 WHERE id = $1`,
      [old.id, ...values],
    );
  else
    await run(
      tx,
      `INSERT INTO merchant_certificate (tenant_id, position, type, number, valid_from, valid_to, long_term)
       SELECT $1, coalesce(max(position), 0) + 1, $2, $3, $4, $5, $6 FROM merchant_certificate WHERE tenant_id = $1`,
      [tenant, ...values],
    );
  if (proposed.files?.length)
    await run(
      tx,
      'UPDATE tenant SET qualification_ids = ($2::uuid[] || qualification_ids)[1:20] WHERE id = $1',
      [tenant, proposed.files],
    );
}

const bound: BoundResource = bindResource(merchantChange, {
  table: 'merchant_change',
  joins: {
    merchant: { table: 'tenant', column: 'tenant_id' },
    proposer: { table: 'staff', column: 'created_by' },
  },
  columns: {
    before: 't.before_text',
    after: 't.after_text',
    pictures: picturesOf(
      `ARRAY(SELECT x::uuid FROM jsonb_array_elements_text(coalesce(t.proposed -> 'files', '[]')) x)`,
    ),
  },
  scope: OF_MERCHANT,
  search: 'lower(t.code)',
  extra: { proposerId: 't.created_by' },
  ruleReads: ['proposerId'],
  rowRules: {
    withdraw: (row, caller) =>
      Number(row.proposerId) === caller.staffId
        ? undefined
        : ['只有申请人可以撤回', 'Only who asked may withdraw it'],
  },
  handlers: {
    withdraw: async ({ tx, platform, id, caller, facts }) => {
      await withdrawApproval(tx, platform, { kind: CHANGE, bizId: id, caller, facts, insideAction: true });
    },
  },
  also: { approvals: [changeApproval], sights: [reviewSight, sight] },
});

/** Change requests of merchants; the approval centre decides about them. */
export const registration = bound.registration;
