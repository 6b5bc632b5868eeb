import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { replyTimes } from '../../../domain/advice/advice.server.ts';
import { advice } from './advice.contract.ts';

const HOUR = 3_600_000;
/** Type, text, hours ago, replies, state, satisfaction. */
const TOLD: readonly (readonly [string, string, number, readonly string[], string, string | null])[] = [
  ['complaint', '楼上装修周日早上七点半就开始打孔，严重影响休息。', 2, [], 'unreplied', null],
  ['enquiry', '地下车位月租多少钱？需要带什么材料办理？', 4, [], 'unreplied', null],
  ['suggestion', '建议在东门加一个快递柜，现在排队太久。', 60, [], 'unreplied', null],
  ['complaint', '3 号楼电梯这周停了三次，都没有提前通知。', 96, [], 'unreplied', null],
  [
    'praise',
    '保安小张冒雨帮我把东西搬上楼，非常感谢！',
    26,
    ['感谢您的认可，已转达给秩序部。'],
    'replied',
    null,
  ],
  [
    'enquiry',
    '物业费发票怎么开？',
    30,
    ['您好，可在 App 缴费记录中申请，三个工作日内发至邮箱。'],
    'replied',
    null,
  ],
  [
    'complaint',
    '垃圾房周末没人清运，味道很大。',
    75,
    ['已安排周末加运一次，今日起执行。', '周六会再次现场核查。'],
    'replied',
    null,
  ],
  ['complaint', '小区门口商铺占道经营。', 260, ['已联系城管共同整治，现场已恢复。'], 'closed', 'satisfied'],
  ['suggestion', '儿童游乐区增加遮阳棚。', 330, ['已列入明年改造计划，将公示方案。'], 'closed', 'neutral'],
  ['complaint', '维修师傅约好时间没有来。', 420, ['已致歉并重新安排，当天修复。'], 'closed', 'dissatisfied'],
  ['praise', '新管家上门走访很细心。', 480, ['谢谢您的鼓励！'], 'closed', 'satisfied'],
  ['enquiry', '装修押金多久退？', 560, ['验收满 30 天后可在前台办理退还。'], 'closed', null],
];

/** Advice of every kind and state, answered by customer service that works in its project. */
export const demo = defineDemo({
  key: 'advice',
  after: ['customerStaff'],
  run: async ({ tx, insert, tell, now, system }) => {
    const members = await run<{
      id: number;
      name: string;
      phone: string;
      project_id: number;
      handler: number | null;
      handler_name: string | null;
    }>(
      tx,
      `SELECT m.id, m.name, m.phone, m.project_id, h.id AS handler, h.name AS handler_name FROM member m
         LEFT JOIN LATERAL (SELECT s.id, s.name FROM customer_staff c JOIN staff s ON s.id = c.staff_id JOIN tenant_project tp ON tp.tenant_id = s.tenant_id
           WHERE c.enabled AND tp.project_id = m.project_id ORDER BY (s.id + m.id) % 5, s.id LIMIT 1) h ON true
        WHERE m.project_id IS NOT NULL AND m.name <> '' ORDER BY m.id % 11, m.id LIMIT $1`,
      [TOLD.length],
    );
    for (const [index, member] of members.entries()) {
      const [type, content, hours, replies, state, satisfaction] = TOLD[index]!;
      const at = (ago: number) => new Date(now.getTime() - Math.max(ago, 0.2) * HOUR);
      const repliedAt = (turn: number) => at(hours - 2 - turn * 20);
      const last = replies.length > 0 ? repliedAt(replies.length - 1) : null;
      const [id] = await insert('advice', [
        {
          code: await nextCode(tx, 'AD', at(hours)),
          type,
          source: index % 3 === 1 ? 'phone' : 'app',
          member_id: member.id,
          name: member.name,
          phone: member.phone,
          project_id: member.project_id,
          content,
          state,
          handler_id: member.handler,
          assigned_at: member.handler ? at(hours) : null,
          ...(await replyTimes(tx, at(hours))),
          first_replied_at: replies.length > 0 ? repliedAt(0) : null,
          replied_at: last,
          closed_at: state === 'closed' ? at(hours - 170) : null,
          satisfaction,
          created_at: at(hours),
          updated_at: last ?? at(hours),
        },
      ]);
      await tell({
        entity: advice.name,
        entityId: id!,
        at: at(hours),
        caller: system,
        action: 'create',
        label: ['提交', 'Handed in'],
        to: 'unreplied',
      });
      for (const [turn, text] of replies.entries()) {
        await insert('advice_reply', [
          {
            advice_id: id,
            who: 'staff',
            name: member.handler_name ?? '项目客服',
            staff_id: member.handler,
            content: text,
            created_at: repliedAt(turn),
          },
        ]);
        await tell({
          entity: advice.name,
          entityId: id!,
          at: repliedAt(turn),
          caller: system,
          action: 'reply',
          label: ['回复', 'Reply'],
          from: turn === 0 ? 'unreplied' : 'replied',
          to: 'replied',
          remark: text,
        });
      }
      if (state === 'closed')
        await tell({
          entity: advice.name,
          entityId: id!,
          at: at(hours - 170),
          caller: system,
          action: 'expire',
          label: ['7 天无追问，自动关闭', 'Closed after 7 days'],
          from: 'replied',
          to: 'closed',
        });
    }
  },
});
