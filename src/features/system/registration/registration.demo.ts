import { defineDemo } from '../../../kernel/server/demo.ts';
import { run } from '../../../kernel/server/database.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const NEW_MEMBERS = 72;
/** Days in which they came. */
const SPAN = 118;
const BURST = 26;
const IP_LIMIT = 20;

const SURNAMES = [...'王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗'];
const GIVEN = [
  '晓彤',
  '志远',
  '雨桐',
  '建华',
  '梓涵',
  '丽娜',
  '浩然',
  '静怡',
  '国强',
  '思琪',
  '文博',
  '秀英',
  '俊杰',
  '美玲',
];
const CHANNELS: [string, number][] = [
  ['self', 38],
  ['invitation', 22],
  ['qr', 16],
  ['housekeeper', 14],
  ['activity', 7],
  ['import', 3],
];
const SOURCES: [string, number][] = [
  ['ios', 34],
  ['android', 36],
  ['mini_program', 24],
  ['h5', 6],
];
const DEVICES: Readonly<Record<string, readonly string[]>> = {
  ios: ['iPhone 15', 'iPhone 13', 'iPhone SE'],
  android: ['HUAWEI Mate 60', 'Xiaomi 14', 'OPPO Reno11', 'vivo X100'],
  mini_program: ['微信 8.0'],
  h5: ['Chrome 120'],
};
const FAILURES = ['短信验证码错误', '手机号已注册', '短信验证码已过期', '房屋信息与登记不符'];
const REFUSALS = ['房产证明不清晰', '与业主登记姓名不符'];

/** How the members of the base set came, those who came since, and the log of their attempts. */
export const demo = defineDemo({
  key: 'registrations',
  run: async ({ tx, insert, random, now }) => {
    const weighted = (list: [string, number][]) => random.weighted(list, ([, weight]) => weight)[0];
    const lines: Record<string, unknown>[] = [];
    const line = (row: Record<string, unknown>) =>
      lines.push({
        member_id: null,
        house_id: null,
        identity: null,
        device: '',
        result: 'succeeded',
        reason: '',
        crowded: false,
        ...row,
      });
    const address = () =>
      `${random.pick(['101.84', '116.228', '180.166', '122.224'])}.${random.int(1, 254)}.${random.int(1, 254)}`;

    // Members of before: each was bound some days after it registered.
    const old = await run<{
      id: number;
      phone: string;
      at: Date;
      project: number | null;
      household: number | null;
      house: number | null;
      identity: string | null;
      status: string | null;
    }>(
      tx,
      `SELECT m.id, m.phone, m.registered_at AS at, m.project_id AS project, h.id AS household, h.house_id AS house, h.identity, h.status
         FROM member m LEFT JOIN household h ON h.id = m.household_id ORDER BY m.id`,
    );
    const ways = old.map((member, index) => {
      const source = weighted(SOURCES);
      const channel = index < 20 ? 'self' : weighted(CHANNELS);
      const applied = new Date(
        Math.min(now.getTime() - HOUR, member.at.getTime() + random.int(1, 60) * HOUR),
      );
      const decided = new Date(
        Math.min(now.getTime() - HOUR / 2, applied.getTime() + random.int(1, 40) * HOUR),
      );
      const inviter = channel === 'invitation' ? old[random.int(0, index - 1)]!.id : null;
      return { member, source, channel, applied, decided, inviter };
    });
    await run(
      tx,
      `UPDATE member m SET channel = x.channel, app_source = x.source, inviter_id = x.inviter
         FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[]) AS x (id, channel, source, inviter) WHERE m.id = x.id`,
      [
        ways.map((one) => one.member.id),
        ways.map((one) => one.channel),
        ways.map((one) => one.source),
        ways.map((one) => one.inviter),
      ],
    );
    const bound = ways.filter((one) => one.member.household !== null);
    await run(
      tx,
      `UPDATE household h SET applied_at = x.applied, bound_at = CASE WHEN h.status IN ('normal', 'deleted') THEN x.decided END
         FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) AS x (id, applied, decided) WHERE h.id = x.id`,
      [
        bound.map((one) => one.member.household),
        bound.map((one) => one.applied),
        bound.map((one) => one.decided),
      ],
    );

    // Members since, in houses where nobody was registered.
    const free = random
      .shuffle(
        await run<{ id: number; project: number; floor: number }>(
          tx,
          `SELECT h.id, h.project_id AS project, h.floor FROM house h
          WHERE h.state <> 'vacant' AND NOT EXISTS (SELECT 1 FROM household r WHERE r.house_id = h.id) ORDER BY h.id`,
        ),
      )
      .slice(0, NEW_MEMBERS);
    const since = free.map((house, index) => {
      // More of them lately than long ago.
      const registered = new Date(
        now.getTime() - Math.floor(random.next() ** 1.4 * SPAN * DAY) - random.int(2, 20) * HOUR,
      );
      const status = random.weighted(
        [
          ['normal', 68],
          ['reviewing', 14],
          ['refused', 6],
          ['none', 12],
        ] as [string, number][],
        ([, weight]) => weight,
      )[0];
      const applied = new Date(registered.getTime() + random.int(5, 50) * 60_000);
      const decided = new Date(
        Math.min(now.getTime() - 60_000, applied.getTime() + random.int(1, 30) * HOUR),
      );
      const channel = weighted(CHANNELS);
      return {
        house,
        status,
        registered,
        applied,
        decided,
        channel,
        source: weighted(SOURCES),
        identity: random.weighted(
          [
            ['owner', 62],
            ['family', 18],
            ['tenant', 20],
          ] as [string, number][],
          ([, weight]) => weight,
        )[0],
        name: random.pick(SURNAMES) + random.pick(GIVEN),
        phone: `166${String(index).padStart(4, '0')}${random.digits(4)}`,
        inviter: channel === 'invitation' && old.length > 0 ? random.pick(old).id : null,
      };
    });
    const ids = await insert(
      'member',
      since.map((one) => ({
        name: one.name,
        nickname: '',
        phone: one.phone,
        sex: random.int(0, 1),
        project_id: one.house.project,
        registered_at: one.registered,
        last_active_on: new Date(
          Math.min(now.getTime(), one.registered.getTime() + random.int(0, 40) * DAY) + 8 * HOUR,
        )
          .toISOString()
          .slice(0, 10),
        channel: one.channel,
        app_source: one.source,
        inviter_id: one.inviter,
        created_at: one.registered,
        updated_at: one.registered,
      })),
    );
    const asking = since
      .map((one, index) => ({ ...one, id: ids[index]! }))
      .filter((one) => one.status !== 'none');
    await insert(
      'household',
      asking.map((one) => ({
        member_id: one.id,
        house_id: one.house.id,
        identity: one.identity,
        status: one.status,
        applied_at: one.applied,
        bound_at: one.status === 'normal' ? one.decided : null,
      })),
    );

    // The log of all of them.
    const story = (one: {
      id: number;
      phone: string;
      project: number | null;
      house: number | null;
      identity: string | null;
      status: string | null;
      registered: Date;
      applied: Date;
      decided: Date;
      channel: string;
      source: string;
    }) => {
      const origin = {
        phone: one.phone,
        project_id: one.project,
        channel: one.channel,
        app_source: one.source,
        device: random.pick(DEVICES[one.source]!),
        ip: address(),
      };
      if (random.chance(0.12))
        line({
          ...origin,
          at: new Date(one.registered.getTime() - random.int(1, 9) * 60_000),
          action: 'register',
          result: 'failed',
          reason: random.pick(FAILURES.slice(0, 3)),
        });
      line({ ...origin, at: one.registered, action: 'register', member_id: one.id });
      if (one.house === null || one.status === null || one.status === 'none') return;
      const home = { ...origin, member_id: one.id, house_id: one.house, identity: one.identity };
      if (random.chance(0.06))
        line({
          ...home,
          at: new Date(one.applied.getTime() - 60_000),
          action: 'bind',
          result: 'failed',
          reason: FAILURES[3],
        });
      line({ ...home, at: one.applied, action: 'bind' });
      if (one.status === 'normal' || one.status === 'deleted')
        line({ ...home, at: one.decided, action: 'approve', device: '', ip: '' });
      if (one.status === 'refused')
        line({
          ...home,
          at: one.decided,
          action: 'refuse',
          device: '',
          ip: '',
          reason: random.pick(REFUSALS),
        });
      if (one.status === 'deleted')
        line({
          ...home,
          at: new Date(Math.min(now.getTime() - 60_000, one.decided.getTime() + random.int(20, 90) * DAY)),
          action: 'unbind',
          reason: '房屋已出售',
        });
    };
    for (const { member, ...way } of ways) story({ ...member, ...way, registered: member.at });
    for (const one of since.map((each, index) => ({ ...each, id: ids[index]! })))
      story({ ...one, project: one.house.project, house: one.house.id });
    // Somebody tried numbers from one address.
    const start = now.getTime() - 9 * DAY;
    for (let index = 0; index < BURST; index += 1)
      line({
        at: new Date(start + index * 70_000),
        phone: `170${random.digits(8)}`,
        action: 'register',
        project_id: free[0]?.project ?? null,
        channel: 'self',
        app_source: 'h5',
        device: 'Chrome 120',
        ip: '45.61.137.20',
        result: 'failed',
        reason: FAILURES[0],
        crowded: index >= IP_LIMIT,
      });
    lines.sort((a, b) => (a.at as Date).getTime() - (b.at as Date).getTime());
    await insert('registration_log', lines);
  },
});
