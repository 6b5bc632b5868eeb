import { lastDue, parseCron } from '../../../kernel/contract/cron.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';

const FAULTS = ['渠道 30 秒内没有应答', 'deadlock detected', '连接被对方重置', '文件存储暂时不可用'];

/** A week of runs of every declared job, a few of them failed, slow, missed or started by hand. */
export const demo = defineDemo({
  key: 'job',
  run: async ({ tx, insert, random, now, as, tell }) => {
    const admin = as('audit1');
    const jobs = await run<{ id: number; cron: string; code: string }>(
      tx,
      'SELECT id, cron, code FROM job ORDER BY code',
    );
    // Jobs come with the first start of a server or worker; without any there is nothing to have run.
    if (jobs.length === 0) return;
    const rows: Record<string, unknown>[] = [];
    for (const job of jobs) {
      const cron = parseCron(job.cron)!;
      const usual = random.int(15, 900);
      let due = lastDue(cron, new Date(now.getTime() - 90_000));
      for (let turn = 0; due && turn < 12 && now.getTime() - due.getTime() < 7 * 86_400_000; turn++) {
        const fate = random.next();
        const started = new Date(due.getTime() + random.int(200, 1_900));
        const ms = Math.round(usual * (0.6 + random.next() * (fate > 0.93 ? 9 : 0.9)));
        const failed = fate < 0.03;
        const again = !failed && fate < 0.06;
        const fault = random.pick(FAULTS);
        rows.push({
          job_id: job.id,
          due_at: due,
          trigger: again ? 'retry' : turn === 5 && fate < 0.2 ? 'makeup' : 'schedule',
          state: failed ? 'failed' : fate > 0.985 ? 'skipped' : 'success',
          attempt: again ? 2 : 1,
          instance: random.pick(['office-1:4211', 'office-2:4187']),
          run_at: due,
          started_at: started,
          ended_at: new Date(started.getTime() + ms),
          error: failed ? fault : '',
          output: !failed && random.chance(0.3) ? `${random.int(1, 240)} 行 / rows\n` : '',
          tries: again
            ? [
                {
                  attempt: 1,
                  trigger: 'schedule',
                  instance: 'office-1:4211',
                  startedAt: due.toISOString(),
                  endedAt: new Date(due.getTime() + 800).toISOString(),
                  state: 'failed',
                  error: fault,
                },
              ]
            : [],
          reason: '',
          asked_by: null,
        });
        due = lastDue(cron, new Date(due.getTime() - 1));
      }
    }
    await insert('job_run', rows);
    const byHand = jobs.find((job) => job.code === 'audit.verify') ?? jobs[0]!;
    const at = new Date(now.getTime() - 5 * 3_600_000 + 421);
    await insert('job_run', [
      {
        job_id: byHand.id,
        due_at: at,
        trigger: 'manual',
        state: 'success',
        attempt: 1,
        instance: 'office-1:4211',
        run_at: at,
        started_at: new Date(at.getTime() + 60),
        ended_at: new Date(at.getTime() + 2_140),
        reason: '月末对账前核对',
        asked_by: admin.staffId,
      },
    ]);
    await run(
      tx,
      `UPDATE job SET last_state = r.state, last_started_at = r.started_at, last_ms = extract(epoch FROM r.ended_at - r.started_at) * 1000
         FROM (SELECT DISTINCT ON (job_id) * FROM job_run ORDER BY job_id, due_at DESC) AS r WHERE r.job_id = job.id AND r.started_at IS NOT NULL`,
    );
    const [custom] = await insert('job', [
      {
        code: 'custom.month_end',
        name: '月末审计链校验',
        name_en: 'Audit chain at the end of the month',
        handler: 'audit.verify',
        cron: '30 22 28-31 * *',
        state: 'paused',
        timeout_seconds: 900,
        owner_id: admin.staffId,
        created_by: admin.staffId,
        updated_by: admin.staffId,
      },
    ]);
    await tell({
      entity: 'job',
      entityId: custom!,
      caller: admin,
      action: 'pause',
      label: ['暂停', 'Pause'],
      from: 'running',
      to: 'paused',
      remark: '与周日校验重复，先停一个月',
      at: new Date(now.getTime() - 2 * 86_400_000),
    });
    await insert('outbox', [
      {
        kind: 'refund.send',
        payload: {},
        state: 'dead',
        attempts: 20,
        last_error: '渠道 30 秒内没有应答',
        created_at: new Date(now.getTime() - 30 * 3_600_000),
        done_at: null,
      },
      {
        kind: 'payment.query',
        payload: {},
        state: 'dropped',
        attempts: 4,
        last_error: '商户号未开通查询接口',
        created_at: new Date(now.getTime() - 52 * 3_600_000),
        done_at: new Date(now.getTime() - 50 * 3_600_000),
      },
    ]);
  },
});
