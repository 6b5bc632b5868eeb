import { run } from '../../../kernel/server/database.ts';
import { addDays, businessDayOf, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { belongsTo } from '../../../domain/member-event/member-standing.server.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { activity, activitySignup } from './activity.contract.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface Sample {
  readonly title: string;
  readonly text: string;
  readonly address: string;
  /** Days from now to the start. */
  readonly in: number;
  readonly hours: number;
  readonly limit: number;
  readonly seats: number;
  readonly people: number;
  readonly state: 'draft' | 'published' | 'withdrawn';
  /** Fen of a seat; free without. */
  readonly cost?: number;
  readonly group?: boolean;
  readonly questions?: readonly { question: string; required: boolean }[];
}

interface Person {
  readonly id: number;
  readonly name: string;
  readonly phone: string;
  readonly project_id: number;
  readonly house_id: number | null;
}

const SAMPLES: readonly Sample[] = [
  {
    title: '秋日亲子运动会',
    text: '袋鼠跳、两人三足、拔河，孩子和家长一起参加，备有饮水和奖品。',
    address: '中央草坪',
    in: 3,
    hours: 4,
    limit: 30,
    seats: 3,
    people: 22,
    state: 'published',
    questions: [
      { question: '孩子年龄', required: true },
      { question: '是否需要代存物品', required: false },
    ],
  },
  {
    title: '周末义诊：测血压血糖',
    text: '社区医院医生现场义诊，请空腹前来测血糖。',
    address: '一楼党群服务中心',
    in: 0,
    hours: 5,
    limit: 60,
    seats: 2,
    people: 18,
    state: 'published',
  },
  {
    title: '亲子陶艺体验课',
    text: '陶艺老师手把手教学，作品烧制后两周领取，费用含材料。',
    address: '会所一楼手工教室',
    in: 5,
    hours: 2,
    limit: 24,
    seats: 2,
    people: 15,
    cost: 6_800,
    state: 'published',
  },
  {
    title: '邻里百家宴',
    text: '每家带一道拿手菜，桌椅餐具由物业提供。',
    address: '会所二楼多功能厅',
    in: 9,
    hours: 3,
    limit: 16,
    seats: 2,
    people: 20,
    state: 'published',
  },
  {
    title: '晨跑团十公里拉练',
    text: '南门集合，沿滨江绿道往返，配速 6 分半，终点有早餐。',
    address: '南门广场',
    in: 2,
    hours: 2,
    limit: 0,
    seats: 1,
    people: 9,
    state: 'published',
    group: true,
  },
  {
    title: '旧物交换集市',
    text: '图书、玩具、小家电，以物易物，自愿公平。',
    address: '架空层东侧',
    in: -6,
    hours: 4,
    limit: 40,
    seats: 2,
    people: 19,
    state: 'published',
  },
  {
    title: '消防疏散演练',
    text: '模拟高层火情，学习灭火器使用和逃生路线。',
    address: '3 幢楼前广场',
    in: -20,
    hours: 2,
    limit: 100,
    seats: 5,
    people: 16,
    state: 'published',
  },
  {
    title: '露天电影夜',
    text: '放映经典影片，请自带坐垫。',
    address: '中心花园',
    in: -2,
    hours: 3,
    limit: 80,
    seats: 4,
    people: 7,
    state: 'withdrawn',
  },
  {
    title: '读书会：城市与我们',
    text: '月底共读分享，欢迎带上你最喜欢的一本书。',
    address: '社区客厅',
    in: 14,
    hours: 2,
    limit: 20,
    seats: 1,
    people: 0,
    state: 'draft',
    group: true,
  },
  {
    title: '元宵灯谜会',
    text: '猜灯谜、吃汤圆、做花灯。',
    address: '会所一楼大厅',
    in: 40,
    hours: 3,
    limit: 120,
    seats: 4,
    people: 0,
    state: 'draft',
  },
];

const COMMENTS = [
  '这个活动太好了，我们一家都报名了！',
  '请问停车方便吗？从西门进可以停到地下车库吗？',
  '代办各类证件，价格优惠，加我了解。',
  '希望以后每个月都能组织一次，大家多认识认识。',
  '下雨会改期吗？',
];

/** Activities before, during and after, with sign-ups, waiting lists and who came. */
export const demo = defineDemo({
  key: 'activities',
  after: ['interestGroups'],
  run: async ({ tx, insert, tell, random, now, as, base }) => {
    const author = as('mall1');
    const pictures = await run<{ id: string }>(
      tx,
      `SELECT id FROM stored_file WHERE access = 'picture' AND type IN ('image/png', 'image/jpeg') ORDER BY id LIMIT 12`,
    );
    const projects = await run<{ id: number }>(
      tx,
      `SELECT p.id FROM project p JOIN member m ON m.project_id = p.id GROUP BY p.id ORDER BY count(*) DESC, p.id LIMIT 5`,
    );
    if (pictures.length === 0 || projects.length === 0) return;
    const groups = await run<{ id: number; projects: number[] }>(
      tx,
      `SELECT g.id, array_agg(p.project_id ORDER BY p.project_id) AS projects FROM interest_group g JOIN interest_group_project p ON p.group_id = g.id
        WHERE g.state = 'published' GROUP BY g.id ORDER BY g.id`,
    );
    for (const [index, one] of SAMPLES.entries()) {
      // The one under way began with the last full hour; the others begin at an hour people come.
      const starts =
        one.in === 0
          ? new Date(Math.floor(now.getTime() / HOUR - 1) * HOUR)
          : new Date(
              startOfBusinessDay(addDays(businessDayOf(now), one.in)).getTime() +
                [9, 14, 19][index % 3]! * HOUR,
            );
      const made = new Date(Math.min(starts.getTime(), now.getTime()) - (9 + index) * DAY);
      const published = new Date(made.getTime() + 3 * HOUR);
      const group = one.group ? groups[index % groups.length] : undefined;
      const places = group?.projects.map(Number) ?? [
        ...new Set([
          projects[index % projects.length]!.id,
          ...(index % 2 ? [] : [projects[(index + 1) % projects.length]!.id]),
        ]),
      ];
      const [id] = await insert('activity', [
        {
          title: one.title,
          cover_id: pictures[(index * 5 + 2) % pictures.length]!.id,
          content_html: `<p>${one.text}</p>`,
          audience: group ? 'group' : 'property',
          cost: one.cost ?? 0,
          address: one.address,
          starts_at: starts,
          ends_at: new Date(starts.getTime() + one.hours * HOUR),
          deadline: new Date(starts.getTime() - 12 * HOUR),
          cancel_hours: 24,
          contact: '社区服务中心',
          phone: '025-88886666',
          person_limit: one.limit,
          most_seats: one.seats,
          waiting_list: true,
          gives_points: true,
          questions: one.questions ?? [],
          state: one.state,
          published_at: one.state === 'draft' ? null : published,
          withdraw_reason: one.state === 'withdrawn' ? '当晚有大雨' : '',
          reminded: one.in <= 1,
          created_by: author.staffId,
          created_at: made,
          updated_at: made,
          updated_by: author.staffId,
        },
      ]);
      await insert(
        'activity_project',
        places.map((project_id) => ({ activity_id: id, project_id })),
      );
      if (group) await insert('activity_group', [{ activity_id: id, group_id: group.id }]);
      if (one.state === 'draft') continue;
      await tell({
        entity: activity.name,
        entityId: id!,
        caller: author,
        action: 'publish',
        label: ['发布', 'Publish'],
        from: 'draft',
        to: 'published',
        at: published,
      });
      const people = await run<Person>(
        tx,
        `SELECT x.* FROM (SELECT DISTINCT ON (m.id) m.id, coalesce(nullif(m.name, ''), m.nickname) AS name, m.phone, p.id AS project_id,
                (SELECT hh.house_id FROM household hh JOIN house h ON h.id = hh.house_id WHERE hh.member_id = m.id AND hh.status = 'normal' AND h.project_id = p.id ORDER BY hh.id LIMIT 1) AS house_id
           FROM member m JOIN unnest($1::bigint[]) p (id) ON ${belongsTo('m', 'p.id')}
          WHERE NOT m.official AND ($2::bigint IS NULL OR EXISTS (SELECT FROM interest_group_member g WHERE g.group_id = $2 AND g.member_id = m.id AND g.state = 'in'))
          ORDER BY m.id, p.id) x ORDER BY (x.id * 7 + $4) % 31, x.id LIMIT $3`,
        [places, group?.id ?? null, one.people, index],
      );
      let taken = 0;
      const paidOrder = async (person: Person, seats: number, at: Date, { title, cost, address }: Sample) => {
        const amount = seats * cost!;
        const paid = new Date(at.getTime() + 3 * 60_000);
        const deadline = new Date(at.getTime() + 15 * 60_000);
        const [payment] = await insert('payment', [
          {
            checkout_code: await nextCode(tx, 'CK'),
            channel: 2,
            state: 2,
            amount,
            trade_no: `DEMO-AC-${index}-${person.id}`,
            paid_at: paid,
            deadline,
            created_at: at,
          },
        ]);
        const [order] = await insert('sales_order', [
          {
            code: await nextCode(tx, 'SO'),
            kind: 'activity',
            source: 1,
            tenant_id: base.platformId,
            project_id: person.project_id,
            member_id: person.id,
            payment_id: payment,
            title,
            contact_name: person.name,
            contact_phone: person.phone,
            address,
            state: 'to_receive',
            goods: amount,
            payable: amount,
            item_count: seats,
            pay_deadline: deadline,
            paid_at: paid,
            pay_channel: 2,
            created_at: at,
            updated_at: paid,
          },
        ]);
        await insert('order_line', [
          {
            order_id: order,
            line_no: 1,
            product_name: title,
            spec_name: '',
            list_price: cost,
            unit_price: cost,
            qty: seats,
            goods: amount,
            cash: amount,
          },
        ]);
        await insert(
          'order_event',
          [
            [5, at],
            [10, paid],
          ].map(([code, when]) => ({ order_id: order, code, at: when, who: person.name })),
        );
        return order!;
      };
      for (const [at, person] of people.entries()) {
        const seats = 1 + (at % one.seats);
        const gone = one.state === 'withdrawn' || at % 9 === 8;
        const full = one.limit > 0 && taken + seats > one.limit;
        if (!gone && !full) taken += seats;
        const applied = new Date(published.getTime() + (at + 1) * 5 * HOUR);
        const came = !gone && !full && one.in <= 0 && at % 5 !== 3;
        const state = gone || (full && one.in < 0) ? 'cancelled' : full ? 'waiting' : 'signed';
        const [signup] = await insert('activity_signup', [
          {
            activity_id: id,
            member_id: person.id,
            project_id: person.project_id,
            house_id: person.house_id,
            seats,
            amount: seats * (one.cost ?? 0),
            order_id: one.cost && state === 'signed' ? await paidOrder(person, seats, applied, one) : null,
            answers: (one.questions ?? []).map(({ question, required }) => ({
              question,
              answer: required ? `${4 + (at % 6)} 岁` : at % 3 ? '' : '需要',
            })),
            state,
            cancel_reason:
              state !== 'cancelled'
                ? ''
                : one.state === 'withdrawn'
                  ? '活动撤回：当晚有大雨'
                  : full
                    ? '活动已开始，候补结束'
                    : '会员取消',
            cancelled_at: state === 'cancelled' ? new Date(applied.getTime() + 6 * HOUR) : null,
            checked_in_at: came ? new Date(starts.getTime() + random.int(-30, 20) * 60_000) : null,
            check_in_way: came ? (at % 4 === 0 ? 'staff' : at % 7 === 0 ? 'code' : 'qr') : null,
            applied_at: applied,
            created_at: applied,
            updated_at: applied,
          },
        ]);
        await tell({
          entity: activitySignup.name,
          entityId: signup!,
          action: 'signUp',
          label: ['报名', 'Signed up'],
          to: state === 'waiting' ? 'waiting' : 'signed',
          at: applied,
        });
      }
      const said =
        one.state === 'published' ? COMMENTS.slice(0, Math.min(people.length, 2 + (index % 4))) : [];
      for (const [at, content] of said.entries())
        await insert('content_comment', [
          {
            activity_id: id,
            member_id: people[(at * 2) % people.length]!.id,
            project_id: people[(at * 2) % people.length]!.project_id,
            content,
            shown: content !== COMMENTS[2],
            published_at: new Date(published.getTime() + (at + 3) * 7 * HOUR),
          },
        ]);
      if (one.state === 'withdrawn')
        await tell({
          entity: activity.name,
          entityId: id!,
          caller: author,
          action: 'withdraw',
          label: ['撤回', 'Withdraw'],
          from: 'published',
          to: 'withdrawn',
          remark: '当晚有大雨',
          at: new Date(starts.getTime() - 20 * HOUR),
        });
    }
  },
});
