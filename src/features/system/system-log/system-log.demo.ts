import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';

const FAULTS = [
  ['browser', 'The title of the row cannot be read: the row is gone', 'render', '/mall/mm_commodityMana', 14],
  ['browser', 'Failed to fetch dynamically imported module', 'chunk', '/afterSales/mm_orderRefund', 6],
  [
    'browser',
    'ResizeObserver loop completed with undelivered notifications.',
    'window',
    '/adminSys/userManager',
    22,
  ],
  [
    'server',
    'canceling statement due to statement timeout',
    'GET /jinmao/web/refund/page',
    '/api/jinmao/web/refund/page',
    4,
  ],
  ['server', 'deadlock detected', 'POST /jinmao/web/product/:id/stock', '/api/jinmao/web/product/7/stock', 2],
] as const;

/** Two weeks of faults in several hands, and what happened to the installation. */
export const demo = defineDemo({
  key: 'systemLog',
  run: async ({ tx, insert, tell, random, now, as, base }) => {
    const people = [...base.staff.values()].slice(0, 8);
    const handler = as('service1');
    const ago = (hours: number) => new Date(now.getTime() - hours * 3_600_000);
    const reports: Record<string, unknown>[] = [];
    for (const [origin, message, place, page, count] of FAULTS)
      for (let turn = 0; turn < count; turn++)
        reports.push({
          origin,
          message,
          place,
          url: origin === 'browser' ? `http://office-1:8080${page}` : page,
          route: origin === 'browser' ? page : '',
          stack: `Error: ${message}\n    at ${origin === 'browser' ? `${page}/list.tsx:88:17` : 'runAction (run-action.ts:112:9)'}\n    at process (${place})`,
          release: '2026.11.1',
          user_agent: origin === 'browser' ? 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/131.0' : '',
          trace_id: Array.from({ length: 32 }, () => random.int(0, 15).toString(16)).join(''),
          staff_id: random.pick(people).id,
          created_at: ago(2 + random.next() * 300),
        });
    reports.sort((a, b) => (a.created_at as Date).getTime() - (b.created_at as Date).getTime());
    await insert('error_report', reports);
    const issues = await run<{ id: number; message: string }>(
      tx,
      'SELECT id, message FROM error_issue ORDER BY id',
    );
    const idOf = (message: string) => issues.find((one) => one.message === message)!.id;
    for (const [message, state, label, remark] of [
      [FAULTS[0][1], 'handling', ['指派', 'Assign'], '石佳琪'],
      [FAULTS[1][1], 'resolved', ['标为已解决', 'Resolve'], '发布后旧页面刷新即可'],
      [FAULTS[2][1], 'ignored', ['忽略', 'Ignore'], '浏览器提示，不影响使用'],
    ] as const) {
      const id = idOf(message);
      await run(
        tx,
        `UPDATE error_issue SET state = $2, handler_id = $3, resolved_at = CASE WHEN $2 = 'resolved' THEN $4::timestamptz END WHERE id = $1`,
        [id, state, handler.staffId, ago(20)],
      );
      await tell({
        entity: 'errorReport',
        entityId: id,
        caller: handler,
        action: state,
        label,
        from: 'open',
        to: state,
        remark,
        at: ago(20),
      });
    }
    await insert(
      'system_event',
      (
        [
          [
            310,
            'migration',
            'info',
            '数据库结构已升级：6 个迁移',
            'The schema was brought up to date: 6 migrations',
          ],
          [310, 'start', 'info', '系统启动，版本 2026.11.1', 'The product started, release 2026.11.1'],
          [
            240,
            'backup',
            'info',
            '备份完成：backup-11-12.tar，214 张表',
            'A backup was written: backup-11-12.tar, 214 tables',
          ],
          [
            96,
            'job_dead',
            'warning',
            '停机期间错过 4 个任务的执行时间（补跑 4，漏跑 0）',
            '4 jobs were due while nothing ran (4 made up for, 0 missed)',
          ],
          [
            72,
            'backup',
            'info',
            '备份完成：backup-11-19.tar，221 张表',
            'A backup was written: backup-11-19.tar, 221 tables',
          ],
          [48, 'doctor', 'info', '数据检查通过', 'The doctor found nothing wrong'],
          [
            30,
            'cert',
            'warning',
            '收款账户证书将在 30 天后到期',
            'A certificate of a payee account ends in 30 days',
          ],
        ] as const
      ).map(([hours, kind, level, text, english]) => ({
        at: ago(hours),
        kind,
        level,
        text,
        text_en: english,
        instance: 'office-1:4210',
      })),
    );
  },
});
