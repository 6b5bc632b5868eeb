import { lastPeriod, type Cycle } from '../../../domain/statement/settlement.rules.ts';
import { periodOf } from '../../../domain/settlement/period.rules.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { queueJob } from '../../../kernel/server/tasks/job-queue.ts';
import { settlementRun } from './initiate.contract.ts';
import { PREVIEW_JOB, previewJob } from './preview-run.server.ts';
import { PLATFORM_SCOPE } from './platform-scope.server.ts';

const bound: BoundResource = bindResource(settlementRun, {
  table: 'settlement_run',
  scope: PLATFORM_SCOPE('t.maker_id'),
  codePrefix: 'SR',
  search: 'lower(t.code)',
  joins: { maker: 'staff' },
  columns: {
    merchants: `(SELECT coalesce(json_agg(json_build_object('id', m.id::text, 'title', m.name) ORDER BY m.id), '[]') FROM tenant m WHERE m.id = ANY(t.merchant_ids))`,
    day: 't.period_from',
    period: `to_char(t.period_from, 'YYYY-MM-DD') || ' ~ ' || to_char(t.period_to, 'YYYY-MM-DD')`,
    merchantCount: 't.merchants',
  },
  writes: { day: false, merchants: false },
  before: [readScope],
  after: [queuePreview],
  sets: { repreview: { progress: 0, error: '' } },
  also: { jobs: [previewJob(() => bound)] },
});

/** Runs of the settlement. */
export const registration = bound.registration;

/** The period of a new run; one that is not over is refused. */
async function readScope({ action, input, columns, caller }: ActionContext): Promise<void> {
  if (action !== 'create') return Promise.resolve();
  const today = businessDayOf(new Date());
  const cycle = input.cycle as Cycle;
  const day = input.day as string | null | undefined;
  const period = day ? periodOf(cycle, day) : lastPeriod(cycle, today);
  if (period.to >= today) throw ruleBroken(['周期尚未结束', 'Period is not over']);
  columns.period_from = period.from;
  columns.period_to = period.to;
  columns.merchant_ids = ((input.merchants ?? []) as readonly number[]).map(Number);
  columns.include_held = input.includeHeld === true;
  columns.maker_id = caller.staffId;
  return Promise.resolve();
}

async function queuePreview({ action, tx }: ActionContext, id: number): Promise<readonly []> {
  if (action === 'create' || action === 'repreview')
    await queueJob(tx, PREVIEW_JOB, { runId: id }, { jobKey: `${PREVIEW_JOB}:${id}` });
  return [];
}
