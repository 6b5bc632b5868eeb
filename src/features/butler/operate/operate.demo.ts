import { countTask } from '../../../domain/butler/task.server.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { butlerTask } from './operate.contract.ts';

const DAY = 86_400_000;
type State = 'draft' | 'waiting' | 'running' | 'ended' | 'stopped';

/** Tasks in their states; those that ran count what links, results and payments say. */
export const demo = defineDemo({
  key: 'butlerTasks',
  after: ['butlerResults'],
  run: async ({ tx, insert, tell, now, as, base }) => {
    const author = as('mall1');
    const day = (shift: number) =>
      new Date(now.getTime() + 8 * 3_600_000 + shift * DAY).toISOString().slice(0, 10);
    const at = (shift: number) => new Date(now.getTime() + shift * DAY);
    const projects = base.projects.map((one) => one.id);
    const { actions } = butlerTask;
    const make = async (
      title: string,
      metric: 'shares' | 'visits' | 'orders' | 'valid' | 'fee_collected',
      target: number,
      [from, to]: readonly [number, number],
      state: State,
      text: string,
    ) => {
      const isMoney = metric === 'valid' || metric === 'fee_collected';
      const made = at(Math.min(from - 2, -1) - 0.3);
      const [id] = await insert('butler_task', [
        {
          title,
          metric,
          target_fen: isMoney ? target : null,
          target_count: isMoney ? null : target,
          from_on: day(from),
          to_on: day(to),
          reward_fen: state === 'draft' ? 0 : 5000,
          body_html: `<p>${text}</p>`,
          copy_text: '邻里好物，管家严选，下单后次日送达小区。',
          created_at: made,
          created_by: author.staffId,
          updated_at: made,
          updated_by: author.staffId,
        },
      ]);
      await run(tx, 'INSERT INTO butler_task_project (task_id, project_id) SELECT $1, unnest($2::bigint[])', [
        id,
        projects,
      ]);
      const said = { entity: butlerTask.name, entityId: id!, caller: author };
      await tell({ ...said, at: made, action: 'create', label: actions!.create.label, to: 'draft' });
      if (state === 'draft') return;
      const out = at(Math.min(from, -1) - 0.2);
      await tell({
        ...said,
        at: out,
        action: 'publish',
        label: actions!.publish.label,
        from: 'draft',
        to: from < 0 ? 'running' : 'waiting',
      });
      if (state !== 'waiting') {
        await run(
          tx,
          `INSERT INTO butler_task_progress (task_id, housekeeper_id, project_ids, centre_id)
           SELECT $1, x.id, x.projects, (SELECT p.centre_id FROM project p WHERE p.id = x.projects[1])
             FROM (SELECT a.housekeeper_id AS id, array_agg(DISTINCT a.project_id ORDER BY a.project_id) AS projects FROM housekeeper_building a JOIN housekeeper k ON k.id = a.housekeeper_id AND k.left_at IS NULL
                    WHERE a.kind = 'main' AND a.project_id = ANY($2::bigint[]) AND a.valid_from <= $3::date AND (a.valid_to IS NULL OR a.valid_to >= $3::date) GROUP BY 1) x ORDER BY x.id`,
          [id, projects, day(from)],
        );
        if (state === 'stopped')
          await run(
            tx,
            `UPDATE butler_task SET state = 'stopped', stopped_at = $2, stop_reason = '活动商品缺货，提前停止' WHERE id = $1`,
            [id, at(to - 3)],
          );
        await countTask(tx, id!);
        await run(tx, 'UPDATE butler_task SET counted_at = $2 WHERE id = $1', [
          id,
          state === 'running' ? at(-0.01) : at(to + 0.9),
        ]);
      }
      await run(tx, `UPDATE butler_task SET state = $2, updated_at = $3 WHERE id = $1 AND state = 'draft'`, [
        id,
        state,
        out,
      ]);
      if (state === 'ended')
        await tell({
          ...said,
          at: at(to + 0.9),
          action: 'end',
          label: actions!.end.label,
          from: 'running',
          to: 'ended',
        });
      if (state === 'stopped')
        await tell({
          ...said,
          at: at(to - 3),
          action: 'stop',
          label: actions!.stop.label,
          from: 'running',
          to: 'stopped',
          remark: '活动商品缺货，提前停止',
        });
    };
    await make(
      '双十一好物分享月',
      'shares',
      3,
      [-35, -12],
      'ended',
      '每位管家至少分享三次活动商品，附上配送说明。',
    );
    await make('邻里节团购冲刺', 'visits', 60, [-24, -8], 'stopped', '带动住户访问团购页面。');
    await make('月度有效成交', 'valid', 300_000, [-20, 9], 'running', '本月带动有效成交三千元。');
    await make('成单挑战', 'orders', 5, [-9, 12], 'running', '两周内促成五单。');
    await make(
      '四季度物业费收缴',
      'fee_collected',
      2_000_000,
      [-14, 30],
      'running',
      '协助住户线上缴费，走访困难户。',
    );
    await make('年货节预热', 'shares', 10, [6, 26], 'waiting', '年货节前完成十次分享。');
    await make('春节走访（草案）', 'visits', 30, [40, 60], 'draft', '等待确认。');
  },
});
