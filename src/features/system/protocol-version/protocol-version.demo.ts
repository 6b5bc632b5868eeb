import { defineDemo } from '../../../kernel/server/demo.ts';
import { protocolVersion } from './protocol-version.contract.ts';

const DAY = 86_400_000;

type State = 'draft' | 'scheduled' | 'published' | 'archived';

interface Agreement {
  readonly type: string;
  readonly app: 'owner' | 'staff';
  readonly title: string;
  readonly titleEn: string;
  readonly clauses: readonly string[];
  readonly clausesEn: readonly string[];
  /** Versions in order: state, days since it took effect (negative: ahead), note, what changed in the text. */
  readonly versions: readonly (readonly [
    state: State,
    days: number | null,
    note: string,
    change?: readonly [clause: number, text: string],
  ])[];
}

const AGREEMENTS: readonly Agreement[] = [
  {
    type: 'user',
    app: 'owner',
    title: '业主端用户协议',
    titleEn: 'User agreement of the owner app',
    clauses: [
      '欢迎使用业主端。您在注册前应仔细阅读本协议，点击同意即视为接受全部内容。',
      '账号由手机号注册，每个手机号只能注册一个账号，您应妥善保管验证码与密码。',
      '绑定房屋须提交真实资料，由物业服务中心在 3 个工作日内审核。',
      '您在业主圈发布的内容应遵守法律法规，不得发布广告、辱骂或泄露他人隐私的信息。',
      '违反约定的，平台可以隐藏内容、限制发言直至停用账号，并说明理由。',
      '您可以在「我的—设置」中注销账号，注销后七日内可以撤回。',
    ],
    clausesEn: [
      'Welcome to the owner app. Please read this agreement before you register; by agreeing you accept all of it.',
      'An account belongs to one mobile number. Keep your codes and your password to yourself.',
      'Homes are bound with true documents, which the service centre checks within 3 working days.',
      'What you post must respect the law: no advertising, no abuse, no private data of others.',
      'Otherwise the platform may hide a post, silence or disable an account, and says why.',
      'You may close the account under Me – Settings and take that back within seven days.',
    ],
    versions: [
      ['archived', 420, '首次发布'],
      [
        'archived',
        210,
        '补充业主圈内容规范',
        [3, '您在业主圈发布的内容应遵守法律法规，不得发布广告、辱骂、联系方式引流或泄露他人隐私的信息。'],
      ],
      [
        'published',
        60,
        '缩短房屋审核时限',
        [2, '绑定房屋须提交真实资料，由物业服务中心在 2 个工作日内审核。'],
      ],
      [
        'scheduled',
        -9,
        '注销冷静期由七日改为十五日',
        [5, '您可以在「我的—设置」中注销账号，注销后十五日内可以撤回。'],
      ],
    ],
  },
  {
    type: 'privacy',
    app: 'owner',
    title: '业主端隐私政策',
    titleEn: 'Privacy policy of the owner app',
    clauses: [
      '我们收集手机号、房屋信息和设备标识，用于注册、身份核验与安全风控。',
      '报修、访客通行与缴费功能会使用您填写的联系人、车牌与票据信息。',
      '位置信息仅在您使用门禁与小区服务时读取，不在后台持续收集。',
      '未经您同意，我们不向第三方提供个人信息，法律另有规定的除外。',
      '您有权查询、更正、删除个人信息，可联系客服 400-000-0000 行使权利。',
    ],
    clausesEn: [
      'We collect your mobile number, home and device for registration, identity and safety.',
      'Repairs, visitors and bills use the contacts, plates and receipts that you enter.',
      'Your location is read only while you use doors and services, never in the background.',
      'Nothing is given to others without your consent, unless the law says so.',
      'You may see, correct and delete your data; customer service 400-000-0000 helps you.',
    ],
    versions: [
      ['archived', 420, '首次发布'],
      [
        'archived',
        150,
        '说明访客通行使用的信息',
        [1, '报修、访客通行与缴费功能会使用您填写的联系人、车牌与票据信息，访客信息保留 90 天。'],
      ],
      [
        'published',
        25,
        '按个人信息保护要求补充删除权',
        [4, '您有权查询、复制、更正、删除个人信息，可联系客服 400-000-0000，我们在 15 日内答复。'],
      ],
    ],
  },
  {
    type: 'payment',
    app: 'owner',
    title: '支付服务协议',
    titleEn: 'Payment agreement',
    clauses: [
      '您可使用支付宝、微信支付物业费、商城订单与服务费用，支付结果以渠道通知为准。',
      '订单应在提示的时限内支付，超时未付自动关闭，已占用的优惠退回。',
      '退款按原支付渠道退回，到账时间以渠道为准，一般为 1 至 5 个工作日。',
      '请勿使用他人账户或信用卡套现，发现异常时平台可以暂停支付功能。',
    ],
    clausesEn: [
      'Bills, orders and services are paid by Alipay or WeChat; their notice decides.',
      'Orders are paid in time or closed; coupons used come back.',
      'Refunds return the way they were paid, usually within 1 to 5 working days.',
      'No accounts of others and no cash from credit cards; odd payments may be paused.',
    ],
    versions: [
      ['archived', 300, '首次发布'],
      ['published', 90, '补充优惠退回规则'],
      [
        'draft',
        null,
        '增加免密支付条款',
        [3, '开通免密支付后，单笔 200 元以内无需输入密码，您可以随时关闭。'],
      ],
    ],
  },
  {
    type: 'decoration',
    app: 'owner',
    title: '装修须知',
    titleEn: 'Renovation rules',
    clauses: [
      '开工前须办理装修登记，缴纳押金并领取施工出入证。',
      '施工时间为工作日 8:00–12:00、14:00–18:00，周末及节假日禁止产生噪音。',
      '不得拆改承重墙、变更燃气管道，不得占用消防通道堆放材料。',
      '装修垃圾应袋装并在指定时间清运，验收合格后退还押金。',
    ],
    clausesEn: [
      'Renovations are registered first, with a deposit and a pass for the workers.',
      'Work is on weekdays 8:00–12:00 and 14:00–18:00; no noise on weekends and holidays.',
      'Bearing walls and gas pipes stay, fire lanes are kept free.',
      'Waste is bagged and taken away in time; the deposit returns after the check.',
    ],
    versions: [['published', 240, '首次发布']],
  },
  {
    type: 'merchant',
    app: 'owner',
    title: '商户入驻协议',
    titleEn: 'Merchant agreement',
    clauses: [
      '商户应提交营业执照及经营许可，资料变更后 10 日内更新。',
      '平台按类目收取技术服务费，费率以签署的合作协议为准。',
      '商户应在承诺时限内发货，售后按平台规则处理。',
    ],
    clausesEn: [
      'Merchants hand in their licences and renew them within 10 days of a change.',
      'The service fee follows the class, as the signed contract says.',
      'Goods are sent in the promised time; after-sales follow the rules of the platform.',
    ],
    versions: [['published', 180, '首次发布']],
  },
  {
    type: 'user',
    app: 'staff',
    title: '员工端使用协议',
    titleEn: 'User agreement of the staff app',
    clauses: [
      '员工端账号由公司开通，仅限本人因工作需要使用。',
      '在员工端获取的业主信息不得复制、转发或用于工作以外的目的。',
      '离职或调岗时账号自动停用，未完成的工单须先行移交。',
    ],
    clausesEn: [
      'Accounts are opened by the company, for the work of their owner only.',
      'What is learnt of residents is neither copied nor passed on.',
      'Accounts end with the post; open work orders are handed over first.',
    ],
    versions: [
      ['archived', 260, '首次发布'],
      ['published', 130, '补充业主信息保密要求'],
    ],
  },
  {
    type: 'privacy',
    app: 'staff',
    title: '员工端隐私政策',
    titleEn: 'Privacy policy of the staff app',
    clauses: ['考勤打卡与巡检会在工作时间读取位置信息。', '工单图片与录音保存 180 天，仅用于服务质量核查。'],
    clausesEn: [
      'Attendance and rounds read the location in working hours.',
      'Pictures and recordings of work orders are kept for 180 days, to check the service.',
    ],
    versions: [['published', 200, '首次发布']],
  },
];

const page = (clauses: readonly string[]) =>
  clauses.map((clause, index) => `<p>${index + 1}. ${clause}</p>`).join('');

/** Agreements with their history, and which members accepted them. */
export const demo = defineDemo({
  key: 'protocolVersions',
  run: async ({ tx, insert, tell, random, now, as }) => {
    const author = as('mall1');
    const at = (days: number) => new Date(now.getTime() - days * DAY);
    // Times of effect lie at midnight in business time.
    const midnight = (days: number) =>
      new Date(Math.floor((now.getTime() - days * DAY + 8 * 3_600_000) / DAY) * DAY - 8 * 3_600_000);
    const rows = AGREEMENTS.flatMap((agreement) => {
      const clauses = [...agreement.clauses];
      return agreement.versions.map(([state, days, note, change], edition) => {
        if (change) clauses[change[0]] = change[1];
        const made = days === null ? 2 : days < 0 ? 1 : days + 5;
        return {
          type: agreement.type,
          app: agreement.app,
          edition,
          title: agreement.title,
          title_en: agreement.titleEn,
          body: page(clauses),
          body_en: page(agreement.clausesEn),
          effective_at: days === null ? null : midnight(days),
          reaccept: agreement.type === 'privacy' && edition > 0,
          change_note: note,
          state,
          created_at: at(made),
          created_by: author.staffId,
          updated_at: days !== null && days >= 0 ? midnight(days) : at(made),
          updated_by: author.staffId,
        };
      });
    });
    const ids = await insert('protocol_version', rows);
    const { create, publish, takeEffect, archive } = protocolVersion.actions!;
    for (const [index, row] of rows.entries()) {
      const told = { entity: 'protocolVersion', entityId: ids[index]!, caller: author };
      await tell({ ...told, action: 'create', label: create.label, to: 'draft', at: row.created_at });
      if (row.state === 'draft') continue;
      const published = new Date(row.created_at.getTime() + 3_600_000);
      await tell({
        ...told,
        action: 'publish',
        label: publish.label,
        from: 'draft',
        to: 'scheduled',
        at: published,
      });
      if (row.state === 'scheduled') continue;
      await tell({
        entity: 'protocolVersion',
        entityId: ids[index]!,
        caller: undefined,
        action: 'takeEffect',
        label: takeEffect.label,
        from: 'scheduled',
        to: 'published',
        at: row.effective_at!,
      });
      const next = rows[index + 1];
      if (row.state === 'archived' && next?.effective_at)
        await tell({
          entity: 'protocolVersion',
          entityId: ids[index]!,
          caller: undefined,
          action: 'archive',
          label: archive.event!,
          from: 'published',
          to: 'archived',
          at: next.effective_at,
        });
    }
    const members = await tx
      .selectFrom('member')
      .select(['id', 'registered_at', 'last_active_on'])
      .orderBy('id')
      .execute();
    const accepted = rows.flatMap((row, index) => {
      if (row.app !== 'owner' || !row.effective_at || row.effective_at > now) return [];
      const until = rows
        .slice(index + 1)
        .find((one) => one.type === row.type && one.app === row.app)?.effective_at;
      const end = until && until < now ? until : now;
      const share = { user: 0.86, privacy: 0.82, payment: 0.55, decoration: 0.18 }[row.type] ?? 0.02;
      return members.flatMap((member) => {
        const from = Math.max(new Date(member.registered_at).getTime(), row.effective_at!.getTime());
        if (from >= end.getTime() || !random.chance(share)) return [];
        return [
          {
            protocol_version_id: ids[index],
            member_id: member.id,
            at: new Date(from + random.next() ** 3 * (end.getTime() - from)),
            app_source: random.weighted([1, 2, 3, 4], (source) => [5, 8, 3, 1][source - 1]!),
          },
        ];
      });
    });
    for (let from = 0; from < accepted.length; from += 500)
      await insert('protocol_acceptance', accepted.slice(from, from + 500));
  },
});
