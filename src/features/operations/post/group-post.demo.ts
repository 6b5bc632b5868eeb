import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { groupPost } from './post.contract.ts';

const HOUR = 3_600_000;
const POSTS = [
  '明早六点半南门集合，绕湖两圈，配速随意，新人友好[太阳]',
  '周末的手工课材料已经到了，彩泥和木珠，每家一份。',
  '谁家的金毛在草坪上玩飞盘，太帅了[强]',
  '本月共读《活着》，月底分享会地点在社区客厅。',
  '周五拼桌饭报名啦，我出红烧肉，缺一个汤[爱心]',
  '昨晚的火烧云拍到了，分享三张给大家。',
  '合唱团下周三加排一次，节目单已定，请准时到。',
  '周六上午垃圾分类引导缺两名志愿者，能来的回复一下。',
  '本群代理各类保健品，量大从优，加微信了解！',
  '上周活动的照片整理好了，想要原图的留言。',
  '第一次参加，谢谢各位邻居的照顾，下次还来[礼物]',
  '场地改到 3 号楼架空层，下雨也不影响。',
];
const SAID = [
  '我报名！',
  '收到，准时到。',
  '这次没空，下次一定来。',
  '谢谢组长组织，辛苦了[强]',
  '照片拍得真好看。',
];

/** Posts of interest groups with comments; some wait, some are hidden, each busy group has one on top. */
export const demo = defineDemo({
  key: 'groupPosts',
  after: ['interestGroups', 'posts'],
  run: async ({ tx, insert, tell, random, now, as }) => {
    const moderator = as('mall1');
    const seats = await run<{ group_id: number; member_id: number; project_id: number; state: string }>(
      tx,
      `SELECT i.group_id, i.member_id, p.project_id, g.state FROM interest_group_member i JOIN interest_group g ON g.id = i.group_id
         JOIN LATERAL (SELECT min(x.project_id) AS project_id FROM interest_group_project x WHERE x.group_id = g.id) p ON true
        WHERE i.state = 'in' AND g.state <> 'draft' ORDER BY i.id`,
    );
    if (seats.length < 5) return;
    for (let n = 0; n < 40; n += 1) {
      const seat = random.pick(seats);
      const at = new Date(now.getTime() - random.int(2, 28 * 24) * HOUR - random.int(0, 59) * 60_000);
      const advert = n % POSTS.length === 8;
      const state = n % 13 === 6 ? 'pending' : 'passed';
      const hidden = advert && state === 'passed' && n > 12;
      const [id] = await insert('post', [
        {
          kind: 'group_post',
          group_id: seat.group_id,
          member_id: seat.member_id,
          project_id: seat.project_id,
          content: POSTS[n % POSTS.length],
          review_state: state,
          shown: !hidden,
          hide_code: hidden ? 'advert' : null,
          essence: state === 'passed' && !hidden && n % 11 === 3,
          views: random.int(3, 120),
          published_at: at,
          created_at: at,
          updated_at: at,
        },
      ]);
      if (hidden)
        await tell({
          entity: groupPost.name,
          entityId: id!,
          caller: moderator,
          action: 'hide',
          label: ['隐藏', 'Hide'],
          remark: '广告',
          at: new Date(at.getTime() + HOUR),
        });
      if (state !== 'passed') continue;
      const others = seats.filter(
        (one) => one.group_id === seat.group_id && one.member_id !== seat.member_id,
      );
      for (let said = random.int(0, 4); said > 0 && others.length > 0; said -= 1) {
        const speaker = random.pick(others);
        const when = new Date(Math.min(at.getTime() + random.int(1, 40) * HOUR, now.getTime() - 60_000));
        await insert('content_comment', [
          {
            post_id: id,
            member_id: speaker.member_id,
            project_id: speaker.project_id,
            content: random.pick(SAID),
            published_at: when,
            created_at: when,
            updated_at: when,
          },
        ]);
      }
      await run(
        tx,
        'INSERT INTO post_like (post_id, member_id, at) SELECT $1, unnest($2::bigint[]), $3 ON CONFLICT DO NOTHING',
        [id, others.filter(() => random.chance(0.3)).map((one) => one.member_id), at],
      );
    }
    await run(
      tx,
      `UPDATE post p SET likes = (SELECT count(*) FROM post_like l WHERE l.post_id = p.id),
              comments = (SELECT count(*) FROM content_comment c WHERE c.post_id = p.id AND c.review_state = 'passed' AND c.shown)
        WHERE p.kind = 'group_post'`,
    );
    await run(
      tx,
      `UPDATE post SET topped_at = published_at + interval '1 hour' WHERE id IN (
         SELECT DISTINCT ON (group_id) id FROM post WHERE kind = 'group_post' AND review_state = 'passed' AND shown AND deleted_at IS NULL ORDER BY group_id, id)`,
    );
  },
});
