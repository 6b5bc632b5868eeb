import { run } from '../../../kernel/server/database.ts';
import { defineDemo, type DemoContext } from '../../../kernel/server/demo.ts';
import { assistantFunction } from './assistant-function.contract.ts';
import { assistantQuestion } from './assistant-question.contract.ts';
import { assistantUnanswered } from './assistant-unanswered.contract.ts';

const DAY = 86_400_000;
type State = 'draft' | 'published' | 'withdrawn';

const FUNCTIONS: readonly (readonly [
  point: string,
  content: string,
  state: State,
  pinned: boolean,
  link?: string,
])[] = [
  ['repair', '水电、门窗、公共设施有问题？在「报事报修」上传照片，30 分钟内有人联系您。', 'published', true],
  ['fee', '物业费、水费、停车费都可以在线缴纳，支持查看明细与开具电子发票。', 'published', true, 'bill_pay'],
  [
    'visitor',
    '提前为访客登记，生成通行码，凭码进小区；车辆访客可同时登记车牌。',
    'published',
    true,
    'visitor_code',
  ],
  ['parking', '临停缴费、月租续费与车位查询。输入车牌即可缴费，离场前 15 分钟内有效。', 'published', false],
  ['notice', '停水、停电、消防演习等通知都在物业公告，重要公告会推送到手机。', 'published', false],
  [
    'decoration',
    '装修前请先申请，提交图纸与施工单位资质，审核通过后办理施工人员出入证。',
    'published',
    false,
  ],
  ['mall', '社区优选商城，次日送达小区提货点，售后由平台保障。', 'published', true, 'mall_home'],
  ['service', '保洁、家电清洗、开锁换锁，选好时间，师傅上门。', 'published', false],
  ['points', '缴费、购物和参加活动可得积分，积分可兑换礼品或抵扣现金。', 'draft', false],
  [
    'account',
    '更换手机号、绑定房屋、添加家属都在「我的房屋」，审核一般 1 个工作日完成。',
    'published',
    false,
  ],
  ['service', '国庆期间到家服务照常预约，10 月 1 日至 3 日上门时间为 9:00–16:00。', 'withdrawn', false],
];

const QUESTIONS: readonly (readonly [
  title: string,
  kind: string,
  point: string,
  similar: readonly string[],
  answer: string,
  state: State,
])[] = [
  [
    '物业费怎么缴纳',
    'fee',
    'fee',
    ['如何交物业费', '在哪里交物业费', '物业费可以网上交吗', '缴物业费'],
    '<p>打开首页「物业缴费」，选择房屋与账单，可用微信、支付宝支付；也可到服务中心柜台缴纳。</p>',
    'published',
  ],
  [
    '水管漏水怎么报修',
    'repair',
    'repair',
    ['家里漏水了', '水管爆了找谁', '厨房漏水报修'],
    '<p>请先关闭户内总阀，再在「报事报修」选择「水电—漏水」并上传照片，紧急情况请直接拨打服务热线。</p>',
    'published',
  ],
  [
    '如何开具物业费发票',
    'fee',
    'fee',
    ['物业费发票', '怎么开发票', '电子发票在哪里下载'],
    '<p>缴费完成后在「缴费记录」中点「申请发票」，填写抬头后 3 个工作日内可下载电子发票。</p>',
    'published',
  ],
  [
    '访客怎么进小区',
    'pass',
    'visitor',
    ['朋友来访怎么登记', '访客码怎么生成', '亲戚来了怎么开门'],
    '<p>在「访客通行」填写来访时间与人数，生成的访客码可转发给访客，扫码进门。</p>',
    'published',
  ],
  [
    '门禁卡丢了怎么办',
    'pass',
    'account',
    ['补办门禁卡', '门禁卡丢失', '重新办一张门卡'],
    '<p>请带身份证到服务中心挂失补办，工本费 15 元；挂失后旧卡立即失效。</p>',
    'published',
  ],
  [
    '临时停车怎么收费',
    'pass',
    'parking',
    ['停车费多少钱', '临停收费标准', '停车多少钱一小时'],
    '<p>30 分钟内免费，之后每小时 3 元，24 小时封顶 20 元；访客登记车牌可免 2 小时。</p>',
    'published',
  ],
  [
    '怎么绑定我的房屋',
    'account',
    'account',
    ['绑定房屋', '房屋认证', '添加房子'],
    '<p>在「我的房屋」选择小区、楼栋和房号，填写业主预留手机号，审核一般 1 个工作日完成。</p>',
    'published',
  ],
  [
    '如何添加家属或租客',
    'account',
    'account',
    ['添加家庭成员', '租客怎么注册', '给家人开通'],
    '<p>业主在「我的房屋—住户管理」添加，填写手机号并选择身份，对方登录后即可使用。</p>',
    'published',
  ],
  [
    '装修要办什么手续',
    'repair',
    'decoration',
    ['装修申请', '怎么办装修手续', '装修押金'],
    '<p>在「装修申请」提交图纸、施工单位资质与工期，缴纳押金后领取施工许可与出入证。</p>',
    'published',
  ],
  [
    '商城订单什么时候送到',
    'mall',
    'mall',
    ['订单到哪了', '什么时候发货', '查物流'],
    '<p>当日 16:00 前下单，次日送达小区提货点；可在「我的订单」查看物流。</p>',
    'published',
  ],
  [
    '买的东西怎么退货',
    'mall',
    'mall',
    ['退货退款', '不想要了能退吗', '申请售后'],
    '<p>在订单详情点「申请售后」，选择原因并上传照片，商户 48 小时内处理。</p>',
    'published',
  ],
  [
    '晚上太吵可以投诉吗',
    'other',
    'repair',
    ['邻居太吵', '半夜装修噪音', '噪音投诉'],
    '<p>装修施工时间为工作日 8:00–12:00、14:00–18:00，其他时间可在「投诉建议」提交，秩序部会到场处理。</p>',
    'draft',
  ],
  [
    '泳池什么时候开放',
    'other',
    'notice',
    ['游泳池开放时间', '小区游泳池'],
    '<p>泳池每年 6 月至 9 月开放，每日 15:00–21:00，凭业主码入场。</p>',
    'withdrawn',
  ],
];

const UNANSWERED: readonly (readonly [
  sentence: string,
  times: number,
  days: number,
  state: 'open' | 'made' | 'ignored',
])[] = [
  ['充电桩怎么申请安装', 27, 0.2, 'open'],
  ['快递柜超时要收费吗', 19, 0.6, 'open'],
  ['小区可以养大型犬吗', 14, 1.4, 'open'],
  ['暖气不热找谁', 11, 0.3, 'open'],
  ['电梯什么时候修好', 9, 2.2, 'open'],
  ['能不能代收大件家具', 6, 3.5, 'open'],
  ['公积金可以交物业费吗', 4, 6.1, 'open'],
  ['今天天气怎么样', 8, 4.4, 'ignored'],
  ['讲个笑话', 5, 9.3, 'ignored'],
  ['邻居半夜唱歌能管吗', 7, 12.5, 'made'],
];

/** What the assistant of the owners' app knows, what members asked and what it had no answer for. */
export const demo = defineDemo({
  key: 'assistant',
  after: ['jumpLinks', 'appModules'],
  run: async (context) => {
    const { tx } = context;
    const values = new Map(
      (
        await run<{ key: string; id: number }>(
          tx,
          `SELECT d.code || '.' || v.value AS key, v.id FROM dictionary_value v JOIN dictionary_type d ON d.id = v.type_id
            WHERE d.code IN ('function_point', 'question_class')`,
        )
      ).map((row) => [row.key, row.id]),
    );
    if (values.size === 0) return;
    await functions(context, values);
    const questions = await addQuestions(context, values);
    await unanswered(context, questions);
  },
});

async function functions(context: DemoContext, values: ReadonlyMap<string, number>): Promise<void> {
  const { tx, insert, now, as } = context;
  const author = as('service1');
  let place = 0;
  for (const [index, [point, content, state, pinned, link]] of FUNCTIONS.entries()) {
    const made = new Date(now.getTime() - (150 - index * 9) * DAY);
    const changed = new Date(made.getTime() + (state === 'draft' ? 0 : 1.2 * DAY));
    const [id] = await insert('assistant_function', [
      {
        function_point_id: values.get(`function_point.${point}`)!,
        content,
        state,
        pin_place: pinned ? ++place : null,
        view_sort: index + 1,
        version: state === 'draft' ? 1 : pinned || state === 'withdrawn' ? 3 : 2,
        created_at: made,
        created_by: author.staffId,
        updated_at: changed,
        updated_by: author.staffId,
      },
    ]);
    if (link)
      await run(tx, 'INSERT INTO assistant_function_link SELECT $1, id FROM jump_link WHERE code = $2', [
        id,
        link,
      ]);
    await timeline(context, assistantFunction, id!, state, made, pinned);
    if (state === 'published') await metrics(context, 'function', id!, 4, 60);
  }
}

async function addQuestions(context: DemoContext, values: ReadonlyMap<string, number>): Promise<number[]> {
  const { insert, now, as } = context;
  const author = as('service1');
  const ids: number[] = [];
  for (const [index, [title, kind, point, similar, answer, state]] of QUESTIONS.entries()) {
    const made = new Date(now.getTime() - (120 - index * 7) * DAY);
    const [id] = await insert('assistant_question', [
      {
        title,
        class_id: values.get(`question_class.${kind}`)!,
        function_point_id: values.get(`function_point.${point}`)!,
        similar_texts: similar,
        answer_html: answer,
        state,
        pin_place: index < 3 ? index + 1 : null,
        view_sort: index + 1,
        version: state === 'draft' ? 1 : state === 'withdrawn' || index < 3 ? 3 : 2,
        created_at: made,
        created_by: author.staffId,
        updated_at: new Date(made.getTime() + (state === 'draft' ? 0 : 1.2 * DAY)),
        updated_by: author.staffId,
      },
    ]);
    ids.push(id!);
    await timeline(context, assistantQuestion, id!, state, made, index < 3);
    if (state === 'published') await metrics(context, 'question', id!, 2, 28);
  }
  return ids;
}

async function timeline(
  { tell, as }: DemoContext,
  contract: typeof assistantFunction | typeof assistantQuestion,
  id: number,
  state: State,
  made: Date,
  pinned: boolean,
): Promise<void> {
  const { create, publish, withdraw, pin } = contract.actions!;
  const told = { entity: contract.name, entityId: id, caller: as('service1') };
  const at = (days: number) => new Date(made.getTime() + days * DAY);
  await tell({ ...told, action: 'create', label: create.label, to: 'draft', at: made });
  if (state === 'draft') return;
  await tell({
    ...told,
    action: 'publish',
    label: publish.label,
    from: 'draft',
    to: 'published',
    at: at(0.6),
  });
  if (pinned) await tell({ ...told, action: 'pin', label: pin.event ?? pin.label, at: at(1.2) });
  if (state === 'withdrawn')
    await tell({
      ...told,
      action: 'withdraw',
      label: withdraw.label,
      from: 'published',
      to: 'withdrawn',
      at: at(1.2),
    });
}

/** Hits of the last weeks with what members thought of the answer. */
async function metrics(
  { tx, now, random }: DemoContext,
  kind: 'function' | 'question',
  id: number,
  low: number,
  high: number,
): Promise<void> {
  const most = random.int(low + 4, high);
  for (let day = 0; day < 40; day++) {
    const hits = random.int(low, most);
    const helpful = kind === 'question' ? Math.round(hits * (0.3 + random.next() * 0.3)) : 0;
    await run(
      tx,
      `INSERT INTO assistant_metric (kind, entry_id, day, hits, helpful, unhelpful)
       VALUES ($1, $2, ($3::timestamptz AT TIME ZONE 'Asia/Shanghai')::date, $4, $5, $6)`,
      [
        kind,
        id,
        new Date(now.getTime() - day * DAY),
        hits,
        helpful,
        kind === 'question' ? Math.round(helpful * random.next() * 0.3) : 0,
      ],
    );
  }
}

async function unanswered({ tx, tell, now, as }: DemoContext, questions: readonly number[]): Promise<void> {
  const author = as('service1');
  for (const [sentence, times, days, state] of UNANSWERED) {
    const last = new Date(now.getTime() - days * DAY);
    const [row] = await run<{ id: number }>(
      tx,
      `INSERT INTO assistant_unanswered (sentence, folded, times, first_at, last_at, state, question_id, version, updated_at, updated_by)
       VALUES ($1, assistant_fold($1), $2, $3, $4, $5, $6, $7, $4, $8) RETURNING id`,
      [
        sentence,
        times,
        new Date(last.getTime() - times * 0.9 * DAY),
        last,
        state,
        state === 'made' ? questions[11] : null,
        state === 'open' ? 1 : 2,
        state === 'open' ? null : author.staffId,
      ],
    );
    if (state === 'open') continue;
    const { makeQuestion, ignore } = assistantUnanswered.actions!;
    await tell({
      entity: assistantUnanswered.name,
      entityId: row!.id,
      caller: author,
      action: state === 'made' ? 'makeQuestion' : 'ignore',
      label: (state === 'made' ? makeQuestion : ignore).label,
      from: 'open',
      to: state,
      at: last,
    });
  }
}
