import { submitApproval } from '../../../domain/approval/approve.server.ts';
import { CONTRACT_APPROVAL } from '../../../domain/contract/contract-approval.server.ts';
import { handReceivablesOver } from '../../../domain/contract/contract-money.server.ts';
import { holdForContract } from '../../../domain/contract/contract-occupancy.server.ts';
import { renewContract } from '../../../domain/contract/contract-renewal.server.ts';
import {
  lockContract,
  partsOf,
  termsOf,
  writePlan,
  type ContractParts,
} from '../../../domain/contract/contract-terms.server.ts';
import { tellReceivables } from '../../../domain/receivable/receivable.server.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { addDays } from '../../../kernel/contract/time.rules.ts';
import { writeTimeline, type FieldChange } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { checkAttachable } from '../../../kernel/server/files/files.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { inReach } from '../../../kernel/server/resource/abilities/reach.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { addMonths } from '../../../domain/contract/plan.rules.ts';
import { contract } from './contract.contract.ts';

/** Rows of the form as they arrive. */
export interface PlaceLine {
  place: number;
  fromOn?: string | null;
  toOn?: string | null;
  price: number;
}
export interface StepLine {
  readonly fromMonth: number;
  readonly kind: 'percent' | 'add' | 'set';
  rate?: string | null;
  amount?: number | null;
}

const REQUIRED_TEXTS = ['party_name', 'licence_no', 'contact', 'contact_phone', 'remarks'] as const;

/** Looks at the form of a contract; completes what may be left out. Source: group 17, pr_contractCreart. */
export async function checkContract(context: ActionContext): Promise<void> {
  const { action, input, row, columns, tx, caller, platform } = context;
  if (action !== 'create' && action !== 'update') return;
  for (const name of REQUIRED_TEXTS) if (columns[name] === null) columns[name] = '';
  for (const name of ['price', 'tax_rate', 'due_offset', 'deposit', 'auto_renew_months'] as const)
    if (columns[name] === null) columns[name] = 0;
  const now = { ...row, ...columns } as Record<string, unknown>;
  const project = Number(now.project_id);
  requireProjectsInReach(caller, [project]);
  if (!now.owner_id) columns.owner_id = staffIdOf(caller);
  if (now.notice_days === null || now.notice_days === undefined)
    columns.notice_days = await platform.settings.numberIn(tx, 'contract.notice_days', {
      projectId: project,
    });
  if (!now.party_a_id)
    columns.party_a_id = (await runOne<{ unit_id: number }>(tx, 'SELECT unit_id FROM project WHERE id = $1', [
      project,
    ]))!.unit_id;
  const problems: Record<string, Label> = { ...partyProblems(now) };
  const late = await renewalProblem(tx, now);
  if (late) problems.startsOn = late;
  const [from, to] = [String(now.starts_on), String(now.ends_on)];
  if (to < from) problems.endsOn = ['结束日期不能早于开始日期', 'The end cannot lie before the start'];
  else if (to >= addMonths(from, 240)) problems.endsOn = ['期限最长 20 年', 'A term has 20 years at most'];
  if (problems.endsOn || problems.startsOn) throw invalid(problems);
  const stored = row.id === undefined ? undefined : await partsOf(tx, Number(row.id));
  const places = input.positions as PlaceLine[] | undefined;
  const problem = places
    ? await placesProblem(tx, project, from, to, places)
    : stored && stored.positions.some((one) => one.from_on < from || one.to_on > to)
      ? OUTSIDE
      : undefined;
  if (problem) problems.positions = problem;
  const steps = input.steps as StepLine[] | undefined;
  const stepProblem = steps && stepsProblem(steps);
  if (stepProblem) problems.steps = stepProblem;
  const free =
    (input.freePeriods as { fromOn: string; toOn: string }[] | undefined) ??
    stored?.free.map((one) => ({ fromOn: one.from_on, toOn: one.to_on })) ??
    [];
  const freeProblem = freePeriodsProblem(free, from, to);
  if (freeProblem) problems.freePeriods = freeProblem;
  if (Object.keys(problems).length > 0) throw invalid(problems);
  if (input.attachments)
    await checkAttachable(
      tx,
      caller,
      'attachments',
      input.attachments as string[],
      ((row.file_ids ?? []) as unknown[]).map(String),
    );
}

/** A renewal begins on the day after the contract it follows, whatever became of that. Source: group 17, renew. */
async function renewalProblem(tx: Tx, now: Readonly<Record<string, unknown>>): Promise<Label | undefined> {
  if (!now.renew_of) return undefined;
  const old = await runOne<{ ends_on: string }>(
    tx,
    'SELECT ends_on::text AS ends_on FROM contract WHERE id = $1',
    [now.renew_of],
  );
  const start = addDays(old!.ends_on, 1);
  return String(now.starts_on) === start
    ? undefined
    : [`续签须自原合同结束次日 ${start} 开始`, `A renewal starts on ${start}, the day after the old end`];
}

/** Exactly one of client, merchant and name is party B. */
export function partyProblems(now: Readonly<Record<string, unknown>>): Record<string, Label> {
  const named = [now.client_id, now.merchant_id, String(now.party_name ?? '').trim()].filter(Boolean).length;
  if (named === 1) return {};
  return {
    partyName:
      named === 0
        ? ['请选择客户、商户或填写名称', 'Choose a client or merchant, or write a name']
        : ['客户、商户、名称只填一项', 'One of client, merchant and name'],
  };
}

const OUTSIDE: Label = ['点位的起止须在合同期内', 'Days of a position lie outside the term'];

/** Gives positions the days they left out; says what is wrong with them. */
export async function placesProblem(
  tx: Tx,
  project: number,
  from: string,
  to: string,
  places: PlaceLine[],
): Promise<Label | undefined> {
  for (const one of places) {
    one.fromOn = one.fromOn ?? from;
    one.toOn = one.toOn ?? to;
    if (one.fromOn < from || one.toOn > to || one.toOn < one.fromOn) return OUTSIDE;
  }
  for (const [index, one] of places.entries())
    if (
      places.some(
        (other, at) =>
          at < index && other.place === one.place && other.fromOn! <= one.toOn! && other.toOn! >= one.fromOn!,
      )
    )
      return [`第 ${index + 1} 行与前面的行重复`, `Row ${index + 1} repeats a row above`];
  const known = await run<{ id: number }>(
    tx,
    'SELECT id FROM position WHERE id = ANY($1::bigint[]) AND project_id = $2 AND enabled',
    [places.map((one) => one.place), project],
  );
  const inside = new Set(known.map((one) => one.id));
  if (places.some((one) => !inside.has(Number(one.place))))
    return ['点位已停用或不属于该项目', 'A position is disabled or lies in another project'];
  return undefined;
}

/** Percent has a rate, other steps an amount. */
export function stepsProblem(steps: StepLine[]): Label | undefined {
  for (const [index, step] of steps.entries()) {
    const percent = step.kind === 'percent';
    const value = percent ? step.rate : step.amount;
    if (value === undefined || value === null)
      return percent
        ? [`第 ${index + 1} 行请填写比例`, `Row ${index + 1}: a percentage`]
        : [`第 ${index + 1} 行请填写金额`, `Row ${index + 1}: an amount`];
    if (percent) step.amount = null;
    else step.rate = null;
  }
  return undefined;
}

function freePeriodsProblem(
  free: readonly { fromOn: string; toOn: string }[],
  from: string,
  to: string,
): Label | undefined {
  if (free.some((one) => one.fromOn < from || one.toOn > to || one.toOn < one.fromOn))
    return ['免租期须在合同期内', 'Free periods lie inside the term'];
  const sorted = free.toSorted((a, b) => a.fromOn.localeCompare(b.fromOn));
  if (sorted.some((one, index) => index > 0 && one.fromOn <= sorted[index - 1]!.toOn))
    return ['免租期不能重叠', 'Free periods do not overlap'];
  return undefined;
}

/** Parts of a contract as they will stand once the lines of the form are written: own hooks run ahead of them. */
async function partsNow(tx: Tx, id: number, input: ActionContext['input']): Promise<ContractParts> {
  const stored = await partsOf(tx, id);
  const lines = <T>(name: string) => input[name] as readonly T[] | undefined;
  const places = lines<PlaceLine>('positions');
  const codes = new Map(
    (
      await run<{ id: number; code: string }>(
        tx,
        'SELECT id, code FROM position WHERE id = ANY($1::bigint[])',
        [(places ?? []).map((one) => one.place)],
      )
    ).map((one) => [one.id, one.code]),
  );
  return {
    positions:
      places?.map((one) => ({
        place_id: Number(one.place),
        code: codes.get(Number(one.place)) ?? '',
        from_on: one.fromOn!,
        to_on: one.toOn!,
        price: Number(one.price),
      })) ?? stored.positions,
    steps:
      lines<StepLine>('steps')?.map((one) => ({
        from_month: one.fromMonth,
        kind: one.kind,
        rate: one.rate ?? null,
        amount: one.amount ?? null,
      })) ?? stored.steps,
    free:
      lines<{ fromOn: string; toOn: string }>('freePeriods')?.map((one) => ({
        from_on: one.fromOn,
        to_on: one.toOn,
      })) ?? stored.free,
    fees:
      lines<{ name: string; amount: number; dueOn: string }>('fees')?.map((one) => ({
        name: one.name,
        amount: Number(one.amount),
        due_on: one.dueOn,
      })) ?? stored.fees,
    manual:
      lines<{ no: number; amount: number; reason: string }>('manualLines')?.map((one) => ({
        no: one.no,
        amount: Number(one.amount),
        reason: one.reason,
      })) ?? stored.manual,
  };
}

/** Writes the plan of a draft anew whenever it is saved. */
export async function planContract(
  { action, tx, input, caller }: ActionContext,
  id: number,
): Promise<readonly FieldChange[]> {
  if (action !== 'create' && action !== 'update') return [];
  const row = await lockContract(tx, id);
  const parts = await partsNow(tx, id, input);
  const lines = await writePlan(tx, id, termsOf(row, parts), parts.manual, staffIdOf(caller));
  const beyond = parts.manual.find((one) => one.no > lines.length);
  if (beyond)
    throw invalid({
      manualLines: [`计划没有第 ${beyond.no} 行`, `The plan has no line ${beyond.no}`],
    });
  return [];
}

/** Hands a contract in: its positions are held in the same transaction, meanwhile nobody changes it. */
async function submit({ tx, id, caller, facts, platform }: ActionContext): Promise<ActionResult> {
  const draft = await lockContract(tx, id);
  const parts = await partsOf(tx, id);
  const late = await renewalProblem(tx, { ...draft });
  if (late) throw invalid({ startsOn: late });
  if (draft.direction === 'income' && parts.positions.length === 0)
    throw invalid({ positions: ['收入合同请至少选择一个点位', 'An income contract needs a position'] });
  if (draft.amount <= 0) throw invalid({ price: ['合同总额须大于 0', 'The contract comes to nothing'] });
  await holdForContract(
    tx,
    caller,
    { id, projectId: draft.project_id, clientId: draft.client_id, name: draft.name },
    parts.positions,
  );
  const money = `¥${yuanFromFen(draft.amount)}`;
  const term = `${draft.starts_on} ~ ${draft.ends_on}`;
  await submitApproval(
    tx,
    platform,
    {
      kind: CONTRACT_APPROVAL,
      bizId: id,
      tenantId: caller.tenantId,
      projectId: draft.project_id,
      title: [`合同 ${draft.code} ${draft.name}`, `Contract ${draft.code} ${draft.name}`],
      summary: [
        { label: ['总额', 'Amount'], value: [money, money] },
        { label: ['起止', 'Term'], value: [term, term] },
      ],
      starterId: caller.staffId,
    },
    { caller, facts },
  );
  return { set: { submitted_by: caller.staffId, submitted_at: new Date(), opinion: '' } };
}

/** A draft of the renewal: from the day after the end, at the price of the last month, moved by some percent. */
async function renew({ tx, id, input, caller }: ActionContext): Promise<ActionResult> {
  const old = await lockContract(tx, id);
  const start = addDays(old.ends_on, 1);
  const end = String(input.endsOn);
  if (end < start || end >= addMonths(start, 240))
    throw invalid({ endsOn: ['须晚于原结束日期，最长 20 年', 'Later than the old end, 20 years at most'] });
  const made = await renewContract(tx, old, {
    endsOn: end,
    rate: Math.round(Number(input.rate ?? 0) * 100),
    staffId: staffIdOf(caller),
  });
  await writeTimeline(tx, {
    entity: 'contract',
    entityId: made.id,
    caller,
    action: 'create',
    label: ['续签生成', 'Made as a renewal'],
    to: 'draft',
    remark: old.code,
  });
  return { remark: made.code, result: { id: String(made.id), code: made.code } };
}

/** Work of drafting, handing in and keeping. */
export const contractHandlers = {
  submit,
  renew,
  remove: async ({ tx, id }: ActionContext): Promise<void> => {
    // What an automatic renewal held for it is given back.
    await run(
      tx,
      `UPDATE position_occupancy SET contract_id = NULL, expires_at = now(), released_at = coalesce(released_at, now()), release_reason = '合同草稿删除',
              version = version + 1, updated_at = now() WHERE contract_id = $1`,
      [id],
    );
    await run(tx, 'DELETE FROM contract WHERE id = $1', [id]);
  },
  transferOwner: async (context: ActionContext): Promise<ActionResult> => {
    const owner = Number(context.input.owner);
    await inReach(context, contract.fields.owner, [owner]);
    await handReceivablesOver(context.tx, context.id, Number(context.row.owner_id), owner);
    tellReceivables(context.platform);
    return { set: { owner_id: owner } };
  },
};
