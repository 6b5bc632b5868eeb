import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { topicTag } from './topic-tag.contract.ts';

const DAY = 86_400_000;
const TAGS: readonly (readonly [name: string, every: number, topics: readonly string[]])[] = [
  [
    '小区环境',
    1,
    ['北门绿化带的枯枝什么时候清理？', '垃圾分类点晚上灯太暗，建议加一盏', '儿童乐园的地垫破了，望更换'],
  ],
  ['停车管理', 1, ['地下车库 B 区照明建议改为感应式', '访客车辆能否延长到两小时免费？']],
  ['公共设施', 2, ['3 号楼电梯最近经常异响', '健身器材区建议增加遮阳棚']],
  ['邻里互助', 2, ['有闲置婴儿车，需要的邻居可以来拿[爱心]']],
  ['业委会工作', 3, ['下季度公共收益怎么用，大家说说想法']],
  ['文明养宠', 1, ['遛狗请牵绳，早晚高峰电梯里尽量避让']],
  ['电梯加装', 3, []],
  ['节日活动', 2, []],
];

/** Tags of the council hall and topics that bear them. */
export const demo = defineDemo({
  key: 'topicTags',
  run: async ({ tx, base, insert, tell, random, now, as }) => {
    const author = as('mall1');
    const members = await run<{ id: number }>(tx, 'SELECT id FROM member ORDER BY id LIMIT 40', []);
    for (const [index, [name, every, topics]] of TAGS.entries()) {
      const made = new Date(now.getTime() - (60 - index * 5) * DAY);
      const [id] = await insert('topic_tag', [
        {
          name,
          position: (index + 1) * 10,
          created_at: made,
          created_by: author.staffId,
          updated_at: made,
          updated_by: author.staffId,
        },
      ]);
      const projects = base.projects.filter((_, place) => place % every === 0);
      await run(tx, 'INSERT INTO topic_tag_project (tag_id, project_id) SELECT $1, unnest($2::bigint[])', [
        id,
        projects.map((one) => one.id),
      ]);
      await tell({
        entity: topicTag.name,
        entityId: id!,
        caller: author,
        action: 'create',
        label: topicTag.actions!.create.label,
        at: made,
      });
      if (members.length === 0) continue;
      for (const content of topics) {
        const at = new Date(made.getTime() + random.int(1, 18) * DAY);
        await insert('post', [
          {
            kind: 'chamber',
            member_id: random.pick(members).id,
            project_id: random.pick(projects).id,
            tag_id: id,
            content,
            published_at: at,
            created_at: at,
            updated_at: at,
          },
        ]);
      }
    }
  },
});
