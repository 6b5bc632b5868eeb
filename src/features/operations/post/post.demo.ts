import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { HIDE_CODES } from '../../../domain/content/content.rules.ts';
import { chamberPost, familyPost } from './post.contract.ts';

const HOUR = 3_600_000;
const FAMILY = [
  '今天[玫瑰][大笑]开心，孩子第一次自己骑车绕小区一圈！',
  '3 栋楼下的桂花开了，路过都是香味[四叶草]',
  '谁家的小猫跑丢了？橘色，脖子上有铃铛，在地库 B2 看到过。',
  '周末一起去爬山吗？早上 7 点北门集合，午饭前回来。',
  '物业师傅修水管很快，点赞[强][强]',
  '求推荐靠谱的钢琴老师，孩子 6 岁零基础。',
  '昨晚的彩虹[彩虹]有人拍到吗？分享一下～',
  '自家种的番茄熟了，吃不完，楼下邻居可以来拿[爱心]',
  '小区门口新开的面馆味道不错，老板是咱们 5 栋的邻居。',
  '提醒：明早停水，记得晚上接点水备用。',
  '带娃晒太阳的妈妈们，下午 4 点草坪见[太阳]',
  '转让闲置婴儿床，九成新，自提。加我微信详聊，超低价！！！',
  '感谢帮我把快递抬上楼的小哥，你的雨伞还在我这里[礼物]',
  '晚上广场舞声音能不能小一点，家里老人睡得早。',
  '国庆小区会有联欢吗？我们家可以出个节目[庆祝]',
];
const HALL: readonly (readonly [content: string, options?: readonly string[]])[] = [
  ['地下车库照明改造，大家更倾向哪种方案？', ['感应式', '定时全亮', '维持现状']],
  ['南门能否增加一个快递柜？'],
  ['公共收益今年优先用在哪里？', ['电梯更新', '绿化补种', '监控升级', '存入维修资金']],
  ['遛狗不牵绳的问题，建议保安巡逻时提醒。'],
  ['儿童乐园开放时间是否延长到晚上 9 点？', ['同意', '不同意']],
  ['垃圾分类点的灯太暗，晚上看不清标签。'],
];
const COMMENTS = [
  '赞同[强]，支持楼主！',
  '我家也遇到过，希望尽快解决。',
  '周末我有空，一起吧[胜利]',
  '多谢分享，学到了。',
  '建议先征求一楼住户的意见。',
  '物业能不能给个时间表？',
  '收到，明天去看看。',
  '哈哈哈[笑哭]',
];

/** Posts of both kinds in every state, with comments, likes, edits and polls. */
export const demo = defineDemo({
  key: 'posts',
  after: ['topicTags', 'pointsRules'],
  run: async ({ tx, insert, tell, random, now, as }) => {
    const moderator = as('mall1');
    const members = await run<{ id: number; project_id: number }>(
      tx,
      'SELECT id, project_id FROM member WHERE project_id IS NOT NULL ORDER BY id LIMIT 60',
    );
    if (members.length < 10) return;
    let hidden = 0;
    for (let n = 0; n < 45; n += 1) {
      const author = random.pick(members);
      const at = new Date(now.getTime() - random.int(1, 40 * 24) * HOUR - random.int(0, 59) * 60_000);
      const content = FAMILY[n % FAMILY.length]!;
      const state = n % 15 === 11 ? 'pending' : n % 23 === 13 ? 'refused' : 'passed';
      const hide = state === 'passed' && n % 17 === 13;
      if (hide) hidden += 1;
      const [id] = await insert('post', [
        {
          kind: 'family',
          member_id: author.id,
          project_id: author.project_id,
          content,
          review_state: state,
          shown: !hide,
          hide_code: hide ? (hidden % 2 === 0 ? 'abuse' : 'advert') : null,
          essence: state === 'passed' && !hide && n % 13 === 4,
          views: random.int(5, 260),
          published_at: at,
          reviewed_by: state === 'refused' ? moderator.staffId : null,
          reviewed_at: state === 'refused' ? new Date(at.getTime() + 2 * HOUR) : null,
          review_reason: state === 'refused' ? HIDE_CODES.advert.label[0] : '',
          created_at: at,
          updated_at: at,
        },
      ]);
      if (state === 'refused')
        await tell({
          entity: familyPost.name,
          entityId: id!,
          caller: moderator,
          action: 'refuse',
          label: ['不通过', 'Refuse'],
          from: 'pending',
          to: 'refused',
          remark: HIDE_CODES.advert.label[0],
          at: new Date(at.getTime() + 2 * HOUR),
        });
      if (hide)
        await tell({
          entity: familyPost.name,
          entityId: id!,
          caller: moderator,
          action: 'hide',
          label: ['隐藏', 'Hide'],
          remark: HIDE_CODES.advert.label[0],
          at: new Date(at.getTime() + 5 * HOUR),
        });
      if (n % 12 === 5)
        await insert('content_revision', [
          { post_id: id, seq: 1, content: content.slice(0, 12), at: new Date(at.getTime() + HOUR) },
        ]);
      if (state === 'passed') await talk(id!, at);
    }
    const tags = await run<{ id: number; project_id: number }>(
      tx,
      'SELECT tag_id AS id, project_id FROM topic_tag_project ORDER BY 1, 2',
    );
    for (let n = 0; n < 18; n += 1) {
      const author = random.pick(members);
      const [content, options] = HALL[n % HALL.length]!;
      const at = new Date(now.getTime() - random.int(1, 30 * 24) * HOUR);
      const tag = tags.find((one) => one.project_id === author.project_id);
      const state = n === 7 ? 'pending' : n === 11 ? 'refused' : 'passed';
      const [id] = await insert('post', [
        {
          kind: 'chamber',
          member_id: author.id,
          project_id: author.project_id,
          tag_id: tag?.id ?? null,
          content,
          review_state: state,
          shown: n !== 9,
          hide_code: n === 9 ? 'false' : null,
          views: random.int(20, 400),
          published_at: at,
          created_at: at,
          updated_at: at,
        },
      ]);
      if (n === 9)
        await tell({
          entity: chamberPost.name,
          entityId: id!,
          caller: moderator,
          action: 'hide',
          label: ['隐藏', 'Hide'],
          remark: HIDE_CODES.false.label[0],
          at: new Date(at.getTime() + 3 * HOUR),
        });
      if (options) {
        const votes = options.map(() => random.int(0, 30));
        const participants = votes.reduce((sum, one) => sum + one, 0);
        await run(tx, 'INSERT INTO post_vote (post_id, ends_at, participants) VALUES ($1, $2, $3)', [
          id,
          new Date(at.getTime() + 20 * 24 * HOUR),
          participants,
        ]);
        await run(
          tx,
          'INSERT INTO post_vote_option (post_id, no, text, votes) SELECT $1, o.no, o.text, o.votes FROM unnest($2::text[], $3::int[]) WITH ORDINALITY AS o (text, votes, no)',
          [id, options, votes],
        );
      }
      if (state === 'passed') await talk(id!, at);
    }
    // One on top in some projects.
    await run(
      tx,
      `UPDATE post SET topped_at = published_at + interval '1 hour' WHERE id IN (
         SELECT DISTINCT ON (project_id, kind) id FROM post WHERE review_state = 'passed' AND shown AND deleted_at IS NULL ORDER BY project_id, kind, id)`,
    );

    async function talk(post: number, at: Date): Promise<void> {
      const said = random.int(0, 5);
      for (let n = 0; n < said; n += 1) {
        const when = new Date(Math.min(at.getTime() + random.int(1, 72) * HOUR, now.getTime() - 60_000));
        const state = random.chance(0.06) ? 'pending' : 'passed';
        const speaker = random.pick(members);
        await insert('content_comment', [
          {
            post_id: post,
            member_id: speaker.id,
            project_id: speaker.project_id,
            content: random.pick(COMMENTS),
            review_state: state,
            shown: !(state === 'passed' && random.chance(0.05)),
            published_at: when,
            created_at: when,
            updated_at: when,
          },
        ]);
      }
      const fans = members.filter(() => random.chance(0.12));
      await run(
        tx,
        'INSERT INTO post_like (post_id, member_id, at) SELECT $1, unnest($2::bigint[]), $3 ON CONFLICT DO NOTHING',
        [post, fans.map((one) => one.id), at],
      );
      await run(
        tx,
        `UPDATE post p SET likes = (SELECT count(*) FROM post_like l WHERE l.post_id = p.id),
                comments = (SELECT count(*) FROM content_comment c WHERE c.post_id = p.id AND c.review_state = 'passed' AND c.shown) WHERE p.id = $1`,
        [post],
      );
    }
  },
});
