import { z } from 'zod';
import { withdrawApproval } from '../../../domain/approval/approve.server.ts';
import {
  netOf,
  positionsFrom,
  positionsUntil,
  previewChange,
  submitChange,
  type AskedChange,
} from '../../../domain/contract/contract-change.server.ts';
import { depositHeld } from '../../../domain/contract/contract-money.server.ts';
import { lockContract, partsOf, type ContractRow } from '../../../domain/contract/contract-terms.server.ts';
import { addMonths } from '../../../domain/contract/plan.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { checkAttachable } from '../../../kernel/server/files/files.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { inReach } from '../../../kernel/server/resource/abilities/reach.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { contract } from './contract.contract.ts';
import {
  partyProblems,
  placesProblem,
  stepsProblem,
  type PlaceLine,
  type StepLine,
} from './contract-draft.server.ts';

type Input = Readonly<Record<string, unknown>>;
const today = () => businessDayOf(new Date());
const refuse = (field: string, text: Label) => invalid({ [field]: text });

/** What each action asks for, from its input; throws 422 at the field. */
const ASKED: Readonly<
  Record<string, (tx: Tx, platform: Platform, contract: ContractRow, input: Input) => Promise<AskedChange>>
> = {
  changeTerm: async (tx, _platform, contract, input) => {
    const end = String(input.endsOn);
    if (end === contract.ends_on) throw refuse('endsOn', ['与原结束日期相同', 'The end stays as it is']);
    if (end < contract.starts_on || end < today())
      throw refuse('endsOn', ['不能早于今天或开始日期', 'Not before today or the start']);
    if (end >= addMonths(contract.starts_on, 240))
      throw refuse('endsOn', ['期限最长 20 年', 'A term has 20 years at most']);
    const { positions } = await partsOf(tx, contract.id);
    return {
      kind: 'term',
      effectiveOn: addDays(end < contract.ends_on ? end : contract.ends_on, 1),
      after: { columns: { ends_on: end }, positions: positionsUntil(positions, contract.ends_on, end) },
      reason: String(input.reason ?? ''),
    };
  },
  changePrice: async (tx, _platform, contract, input) => {
    const steps = (input.newSteps ?? []) as StepLine[];
    const problem = stepsProblem(steps);
    if (problem) throw refuse('newSteps', problem);
    const first = Math.min(...steps.map((one) => one.fromMonth));
    const from = addMonths(contract.starts_on, first - 1);
    if (from > contract.ends_on)
      throw refuse('newSteps', ['月份超出合同期', 'The month lies outside the term']);
    const before = (await partsOf(tx, contract.id)).steps;
    return {
      kind: 'price',
      effectiveOn: from,
      after: {
        columns: {},
        steps: [
          ...before.filter((one) => one.from_month < first),
          ...steps.map((one) => ({
            from_month: one.fromMonth,
            kind: one.kind,
            rate: one.rate ?? null,
            amount: one.amount ?? null,
          })),
        ],
      },
      reason: String(input.reason ?? ''),
    };
  },
  changePositions: async (tx, _platform, contract, input) => {
    const from = String(input.effectiveOn);
    if (from < today() || from < contract.starts_on || from > contract.ends_on)
      throw refuse('effectiveOn', ['须在今天与合同结束之间', 'Between today and the end']);
    const places = (input.newPositions ?? []) as PlaceLine[];
    for (const one of places)
      if (one.fromOn !== undefined && one.fromOn !== null && one.fromOn < from) one.fromOn = from;
    const problem = await placesProblem(tx, contract.project_id, from, contract.ends_on, places);
    if (problem) throw refuse('newPositions', problem);
    const codes = new Map(
      (
        await run<{ id: number; code: string }>(
          tx,
          'SELECT id, code FROM position WHERE id = ANY($1::bigint[])',
          [places.map((one) => one.place)],
        )
      ).map((one) => [one.id, one.code]),
    );
    return {
      kind: 'position',
      effectiveOn: from,
      after: {
        columns: {},
        positions: positionsFrom(
          (await partsOf(tx, contract.id)).positions,
          from,
          places.map((one) => ({
            place_id: Number(one.place),
            code: codes.get(Number(one.place)) ?? '',
            from_on: one.fromOn!,
            to_on: one.toOn!,
            price: Number(one.price),
          })),
        ),
      },
      reason: String(input.reason ?? ''),
    };
  },
  changeParty: async (_tx, _platform, _contract, input) => {
    const columns = {
      client_id: input.client ?? null,
      merchant_id: input.merchant ?? null,
      party_name: String(input.partyName ?? '').trim(),
      licence_no: String(input.licenceNo ?? ''),
      contact: String(input.contact ?? ''),
      contact_phone: String(input.contactPhone ?? ''),
    };
    const problems = partyProblems(columns);
    if (Object.keys(problems).length > 0) throw invalid(problems);
    return { kind: 'party', effectiveOn: today(), after: { columns }, reason: String(input.reason ?? '') };
  },
  terminate: async (tx, platform, contract, input) => {
    const last = String(input.effectiveOn);
    const back = await platform.settings.numberIn(tx, 'contract.terminate_backdate_days', {
      projectId: contract.project_id,
    });
    if (last < addDays(today(), -back) || last < contract.starts_on || last > contract.ends_on)
      throw refuse('effectiveOn', [
        back > 0 ? `最早可追溯 ${back} 天，且须在合同期内` : '不能早于今天，且须在合同期内',
        back > 0 ? `At most ${back} days back, inside the term` : 'Not before today, inside the term',
      ]);
    const settlement = ((input.deductions ?? []) as { reason: string; amount: number }[]).map((one) => ({
      reason: one.reason,
      amount: Number(one.amount),
    }));
    const kept = settlement.reduce((sum, one) => sum + one.amount, 0);
    const held = await depositHeld(tx, contract.id);
    if (kept > held)
      throw refuse('deductions', [
        `扣款不能超过已收押金 ${yuanFromFen(held)}`,
        `Not above the deposit that came in, ${yuanFromFen(held)}`,
      ]);
    const { positions } = await partsOf(tx, contract.id);
    return {
      kind: 'terminate',
      effectiveOn: last,
      after: { columns: {}, positions: positionsUntil(positions, contract.ends_on, last) },
      reason: String(input.reason ?? ''),
      endReasonId: Number(input.endReason),
      settlement,
      files: (input.evidence ?? []) as string[],
    };
  },
};

/** References of the dialogs, by the field of the contract that says who may choose what. */
const CHOSEN = { client: 'client', merchant: 'merchant', endReason: 'endReason' } as const;

async function handIn(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, id, input, action, caller } = context;
  const row = await lockContract(tx, id);
  for (const [name, target] of Object.entries(CHOSEN))
    if (typeof input[name] === 'number') await inReach(context, contract.fields[target], [input[name]]);
  await inReach(
    context,
    contract.fields.place,
    ((input.newPositions ?? []) as PlaceLine[]).map((line) => Number(line.place)),
  );
  if (input.evidence) await checkAttachable(tx, caller, 'evidence', input.evidence as string[]);
  const asked = await ASKED[action]!(tx, platform, row, input);
  const change = await submitChange(context, row, asked);
  for (const name of ['position', 'positionOccupancy']) platform.changed(name);
  const now = (await runOne<{ state: string }>(tx, 'SELECT state FROM contract WHERE id = $1', [id]))!;
  return {
    to: now.state,
    remark: [asked.effectiveOn, asked.reason].filter(Boolean).join(' · '),
    result: { change: String(change) },
  };
}

/** Work of changing, ending and withdrawing a change. */
export const changeHandlers = {
  changeTerm: handIn,
  changePrice: handIn,
  changePositions: handIn,
  changeParty: handIn,
  terminate: handIn,
  withdrawChange: async ({ tx, platform, id, caller, facts }: ActionContext): Promise<void> => {
    const change = await runOne<{ id: number; kind: string }>(
      tx,
      `SELECT id, kind FROM contract_change WHERE contract_id = $1 AND state IN ('draft', 'in_review')`,
      [id],
    );
    if (!change) throw ruleBroken(['没有进行中的变更', 'No change is in review']);
    const kind = change.kind === 'terminate' ? 'contract_terminate' : 'contract_change';
    await withdrawApproval(tx, platform, { kind, bizId: change.id, caller, facts });
  },
};

/** What is asked for a preview: an action with its input as the dialog holds it. */
export const previewBody = z.strictObject({
  action: z.enum(['changeTerm', 'changePrice', 'changePositions', 'terminate']),
  input: z.strictObject({
    endsOn: z.string().max(10).optional(),
    effectiveOn: z.string().max(10).optional(),
    newSteps: z
      .array(
        z.strictObject({
          fromMonth: z.number().int().min(2).max(240),
          kind: z.enum(['percent', 'add', 'set']),
          rate: z.string().max(10).nullish(),
          amount: z.number().int().nullish(),
        }),
      )
      .max(20)
      .optional(),
    newPositions: z
      .array(
        z.strictObject({
          place: z.number().int(),
          fromOn: z.string().max(10).nullish(),
          toOn: z.string().max(10).nullish(),
          price: z.number().int().min(0),
        }),
      )
      .max(50)
      .optional(),
    deductions: z
      .array(z.strictObject({ reason: z.string().max(60).nullish(), amount: z.number().int().min(0) }))
      .max(20)
      .optional(),
  }),
});

/** What came in of the deposit, what is kept of it, and what goes back. */
async function depositOf(tx: Tx, id: number, settlement: NonNullable<AskedChange['settlement']>) {
  const held = await depositHeld(tx, id);
  const kept = settlement.reduce((sum, one) => sum + one.amount, 0);
  return { held: yuanFromFen(held), kept: yuanFromFen(kept), back: yuanFromFen(held - kept) };
}

/** Lines before and after a change, and what it comes to; writes nothing. */
export async function previewOf(
  tx: Tx,
  platform: Platform,
  id: number,
  body: z.infer<typeof previewBody>,
): Promise<unknown> {
  const contract = await lockContract(tx, id);
  const asked = await ASKED[body.action]!(tx, platform, contract, body.input);
  const { before, done } = await previewChange(tx, contract, {
    kind: asked.kind,
    effective_on: asked.effectiveOn,
    after: asked.after,
  });
  const of = (line: number) => before.find((one) => one.id === line)!;
  return {
    net: yuanFromFen(netOf(done, before)),
    deposit: asked.settlement ? await depositOf(tx, id, asked.settlement) : null,
    lines: done.map((one) => {
      const old = one.op === 'add' ? undefined : of(one.id);
      const from = (one.op === 'add' || one.op === 'rebuild' ? one.line.from : old!.from) ?? null;
      const after =
        one.op === 'add' || one.op === 'rebuild'
          ? one.line.amount
          : one.op === 'adjust'
            ? old!.amount + old!.adjusted + one.amount
            : 0;
      return {
        op: one.op,
        from,
        dueOn: one.op === 'add' || one.op === 'rebuild' ? one.line.dueOn : old!.dueOn,
        before: old ? yuanFromFen(old.amount + old.adjusted) : null,
        after: yuanFromFen(after),
      };
    }),
  };
}
