import {
  boolean,
  choice,
  instant,
  integer,
  longText,
  percent,
  richText,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

/** Most bytes of a text. */
export const BODY_BYTES = 200 * 1024;

/** A version of an agreement of an app: what it says is fixed once it is released. */
export const protocolVersion = defineResource({
  name: 'protocolVersion',
  menu: 'applicationProtocolManager',
  title: ['应用协议', 'App agreements'],
  noun: ['协议', 'Agreement'],
  purpose: [
    '用户在 App 中同意的协议；发布后正文不再改变，修改须修订为新版本',
    'What people agree to in the apps; a released text never changes, a change is a new version',
  ],
  titleField: 'title',
  stamps: true,
  fields: {
    type: choice(
      ['类型', 'Type'],
      {
        user: { label: ['用户协议', 'User agreement'] },
        privacy: { label: ['隐私政策', 'Privacy policy'] },
        payment: { label: ['支付协议', 'Payment agreement'] },
        merchant: { label: ['商户入驻', 'Merchant agreement'] },
        decoration: { label: ['装修须知', 'Renovation rules'] },
      },
      { required: true, createOnly: true, search: 'in', width: 110 },
    ),
    app: choice(
      ['应用', 'App'],
      { owner: { label: ['业主端', 'Owner app'] }, staff: { label: ['员工端', 'Staff app'] } },
      { required: true, createOnly: true, search: 'in', width: 100 },
    ),
    title: text(['标题', 'Title'], { required: true, keyword: true, sortable: true, max: 60, width: 200 }),
    titleEn: text(['英文标题', 'English title'], { required: true, keyword: true, max: 120, width: 200 }),
    edition: text(['版本', 'Version'], { readOnly: true, numeric: true, width: 70 }),
    body: richText(['正文', 'Text'], {
      required: true,
      max: BODY_BYTES,
      help: ['最多 200 KB', 'At most 200 KB'],
    }),
    bodyEn: richText(['英文正文', 'English text'], {
      max: BODY_BYTES,
      help: ['不填时英文用户看到中文正文', 'Left empty, the Chinese text is shown'],
    }),
    effectiveAt: instant(['生效时间', 'Effective from'], {
      sortable: true,
      search: 'range',
      width: 150,
      help: ['不填则发布时立即生效', 'Left empty, it takes effect when it is published'],
    }),
    reaccept: boolean(['需重新同意', 'Accept anew'], {
      required: true,
      initial: false,
      width: 110,
      help: ['生效后已同意旧版本的用户须再次同意', 'Whoever accepted an earlier version accepts again'],
    }),
    changeNote: longText(['变更说明', 'Change note'], { required: true, max: 500, width: 200 }),
    accepted: integer(['同意人数', 'Accepted'], { readOnly: true, width: 100 }),
    acceptedShare: percent(['占活跃会员', 'Of active members'], {
      readOnly: true,
      width: 120,
      help: [
        '近30天活跃会员中已同意的比例',
        'How many of the members active in the last 30 days have accepted',
      ],
    }),
  },
  states: {
    draft: { label: ['草稿', 'Draft'], tone: 'default' },
    scheduled: { label: ['待生效', 'Scheduled'], tone: 'processing' },
    published: { label: ['已发布', 'Published'], tone: 'success' },
    archived: { label: ['已归档', 'Archived'], tone: 'paused' },
  },
  list: {
    columns: [
      'type',
      'app',
      'title',
      'titleEn',
      'edition',
      'state',
      'effectiveAt',
      'accepted',
      'acceptedShare',
      'reaccept',
      'changeNote',
      'updater',
      'updatedAt',
    ],
    hidden: ['titleEn', 'reaccept', 'changeNote', 'updater'],
    filters: ['type', 'app', 'state', 'effectiveAt'],
    sort: '-updatedAt',
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      { key: 'published', label: ['已发布', 'Published'], filter: { state: 'published' } },
      { key: 'scheduled', label: ['待生效', 'Scheduled'], filter: { state: 'scheduled' } },
      { key: 'draft', label: ['草稿', 'Drafts'], filter: { state: 'draft' } },
      { key: 'archived', label: ['已归档', 'Archived'], filter: { state: 'archived' } },
    ],
    link: 'title',
    export: true,
  },
  form: {
    width: 860,
    sections: [
      {
        title: ['协议', 'Agreement'],
        fields: ['type', 'app', 'title', 'titleEn', 'effectiveAt', 'reaccept', 'changeNote'],
      },
      { title: ['正文', 'Text'], fields: ['body', 'bodyEn'] },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['协议', 'Agreement'],
        fields: [
          'type',
          'app',
          'title',
          'titleEn',
          'edition',
          'effectiveAt',
          'reaccept',
          'accepted',
          'acceptedShare',
          'changeNote',
          'creator',
          'createdAt',
          'updater',
          'updatedAt',
        ],
      },
      { title: ['正文', 'Text'], fields: ['body', 'bodyEn'] },
    ],
  },
  elements: { btn_diff: ['版本对比', 'Compare versions'], btn_preview: ['手机预览', 'Preview'] },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary', to: 'draft' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit', from: ['draft'] },
    publish: {
      on: 'row',
      label: ['发布', 'Publish'],
      element: 'btn_publish',
      from: ['draft'],
      to: ['scheduled', 'published'],
      tone: 'primary',
      confirm: [
        '发布「{title}」{edition}？有生效时间的到时生效，否则立即生效并归档当前版本；发布后正文不能再改。',
        'Publish "{title}" {edition}? With an effective time it waits for it, otherwise it replaces the current version at once. Its text can no longer change.',
      ],
    },
    unschedule: {
      on: 'row',
      label: ['取消待生效', 'Take back'],
      element: 'btn_publish',
      from: ['scheduled'],
      to: 'draft',
      confirm: [
        '取消「{title}」{edition} 的定时生效？将退回草稿。',
        'Take "{title}" {edition} back? It becomes a draft again.',
      ],
    },
    revise: {
      on: 'row',
      label: ['修订', 'Revise'],
      element: 'btn_revise',
      from: ['published', 'archived'],
      untouched: true,
      message: ['已生成草稿 {edition}', 'Draft {edition} was made'],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      from: ['draft'],
      tone: 'danger',
      confirm: ['删除草稿「{title}」{edition}？', 'Delete the draft "{title}" {edition}?'],
    },
    takeEffect: {
      on: 'system',
      label: ['到期生效', 'Takes effect'],
      element: 'btn_publish',
      from: ['scheduled'],
      to: 'published',
    },
    archive: {
      on: 'system',
      label: ['归档', 'Archive'],
      element: 'btn_publish',
      from: ['published'],
      to: 'archived',
      event: ['被新版本取代', 'Replaced by a newer version'],
    },
  },
});

export interface ProtocolVersion extends Row<typeof protocolVersion> {}
