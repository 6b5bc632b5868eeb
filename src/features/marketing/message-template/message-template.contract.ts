import { CATEGORIES, VARIABLE_TYPES } from '../../../domain/message-send/message.rules.ts';
import {
  choice,
  code,
  image,
  integer,
  lines,
  longText,
  ref,
  refs,
  richText,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

/** The menu of templates. */
export const TEMPLATE_MENU = 'mm_messageTemplate';

/** What a message says, by channel. */
export const messageTemplate = defineResource({
  name: 'messageTemplate',
  menu: TEMPLATE_MENU,
  title: ['消息模板', 'Message templates'],
  noun: ['模板', 'Template'],
  purpose: [
    '消息按渠道的文案与变量；启用后的修改产生新版本，已提交的消息按提交时的版本发送',
    'Texts of messages by channel with their variables; changes of an enabled one make a new version, messages handed in keep theirs',
  ],
  prefix: 'MT',
  titleField: 'code',
  stamps: true,
  copy: true,
  deletable: 'unused',
  modes: {
    add: 'mm_messageTemplate_create',
    edit: 'mm_messageTemplate_edit',
    detail: 'mm_messageTemplate_view',
  },
  fields: {
    code: code(['编号', 'Code'], { readOnly: true, keyword: true, width: 150 }),
    name: text(['模板名称', 'Name'], { required: true, max: 40, keyword: true, width: 190 }),
    category: choice(['类别', 'Category'], CATEGORIES, {
      required: true,
      search: 'in',
      initial: 'marketing',
      width: 100,
    }),
    event: ref('messageEvent', ['业务事件', 'Event'], {
      search: 'in',
      width: 150,
      help: ['事件发生时按此模板发送', 'Sent by this template when the event happens'],
    }),
    channels: refs('messageChannel', ['渠道', 'Channels'], {
      required: true,
      max: 4,
      search: 'in',
      width: 150,
      help: ['只需填写所选渠道的内容', 'Only the chosen channels have to be written'],
    }),
    variables: lines(
      ['变量', 'Variables'],
      {
        name: text(['变量名', 'Name'], {
          required: true,
          max: 30,
          width: 150,
          pattern: {
            source: '^[A-Za-z][A-Za-z0-9_]*$',
            message: ['以字母开头，只含字母、数字、下划线', 'Letters, digits and _, a letter first'],
          },
        }),
        type: choice(['类型', 'Type'], VARIABLE_TYPES, { required: true, width: 110 }),
        sample: text(['示例', 'Sample'], { required: true, max: 100, width: 180 }),
        fallback: text(['默认值', 'Default'], { required: true, max: 100, width: 180 }),
      },
      {
        max: 20,
        help: [
          '内容中写作 {{变量名}}；{{nickname}} 昵称与 {{project}} 项目不用定义',
          'Written as {{name}} in the texts; {{nickname}} and {{project}} need no definition',
        ],
      },
    ),
    inAppTitle: text(['站内信标题', 'In-app title'], { max: 50 }),
    inAppTitleEn: text(['站内信英文标题', 'In-app title, English'], { max: 50 }),
    inAppBody: richText(['站内信内容', 'In-app text'], { max: 2_000 }),
    inAppBodyEn: richText(['站内信英文内容', 'In-app text, English'], { max: 2_000 }),
    smsSign: text(['短信签名', 'SMS signature'], { max: 12 }),
    smsTemplateId: text(['服务商模板编号', 'Template id of the provider'], { max: 40 }),
    smsBody: longText(['短信内容', 'SMS text'], { max: 500 }),
    smsBodyEn: longText(['短信英文内容', 'SMS text, English'], { max: 500 }),
    pushTitle: text(['推送标题', 'Push title'], { max: 50 }),
    pushTitleEn: text(['推送英文标题', 'Push title, English'], { max: 50 }),
    pushBody: longText(['推送内容', 'Push text'], { max: 150 }),
    pushBodyEn: longText(['推送英文内容', 'Push text, English'], { max: 150 }),
    wechatTemplateId: text(['微信模板编号', 'WeChat template id'], { max: 60 }),
    wechatFields: longText(['微信字段', 'WeChat fields'], {
      max: 500,
      help: ['每行一个：字段=内容，如 thing1={{name}}', 'One a line: field=text, such as thing1={{name}}'],
    }),
    jumpUrl: text(['跳转链接', 'Jump target'], {
      max: 300,
      help: [
        'https 开头，域名须在允许跳转的外部域名内',
        'https, of a host that is allowed as outside target',
      ],
    }),
    image: image(['图片', 'Picture']),
    versionNo: integer(['版本', 'Version'], { readOnly: true, width: 70 }),
    used30: integer(['近30天使用', 'Used, 30 days'], { readOnly: true, width: 110 }),
    variableNames: text(['变量', 'Variables'], { readOnly: true, width: 170 }),
  },
  states: {
    draft: { label: ['草稿', 'Draft'], tone: 'default', code: 1 },
    enabled: { label: ['已启用', 'Enabled'], tone: 'success', code: 2 },
    disabled: { label: ['已停用', 'Disabled'], tone: 'paused', code: 3 },
  },
  list: {
    columns: [
      'code',
      'name',
      'state',
      'category',
      'event',
      'channels',
      'variableNames',
      'versionNo',
      'used30',
      'updater',
      'updatedAt',
    ],
    filters: ['state', 'category', 'channels', 'event'],
    sort: '-updatedAt',
    link: 'name',
    export: true,
    empty: ['还没有消息模板', 'There are no templates yet'],
  },
  form: {
    as: 'page',
    sections: [
      { title: ['模板', 'Template'], fields: ['name', 'category', 'event', 'channels', 'variables'] },
      {
        title: ['站内信', 'In-app'],
        fields: ['inAppTitle', 'inAppTitleEn', 'inAppBody', 'inAppBodyEn'],
      },
      { title: ['短信', 'SMS'], fields: ['smsSign', 'smsTemplateId', 'smsBody', 'smsBodyEn'] },
      { title: ['推送', 'Push'], fields: ['pushTitle', 'pushTitleEn', 'pushBody', 'pushBodyEn'] },
      { title: ['微信', 'WeChat'], fields: ['wechatTemplateId', 'wechatFields'] },
      { title: ['跳转与图片', 'Target and picture'], fields: ['jumpUrl', 'image'] },
    ],
  },
  detail: {
    mode: 'page',
    sections: [
      {
        title: ['模板', 'Template'],
        fields: [
          'code',
          'category',
          'event',
          'channels',
          'versionNo',
          'used30',
          'jumpUrl',
          'image',
          'variables',
        ],
      },
      {
        title: ['各渠道内容', 'Texts'],
        fields: [
          'inAppTitle',
          'inAppTitleEn',
          'smsSign',
          'smsTemplateId',
          'smsBody',
          'smsBodyEn',
          'pushTitle',
          'pushTitleEn',
          'pushBody',
          'pushBodyEn',
          'wechatTemplateId',
          'wechatFields',
        ],
      },
    ],
  },
  actions: {
    create: {
      on: 'page',
      label: ['新增', 'Add'],
      element: 'btn_add',
      tone: 'primary',
      to: 'draft',
      // eslint-disable-next-line unicorn/no-thenable
      then: 'open',
    },
    update: {
      on: 'row',
      label: ['编辑', 'Edit'],
      element: 'btn_edit',
      from: ['draft', 'enabled', 'disabled'],
    },
    enable: {
      on: 'row',
      label: ['启用', 'Enable'],
      element: 'btn_enable',
      tone: 'primary',
      from: ['draft', 'disabled'],
      to: 'enabled',
      confirm: ['启用「{name}」？', 'Enable “{name}”?'],
    },
    disable: {
      on: 'row',
      label: ['停用', 'Disable'],
      element: 'btn_disable',
      tone: 'danger',
      from: ['enabled'],
      to: 'disabled',
      confirm: ['停用「{name}」？之后不能再用它新建消息', 'Disable “{name}”? No new message can use it'],
    },
    test: {
      on: 'row',
      label: ['测试发送', 'Test'],
      element: 'btn_test',
      from: ['draft', 'enabled', 'disabled'],
      untouched: true,
      input: {
        members: refs('messageTestMember', ['测试会员', 'Members'], {
          max: 5,
          help: ['不选则只发短信到您自己的手机', 'None: only an SMS to your own phone'],
        }),
      },
      message: ['已发出 {n} 条测试消息', '{n} test {n|message|messages} sent'],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      from: ['draft', 'disabled'],
      confirm: ['删除「{name}」？', 'Delete “{name}”?'],
    },
  },
});

/** A template on the wire. */
export interface MessageTemplate extends Row<typeof messageTemplate> {}
