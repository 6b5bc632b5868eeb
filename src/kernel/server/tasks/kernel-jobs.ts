import { fileEffects } from '../files/files.ts';
import { sealAudit } from '../audit/audit-seal.ts';
import type { LoadCaller } from '../people/caller.ts';
import { DELIVER_JOB, deliverEffect, sweepOutbox } from './outbox.ts';
import * as purge from './purges.ts';
import type { Effect, Job, Registration } from '../registration.ts';
import { TASK_JOB } from './task-centre.ts';
import { expireTasks, recoverTasks } from './task-recovery.ts';
import { runTask } from './task-run.ts';

/** The jobs every installation has. `stopping` tells long ones that the worker is about to end. */
export function kernelJobs(
  registrations: readonly Registration[],
  loadCaller: LoadCaller,
  stopping: AbortSignal,
): readonly Job[] {
  const effects = effectsOf(registrations);
  return [
    {
      name: DELIVER_JOB,
      title: ['投递外发消息', 'Deliver an effect'],
      run: async (payload, platform) => {
        await deliverEffect(platform, effects, (payload as { outboxId: number }).outboxId);
      },
    },
    {
      name: TASK_JOB,
      title: ['执行导入导出任务', 'Run an export or import'],
      run: (payload, platform) =>
        runTask(platform, (payload as { taskId: string }).taskId, { loadCaller, stopping }),
    },
    each('outbox.sweep', ['补投遗漏的外发消息', 'Queue lost effects again'], MINUTE, sweepOutbox),
    each('task.recover', ['恢复中断的任务', 'Recover interrupted tasks'], MINUTE, recoverTasks),
    each('audit.seal', ['审计记录上链', 'Seal audit records'], MINUTE, (platform) =>
      sealAudit(platform.database.db, 1000, { dataDir: platform.config.dataDir }),
    ),
    each('task.expire', ['清理过期文件', 'Expire finished tasks'], '*/10 * * * *', expireTasks),
    each(
      'idempotencyKey.purge',
      ['清理防重复键', 'Purge idempotency keys'],
      '7 * * * *',
      purge.purgeIdempotencyKeys,
    ),
    each(
      'programRequest.purge',
      ['清理程序请求记录', 'Purge requests of programs'],
      '17 18 * * *',
      purge.purgeProgramRequests,
    ),
    each(
      'verification.purge',
      ['清理验证码', 'Purge verification codes'],
      '*/15 * * * *',
      purge.purgeVerifications,
    ),
    each('callValue.purge', ['清理查询计数', 'Purge counted values'], '25 18 * * *', purge.purgeCallValues),
    each(
      'notification.purge',
      ['清理过期通知', 'Purge notifications'],
      '20 18 * * *',
      purge.purgeNotifications,
    ),
    each('span.purge', ['清理调用链', 'Purge spans'], '11 * * * *', purge.purgeSpans),
    each(
      'errorReport.purge',
      ['清理错误日志', 'Purge error reports'],
      '30 18 * * *',
      purge.purgeErrorReports,
    ),
    each('menuVisit.purge', ['清理访问统计', 'Purge menu visits'], '40 18 * * *', purge.purgeMenuVisits),
    each('job.purge', ['清理队列', 'Purge the queue'], '50 18 * * *', purge.purgeQueue),
    each('file.purge', ['清理临时文件', 'Purge leftover files'], '0 19 * * *', purge.purgeLeftovers),
  ];
}

/** Everything an installation runs by schedule, as the job table lists it. */
export function declaredJobs(registrations: readonly Registration[]): readonly Job[] {
  return [
    ...registrations.flatMap((service) => service.jobs ?? []),
    ...kernelJobs(registrations, () => Promise.resolve(undefined), new AbortController().signal),
  ];
}

/** Effects of the services and of the kernel by kind. Throws when two have the same kind. */
export function effectsOf(registrations: readonly Registration[]): ReadonlyMap<string, Effect> {
  const effects = new Map<string, Effect>();
  for (const effect of [...fileEffects, ...registrations.flatMap((service) => service.effects ?? [])]) {
    if (effects.has(effect.kind)) throw new Error(`two effects are called ${effect.kind}`);
    effects.set(effect.kind, effect);
  }
  return effects;
}

const MINUTE = '* * * * *';

function each(
  name: string,
  title: Job['title'],
  cron: string,
  work: (platform: Parameters<Job['run']>[1]) => Promise<unknown>,
): Job {
  return {
    name,
    title,
    cron,
    run: async (_payload, platform, context) => {
      const done = await work(platform);
      if (typeof done === 'number' && done > 0) context?.print(`${done} 行 / rows`);
    },
  };
}
