import { boolean, choice, instant, integer, longText, ref, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

/** A rule from which addresses an account may sign in, or need not enter the verification code. */
export const whitelist = defineResource({
  name: 'whitelist',
  menu: 'WhiteManage',
  base: '/admin',
  titleField: 'range',
  title: ['登录白名单', 'Login whitelist'],
  noun: ['白名单规则', 'Whitelist rule'],
  purpose: [
    '限制账号只能从指定地址登录，或免输验证码',
    'Limits accounts to addresses, or saves them the verification code',
  ],
  fields: {
    staff: ref('whitelistAccount', ['账号', 'Account'], { search: 'in', width: 140 }),
    range: text(['地址/网段', 'Address'], {
      search: 'equals',
      max: 50,
      width: 170,
      help: ['IPv4、IPv6 或网段，如 10.0.0.0/8', 'IPv4, IPv6 or a range such as 10.0.0.0/8'],
    }),
    purpose: choice(
      ['用途', 'Purpose'],
      { allow: { label: ['允许登录', 'Allow sign-in'] }, skip_code: { label: ['免验证码', 'Skip code'] } },
      { required: true, createOnly: true, search: 'in', width: 110 },
    ),
    live: choice(
      ['状态', 'State'],
      {
        live: { label: ['生效', 'Live'], tone: 'success' },
        waiting: { label: ['未生效', 'Not yet'], tone: 'default' },
        disabled: { label: ['停用', 'Disabled'], tone: 'error' },
        expired: { label: ['已过期', 'Expired'], tone: 'default' },
      },
      { readOnly: true, search: 'in', width: 100 },
    ),
    startsAt: instant(['生效时间', 'Starts'], { width: 120 }),
    expiresAt: instant(['到期时间', 'Expires'], {
      sortable: true,
      width: 120,
      help: ['免验证码必填，最长365天', 'Needed for skip code, at most 365 days'],
    }),
    reason: longText(['原因', 'Reason'], { required: true, min: 4, max: 100, width: 200 }),
    endSessions: boolean(['立即踢出不符合的会话', 'End sessions that no longer fit']),
    hits: integer(['命中次数', 'Hits'], { readOnly: true, sortable: true, width: 90 }),
    lastHitAt: instant(['最近命中', 'Last hit'], { readOnly: true, width: 120 }),
    creator: text(['创建人', 'Created by'], { readOnly: true, width: 100 }),
    createdAt: instant(['创建时间', 'Created'], { readOnly: true, sortable: true, width: 120 }),
  },
  list: {
    columns: [
      'staff',
      'range',
      'purpose',
      'live',
      'expiresAt',
      'reason',
      'hits',
      'lastHitAt',
      'creator',
      'createdAt',
    ],
    filters: ['staff', 'range', 'purpose', 'live'],
    sort: '-createdAt',
    link: 'range',
    export: true,
  },
  form: {
    sections: [
      {
        title: ['规则', 'Rule'],
        note: ['账号和地址至少填一项', 'An account or an address is needed'],
        fields: ['staff', 'range', 'purpose', 'startsAt', 'expiresAt', 'reason', 'endSessions'],
      },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['规则', 'Rule'],
        fields: [
          'staff',
          'range',
          'purpose',
          'live',
          'startsAt',
          'expiresAt',
          'reason',
          'hits',
          'lastHitAt',
          'creator',
          'createdAt',
        ],
      },
    ],
  },
  elements: { btn_hit: ['命中记录', 'Hits'], btn_import: ['导入', 'Import'] },
  actions: {
    test: {
      on: 'page',
      label: ['登录测试', 'Test a sign-in'],
      element: 'btn_test',
      input: {
        staff: ref('whitelistAccount', ['账号', 'Account'], { required: true }),
        address: text(['地址', 'Address'], { required: true, max: 45 }),
      },
    },
    enforce: {
      on: 'page',
      label: ['全员地址限制', 'Enforce for all'],
      element: 'btn_enforce',
      input: {
        on: boolean(['对所有账号启用地址限制', 'Address rules bind every account'], { required: true }),
      },
    },
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    enable: { on: 'rowAndBulk', label: ['启用', 'Enable'], element: 'btn_enable' },
    disable: {
      on: 'rowAndBulk',
      label: ['停用', 'Disable'],
      element: 'btn_enable',
      confirm: ['停用这条规则？', 'Disable this rule?'],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      confirm: ['删除这条规则？命中记录保留90天。', 'Delete this rule? Its hits are kept for 90 days.'],
    },
  },
});

export interface Whitelist extends Row<typeof whitelist> {}
