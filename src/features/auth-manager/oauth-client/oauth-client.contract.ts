import {
  boolean,
  choice,
  code,
  instant,
  integer,
  longText,
  ref,
  tags,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { GRANTS } from './oauth-client.rules.ts';
import { secretActions } from '../../../domain/oauth/secret-actions.contract.ts';

const secrets = secretActions({ add: 'btn_secret_add', end: 'btn_secret_del' });

/** A program that may ask for tokens: exactly what the token endpoint checks. */
export const oauthClient = defineResource({
  name: 'oauthClient',
  menu: 'oauthClientDetailsManager',
  base: '/admin',
  title: ['客户端管理', 'OAuth clients'],
  noun: ['客户端', 'OAuth client'],
  purpose: [
    '可以向本系统申请令牌的程序；停用后立即不能再取得令牌，已有令牌 1 秒内失效',
    'Programs that may ask for tokens; one that is switched off gets no more, and its live tokens end within a second',
  ],
  stamps: true,
  sensitive: true,
  fields: {
    code: code(['客户端ID', 'Client id'], {
      required: true,
      createOnly: true,
      keyword: true,
      sortable: true,
      min: 3,
      max: 40,
      width: 150,
      pattern: {
        source: '[a-z][a-z0-9-]{2,39}',
        message: [
          '3至40位小写字母、数字、连字符，以字母开头',
          '3 to 40 small letters, digits and hyphens, beginning with a letter',
        ],
      },
    }),
    name: text(['名称', 'Name'], {
      required: true,
      keyword: true,
      sortable: true,
      min: 2,
      max: 40,
      width: 150,
    }),
    type: choice(
      ['类型', 'Type'],
      {
        confidential: { label: ['机密', 'Confidential'] },
        public: { label: ['公开', 'Public'] },
      },
      {
        required: true,
        createOnly: true,
        initial: 'confidential',
        width: 120,
        help: [
          '公开：网页或手机应用，不能保管密钥，只用 PKCE 证明自己',
          'Public: a page or a phone app that cannot keep a secret; PKCE alone proves it',
        ],
      },
    ),
    builtin: boolean(['本系统', 'First-party'], { readOnly: true, width: 80 }),
    grantTypes: tags(['授权类型', 'Grant types'], { required: true, max: 3, width: 170 }),
    grant: choice(['授权类型', 'Grant'], GRANTS, { readOnly: true, search: 'in' }),
    scopes: tags(['范围', 'Scopes'], { required: true, max: 40, width: 200 }),
    redirectUris: tags(['回调地址', 'Redirect URIs'], {
      max: 10,
      width: 220,
      help: [
        'https，或本机的 http；必须与请求完全一致，不支持通配符',
        'https, or http on this machine; matched exactly, no wildcards',
      ],
    }),
    autoApprove: tags(['免确认范围', 'Scopes nobody is asked about'], {
      max: 40,
      help: ['只能选择上面的范围', 'Only scopes chosen above'],
    }),
    accessSeconds: integer(['访问时长', 'Access seconds'], {
      required: true,
      min: 300,
      max: 43_200,
      initial: 7200,
      unit: ['秒', 's'],
      sortable: true,
      width: 145,
    }),
    refreshSeconds: integer(['刷新时长', 'Refresh seconds'], {
      required: true,
      min: 3600,
      max: 2_592_000,
      initial: 604_800,
      unit: ['秒', 's'],
      sortable: true,
      width: 145,
    }),
    allowAddresses: tags(['允许地址', 'Allowed addresses'], {
      max: 50,
      help: ['IP 或网段，留空不限', 'Addresses or ranges; empty: any'],
    }),
    ratePerMinute: integer(['每分钟请求上限', 'Rate per minute'], {
      required: true,
      min: 1,
      max: 6000,
      initial: 600,
      help: ['申请令牌的次数', 'Requests for tokens'],
    }),
    owner: ref('clientOwner', ['负责人', 'Owner'], { search: 'in', width: 100 }),
    description: longText(['描述', 'Description'], { max: 200 }),
    secrets: integer(['密钥', 'Secrets'], { readOnly: true, width: 185 }),
    secretExpiresAt: instant(['密钥到期', 'Nearest expiry'], { readOnly: true, sortable: true, width: 150 }),
    secretExpiring: boolean(['密钥30天内到期', 'Secret ends within 30 days'], {
      readOnly: true,
      search: 'equals',
    }),
    tokens: integer(['有效令牌', 'Live tokens'], { readOnly: true, width: 90 }),
    lastUsedAt: instant(['最近使用', 'Last used'], { readOnly: true, sortable: true, width: 150 }),
    unused: boolean(['90天未使用', 'Unused for 90 days'], { readOnly: true, search: 'equals' }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 80 }),
  },
  list: {
    columns: [
      'code',
      'name',
      'type',
      'enabled',
      'builtin',
      'grantTypes',
      'secrets',
      'tokens',
      'scopes',
      'redirectUris',
      'lastUsedAt',
      'accessSeconds',
      'refreshSeconds',
      'secretExpiresAt',
      'owner',
      'updatedAt',
    ],
    hidden: ['builtin', 'redirectUris', 'refreshSeconds', 'secretExpiresAt', 'owner', 'updatedAt'],
    filters: ['grant', 'enabled', 'secretExpiring', 'unused', 'owner'],
    sort: 'code',
    link: 'code',
    export: [
      'code',
      'name',
      'type',
      'builtin',
      'grantTypes',
      'scopes',
      'redirectUris',
      'accessSeconds',
      'refreshSeconds',
      'ratePerMinute',
      'allowAddresses',
      'secrets',
      'secretExpiresAt',
      'tokens',
      'lastUsedAt',
      'owner',
      'enabled',
    ],
  },
  form: {
    width: 640,
    sections: [
      { title: ['程序', 'Program'], fields: ['code', 'name', 'type', 'owner', 'description'] },
      {
        title: ['可以申请什么', 'What it may ask for'],
        note: [
          '代表员工：authorization_code 与 openid、profile、菜单组；代表自己：client_credentials 与数据范围',
          'For a staff: authorization_code with openid, profile and menu groups; for itself: client_credentials with data scopes',
        ],
        fields: ['grantTypes', 'scopes', 'redirectUris', 'autoApprove'],
      },
      {
        title: ['限制', 'Limits'],
        fields: ['accessSeconds', 'refreshSeconds', 'allowAddresses', 'ratePerMinute'],
      },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['程序', 'Program'],
        fields: ['code', 'name', 'type', 'builtin', 'enabled', 'owner', 'description', 'lastUsedAt'],
      },
      {
        title: ['可以申请什么', 'What it may ask for'],
        fields: ['grantTypes', 'scopes', 'redirectUris', 'autoApprove'],
      },
      {
        title: ['限制', 'Limits'],
        fields: ['accessSeconds', 'refreshSeconds', 'allowAddresses', 'ratePerMinute'],
      },
    ],
  },
  elements: { btn_token: ['令牌列表', 'Tokens'], btn_test: ['测试', 'Test'] },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    ...secrets,
    addSecret: { ...secrets.addSecret, message: ['密钥已生成', 'The secret was made'] },
    revoke: {
      on: 'row',
      label: ['撤销令牌', 'Revoke tokens'],
      element: 'btn_token_revoke',
      tone: 'danger',
      opens: 'screen',
      untouched: true,
      input: {
        kind: choice(
          ['类型', 'Kind'],
          {
            session: { label: ['员工令牌', 'Token of a staff'] },
            client: { label: ['程序令牌', 'Token of the program'] },
            refresh: { label: ['刷新令牌', 'Refresh token'] },
            staff: { label: ['该员工的全部', 'All of a staff'] },
            all: { label: ['全部', 'All'] },
          },
          { required: true },
        ),
        token: text(['令牌', 'Token'], { max: 20 }),
      },
      message: ['已撤销 {count} 个令牌', '{count} {count|token|tokens} revoked'],
    },
    enable: { on: 'rowAndBulk', label: ['启用', 'Enable'], element: 'btn_enable' },
    disable: {
      on: 'rowAndBulk',
      label: ['停用', 'Disable'],
      element: 'btn_enable',
      tone: 'danger',
      confirm: [
        '停用「{name}」？它不能再取得令牌，已有令牌立即失效。',
        'Disable "{name}"? It gets no more tokens, and those it has end at once.',
      ],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      confirm: [
        '删除「{name}」？密钥与令牌一并删除，不能恢复。',
        'Delete "{name}"? Its secrets and tokens go with it, for good.',
      ],
      input: {
        confirmCode: text(['输入客户端ID以确认', 'Type the client id to confirm'], {
          max: 40,
          help: ['有有效令牌时必填', 'Needed while tokens are live'],
        }),
      },
    },
  },
});

export interface OauthClientRow extends Row<typeof oauthClient> {}

/** A live secret of a client, as the detail tells of it. */
export interface SecretPart {
  readonly id: string;
  readonly hint: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
}

/** A live token of a client. */
export interface TokenPart {
  readonly id: string;
  readonly kind: 'session' | 'client' | 'refresh';
  readonly staffId: string | null;
  readonly account: string;
  readonly scopes: readonly string[];
  readonly issuedAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string;
  readonly address: string;
  readonly device: string;
}
