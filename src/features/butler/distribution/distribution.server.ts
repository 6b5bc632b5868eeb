import { z } from 'zod';
import { approvable } from '../../../domain/approval/approvable.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import {
  addManual,
  fillBatch,
  freeRows,
  MONTH_OPEN,
  payRows,
  requireFreeMonth,
  termsOf,
} from '../../../domain/butler/batch.server.ts';
import { dueRewards } from '../../../domain/butler/task.server.ts';
import { netOf } from '../../../domain/butler/butler.rules.ts';
import { butlerIn } from '../../../domain/butler/options.server.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { businessDayOf, monthBefore } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, transaction, type Executor } from '../../../kernel/server/database.ts';
import {
  checkAttachable,
  fileValue,
  showFiles,
  type StoredFile,
} from '../../../kernel/server/files/files.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, notFound } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint, type Job } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { askApproval, BATCH_APPROVAL, batchApproval } from './batch-approval.server.ts';
import { BATCH_SCOPE, batchSight } from './batch-scope.server.ts';
import { BATCH_MENU, incentiveBatch, type BatchPreview } from './distribution.contract.ts';

const MONTH = /^20\d\d-(0[1-9]|1[0-2])$/;
const NOT_THE_MAKER: Label = ['制单人不能审批', 'The maker cannot approve'];
const approval = approvable(BATCH_APPROVAL, {
  waiting: 'in_review',
  passed: 'approved',
  refused: 'rejected',
});
const own = (row: Readonly<Record<string, unknown>>, caller: Pick<Caller, 'staffId'>) =>
  Number(row.makerId) === caller.staffId;

const bound: BoundResource = bindResource(incentiveBatch, {
  table: 'incentive_batch',
  from: 'incentive_batch t LEFT JOIN organisation c ON c.id = t.centre_id LEFT JOIN staff m ON m.id = t.maker_id LEFT JOIN staff p ON p.id = t.payer_id',
  codePrefix: 'IB',
  columns: {
    centre: { id: 't.centre_id', title: 'c.name' },
    maker: { id: 't.maker_id', title: 'm.name' },
    payer: { id: 't.payer_id', title: 'p.name' },
    proof: 't.proof_id',
    voidReason: `nullif(t.void_reason, '')`,
  },
  writes: { centre: 'centre_id' },
  scope: BATCH_SCOPE,
  search: 'lower(t.code)',
  createDefaults: (_tx, caller) => Promise.resolve({ maker_id: caller.staffId, tenant_id: caller.tenantId }),
  unique: { incentive_batch_live: ['该月份已有批次', 'The month has a batch already'] },
  abilities: [approval.ability],
  extra: { makerId: 't.maker_id' },
  ruleReads: ['makerId'],
  rowRules: {
    approve: (row, caller) => (own(row, caller) ? NOT_THE_MAKER : undefined),
    reject: (row, caller) => (own(row, caller) ? NOT_THE_MAKER : undefined),
    pay: (row, caller) => (own(row, caller) ? ['制单人不能确认发放', 'Maker cannot pay'] : undefined),
  },
  before: [check],
  after: [
    async ({ action, tx, platform, input }, id) => {
      if (action !== 'create') return [];
      await fillBatch(tx, { id, centreId: Number(input.centre), month: String(input.month) });
      platform.changed('butlerIncentive');
      return [];
    },
  ],
  handlers: {
    submit: async ({ tx, platform, id, caller, facts }) => {
      await askApproval(tx, platform, id, caller.staffId, { caller, facts });
    },
    manual,
    pay,
    void: async ({ tx, platform, id, input }) => {
      await freeRows(tx, id);
      platform.changed('butlerIncentive');
      return { set: { void_reason: String(input.reason) }, remark: String(input.reason) };
    },
  },
  present: async (rows, db) => {
    if (rows.some((row) => row.proof !== undefined)) await showFiles(rows, db, 'proof');
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/incentiveBatch/preview',
      title: ['批次预览', 'What a batch would hold'],
      access: { code: `${BATCH_MENU}:btn_create` },
      query: z.strictObject({ centre: z.string().regex(/^\d{1,15}$/), month: z.string().regex(MONTH) }),
      handle: async (call): Promise<BatchPreview> => {
        const { db } = call.platform.database;
        const centre = Number(call.query.centre);
        await requireCentre(db, call.caller, centre);
        return previewOf(db, centre, call.query.month);
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/incentiveBatch/:id/proof',
      title: ['发放凭证', 'Proof of a batch'],
      access: { code: BATCH_MENU },
      handle: async (call) => {
        const row = await bound.find(call, idOf(call.params.id));
        const id = (row.proof as { id?: string } | null)?.id;
        const found = id
          ? await runOne<StoredFile>(call.platform.database.db, 'SELECT * FROM stored_file WHERE id = $1', [
              id,
            ])
          : undefined;
        if (!found) throw notFound();
        return fileValue(call.platform, call.caller, found);
      },
    }),
  ],
  also: { approvals: [batchApproval], sights: [batchSight], jobs: [hintJob()] },
});

/** Batches of incentives. */
export const registration = bound.registration;

/** Of a city the caller works in as a whole. */
async function requireCentre(db: Executor, caller: Caller, centreId: number): Promise<void> {
  const known = await runOne<{ outside: boolean }>(
    db,
    `SELECT EXISTS (SELECT FROM project p WHERE p.centre_id = o.id AND NOT ($2::bigint[] IS NULL OR p.id = ANY($2::bigint[]))) AS outside
       FROM organisation o WHERE o.id = $1 AND o.kind = 'centre_city'`,
    [centreId, caller.projectIds],
  );
  if (!known || known.outside) throw notFound();
}

async function check({ tx, action, input, caller }: ActionContext): Promise<void> {
  if (action !== 'create') return;
  if (!MONTH.test(String(input.month))) throw invalid({ month: ['格式为 2026-11', 'Written 2026-11'] });
  await requireCentre(tx, caller, Number(input.centre));
  await requireFreeMonth(tx, Number(input.centre), String(input.month));
}

async function previewOf(db: Executor, centreId: number, month: string): Promise<BatchPreview> {
  const terms = await termsOf(db, centreId, month);
  const rewards = await dueRewards(db, centreId, month);
  const manualOf = (butler: number) =>
    rewards.reduce((total, one) => total + (one.housekeeperId === butler ? one.amount : 0), 0);
  const known = new Set(terms.map((one) => one.housekeeperId));
  const onlyRewarded = new Set(rewards.map((one) => one.housekeeperId).filter((one) => !known.has(one)));
  const live = await runOne<{ code: string }>(
    db,
    `SELECT code FROM incentive_batch WHERE centre_id = $1 AND month = $2 AND state <> 'void'`,
    [centreId, month],
  );
  const sum = (of: (one: (typeof terms)[number]) => number) =>
    yuanFromFen(terms.reduce((total, one) => total + of(one), 0));
  return {
    problem: live
      ? [`该月份已有批次 ${live.code}`, `The month has a batch already: ${live.code}`]
      : month >= businessDayOf(new Date()).slice(0, 7)
        ? MONTH_OPEN
        : null,
    butlers: terms.length + onlyRewarded.size,
    sale: sum((one) => one.sale),
    bonus: sum((one) => one.bonus),
    clawback: sum((one) => one.clawback),
    capCut: sum((one) => one.capCut),
    carryIn: sum((one) => one.carryIn),
    rewards: yuanFromFen(rewards.reduce((total, one) => total + one.amount, 0)),
    net: yuanFromFen(
      terms.reduce((total, one) => total + netOf({ ...one, manual: manualOf(one.housekeeperId) }).net, 0) +
        [...onlyRewarded].reduce((total, one) => total + manualOf(one), 0),
    ),
  };
}

/** An amount beside the rows, for a butler of the city. */
async function manual(context: ActionContext): Promise<ActionResult> {
  const { tx, id, input, row, caller, platform } = context;
  const amount = Number(input.amount);
  if (amount === 0) throw invalid({ amount: ['金额不能为 0', 'Not nothing'] });
  const parameters = new Parameters();
  const butler = await runOne<{ name: string; staffId: number }>(
    tx,
    `SELECT s.name, k.staff_id AS "staffId" FROM housekeeper k JOIN staff s ON s.id = k.staff_id WHERE k.id = ${parameters.bind(input.butler)}
        AND ${butlerIn(`ARRAY(SELECT p.id FROM project p WHERE p.centre_id = ${parameters.bind(row.centre_id)})`)}
        AND ${placeCondition(caller, { tenant: 's.tenant_id', project: (ids) => butlerIn(ids) }, parameters)}`,
    parameters.values,
  );
  if (!butler) throw notFound();
  if (butler.staffId === caller.staffId)
    throw invalid({ butler: ['不能为本人调整', 'Nobody adjusts for themselves'] });
  await checkAttachable(tx, caller, 'evidence', [String(input.evidence)]);
  await addManual(tx, {
    batchId: id,
    centreId: Number(row.centre_id),
    housekeeperId: Number(input.butler),
    amount,
    reason: String(input.reason),
    evidenceId: String(input.evidence),
    by: caller.staffId,
  });
  platform.changed('butlerIncentive');
  return { remark: `${butler.name} ${yuanFromFen(amount)}：${String(input.reason)}` };
}

async function pay({ tx, platform, id, input, row, caller }: ActionContext): Promise<ActionResult> {
  if (String(input.paidOn) > businessDayOf(new Date()))
    throw invalid({ paidOn: ['不能晚于今天', 'Not after today'] });
  await checkAttachable(tx, caller, 'proof', [String(input.proof)]);
  await payRows(tx, id);
  const lines = await run<{ staffId: number; net: number }>(
    tx,
    'SELECT k.staff_id AS "staffId", l.net FROM incentive_batch_line l JOIN housekeeper k ON k.id = l.housekeeper_id WHERE l.batch_id = $1 AND l.net > 0 ORDER BY k.id',
    [id],
  );
  for (const line of lines)
    await notify(tx, {
      kind: 'butler',
      staffIds: [line.staffId],
      title: ['激励已发放', 'Your incentive was paid'],
      body: [
        `${String(row.month)} 激励 ${yuanFromFen(line.net)} 元已发放`,
        `Your incentive of ${String(row.month)}, ${yuanFromFen(line.net)}, was paid`,
      ],
      aboutReceiver: true,
    });
  platform.changed('butlerIncentive');
  platform.changed('incentiveBatchLine');
  return {
    set: { payer_id: caller.staffId, paid_on: input.paidOn, proof_id: input.proof },
    remark: String(input.paidOn),
  };
}

/** On the 3rd those who make batches are told of cities with rows that wait. */
function hintJob(): Job {
  return {
    name: 'butler.batch_hint',
    title: ['提醒制作激励批次', 'Tell that batches can be made'],
    cron: '0 1 3 * *',
    run: async (_payload, platform) => {
      const month = monthBefore(businessDayOf(new Date()));
      await transaction(platform.database.db, async (tx) => {
        const waiting = await runOne(
          tx,
          `SELECT 1 FROM incentive WHERE state = 'payable' AND batch_id IS NULL AND kind IN ('sale', 'clawback') LIMIT 1`,
        );
        if (!waiting) return;
        const tenants = await run<{ id: number }>(tx, 'SELECT id FROM tenant WHERE kind <> 2 ORDER BY id');
        for (const tenant of tenants) {
          const staffIds = await holdersOf(tx, tenant.id, `${BATCH_MENU}:btn_create`, []);
          if (staffIds.length > 0)
            await notify(tx, {
              kind: 'butler',
              staffIds,
              title: ['可制作上月批次', 'Last month’s batch can be made'],
              body: [`${month} 的管家激励可制作批次`, `The incentives of ${month} can be put into a batch`],
              route: `/butlermanager/${BATCH_MENU}`,
              aboutReceiver: true,
            });
        }
      });
    },
  };
}
