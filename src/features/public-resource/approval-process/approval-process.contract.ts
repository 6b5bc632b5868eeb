import {
  choice,
  decimal,
  instant,
  integer,
  json,
  percent,
  ref,
  refs,
  tags,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { BUSINESS_TYPES } from '../../../domain/approval/business-types.rules.ts';

/** How far a process reaches. */
export const SCOPES = {
  platform: { label: ['全平台', 'Whole platform'] },
  tenant: { label: ['公司', 'Company'] },
  unit: { label: ['管理单元', 'Management unit'] },
  project: { label: ['项目', 'Projects'] },
} as const;

/** A version of how one business type is approved somewhere: what was published never changes. */
export const approvalProcess = defineResource({
  name: 'approvalProcess',
  menu: 'approvalProcess',
  title: ['审批流程', 'Approval processes'],
  noun: ['流程', 'Process'],
  purpose: [
    '各类业务由谁审批；按 项目 › 管理单元 › 公司 › 全平台 取最贴近的已发布流程，没有则用系统内置流程',
    'Who approves what; the published process that fits most closely is taken: project, management unit, company, platform; else the built-in one',
  ],
  titleField: 'nameZh',
  stamps: true,
  fields: {
    bizType: choice(['业务类型', 'Business type'], BUSINESS_TYPES, {
      required: true,
      createOnly: true,
      search: 'in',
      width: 115,
    }),
    nameZh: text(['名称', 'Name'], { required: true, keyword: true, sortable: true, max: 40, width: 160 }),
    nameEn: text(['英文名称', 'English name'], { keyword: true, max: 80, width: 180 }),
    scopeKind: choice(['适用范围', 'Scope'], SCOPES, {
      required: true,
      search: 'in',
      initial: 'tenant',
      width: 150,
    }),
    tenant: ref('approvalTenant', ['公司', 'Company'], { width: 140 }),
    unit: ref('approvalUnit', ['管理单元', 'Management unit'], { width: 140 }),
    projects: refs('project', ['项目', 'Projects'], { search: 'in', width: 180, max: 200 }),
    processVersion: integer(['版本', 'Version'], { readOnly: true, width: 80 }),
    running: integer(['运行中', 'Running'], {
      readOnly: true,
      width: 100,
      help: [
        '按此流程进行中的审批数，含旧版本',
        'Approvals under way by this process, older versions included',
      ],
    }),
    averageHours: decimal(['平均用时', 'Average'], {
      readOnly: true,
      scale: 1,
      unit: ['小时', 'h'],
      width: 105,
      help: [
        '近30天结束的审批，从提交到结束的平均小时数（自然时间）',
        'Mean hours by the clock from submission to end, of approvals that ended in the last 30 days',
      ],
    }),
    overdueRate: percent(['近30天超时率', 'Overdue'], {
      readOnly: true,
      width: 140,
      help: [
        '近30天到达且有时限的任务中，超过时限才处理或仍未处理的比例',
        'Of tasks with a time limit that arrived in the last 30 days, the share that was or is late',
      ],
    }),
    admin: ref('approvalStaff', ['流程管理员', 'Administrator'], {
      required: true,
      width: 110,
      help: [
        '找不到审批人时由其处理，并可终止、改派',
        'Decides when nobody is found; may cancel and reassign',
      ],
    }),
    titleZh: text(['标题模板', 'Title template'], {
      max: 120,
      help: [
        '可用 {title} 与 {字段}；不填则用业务自带标题',
        '{title} and {field} are filled in; left empty, the object says its own title',
      ],
    }),
    titleEn: text(['英文标题模板', 'English title template'], { max: 120 }),
    summaryFields: tags(['摘要字段', 'Summary fields'], {
      max: 4,
      help: ['最多 4 个，显示在待办列表', 'At most 4, shown in to-do lists'],
    }),
    withdrawPolicy: choice(
      ['撤回规则', 'Withdrawal'],
      {
        before_first_decision: { label: ['首次审批前可撤回', 'Before the first decision'] },
        before_end: { label: ['结束前可撤回', 'Until it ends'] },
        never: { label: ['不可撤回', 'Never'] },
      },
      { required: true, initial: 'before_first_decision' },
    ),
    repeatPolicy: choice(
      ['重复审批人', 'Repeated approvers'],
      {
        never: { label: ['每次都需审批', 'Asked every time'] },
        only_once: { label: ['已同意过的自动通过', 'Passed once agreed'] },
        only_consecutive: { label: ['连续节点自动通过', 'Passed in consecutive nodes'] },
      },
      { required: true, initial: 'only_consecutive' },
    ),
    nodes: json(['流程节点', 'Nodes'], { required: true }),
    publishedAt: instant(['发布时间', 'Published'], { readOnly: true, sortable: true, width: 150 }),
    publisher: ref('staff', ['发布人', 'Published by'], { readOnly: true, width: 100 }),
  },
  states: {
    draft: { label: ['草稿', 'Draft'], tone: 'default' },
    published: { label: ['已发布', 'Published'], tone: 'success' },
    stopped: { label: ['已停用', 'Stopped'], tone: 'paused' },
  },
  list: {
    columns: [
      'bizType',
      'nameZh',
      'nameEn',
      'scopeKind',
      'tenant',
      'unit',
      'projects',
      'processVersion',
      'state',
      'running',
      'averageHours',
      'overdueRate',
      'admin',
      'publishedAt',
      'updater',
      'updatedAt',
    ],
    hidden: ['nameEn', 'tenant', 'unit', 'projects', 'admin', 'publishedAt'],
    filters: ['bizType', 'state', 'scopeKind', 'projects'],
    sort: '-updatedAt',
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      { key: 'published', label: ['已发布', 'Published'], filter: { state: 'published' } },
      { key: 'draft', label: ['草稿', 'Drafts'], filter: { state: 'draft' } },
      { key: 'stopped', label: ['已停用', 'Stopped'], filter: { state: 'stopped' } },
    ],
    link: 'nameZh',
    export: true,
    empty: [
      '还没有设计流程，各类业务按系统内置流程（上级审批）处理',
      'No process is designed yet: everything goes by the built-in one',
    ],
  },
  form: {
    sections: [
      {
        title: ['基本', 'Basics'],
        fields: [
          'bizType',
          'nameZh',
          'nameEn',
          'scopeKind',
          'tenant',
          'unit',
          'projects',
          'admin',
          'titleZh',
          'titleEn',
          'summaryFields',
          'withdrawPolicy',
          'repeatPolicy',
          'nodes',
        ],
      },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['流程', 'Process'],
        fields: [
          'bizType',
          'nameZh',
          'nameEn',
          'scopeKind',
          'processVersion',
          'admin',
          'titleZh',
          'titleEn',
          'summaryFields',
          'withdrawPolicy',
          'repeatPolicy',
          'publishedAt',
          'publisher',
          'creator',
          'createdAt',
          'updater',
          'updatedAt',
        ],
      },
      { title: ['运行', 'Figures'], fields: ['running', 'averageHours', 'overdueRate'] },
    ],
  },
  elements: { btn_versions: ['版本', 'Versions'] },
  modes: { add: 'createProcess', edit: 'createProcess' },
  actions: {
    create: { on: 'page', label: ['新建', 'New'], element: 'btn_add', tone: 'primary', to: 'draft' },
    update: { on: 'row', label: ['设计', 'Design'], element: 'btn_edit', from: ['draft'] },
    revise: {
      on: 'row',
      label: ['设计', 'Design'],
      element: 'btn_edit',
      from: ['published', 'stopped'],
      opens: 'screen',
      untouched: true,
      event: ['生成新版本草稿', 'Draft of a new version made'],
    },
    publish: {
      on: 'row',
      label: ['发布', 'Publish'],
      element: 'btn_publish',
      from: ['draft'],
      to: 'published',
      tone: 'primary',
      confirm: [
        '发布「{nameZh}」第 {processVersion} 版？新提交的审批按此版本处理，进行中的仍按原版本。',
        'Publish version {processVersion} of "{nameZh}"? What is handed in from now on follows it; what runs stays on its version.',
      ],
    },
    stop: {
      on: 'row',
      label: ['停用', 'Stop'],
      element: 'btn_stop',
      from: ['published'],
      to: 'stopped',
      tone: 'danger',
      confirm: [
        '停用「{nameZh}」？新提交的审批改用上一级范围的流程或系统内置流程，进行中的不受影响。',
        'Stop "{nameZh}"? New approvals take the process of the wider scope or the built-in one; what runs goes on.',
      ],
    },
    duplicate: {
      on: 'row',
      label: ['复制', 'Copy'],
      element: 'btn_copy',
      untouched: true,
      message: ['已复制为草稿「{name}」', 'Copied to the draft "{nameEn}"'],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      from: ['draft'],
      tone: 'danger',
      confirm: [
        '删除草稿「{nameZh}」第 {processVersion} 版？',
        'Delete version {processVersion} of "{nameZh}"?',
      ],
    },
  },
});

export interface ApprovalProcess extends Row<typeof approvalProcess> {}
