import {
  boolean,
  code,
  instant,
  integer,
  longText,
  ref,
  refs,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { secretActions } from '../../../domain/oauth/secret-actions.contract.ts';

const address = { readOnly: true, width: 120 } as const;

/** A program that may register instances and call other services. */
export const serviceClient = defineResource({
  name: 'serviceClient',
  menu: 'serviceManager',
  base: '/admin',
  title: ['服务管理', 'Services'],
  noun: ['服务', 'Service'],
  purpose: [
    '可以注册实例并调用其他服务的程序；它的令牌只能到达授权给它的服务',
    'Programs that may register instances and call others; the token of one reaches only the services it is allowed',
  ],
  stamps: true,
  fields: {
    code: code(['服务编码', 'Code'], {
      required: true,
      createOnly: true,
      sortable: true,
      keyword: true,
      min: 3,
      max: 20,
      width: 140,
      pattern: {
        source: '[a-z][a-z0-9-]{2,19}',
        message: [
          '3至20位小写字母、数字、连字符，以字母开头',
          '3 to 20 small letters, digits and hyphens, beginning with a letter',
        ],
      },
    }),
    name: text(['名称', 'Name'], {
      required: true,
      keyword: true,
      sortable: true,
      min: 3,
      max: 20,
      width: 140,
    }),
    description: longText(['描述', 'Description'], { max: 200, width: 200 }),
    owner: ref('clientOwner', ['负责人', 'Owner'], { required: true, search: 'in', width: 100 }),
    instances: text(['实例', 'Instances'], {
      readOnly: true,
      width: 90,
      help: ['可用/全部', 'Up / all'],
    }),
    live: boolean(['有可用实例', 'Has live instances'], { readOnly: true, search: 'equals' }),
    allowed: refs('serviceClient', ['授权服务', 'Allowed services'], { readOnly: true }),
    allowedCount: integer(['授权服务', 'Allowed services'], { readOnly: true, width: 135 }),
    secret: text(['密钥', 'Secret'], { readOnly: true, width: 115 }),
    secretExpiresAt: instant(['密钥到期', 'Secret ends'], { readOnly: true, width: 115 }),
    builtin: boolean(['内置', 'Built in'], { readOnly: true, width: 80 }),
    maintenance: boolean(['维护', 'Maintenance'], { readOnly: true, search: 'equals', width: 115 }),
    maintenanceText: text(['维护说明', 'What callers are told'], { readOnly: true }),
    maintenanceUntil: instant(['维护至', 'Until'], { readOnly: true, width: 150 }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 80 }),
    createdAddress: text(['创建地址', 'Created from'], address),
    updatedAddress: text(['更新地址', 'Updated from'], address),
  },
  list: {
    columns: [
      'code',
      'name',
      'description',
      'owner',
      'instances',
      'maintenance',
      'enabled',
      'allowedCount',
      'secret',
      'secretExpiresAt',
      'creator',
      'createdAt',
      'createdAddress',
      'updater',
      'updatedAt',
      'updatedAddress',
    ],
    hidden: ['description', 'creator', 'createdAddress', 'updater', 'updatedAddress'],
    filters: ['enabled', 'live', 'maintenance', 'owner'],
    sort: 'code',
    link: 'code',
    export: true,
  },
  form: {
    sections: [{ title: ['服务', 'Service'], fields: ['code', 'name', 'description', 'owner'] }],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['服务', 'Service'],
        fields: ['code', 'name', 'description', 'owner', 'instances', 'builtin', 'enabled'],
      },
      {
        title: ['维护', 'Maintenance'],
        fields: ['maintenance', 'maintenanceText', 'maintenanceUntil'],
      },
    ],
  },
  actions: {
    create: {
      on: 'page',
      label: ['新增', 'Add'],
      element: 'btn_add',
      tone: 'primary',
      message: ['服务已创建', 'The service was made'],
    },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    ...secretActions({ add: 'btn_secret', end: 'btn_secret' }),
    allow: {
      on: 'row',
      label: ['授权服务', 'Allowed services'],
      element: 'btn_clientManager',
      input: {
        targets: refs('serviceClient', ['可调用的服务', 'Services it may call'], { max: 100 }),
      },
    },
    maintain: {
      on: 'row',
      label: ['开始维护', 'Maintain'],
      element: 'btn_maintenance',
      input: {
        text: text(['说明', 'What callers are told'], { required: true, min: 2, max: 200 }),
        until: instant(['维护至', 'Until'], { required: true }),
      },
    },
    resume: {
      on: 'row',
      label: ['结束维护', 'End maintenance'],
      element: 'btn_maintenance',
      confirm: ['结束「{name}」的维护？', 'End the maintenance of "{name}"?'],
    },
    enable: { on: 'row', label: ['启用', 'Enable'], element: 'btn_enable' },
    disable: {
      on: 'row',
      label: ['停用', 'Disable'],
      element: 'btn_enable',
      tone: 'danger',
      confirm: [
        '停用「{name}」？它的令牌立即失效，网关不再转发到它。',
        'Disable "{name}"? Its tokens end at once, and the gateway sends nothing to it.',
      ],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      confirm: ['删除「{name}」及其凭证？', 'Delete "{name}" and its credential?'],
    },
  },
});

export interface ServiceClientRow extends Row<typeof serviceClient> {}

/** Who calls a service and whom it calls. */
export interface ServiceMap {
  readonly callers: readonly { readonly id: string; readonly code: string; readonly name: string }[];
  readonly callees: readonly { readonly id: string; readonly code: string; readonly name: string }[];
}
