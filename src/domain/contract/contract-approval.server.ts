import type { Label } from '../../kernel/contract/label.ts';
import { yuanFromFen } from '../../kernel/contract/money.rules.ts';
import { writeAudit, writeTimeline } from '../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { staffIdOf } from '../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../kernel/server/people/scope.ts';
import type { ApprovalKind, ApprovalOutcome, SnapshotPart } from '../approval/approval-kind.server.ts';
import { holdersOf } from '../approval/approvers.server.ts';
import type { ApprovalField } from '../approval/process.rules.ts';
import { signClient } from '../commercial-client/client-stage.server.ts';
import { tellReceivables } from '../receivable/receivable.server.ts';
import {
  applyChange,
  changed,
  CHANGE_KINDS,
  netOf,
  previewChange,
  readChangeOf,
  type ChangeRow,
} from './contract-change.server.ts';
import { PARTY_B } from './contract-money.server.ts';
import { leaseForContract, releaseForContract } from './contract-occupancy.server.ts';
import { changeSight, contractSight, CONTRACT_SCOPE, LEDGER_MENU } from './contract-sight.server.ts';
import {
  keepContractVersion,
  lockContract,
  partsOf,
  termsOf,
  type ContractParts,
  type ContractRow,
} from './contract-terms.server.ts';
import { contractMonths, LINE_KINDS, monthlyPrice, priceIn } from './plan.rules.ts';
import { daysBetween } from '../../kernel/contract/time.rules.ts';

/** Word of the approval engine for new contracts. */
export const CONTRACT_APPROVAL = 'contract';
const ELEMENT = `${LEDGER_MENU}:btn_audit`;

const FIELDS: readonly ApprovalField[] = [
  { name: 'amount', label: ['金额（元）', 'Amount (yuan)'], kind: 'number' },
  { name: 'deposit', label: ['押金（元）', 'Deposit (yuan)'], kind: 'number' },
  { name: 'days', label: ['期限（天）', 'Term (days)'], kind: 'number' },
  {
    name: 'direction',
    label: ['方向', 'Direction'],
    kind: 'choice',
    options: [
      { value: 'income', label: ['收入', 'Income'] },
      { value: 'expense', label: ['支出', 'Expense'] },
    ],
  },
  { name: 'below_floor', label: ['低于底价', 'Below the floor price'], kind: 'boolean' },
];

/** Whether a position is let below its floor price in some month; daily prices and prices of a term by what they come to a month. */
async function belowFloor(db: Executor, row: ContractRow, parts: ContractParts): Promise<boolean> {
  if (row.direction !== 'income' || parts.positions.length === 0) return false;
  const floors = await run<{ id: number; floor: number }>(
    db,
    'SELECT id, floor_price AS floor FROM position WHERE id = ANY($1::bigint[])',
    [parts.positions.map((one) => one.place_id)],
  );
  const floorOf = new Map(floors.map((one) => [one.id, one.floor]));
  const { steps } = termsOf(row, parts);
  return parts.positions.some((one) => {
    const days = daysBetween(one.from_on, one.to_on);
    const prices =
      row.price_basis === 'whole'
        ? [one.price]
        : contractMonths(row.starts_on, row.ends_on)
            .filter((month) => month.from <= one.to_on && month.to >= one.from_on)
            .map((month) => priceIn(month.no, one.price, steps));
    return prices.some(
      (price) => monthlyPrice(row.price_basis, price, days) < (floorOf.get(one.place_id) ?? 0),
    );
  });
}

const readContract = (db: Executor, id: number) =>
  runOne<ContractRow>(db, 'SELECT * FROM contract WHERE id = $1', [id]);

/** What conditions of a process ask: of a contract as it stands, or as a change would leave it. */
const factsOf = async (
  db: Executor,
  id: number,
  change?: Pick<ChangeRow, 'kind' | 'effective_on' | 'after'>,
) => {
  const row = await readContract(db, id);
  if (!row) return { amount: 0, deposit: 0, days: 0, direction: '', below_floor: false };
  const parts = await partsOf(db, id);
  const next = change ? changed(row, parts, change) : { row, parts };
  return {
    amount: row.amount / 100,
    deposit: row.deposit / 100,
    days: daysBetween(row.starts_on, row.ends_on),
    direction: row.direction,
    below_floor: await belowFloor(db, next.row, next.parts),
  };
};

const said = (field: string, label: Label, value: string) => ({
  field,
  label,
  value: [value, value] as const,
});

async function snapshotOf(db: Executor, id: number): Promise<readonly SnapshotPart[]> {
  const row = (await runOne<Record<string, string> & { amount: number; deposit: number }>(
    db,
    `SELECT t.code, t.name, k.name AS kind, p.name AS project, a.name AS party_a, ${PARTY_B} AS party_b, t.starts_on || ' ~ ' || t.ends_on AS term,
            t.amount, t.deposit, s.name AS owner, t.remarks,
            coalesce((SELECT string_agg(o.code || ' ' || x.from_on || '~' || x.to_on || ' ¥' || (x.price / 100.0)::numeric(20, 2), '；' ORDER BY x.position)
              FROM contract_position x JOIN position o ON o.id = x.place_id WHERE x.contract_id = t.id), '—') AS positions
       FROM contract t JOIN biz_dict k ON k.id = t.kind_id JOIN project p ON p.id = t.project_id JOIN organisation a ON a.id = t.party_a_id
       JOIN staff s ON s.id = t.owner_id WHERE t.id = $1`,
    [id],
  ))!;
  const lines = await run<{ no: number; kind: keyof typeof LINE_KINDS; due_on: string; amount: number }>(
    db,
    `SELECT no, kind, due_on::text AS due_on, amount FROM contract_payment WHERE contract_id = $1 AND state <> 'void' ORDER BY no LIMIT 40`,
    [id],
  );
  return [
    {
      title: ['合同', 'Contract'],
      values: [
        said('code', ['编号', 'Code'], row.code!),
        said('name', ['名称', 'Name'], row.name!),
        said('kind', ['类型', 'Kind'], row.kind!),
        said('project', ['项目', 'Project'], row.project!),
        said('partyA', ['甲方', 'Party A'], row.party_a!),
        said('partyB', ['乙方', 'Party B'], row.party_b!),
        said('term', ['起止', 'Term'], row.term!),
        said('positions', ['点位', 'Positions'], row.positions!),
        said('amount', ['总额', 'Amount'], `¥${yuanFromFen(row.amount)}`),
        said('deposit', ['押金', 'Deposit'], `¥${yuanFromFen(row.deposit)}`),
        said('owner', ['负责人', 'Owner'], row.owner!),
        said('remarks', ['备注', 'Remarks'], row.remarks || '—'),
      ],
    },
    {
      title: ['收付计划', 'Plan of payments'],
      values: lines.map((line) => ({
        field: `line${line.no}`,
        label: [
          `${line.no} ${LINE_KINDS[line.kind].label[0]}`,
          `${line.no} ${LINE_KINDS[line.kind].label[1]}`,
        ],
        value: [`${line.due_on} ¥${yuanFromFen(line.amount)}`, `${line.due_on} ¥${yuanFromFen(line.amount)}`],
      })),
    },
  ];
}

const approvers: ApprovalKind['approvers'] = (tx, subject) =>
  holdersOf(tx, subject.tenantId, ELEMENT, [subject.starterId]);

/** New contracts bind by approval. */
const contractKind: ApprovalKind = {
  kind: CONTRACT_APPROVAL,
  label: ['合同', 'Contract'],
  entity: 'contract',
  sights: { toDecide: contractSight, outcome: contractSight },
  moves: true,
  fields: FIELDS,
  facts: factsOf,
  snapshot: snapshotOf,
  samples: async (db, caller) => {
    const parameters = new Parameters();
    const seen = scopeCondition(caller, LEDGER_MENU, CONTRACT_SCOPE, parameters);
    return run<{ id: number; title: string }>(
      db,
      `SELECT t.id, t.code || ' ' || t.name AS title FROM contract t WHERE ${seen} ORDER BY t.id DESC LIMIT 20`,
      parameters.values,
    );
  },
  route: (bizId) => `/publicResource/pr_contractSee/audit/${bizId}`,
  approvers,
  onApproved: (outcome) => endContract(outcome, 'active'),
  onRejected: (outcome) => endContract(outcome, 'rejected'),
  onWithdrawn: (outcome) => endContract(outcome, 'draft'),
};

const EVENTS = {
  active: ['审批通过', 'Approved'],
  rejected: ['审批驳回', 'Rejected'],
  draft: ['撤回', 'Withdrawn'],
} as const satisfies Readonly<Record<string, Label>>;

/** Writes what an approval of a contract came to; the row's own action writes state, timeline and audit itself. */
async function endContract(outcome: ApprovalOutcome, to: keyof typeof EVENTS): Promise<void> {
  const { tx, bizId, caller, opinion, insideAction } = outcome;
  if (to === 'active') await leaseForContract(tx, bizId, null);
  else await releaseForContract(tx, bizId, null, to === 'draft' ? '合同撤回' : '合同驳回');
  await run(
    tx,
    `UPDATE contract SET opinion = left($2, 500), approved_at = CASE WHEN $3 = 'active' THEN now() ELSE approved_at END WHERE id = $1`,
    [bizId, to === 'draft' ? '' : opinion, to],
  );
  if (to === 'active') {
    await keepContractVersion(tx, bizId, {
      reason: '首次审批通过',
      instanceId: await latestInstance(tx, CONTRACT_APPROVAL, bizId),
      staffId: staffIdOf(caller),
    });
    await signClient(tx, bizId);
  }
  for (const name of ['contract', 'client', 'position', 'positionOccupancy', 'space'])
    outcome.platform.changed(name);
  if (insideAction) return;
  await run(tx, 'UPDATE contract SET state = $2, version = version + 1, updated_at = now() WHERE id = $1', [
    bizId,
    to,
  ]);
  await tellEnd(outcome, 'contract', bizId, to, EVENTS[to], { from: 'in_review', to });
}

async function tellEnd(
  { tx, caller, facts, opinion }: ApprovalOutcome,
  entity: string,
  entityId: number,
  action: string,
  label: Label,
  states: { readonly from?: string; readonly to?: string },
): Promise<void> {
  const by = caller.staffId === 0 ? {} : { caller };
  await writeTimeline(tx, { entity, entityId, action, label, ...states, remark: opinion, ...by });
  await writeAudit(tx, {
    ...by,
    facts,
    menu: LEDGER_MENU,
    action,
    entity,
    entityId,
    after: { ...states, opinion },
  });
}

const latestInstance = async (tx: Tx, kind: string, bizId: number) =>
  (
    await runOne<{ id: number }>(
      tx,
      'SELECT id FROM approval_instance WHERE biz_type = $1 AND biz_id = $2 ORDER BY id DESC LIMIT 1',
      [kind, bizId],
    )
  )?.id ?? null;

/** Changes and terminations take effect by approval. */
const changeKinds = (['contract_change', 'contract_terminate'] as const).map((kind): ApprovalKind => ({
  kind,
  label: kind === 'contract_change' ? ['合同变更', 'Contract change'] : ['合同终止', 'Contract termination'],
  entity: 'contractChange',
  sights: { toDecide: changeSight, outcome: changeSight },
  moves: true,
  fields: [...FIELDS, { name: 'net', label: ['金额变化（元）', 'Net (yuan)'], kind: 'number' }],
  facts: async (db, bizId) => {
    const change = await readChangeOf(db, bizId);
    const facts = await factsOf(db, change?.contract_id ?? 0, change);
    return { ...facts, net: change ? (await changeNet(db as Tx, bizId)) / 100 : 0 };
  },
  snapshot: async (db, bizId) => {
    const change = (await readChangeOf(db, bizId))!;
    const net = `¥${yuanFromFen(await changeNet(db as Tx, bizId))}`;
    const names = await partyNames(db, [change.before, change.after]);
    return [
      {
        title: CHANGE_KINDS[change.kind].label,
        values: [
          said('effectiveOn', ['生效日', 'Effective'], change.effective_on),
          said('reason', ['原因', 'Reason'], change.reason || '—'),
          said('before', ['变更前', 'Before'], wordsOf(change.before, names)),
          said('after', ['变更后', 'After'], wordsOf(change.after, names)),
          said('net', ['金额变化', 'Net'], net),
          ...change.settlement.map((one, index) =>
            said(
              `kept${index + 1}`,
              ['押金扣款', 'Kept of the deposit'],
              `${one.reason} ¥${yuanFromFen(one.amount)}`,
            ),
          ),
        ],
      },
      ...(await snapshotOf(db, change.contract_id)),
    ];
  },
  // The contract it is of: the page finds it by the change.
  route: (bizId) => `/publicResource/pr_contractSee/audit/0?change=${bizId}`,
  approvers,
  onApproved: (outcome) => endChange(outcome, 'applied'),
  onRejected: (outcome) => endChange(outcome, 'rejected'),
  onWithdrawn: (outcome) => endChange(outcome, 'withdrawn'),
}));

async function changeNet(db: Tx, id: number): Promise<number> {
  const change = (await readChangeOf(db, id))!;
  const contract = (await readContract(db, change.contract_id))!;
  const { before, done } = await previewChange(db, contract, change);
  return netOf(done, before);
}

const PARTIES: Readonly<Record<string, string>> = { client_id: 'client', merchant_id: 'tenant' };

/** Names of clients and merchants that changes name by id, by column and id. */
export async function partyNames(
  db: Executor,
  sides: readonly { readonly columns: Readonly<Record<string, unknown>> }[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const [column, table] of Object.entries(PARTIES)) {
    const ids = sides.flatMap((side) => (side.columns[column] ? [Number(side.columns[column])] : []));
    if (ids.length === 0) continue;
    for (const row of await run<{ id: number; name: string }>(
      db,
      `SELECT id, name FROM ${table} WHERE id = ANY($1::bigint[])`,
      [ids],
    ))
      names.set(`${column} ${row.id}`, row.name);
  }
  return names;
}

/** What a change sets, in words. */
export function wordsOf(
  side: {
    readonly columns: Readonly<Record<string, unknown>>;
    readonly positions?:
      readonly { code?: string; from_on: string; to_on: string; price: number }[] | undefined;
    readonly steps?:
      readonly { from_month: number; kind: string; rate: unknown; amount: number | null }[] | undefined;
  },
  names: ReadonlyMap<string, string>,
): string {
  const parts = Object.entries(side.columns)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => names.get(`${name} ${String(value)}`) ?? String(value));
  for (const one of side.positions ?? [])
    parts.push(`${one.code ?? ''} ${one.from_on}~${one.to_on} ¥${yuanFromFen(one.price)}`);
  for (const one of side.steps ?? [])
    parts.push(
      `M${one.from_month} ${one.kind === 'percent' ? `${String(one.rate)}%` : `¥${yuanFromFen(one.amount ?? 0)}`}`,
    );
  return parts.join('；') || '—';
}

const CHANGE_EVENTS = {
  applied: ['变更生效', 'Change applied'],
  rejected: ['变更驳回', 'Change rejected'],
  withdrawn: ['变更撤回', 'Change withdrawn'],
} as const satisfies Readonly<Record<string, Label>>;

async function endChange(outcome: ApprovalOutcome, to: keyof typeof CHANGE_EVENTS): Promise<void> {
  const { tx, bizId, caller } = outcome;
  const change = (await readChangeOf(tx, bizId))!;
  const before = await lockContract(tx, change.contract_id);
  await run(tx, 'UPDATE contract_change SET state = $2, ended_at = now() WHERE id = $1', [bizId, to]);
  if (to === 'applied')
    await applyChange(tx, change, {
      instanceId: await latestInstance(
        tx,
        change.kind === 'terminate' ? 'contract_terminate' : 'contract_change',
        bizId,
      ),
      staffId: staffIdOf(caller),
    });
  else await releaseForContract(tx, change.contract_id, bizId, CHANGE_EVENTS[to][0]);
  const after = await lockContract(tx, change.contract_id);
  const { label } = CHANGE_KINDS[change.kind];
  await tellEnd(
    outcome,
    'contract',
    change.contract_id,
    `change.${to}`,
    [`${label[0]}：${CHANGE_EVENTS[to][0]}`, `${label[1]}: ${CHANGE_EVENTS[to][1]}`],
    before.state === after.state ? {} : { from: before.state, to: after.state },
  );
  for (const name of ['contract', 'contractPayment', 'position', 'positionOccupancy'])
    outcome.platform.changed(name);
  tellReceivables(outcome.platform);
}

/** What of contracts is approved. */
export const contractApprovals: readonly ApprovalKind[] = [contractKind, ...changeKinds];
