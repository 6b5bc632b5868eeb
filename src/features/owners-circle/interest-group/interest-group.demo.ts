import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { belongsTo } from '../../../domain/member-event/member-standing.server.ts';
import { interestGroup } from './interest-group.contract.ts';

const DAY = 86_400_000;

type Sample = readonly [
  name: string,
  introduction: string,
  classes: readonly string[],
  way: 'free' | 'apply',
  limit: number,
  state: 'draft' | 'published' | 'withdrawn',
];

const SAMPLES: readonly Sample[] = [
  ['晨跑打卡团', '每天清晨六点半南门集合，5 公里轻松跑，风雨无阻。', ['sport'], 'free', 0, 'published'],
  ['亲子手工坊', '周末和孩子一起做手工，材料共享，作品可以拿回家。', ['parenting'], 'apply', 60, 'published'],
  ['铲屎官联盟', '养猫养狗的邻居互助：喂养、寄养、走失互寻。', ['pet'], 'free', 200, 'published'],
  ['月光读书会', '每月共读一本书，月底在社区客厅分享。', ['reading', 'parenting'], 'apply', 30, 'published'],
  ['邻里厨房', '晒菜谱、换食材，周五晚上的拼桌饭。', ['food'], 'free', 0, 'published'],
  ['镜头里的小区', '用手机和相机记录四季，年底出一本影集。', ['photo'], 'free', 100, 'published'],
  ['棋牌爱好者', '象棋、围棋、桥牌，老少皆宜，文明娱乐。', ['chess'], 'free', 40, 'withdrawn'],
  [
    '银龄合唱团',
    '每周三下午排练，节日演出，欢迎会乐器的邻居。',
    ['music', 'public_good'],
    'apply',
    50,
    'published',
  ],
  ['社区志愿队', '垃圾分类引导、探访独居老人、关爱流浪动物。', ['public_good'], 'apply', 0, 'published'],
  ['羽毛球搭子', '周二、周四晚体育馆固定场地，AA 制。', ['sport'], 'free', 24, 'draft'],
];

/** Groups in every state with leaders, deputies, members and applications. */
export const demo = defineDemo({
  key: 'interestGroups',
  after: ['pointsRules'],
  run: async ({ tx, insert, tell, random, now, as }) => {
    const author = as('mall1');
    const pictures = await run<{ id: string }>(
      tx,
      `SELECT id FROM stored_file WHERE access = 'picture' AND type IN ('image/png', 'image/jpeg') ORDER BY id LIMIT 10`,
    );
    const projects = await run<{ id: number; n: number }>(
      tx,
      `SELECT p.id, count(*)::int AS n FROM project p JOIN member m ON m.project_id = p.id GROUP BY p.id ORDER BY n DESC, p.id LIMIT 6`,
    );
    if (pictures.length === 0 || projects.length === 0) return;
    const codes = (
      await run<{ last: number }>(
        tx,
        `SELECT coalesce(max(substring(code FROM 2)::int), 0) AS last FROM points_rule WHERE code ~ '^A[0-9]+$'`,
      )
    )[0]!.last;
    for (const [index, [name, event, points, day]] of (
      [
        ['小组发帖', 'post.create', 2, 20],
        ['小组活动签到', 'activity.check_in', 5, 100],
      ] as const
    ).entries())
      await insert('points_rule', [
        {
          code: `A${String(codes + 1 + index).padStart(3, '0')}`,
          direction: 'earn',
          name,
          event,
          points,
          day_limit: day,
          dimension: 'group',
          description: '计入小组积分',
          state: 'enabled',
        },
      ]);
    for (const [index, [name, introduction, classes, way, limit, state]] of SAMPLES.entries()) {
      const made = new Date(now.getTime() - (80 - index * 6) * DAY);
      const places = [
        projects[index % projects.length]!,
        ...(index % 3 === 0 ? [projects[(index + 1) % projects.length]!] : []),
      ];
      const [id] = await insert('interest_group', [
        {
          name,
          logo_id: pictures[index % pictures.length]!.id,
          introduction,
          join_way: way,
          member_limit: limit,
          state,
          withdraw_reason: state === 'withdrawn' ? '长期不活跃' : '',
          created_by: author.staffId,
          created_at: made,
          updated_at: made,
          updated_by: author.staffId,
        },
      ]);
      await insert(
        'interest_group_project',
        [...new Set(places.map((one) => one.id))].map((project_id) => ({ group_id: id, project_id, name })),
      );
      await run(
        tx,
        `INSERT INTO interest_group_class SELECT $1, v.id FROM dictionary_value v JOIN dictionary_type d ON d.id = v.type_id
          WHERE d.code = 'group_class' AND v.value = ANY($2::text[])`,
        [id, classes],
      );
      const neighbours = await run<{ id: number }>(
        tx,
        `SELECT m.id FROM member m WHERE EXISTS (SELECT FROM unnest($1::bigint[]) p (id) WHERE ${belongsTo('m', 'p.id')}) AND NOT m.official
          ORDER BY (m.id * 7 + $2) % 31, m.id LIMIT 22`,
        [places.map((one) => one.id), index],
      );
      const most = limit > 0 ? Math.min(limit, neighbours.length) : neighbours.length;
      const people = neighbours.slice(0, state === 'draft' ? 1 : most);
      for (const [at, person] of people.entries()) {
        const joined = new Date(made.getTime() + at * 0.9 * DAY);
        const applying = way === 'apply' && at > 0 && at >= people.length - 2;
        await insert('interest_group_member', [
          {
            group_id: id,
            member_id: person.id,
            role: applying ? 'member' : at === 0 ? 'leader' : at <= index % 3 ? 'vice' : 'member',
            state: applying ? 'applying' : at > 3 && at % 9 === 0 ? 'out' : 'in',
            joined_at: applying ? null : joined,
            created_at: joined,
            updated_at: joined,
          },
        ]);
      }
      if (state === 'draft') continue;
      await tell({
        entity: interestGroup.name,
        entityId: id!,
        caller: author,
        action: 'publish',
        label: ['发布', 'Publish'],
        from: 'draft',
        to: 'published',
        at: new Date(made.getTime() + random.int(1, 20) * 3_600_000),
      });
      if (state === 'withdrawn')
        await tell({
          entity: interestGroup.name,
          entityId: id!,
          caller: author,
          action: 'withdraw',
          label: ['撤回', 'Withdraw'],
          from: 'published',
          to: 'withdrawn',
          remark: '长期不活跃',
          at: new Date(now.getTime() - 4 * DAY),
        });
    }
  },
});
