import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { operationUser } from './operation-user.contract.ts';

const DAY = 86_400_000;

/** Official accounts of the projects with some posts. */
export const demo = defineDemo({
  key: 'operationUsers',
  after: ['posts'],
  run: async ({ tx, base, insert, tell, now, as }) => {
    const author = as('mall1');
    const pictures = await run<{ id: string }>(
      tx,
      `SELECT id FROM stored_file WHERE access = 'picture' AND type IN ('image/png', 'image/jpeg') AND id::text NOT LIKE '0a992000%' ORDER BY id LIMIT 3`,
    );
    const accounts = ['社区小管家', '邻里活动君', '物业播报'];
    for (const [index, name] of accounts.entries()) {
      const at = new Date(now.getTime() - (90 - index * 20) * DAY);
      const member = (await runOne<{ id: number }>(
        tx,
        `INSERT INTO member (name, nickname, phone, project_id, email, photo_id) VALUES ($1, $1, $2, $3, $4, $5) RETURNING id`,
        [
          name,
          `1880000000${index}`,
          base.projects[index % base.projects.length]!.id,
          `community${index + 1}@example.com`,
          pictures[index]?.id ?? null,
        ],
      ))!;
      const [id] = await insert('operation_user', [
        {
          member_id: member.id,
          note: index === 2 ? '停水停电等播报，已改用物业公告' : '社区运营',
          enabled: index !== 2,
          created_at: at,
          created_by: author.staffId,
          updated_at: at,
          updated_by: author.staffId,
        },
      ]);
      await run(tx, 'INSERT INTO operation_user_project SELECT $1, unnest($2::bigint[])', [
        id,
        base.projects.filter((_, place) => place % (index + 1) === 0).map((one) => one.id),
      ]);
      await tell({
        entity: operationUser.name,
        entityId: id!,
        caller: author,
        action: 'create',
        label: operationUser.actions!.create.label,
        at,
      });
      if (index === 0)
        await insert(
          'planned_post',
          [
            ['下周三晚 7 点业主恳谈会，欢迎到社区中心一起聊聊[握手]', 4, 'waiting'],
            ['元旦游园会志愿者招募预告[灯笼]', 20, 'waiting'],
            ['冬至包饺子活动改期，稍后另行通知', 9, 'cancelled'],
          ].map(([content, days, state]) => ({
            operation_user_id: id,
            kind: 'family',
            project_id: base.projects[0]!.id,
            content,
            publish_at: new Date(now.getTime() + Number(days) * DAY),
            state,
            created_by: author.staffId,
            updated_by: author.staffId,
          })),
        );
      await insert('post', [
        {
          kind: 'family',
          member_id: member.id,
          project_id: base.projects[0]!.id,
          content: [
            '本周六上午 9 点草坪市集，欢迎带上闲置来摆摊[庆祝]',
            '亲子运动会报名开始啦[奖杯]',
            '冬季用电安全小贴士',
          ][index],
          staff_id: author.staffId,
          published_at: new Date(at.getTime() + 3 * DAY),
          created_by: author.staffId,
          updated_by: author.staffId,
        },
      ]);
    }
  },
});
