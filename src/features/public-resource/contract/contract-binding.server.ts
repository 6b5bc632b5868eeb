import { bizDictValue } from '../../../domain/dictionary/dictionary.server.ts';
import { approvable } from '../../../domain/approval/approvable.server.ts';
import { CONTRACT_APPROVAL } from '../../../domain/contract/contract-approval.server.ts';
import { contractsOf, CONTRACT_SCOPE } from '../../../domain/contract/contract-sight.server.ts';
import { PARTY_B } from '../../../domain/contract/contract-money.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { checkAttachable } from '../../../kernel/server/files/files.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { fromInput } from '../../../kernel/server/resource/abilities/sets.ts';
import type { Binding, DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { picturesOf } from '../../property/picture-columns.server.ts';
import { changeHandlers } from './contract-changes.server.ts';
import { contractDetail, OWED } from './contract-detail.server.ts';
import { checkContract, contractHandlers, planContract } from './contract-draft.server.ts';
import { TODAY } from '../../../kernel/server/today.ts';

const LIVE = `t.state IN ('active', 'expiring')`;
const LAST = `coalesce(t.terminated_on, t.ends_on)`;
/** Lines (`p`) with what is owed for them. */
const LINES = `contract_payment p LEFT JOIN receivable r ON r.id = p.receivable_id WHERE p.contract_id = t.id AND p.state <> 'void'`;
const OVERDUE = `(SELECT coalesce(sum(${OWED}), 0)::bigint FROM ${LINES} AND p.due_on < ${TODAY} AND t.state IN ('active', 'expiring', 'expired', 'terminated'))`;
const CHANGING = `EXISTS (SELECT FROM contract_change x WHERE x.contract_id = t.id AND x.state IN ('draft', 'in_review'))`;
const COMING = `(${LIVE} AND t.starts_on > ${TODAY})`;
const UNSIGNED = `(${LIVE} AND cardinality(t.signed_ids) = 0)`;

const approval = approvable(CONTRACT_APPROVAL, {
  waiting: 'in_review',
  passed: 'active',
  refused: 'rejected',
});

const READ_ONLY: Label = ['商户只能查看', 'Merchants only look'];
const readOnly = (_row: DbRow, caller: Caller) => (caller.tenantKind === 2 ? READ_ONLY : undefined);
const ENDING: Label = ['已批准终止', 'Its termination is approved'];
const open = (row: DbRow, caller: Caller) =>
  readOnly(row, caller) ??
  (row.terminatedOn !== null
    ? ENDING
    : row.changing === true
      ? (['已有进行中的变更', 'A change of it is in review already'] as Label)
      : undefined);

/** What the menus of contracts share. */
export const contractBinding = {
  table: 'contract',
  scope: CONTRACT_SCOPE,
  codePrefix: 'CT',
  search: `lower(t.code || ' ' || t.name || ' ' || t.party_text)`,
  joins: {
    kind: bizDictValue,
    project: 'project',
    partyA: 'organisation',
    client: 'client',
    merchant: 'tenant',
    owner: 'staff',
    renewOf: { table: 'contract', column: 'renew_of', title: 'code' },
    endReason: bizDictValue,
  },
  links: {
    participants: { table: 'contract_participant', own: 'contract_id', other: 'staff_id', to: 'staff' },
  },
  lines: {
    positions: {
      table: 'contract_position',
      own: 'contract_id',
      joins: { place: { table: 'position', title: 'code' } },
    },
    steps: { table: 'contract_price_step', own: 'contract_id' },
    freePeriods: { table: 'contract_free_period', own: 'contract_id' },
    fees: { table: 'contract_fee', own: 'contract_id' },
    manualLines: { table: 'contract_manual_line', own: 'contract_id' },
  },
  columns: {
    partyB: PARTY_B,
    partyName: `nullif(t.party_name, '')`,
    daysLeft: `(CASE WHEN ${LIVE} THEN greatest(0, ${LAST} - ${TODAY}) END)`,
    placeCount:
      '(SELECT count(DISTINCT x.place_id)::int FROM contract_position x WHERE x.contract_id = t.id)',
    places: `(SELECT string_agg(DISTINCT o.code, '、') FROM contract_position x JOIN position o ON o.id = x.place_id WHERE x.contract_id = t.id)`,
    place: { id: 'NULL::bigint', title: 'NULL::text' },
    changeId: 'NULL::bigint',
    attachments: picturesOf('t.file_ids'),
    signed: picturesOf('t.signed_ids'),
    preview: 'NULL::jsonb',
    received: `(SELECT coalesce(sum(coalesce(r.received, p.paid)), 0)::bigint FROM ${LINES} AND p.kind NOT IN ('deposit', 'deposit_return'))`,
    overdue: OVERDUE,
    hasOverdue: `(${OVERDUE} > 0)`,
    ending: 'NULL::text',
    marks: `array_remove(ARRAY[CASE WHEN ${COMING} THEN 'coming' END, CASE WHEN ${CHANGING} THEN 'changing' END, CASE WHEN ${UNSIGNED} THEN 'unsigned' END], NULL)`,
    remindDays: `nullif(t.remind_days, '')`,
    opinion: `nullif(t.opinion, '')`,
  },
  writes: { attachments: 'file_ids', preview: false },
  unique: { contract_renewed: ['该合同已续签', 'It is renewed already'] },
  filters: {
    place: (value, parameters) =>
      `EXISTS (SELECT FROM contract_position x WHERE x.contract_id = t.id AND x.place_id::text = ANY(string_to_array(${parameters.bind(value)}, ',')))`,
    changeId: (value, parameters) =>
      `t.id = (SELECT x.contract_id FROM contract_change x WHERE x.id = ${parameters.bind(/^\d{1,15}$/.test(value) ? Number(value) : 0)}::bigint)`,
    ending: (value, parameters) =>
      `(${LIVE} AND ${LAST} - ${TODAY} BETWEEN 0 AND ${parameters.bind(Number(value))}::int)`,
    hasOverdue: (value) => `(${OVERDUE} > 0) = ${value === 'true' ? 'true' : 'false'}`,
  },
  tabs: {
    owned: (caller, parameters) => contractsOf.owned(parameters.bind(caller.staffId)),
    participating: (caller, parameters) => contractsOf.participating(parameters.bind(caller.staffId)),
    below: (caller, parameters) => contractsOf.below(parameters.bind(caller.staffId)),
    drafts: (caller, parameters) =>
      `(t.state IN ('draft', 'rejected') AND ${contractsOf.owned(parameters.bind(caller.staffId))})`,
    running: () => LIVE,
    ending: () => `(${LIVE} AND ${LAST} - ${TODAY} <= 90)`,
  },
  abilities: [approval.ability],
  extra: {
    changing: CHANGING,
    ownerId: 't.owner_id',
    submitterId: 't.submitted_by',
    submittedAt: 't.submitted_at',
    renewed: `EXISTS (SELECT FROM contract x WHERE x.renew_of = t.id AND x.state <> 'rejected')`,
  },
  ruleReads: ['changing', 'ownerId', 'submitterId', 'submittedAt', 'renewed', 'terminatedOn'],
  rowRules: {
    update: readOnly,
    submit: readOnly,
    withdraw: (row: DbRow, caller: Caller) =>
      Number(row.submitterId) === caller.staffId
        ? undefined
        : ['只有提交人可以撤回', 'Only who handed it in may withdraw it'],
    remove: (row: DbRow, caller: Caller) =>
      readOnly(row, caller) ??
      (row.submittedAt === null
        ? undefined
        : ['已提交过的合同不能删除', 'It was handed in before, it is not deleted']),
    changeTerm: open,
    changePrice: open,
    changePositions: open,
    changeParty: open,
    terminate: open,
    withdrawChange: (row: DbRow, caller: Caller) =>
      readOnly(row, caller) ??
      (row.changing === true ? undefined : ['没有进行中的变更', 'No change is in review']),
    renew: (row: DbRow, caller: Caller) =>
      readOnly(row, caller) ??
      (row.terminatedOn !== null
        ? ENDING
        : row.renewed === true
          ? ['该合同已续签', 'It is renewed already']
          : undefined),
    transferOwner: readOnly,
    sign: readOnly,
    remind: readOnly,
  },
  usedBy: {
    contract_participant: false,
    contract_position: false,
    contract_price_step: false,
    contract_free_period: false,
    contract_fee: false,
    contract_manual_line: false,
    contract_payment: false,
    contract_reminder: false,
  },
  completes: ['owner', 'partyA'],
  before: [checkContract],
  after: [planContract],
  checks: {
    sign: ({ tx, caller, input, row }: ActionContext) =>
      checkAttachable(
        tx,
        caller,
        'signed',
        input.signed as string[],
        ((row.signed_ids ?? []) as unknown[]).map(String),
      ),
  },
  sets: { sign: { signed_ids: fromInput('signed') }, remind: { remind_days: fromInput('days') }, print: {} },
  handlers: {
    ...contractHandlers,
    ...changeHandlers,
  },
  detail: contractDetail,
} satisfies Binding<string>;
