import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { communityTopic } from './community-topic.contract.ts';

const DAY = 86_400_000;
const TOPICS: readonly (readonly [title: string, state: string, every: number])[] = [
  ['冬季供暖怎么更省心？', 'published', 1],
  ['晒一晒你家阳台的小花园', 'published', 1],
  ['垃圾分类一周年，聊聊你的感受', 'published', 2],
  ['社区市集招募摊主啦', 'published', 1],
  ['夜跑路线大家投稿', 'published', 2],
  ['电动车充电安全提醒', 'hidden', 1],
  ['新年邻里节创意征集', 'scheduled', 1],
  ['物业服务满意度访谈', 'draft', 1],
  ['旧话题：国庆加班安排', 'deleted', 1],
];
const COMMENTS = [
  '这个主意不错[强]',
  '我家也想参加',
  '时间定了吗？',
  '支持！上次活动办得很好[鼓掌]',
  '能不能放在周末',
];

/** Topics in every state, with comments of residents and answers. */
export const demo = defineDemo({
  key: 'communityTopics',
  after: ['topicTags'],
  run: async ({ tx, base, insert, tell, random, now, as }) => {
    const author = as('mall1');
    const members = await run<{ id: number; project_id: number }>(
      tx,
      'SELECT id, project_id FROM member WHERE project_id IS NOT NULL ORDER BY id LIMIT 40',
    );
    const tags = await run<{ id: number }>(tx, 'SELECT id FROM topic_tag ORDER BY id');
    for (const [index, [title, state, every]] of TOPICS.entries()) {
      const made = new Date(now.getTime() - (50 - index * 4) * DAY);
      const published = ['published', 'hidden'].includes(state) ? new Date(made.getTime() + DAY) : null;
      const [id] = await insert('community_topic', [
        {
          title,
          content: `<p>${title}</p><p>欢迎在评论区留言，精选留言有小礼品。</p>`,
          tag_id: tags.length > 0 && index % 2 === 0 ? tags[index % tags.length]!.id : null,
          state,
          publish_at: state === 'scheduled' ? new Date(now.getTime() + 3 * DAY) : null,
          published_at: published,
          topped_at: state === 'published' && index < 2 ? published : null,
          likes: published ? random.int(3, 90) : 0,
          views: published ? random.int(60, 900) : 0,
          created_at: made,
          created_by: author.staffId,
          updated_at: made,
          updated_by: author.staffId,
        },
      ]);
      await run(tx, 'INSERT INTO community_topic_project SELECT $1, unnest($2::bigint[])', [
        id,
        base.projects.filter((_, place) => place % every === 0).map((one) => one.id),
      ]);
      await tell({
        entity: communityTopic.name,
        entityId: id!,
        caller: author,
        action: 'create',
        label: communityTopic.actions!.create.label,
        at: made,
      });
      if (!published) continue;
      await tell({
        entity: communityTopic.name,
        entityId: id!,
        caller: author,
        action: 'publish',
        label: communityTopic.actions!.publish.label,
        from: 'draft',
        to: 'published',
        at: published,
      });
      const said = members.length === 0 ? 0 : random.int(2, 6);
      for (let n = 0; n < said; n += 1) {
        const speaker = random.pick(members);
        const at = new Date(published.getTime() + random.int(1, 60) * 3_600_000);
        await insert('content_comment', [
          {
            topic_id: id,
            member_id: speaker.id,
            project_id: speaker.project_id,
            content: random.pick(COMMENTS),
            review_state: n === 5 ? 'pending' : 'passed',
            published_at: at,
            created_at: at,
            updated_at: at,
          },
        ]);
      }
      await insert('content_comment', [
        {
          topic_id: id,
          staff_id: author.staffId,
          content: '感谢大家的留言，我们会在公告里统一回复。',
          published_at: new Date(published.getTime() + 70 * 3_600_000),
          created_by: author.staffId,
        },
      ]);
      await run(
        tx,
        `UPDATE community_topic SET comments = (SELECT count(*) FROM content_comment c WHERE c.topic_id = $1 AND c.review_state = 'passed' AND c.shown) WHERE id = $1`,
        [id],
      );
    }
  },
});
