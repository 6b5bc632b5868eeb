import { contentOfTemplate } from '../../../domain/message-send/send-binding.server.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { messageTemplate } from '../message-template/message-template.contract.ts';
import { messageSend } from './message-send.contract.ts';

const DAY = 86_400_000;

interface Text {
  readonly name: string;
  readonly category: 'marketing' | 'business' | 'notice';
  readonly event?: string;
  readonly channels: readonly number[];
  readonly state: 'draft' | 'enabled' | 'disabled';
  readonly title: string;
  readonly titleEn: string;
  readonly body: string;
  readonly bodyEn: string;
  readonly variables?: readonly (readonly [name: string, type: string, sample: string, fallback: string])[];
}

const TEMPLATES: readonly Text[] = [
  {
    name: '周末满减活动',
    category: 'marketing',
    channels: [1, 2, 3],
    state: 'enabled',
    title: '{{activity}}开始啦',
    titleEn: '{{activity}} has started',
    body: '{{nickname}}，{{activity}}本周末开始，最高优惠{{amount}}元',
    bodyEn: '{{nickname}}, {{activity}} starts this weekend, up to {{amount}} yuan off',
    variables: [
      ['activity', 'text', '满150减30', '满减活动'],
      ['amount', 'money', '30', '30'],
    ],
  },
  {
    name: '优惠券到期提醒',
    category: 'marketing',
    event: 'coupon_expiring',
    channels: [1, 3],
    state: 'enabled',
    title: '优惠券即将到期',
    titleEn: 'A coupon expires soon',
    body: '您的{{coupon}}将于{{day}}到期',
    bodyEn: 'Your {{coupon}} expires on {{day}}',
    variables: [
      ['coupon', 'text', '新邻居见面礼', '优惠券'],
      ['day', 'date', '11月30日', '近日'],
    ],
  },
  {
    name: '订单发货通知',
    category: 'business',
    event: 'order_shipped',
    channels: [1, 2],
    state: 'enabled',
    title: '订单已发货',
    titleEn: 'Your order was shipped',
    body: '您的订单{{order}}已发货',
    bodyEn: 'Your order {{order}} was shipped',
    variables: [['order', 'text', 'SO20261120001', '已购商品']],
  },
  {
    name: '社区秋日市集公告',
    category: 'notice',
    channels: [1, 3],
    state: 'enabled',
    title: '{{project}}秋日市集',
    titleEn: 'Autumn fair in {{project}}',
    body: '{{project}}秋日市集本周六上午九点在中心花园举行，欢迎参加',
    bodyEn: 'The autumn fair of {{project}} is on Saturday at nine in the central garden',
  },
  {
    name: '春节问候',
    category: 'notice',
    channels: [1],
    state: 'disabled',
    title: '新春快乐',
    titleEn: 'Happy New Year',
    body: '{{nickname}}，祝您新春快乐、阖家幸福',
    bodyEn: '{{nickname}}, a happy new year to you and your family',
  },
  {
    name: '会员日预热',
    category: 'marketing',
    channels: [2, 3],
    state: 'draft',
    title: '会员日',
    titleEn: 'Members’ day',
    body: '每月 18 日会员日，积分双倍',
    bodyEn: 'Members’ day on the 18th: double points',
  },
  {
    name: '美居分期款提醒',
    category: 'business',
    event: 'decor_instalment_due',
    channels: [1],
    state: 'enabled',
    title: '美居分期款即将到期',
    titleEn: 'A decor instalment is due soon',
    body: '您的美居订单{{order}}第{{instalment}}期款{{amount}}元将于{{day}}到期',
    bodyEn: 'Instalment {{instalment}} of your order {{order}}, {{amount}} yuan, is due on {{day}}',
    variables: [
      ['order', 'text', 'SO20261120001', '美居订单'],
      ['instalment', 'number', '2', '1'],
      ['amount', 'money', '48538.29', '若干'],
      ['day', 'date', '11月30日', '近日'],
    ],
  },
];

interface Sending {
  readonly name: string;
  readonly template: number;
  readonly channels: readonly number[];
  readonly state:
    'draft' | 'reviewing' | 'scheduled' | 'sending' | 'paused' | 'done' | 'failed' | 'cancelled';
  readonly daysAgo: number;
  readonly people: number;
  readonly schedule?: 'at' | 'recurring';
}

const SENDS: readonly Sending[] = [
  { name: '双旦预热草稿', template: 0, channels: [1, 3], state: 'draft', daysAgo: 0, people: 0 },
  {
    name: '周五会员专享',
    template: 0,
    channels: [1, 3],
    state: 'scheduled',
    daysAgo: 1,
    people: 0,
    schedule: 'at',
  },
  { name: '市集公告', template: 3, channels: [1, 3], state: 'done', daysAgo: 4, people: 46 },
  { name: '满减活动推送', template: 0, channels: [3], state: 'paused', daysAgo: 2, people: 30 },
  { name: '感恩节满减', template: 0, channels: [1, 2], state: 'done', daysAgo: 9, people: 40 },
  { name: '旧活动提醒', template: 0, channels: [3], state: 'cancelled', daysAgo: 14, people: 12 },
  { name: '短信通道试发', template: 0, channels: [2], state: 'failed', daysAgo: 20, people: 8 },
  {
    name: '每周优惠提醒',
    template: 1,
    channels: [1],
    state: 'scheduled',
    daysAgo: 21,
    people: 26,
    schedule: 'recurring',
  },
];

/** Templates, and messages in their states with what became of each recipient. */
export const demo = defineDemo({
  key: 'memberMessages',
  after: [],
  run: async ({ tx, insert, tell, now, as, base }) => {
    const author = as('mall1');
    const at = (days: number) => new Date(now.getTime() - days * DAY);
    const events = new Map(
      (await run<{ id: number; code: string }>(tx, 'SELECT id, code FROM message_event')).map((one) => [
        one.code,
        one.id,
      ]),
    );
    const made: number[] = [];
    for (const [index, one] of TEMPLATES.entries()) {
      const created = at(40 - index);
      const html = (text: string) => `<p>${text}</p>`;
      const [id] = await insert('message_template', [
        {
          code: `MTD${String(index + 1).padStart(4, '0')}`,
          name: one.name,
          tenant_id: base.platformId,
          category: one.category,
          event_id: one.event ? events.get(one.event)! : null,
          channel_codes: one.channels,
          in_app_title: one.channels.includes(1) ? one.title : '',
          in_app_title_en: one.channels.includes(1) ? one.titleEn : '',
          in_app_body: one.channels.includes(1) ? html(one.body) : '',
          in_app_body_en: one.channels.includes(1) ? html(one.bodyEn) : '',
          sms_sign: one.channels.includes(2) ? '金茂生活' : '',
          sms_body: one.channels.includes(2) ? one.body : '',
          push_title: one.channels.includes(3) ? one.title : '',
          push_title_en: one.channels.includes(3) ? one.titleEn : '',
          push_body: one.channels.includes(3) ? one.body : '',
          push_body_en: one.channels.includes(3) ? one.bodyEn : '',
          variables: (one.variables ?? []).map(([name, type, sample, fallback]) => ({
            name,
            type,
            sample,
            fallback,
          })),
          state: one.state,
          created_at: created,
          created_by: author.staffId,
          updated_at: created,
          updated_by: author.staffId,
        },
      ]);
      made.push(id!);
      const told = { entity: 'messageTemplate', entityId: id!, caller: author };
      const { create, enable, disable } = messageTemplate.actions!;
      await tell({ ...told, action: 'create', label: create.label, to: 'draft', at: created });
      if (one.state === 'draft') continue;
      await tell({
        ...told,
        action: 'enable',
        label: enable.label,
        from: 'draft',
        to: 'enabled',
        at: created,
      });
      if (one.state === 'disabled')
        await tell({
          ...told,
          action: 'disable',
          label: disable.label,
          from: 'enabled',
          to: 'disabled',
          at: at(5),
        });
    }
    const projects = base.projects.slice(0, 2).map((one) => one.id);
    const members = await run<{ id: number; project_id: number }>(
      tx,
      'SELECT id, project_id FROM member WHERE project_id = ANY($1::bigint[]) ORDER BY id LIMIT 60',
      [projects],
    );
    for (const [index, one] of SENDS.entries()) {
      const created = at(one.daysAgo + 0.3);
      const sent = new Date(created.getTime() + 2 * 3_600_000);
      const isDraft = one.state === 'draft';
      const [template] = await run<Record<string, unknown>>(
        tx,
        'SELECT * FROM message_template WHERE id = $1',
        [made[one.template]],
      );
      const people = members.slice(0, one.people);
      const ended = ['done', 'failed', 'cancelled'].includes(one.state);
      const [id] = await insert('message_send', [
        {
          code: `MSD${String(index + 1).padStart(4, '0')}`,
          name: one.name,
          tenant_id: base.platformId,
          category: String(template!.category),
          template_id: made[one.template]!,
          template_version: isDraft ? null : 1,
          content: isDraft ? null : contentOfTemplate(template!, []),
          channel_codes: one.channels,
          audience: 'conditions',
          project_ids: projects,
          place_ids: projects,
          schedule: one.schedule ?? 'now',
          send_at: one.schedule === 'at' ? new Date(now.getTime() + 4 * DAY) : null,
          repeats: one.schedule === 'recurring' ? 'weekly' : null,
          week_days: one.schedule === 'recurring' ? [5] : [],
          at_time: one.schedule === 'recurring' ? '10:00' : null,
          next_at: one.state === 'scheduled' ? new Date(now.getTime() + 4 * DAY) : isDraft ? null : sent,
          estimated: isDraft ? 0 : Math.max(one.people, 30),
          submitted_by: isDraft ? null : author.staffId,
          started_at: people.length > 0 ? sent : null,
          finished_at: ended ? new Date(sent.getTime() + 600_000) : null,
          state: one.state,
          created_at: created,
          created_by: author.staffId,
          updated_at: created,
          updated_by: author.staffId,
        },
      ]);
      if (people.length > 0) {
        const [runId] = await insert('message_run', [
          {
            send_id: id!,
            run_on: new Date(sent.getTime() + 8 * 3_600_000).toISOString().slice(0, 10),
            started_at: sent,
            finished_at: ended || one.state === 'scheduled' ? new Date(sent.getTime() + 600_000) : null,
          },
        ]);
        await insert(
          'message_recipient',
          people.flatMap((member, n) =>
            one.channels.map((channel) => {
              const later = (minutes: number) => new Date(sent.getTime() + minutes * 60_000);
              const left = n >= people.length / 2;
              const state =
                one.state === 'failed'
                  ? 'failed'
                  : (one.state === 'paused' && left) || (one.state === 'cancelled' && left)
                    ? one.state === 'paused'
                      ? 'pending'
                      : 'skipped'
                    : n % 13 === 5
                      ? 'skipped'
                      : channel === 2
                        ? n % 9 === 4
                          ? 'failed'
                          : 'submitted'
                        : n % 3 === 0
                          ? 'read'
                          : 'delivered';
              const went = ['submitted', 'delivered', 'read', 'failed'].includes(state);
              const there = state === 'delivered' || state === 'read';
              return {
                send_id: id!,
                run_id: runId!,
                member_id: member.id,
                project_id: member.project_id,
                channel,
                state,
                reason:
                  state === 'failed'
                    ? 'refused'
                    : state === 'skipped'
                      ? one.state === 'cancelled' && left
                        ? 'cancelled'
                        : 'opted_out'
                      : null,
                attempts: went ? 1 : 0,
                submitted_at: went ? sent : null,
                delivered_at: there ? later(1) : null,
                read_at: state === 'read' ? later(30 + n) : null,
                clicked_at: state === 'read' && n % 6 === 0 ? later(31 + n) : null,
              };
            }),
          ),
        );
      }
      const told = { entity: 'messageSend', entityId: id! };
      const { create, submit, startDue, finish, pause, cancel } = messageSend.actions!;
      await tell({
        ...told,
        caller: author,
        action: 'create',
        label: create.label,
        to: 'draft',
        at: created,
      });
      if (isDraft) continue;
      await tell({
        ...told,
        caller: author,
        action: 'submit',
        label: submit.label,
        from: 'draft',
        to: 'scheduled',
        at: new Date(created.getTime() + 3_600_000),
      });
      if (people.length === 0 || one.schedule) continue;
      await tell({
        ...told,
        caller: undefined,
        action: 'startDue',
        label: startDue.label,
        from: 'scheduled',
        to: 'sending',
        at: sent,
      });
      const end = new Date(sent.getTime() + 600_000);
      if (one.state === 'done' || one.state === 'failed')
        await tell({
          ...told,
          caller: undefined,
          action: 'finish',
          label: finish.label,
          from: 'sending',
          to: one.state,
          at: end,
        });
      if (one.state === 'paused')
        await tell({
          ...told,
          caller: author,
          action: 'pause',
          label: pause.label,
          from: 'sending',
          to: 'paused',
          at: end,
        });
      if (one.state === 'cancelled')
        await tell({
          ...told,
          caller: author,
          action: 'cancel',
          label: cancel.label,
          from: 'sending',
          to: 'cancelled',
          at: end,
        });
    }
  },
});
