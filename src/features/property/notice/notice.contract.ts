import {
  boolean,
  choice,
  date,
  images,
  instant,
  percent,
  personName,
  phone,
  ref,
  refs,
  richText,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part, type Resource, type Row } from '../../../kernel/contract/resource.ts';
import { IDENTITIES } from '../../../domain/residents/registration.rules.ts';

/** Kinds of notices; water and power off are sent to the phones of the audience besides. */
export const NOTICE_TYPES = {
  '001': { label: ['停水通知', 'Water off'], tone: 'warning', code: '001' },
  '002': { label: ['停电通知', 'Power off'], tone: 'warning', code: '002' },
  '003': { label: ['保洁养护', 'Cleaning'], code: '003' },
  '004': { label: ['社区文化', 'Culture'], code: '004' },
  '005': { label: ['绿化保养', 'Greening'], code: '005' },
  '006': { label: ['消防演习', 'Fire drill'], code: '006' },
  '007': { label: ['高温预警', 'Heat warning'], tone: 'error', code: '007' },
} as const;

/** Kinds that are sent to the phones of the audience. */
export const PUSHED_TYPES: readonly string[] = ['001', '002'];

/** A household a notice went to, in the detail of the notice. */
export const noticeReader = defineResource({
  name: 'noticeReader',
  menu: 'cs_pronotice',
  title: ['阅读情况', 'Reads'],
  noun: ['住户', 'Household'],
  titleField: 'house',
  sensitive: true,
  fields: {
    notice: ref('notice', ['公告', 'Notice'], { search: 'in' }),
    house: text(['房屋', 'House'], { width: 140 }),
    name: personName(['姓名', 'Name'], { width: 100 }),
    phone: phone(['手机号', 'Phone'], { width: 130 }),
    identity: choice(['身份', 'Identity'], IDENTITIES, { search: 'in', width: 80 }),
    read: choice(
      ['阅读', 'Read'],
      {
        read: { label: ['已读', 'Read'], tone: 'success' },
        unread: { label: ['未读', 'Unread'], tone: 'warning' },
      },
      { search: 'in', sortable: true, width: 90 },
    ),
    readAt: instant(['阅读时间', 'Read at'], { sortable: true, width: 116 }),
    confirmedAt: instant(['确认时间', 'Confirmed at'], { width: 116 }),
  },
  list: {
    columns: ['notice', 'house', 'name', 'phone', 'identity', 'read', 'readAt', 'confirmedAt'],
    filters: ['notice', 'read', 'identity'],
    sort: '-readAt',
    empty: ['还没有送达的住户', 'It has reached nobody yet'],
  },
});

/** A notice of the property company to residents. */
export const notice = defineResource({
  name: 'notice',
  menu: 'cs_pronotice',
  title: ['物业公告', 'Property notices'],
  noun: ['公告', 'Notice'],
  titleField: 'title',
  purpose: [
    '发给小区、楼栋或单元住户的通知；停水、停电通知同时发短信。已发布的只能撤回后复制修改',
    'Notices to projects, buildings or units; water and power off go out as SMS, too. What is published is changed by recall and copy only',
  ],
  stamps: true,
  copy: true,
  fields: {
    title: text(['标题', 'Title'], { required: true, max: 60, keyword: true, width: 230 }),
    type: choice(['类型', 'Type'], NOTICE_TYPES, { required: true, search: 'in', width: 100 }),
    importance: choice(
      ['重要程度', 'Importance'],
      {
        '1': { label: ['重要', 'Important'], tone: 'error', code: 1 },
        '2': { label: ['一般', 'Normal'], code: 2 },
      },
      { required: true, search: 'in', initial: '2', width: 110 },
    ),
    body: richText(['正文', 'Text'], { required: true, max: 20_000 }),
    signature: text(['署名', 'Signature'], {
      max: 60,
      keyword: true,
      width: 130,
      help: ['不填则用项目名称', 'Empty: the name of the project'],
    }),
    images: images(['图片', 'Pictures'], {
      max: 9,
    }),
    projects: refs('project', ['项目', 'Projects'], { required: true, search: 'in', width: 180 }),
    buildings: refs('noticeBuilding', ['楼栋', 'Buildings'], {
      width: 150,
      max: 200,
      help: ['不选为项目全部楼栋', 'Empty: all of the project'],
    }),
    units: refs('noticeUnit', ['单元', 'Units'], {
      width: 150,
      max: 200,
      help: ['不选为所选楼栋全部单元', 'Empty: all of the chosen buildings'],
    }),
    identities: refs('noticeIdentity', ['接收身份', 'Identities'], {
      width: 120,
      max: 3,
      help: ['不选为全部住户', 'Empty: everybody'],
    }),
    publishAt: instant(['发布时间', 'Publish at'], {
      sortable: true,
      search: 'range',
      width: 150,
      help: ['不填为立即发布', 'Empty: at once'],
    }),
    expiresOn: date(['有效期至', 'Expires on'], {
      width: 110,
      help: ['当日仍展示，次日过期', 'Still shown on that day'],
    }),
    pinnedUntil: instant(['置顶至', 'Pinned until'], { width: 150 }),
    needsConfirmation: boolean(['需确认', 'Needs confirmation'], {
      width: 90,
      help: ['住户阅读后需点「我已知晓」', 'Residents have to confirm that they read it'],
    }),
    saveAs: choice(
      ['保存为', 'Save as'],
      {
        publish: { label: ['发布', 'Publish'], code: 1 },
        draft: { label: ['草稿', 'Draft'], code: 2 },
      },
      { required: true, createOnly: true, initial: 'publish' },
    ),
    publishedAt: instant(['实际发布', 'Published'], { readOnly: true, sortable: true, width: 150 }),
    pinned: boolean(['置顶中', 'Pinned'], { readOnly: true, search: 'equals', width: 84 }),
    readers: text(['已读/送达', 'Read/reached'], { readOnly: true, numeric: true, width: 110 }),
    readRate: percent(['阅读率', 'Read %'], { readOnly: true, width: 84 }),
    rejectReason: text(['驳回原因', 'Why rejected'], { readOnly: true, width: 160 }),
    recallReason: text(['撤回原因', 'Why recalled'], { readOnly: true, width: 160 }),
    recalledAt: instant(['撤回时间', 'Recalled'], { readOnly: true, width: 150 }),
    reviewer: ref('staff', ['审核人', 'Reviewer'], { readOnly: true, width: 100 }),
    reviewedAt: instant(['审核时间', 'Reviewed'], { readOnly: true, width: 150 }),
    remindedAt: instant(['上次提醒', 'Last reminder'], { readOnly: true, width: 150 }),
  },
  states: {
    draft: { label: ['草稿', 'Draft'], tone: 'default', code: 2 },
    reviewing: { label: ['待审核', 'In review'], tone: 'warning' },
    rejected: { label: ['已驳回', 'Rejected'], tone: 'error' },
    scheduled: { label: ['待发布', 'Scheduled'], tone: 'processing' },
    published: { label: ['已发布', 'Published'], tone: 'success', code: 1 },
    recalled: { label: ['已撤回', 'Recalled'], tone: 'paused' },
    expired: { label: ['已过期', 'Expired'], tone: 'default' },
  },
  list: {
    columns: [
      'title',
      'type',
      'importance',
      'projects',
      'state',
      'readers',
      'readRate',
      'publishAt',
      'pinned',
      'signature',
      'expiresOn',
      'publishedAt',
      'recallReason',
      'updater',
      'updatedAt',
    ],
    hidden: ['expiresOn', 'publishedAt', 'recallReason', 'updater'],
    filters: ['projects', 'type', 'importance', 'state', 'publishAt', 'pinned'],
    sort: '-updatedAt',
    link: 'title',
    export: [
      'title',
      'type',
      'importance',
      'projects',
      'signature',
      'publishAt',
      'publishedAt',
      'expiresOn',
      'state',
      'pinned',
      'readers',
      'readRate',
      'recallReason',
      'creator',
      'createdAt',
    ],
  },
  form: {
    width: 860,
    sections: [
      {
        title: ['公告', 'Notice'],
        fields: ['title', 'type', 'importance', 'body', 'images', 'signature'],
      },
      {
        title: ['发给谁', 'Audience'],
        fields: ['projects', 'buildings', 'units', 'identities'],
      },
      {
        title: ['何时展示', 'When'],
        fields: ['publishAt', 'expiresOn', 'pinnedUntil', 'needsConfirmation', 'saveAs'],
      },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['公告', 'Notice'],
        fields: [
          'title',
          'type',
          'importance',
          'signature',
          'publishAt',
          'publishedAt',
          'expiresOn',
          'pinnedUntil',
          'needsConfirmation',
          'readers',
          'readRate',
          'remindedAt',
        ],
      },
      { title: ['发给谁', 'Audience'], fields: ['projects', 'buildings', 'units', 'identities'] },
      {
        title: ['处理', 'Handling'],
        fields: [
          'creator',
          'createdAt',
          'reviewer',
          'reviewedAt',
          'rejectReason',
          'recalledAt',
          'recallReason',
        ],
      },
    ],
    parts: [
      part({
        key: 'readers',
        title: ['阅读情况', 'Reads'],
        resource: noticeReader as unknown as Resource,
        by: 'notice',
        columns: ['house', 'name', 'phone', 'read', 'readAt', 'confirmedAt', 'identity'],
      }),
    ],
  },
  actions: {
    create: {
      on: 'page',
      label: ['新增', 'Add'],
      element: 'btn_add',
      tone: 'primary',
      to: ['draft', 'reviewing', 'scheduled', 'published'],
    },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit', from: ['draft', 'rejected'] },
    publish: {
      on: 'row',
      label: ['发布', 'Publish'],
      element: 'btn_publish',
      from: ['draft', 'rejected'],
      to: ['reviewing', 'scheduled', 'published'],
      tone: 'primary',
      confirm: [
        '发布「{title}」？发布后不能修改，只能撤回。',
        'Publish “{title}”? It cannot be changed afterwards, only recalled',
      ],
    },
    approve: {
      on: 'row',
      label: ['审核通过', 'Pass'],
      element: 'btn_audit',
      from: ['reviewing'],
      to: ['scheduled', 'published'],
      tone: 'primary',
      confirm: ['通过「{title}」？', 'Pass “{title}”?'],
    },
    reject: {
      on: 'row',
      label: ['驳回', 'Reject'],
      element: 'btn_audit',
      from: ['reviewing'],
      to: 'rejected',
      tone: 'danger',
      input: { reason: text(['驳回原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
    recall: {
      on: 'row',
      label: ['撤回', 'Recall'],
      element: 'btn_recall',
      from: ['scheduled', 'published'],
      to: 'recalled',
      tone: 'danger',
      confirm: [
        '撤回「{title}」？住户立即看不到；要修改请撤回后复制。',
        'Recall “{title}”? Residents stop seeing it at once; to change it, copy it afterwards',
      ],
      input: { reason: text(['撤回原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
    remind: {
      on: 'row',
      label: ['提醒未读', 'Remind unread'],
      element: 'btn_remind',
      from: ['published'],
      untouched: true,
      confirm: [
        '给未读住户发短信提醒？24 小时内只能提醒一次',
        'Remind by SMS who has not read it? Once in 24 hours',
      ],
      message: ['已提醒 {n} 位住户', '{n} {n|resident|residents} reminded'],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      from: ['draft'],
      tone: 'danger',
      confirm: ['删除「{title}」？', 'Delete “{title}”?'],
    },
    publishDue: {
      on: 'system',
      label: ['到时发布', 'Published at its time'],
      element: 'btn_publish',
      from: ['scheduled'],
      to: 'published',
    },
    expire: {
      on: 'system',
      label: ['到期', 'Expired'],
      element: 'btn_recall',
      from: ['published'],
      to: 'expired',
    },
  },
});

export interface Notice extends Row<typeof notice> {}
