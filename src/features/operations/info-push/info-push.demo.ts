import { freeContent } from '../../../domain/message-send/send-binding.server.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { infoPush } from './info-push.contract.ts';

const DAY = 86_400_000;

const PUSHES = [
  {
    name: '寒潮来袭，注意防冻',
    body: '周五夜间最低气温零下三度，请关好门窗，阳台水管做好保温',
    state: 'done',
    daysAgo: 3,
    people: 42,
  },
  {
    name: '邻里读书会报名',
    body: '本周日下午两点，社区书屋见，名额三十个',
    state: 'scheduled',
    daysAgo: 1,
    people: 0,
  },
  {
    name: '家人圈摄影周开始了',
    body: '上传你眼中的秋天，点赞前十名有好礼',
    state: 'done',
    daysAgo: 8,
    people: 36,
  },
  { name: '垃圾分类知识问答', body: '答题赢积分，活动到月底', state: 'cancelled', daysAgo: 12, people: 20 },
  { name: '冬季消防安全', body: '请勿在楼道停放电动车与堆放杂物', state: 'draft', daysAgo: 0, people: 0 },
] as const;

/** Pushes in their states, with who opened them. */
export const demo = defineDemo({
  key: 'opsPushes',
  after: ['memberMessages'],
  run: async ({ tx, insert, tell, now, as, base }) => {
    const author = as('mall1');
    const projects = base.projects.slice(0, 3).map((one) => one.id);
    const members = await run<{ id: number; project_id: number }>(
      tx,
      'SELECT id, project_id FROM member WHERE project_id = ANY($1::bigint[]) ORDER BY id DESC LIMIT 60',
      [projects],
    );
    for (const [index, one] of PUSHES.entries()) {
      const created = new Date(now.getTime() - (one.daysAgo + 0.2) * DAY);
      const sent = new Date(created.getTime() + 2 * 3_600_000);
      const isDraft = one.state === 'draft';
      const people = members.slice(0, one.people);
      const ended = one.state === 'done' || one.state === 'cancelled';
      const [id] = await insert('message_send', [
        {
          code: `MSP${String(index + 1).padStart(4, '0')}`,
          name: one.name,
          title: one.name,
          body: one.body,
          origin: 'ops_push',
          tenant_id: base.platformId,
          category: 'marketing',
          content: isDraft ? null : freeContent(one.name, one.body),
          channel_codes: [3, 1],
          audience: 'conditions',
          project_ids: projects,
          place_ids: projects,
          schedule: one.state === 'scheduled' ? 'at' : 'now',
          send_at: one.state === 'scheduled' ? new Date(now.getTime() + 3 * DAY) : null,
          next_at: isDraft ? null : one.state === 'scheduled' ? new Date(now.getTime() + 3 * DAY) : sent,
          estimated: isDraft ? 0 : Math.max(one.people, 50),
          submitted_by: isDraft ? null : author.staffId,
          started_at: people.length > 0 ? sent : null,
          finished_at: ended ? new Date(sent.getTime() + 300_000) : null,
          state: one.state,
          created_at: created,
          created_by: author.staffId,
          updated_at: created,
          updated_by: author.staffId,
        },
      ]);
      if (people.length > 0) {
        const [runId] = await insert('message_run', [
          {
            send_id: id!,
            run_on: new Date(sent.getTime() + 8 * 3_600_000).toISOString().slice(0, 10),
            started_at: sent,
            finished_at: new Date(sent.getTime() + 300_000),
          },
        ]);
        await insert(
          'message_recipient',
          people.flatMap((member, n) =>
            [1, 3].map((channel) => {
              const stopped = one.state === 'cancelled' && n % 2 === 1;
              const skipped = stopped || n % 15 === 7;
              const opened = !skipped && n % 3 === 0;
              const there = !skipped && (channel === 1 || n % 4 !== 1);
              return {
                send_id: id!,
                run_id: runId!,
                member_id: member.id,
                project_id: member.project_id,
                channel,
                state: skipped ? 'skipped' : opened && there ? 'read' : there ? 'delivered' : 'submitted',
                reason: skipped ? (stopped ? 'cancelled' : 'capped') : null,
                attempts: skipped ? 0 : 1,
                submitted_at: skipped ? null : sent,
                delivered_at: there ? new Date(sent.getTime() + 20_000) : null,
                read_at: opened && there ? new Date(sent.getTime() + 600_000) : null,
                clicked_at: opened && there && n % 6 === 0 ? new Date(sent.getTime() + 640_000) : null,
              };
            }),
          ),
        );
      }
      const told = { entity: 'messageSend', entityId: id! };
      const { create, submit, finish, cancel } = infoPush.actions!;
      await tell({
        ...told,
        caller: author,
        action: 'create',
        label: create.label,
        to: 'draft',
        at: created,
      });
      if (isDraft) continue;
      const handed = new Date(created.getTime() + 3_600_000);
      await tell({
        ...told,
        caller: author,
        action: 'submit',
        label: submit.label,
        from: 'draft',
        to: 'scheduled',
        at: handed,
      });
      const end = new Date(sent.getTime() + 300_000);
      if (one.state === 'done')
        await tell({
          ...told,
          caller: undefined,
          action: 'finish',
          label: finish.label,
          from: 'sending',
          to: 'done',
          at: end,
        });
      if (one.state === 'cancelled')
        await tell({
          ...told,
          caller: author,
          action: 'cancel',
          label: cancel.label,
          from: 'sending',
          to: 'cancelled',
          at: end,
        });
    }
  },
});
