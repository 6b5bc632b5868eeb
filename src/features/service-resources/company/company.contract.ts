import {
  boolean,
  choice,
  code,
  date,
  decimal,
  email,
  integer,
  json,
  longText,
  personName,
  phone,
  ref,
  refs,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';

export const COMPANY_MENU = 'tenantManager';
const reason = { reason: longText(['原因', 'Reason'], { required: true, min: 2, max: 200 }) } as const;

const FIRST = ['首个管理员账号 {account}', 'First administrator {account}'] as const;

/** Kinds of tenants that are looked after here. */
export const TENANT_KINDS = {
  company: { label: ['公司', 'Company'], code: 1 },
  platform: { label: ['平台', 'Platform'], code: 3 },
  city: { label: ['中心城市', 'Centre city'], code: 4 },
} as const;

/** Kinds a package is made for. */
export const PACKAGE_KINDS = {
  company: { label: ['公司', 'Company'] },
  city: { label: ['中心城市', 'Centre city'] },
} as const;

const PEM = { secret: true, max: 20_000 } as const;
const name = text(['公司名称', 'Name'], {
  required: true,
  keyword: true,
  sortable: true,
  min: 2,
  max: 60,
  width: 200,
});
const address = text(['地址', 'Address'], { max: 120 });
const contact = personName(['联系人', 'Contact'], { required: true, width: 90 });
const contactPhone = phone(['电话', 'Phone'], {
  required: true,
  width: 120,
  pattern: {
    source: '[0-9+\\- ]{5,20}',
    message: ['请输入手机号或座机', 'Please enter a mobile or landline number'],
  },
});
const mail = email(['邮箱', 'E-mail'], { required: true, width: 160 });
const projects = refs('freeProject', ['项目', 'Projects'], {
  required: true,
  max: 200,
  width: 180,
  help: ['一个项目只属于一家公司和一个中心城市', 'A project belongs to one company and one centre city'],
});
const tenantPackageRef = ref('tenantPackage', ['套餐', 'Package'], {
  required: true,
  search: 'in',
  width: 130,
});
const expiresOn = date(['到期日', 'Expires'], { sortable: true, width: 110 });
const intro = longText(['简介', 'Introduction'], { max: 500 });

/** Property companies, centre cities and the platform itself. */
export const tenantCompany = defineResource({
  name: 'tenantCompany',
  menu: COMPANY_MENU,
  title: ['公司', 'Companies'],
  noun: ['公司', 'Company'],
  titleField: 'name',
  stamps: true,
  sensitive: true,
  purpose: [
    '公司与中心城市：项目、套餐、到期与首个管理员；套餐是其权限与员工数的上限',
    'Companies and centre cities: projects, package, end and first administrator; the package bounds their rights and staff',
  ],
  fields: {
    account: code(['账号', 'Account'], { readOnly: true, sortable: true, keyword: true, width: 110 }),
    name,
    kind: choice(['类型', 'Kind'], TENANT_KINDS, { readOnly: true, search: 'in', width: 100 }),
    licenceNo: text(['执照号', 'Licence no.'], {
      max: 18,
      width: 180,
      help: [
        '公司必填：18 位统一社会信用代码',
        'Required for companies: the unified social credit code of 18 characters',
      ],
    }),
    city: ref('companyCity', ['城市', 'City'], {
      width: 110,
      help: ['中心城市必填', 'Required for centre cities'],
    }),
    address,
    legalPerson: personName(['法人', 'Legal person']),
    foundedOn: date(['成立日期', 'Founded on']),
    registeredCapital: integer(['注册资本', 'Registered capital'], {
      min: 0,
      max: 9_999_999,
      unit: ['万元', '10,000 yuan'],
    }),
    contact,
    phone: contactPhone,
    email: mail,
    projects,
    package: tenantPackageRef,
    expiresOn,
    expiresWithin: integer(['几天内到期', 'Expires within days'], {
      readOnly: true,
      search: 'equals',
      min: 0,
      max: 999,
    }),
    maxStaff: integer(['员工上限', 'Staff limit'], {
      min: 1,
      max: 99_999,
      help: ['留空按套餐', 'Empty: as the package says'],
    }),
    staffUsed: integer(['员工数', 'Staff'], { readOnly: true, width: 80 }),
    staffLimit: integer(['上限', 'Limit'], { readOnly: true, width: 80 }),
    intro,
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 90 }),
    alipayName: text(['商户名称', 'Merchant name'], { max: 40, createOnly: true }),
    alipayPartner: text(['合作者身份（PID）', 'Partner id'], { secret: true, max: 32, createOnly: true }),
    alipayAppId: text(['应用 ID', 'App id'], { max: 64, createOnly: true }),
    alipayPrivateKey: longText(['应用私钥', 'Private key'], { ...PEM, createOnly: true }),
    alipayPublicKey: longText(['支付宝公钥', 'Public key of Alipay'], { ...PEM, createOnly: true }),
    alipayFee: decimal(['费率', 'Fee rate'], {
      min: 0,
      max: 100,
      scale: 3,
      unit: ['‰', '‰'],
      createOnly: true,
    }),
    wechatName: text(['商户名称', 'Merchant name'], { max: 40, createOnly: true }),
    wechatMerchantNo: text(['商户号', 'Merchant no.'], { secret: true, max: 32, createOnly: true }),
    wechatAppId: text(['应用 ID', 'App id'], { max: 64, createOnly: true }),
    wechatApiKey: text(['API v3 密钥', 'API v3 key'], { secret: true, min: 32, max: 32, createOnly: true }),
    wechatCertificate: longText(['商户证书', 'Merchant certificate'], { ...PEM, createOnly: true }),
    wechatPrivateKey: longText(['商户私钥', 'Private key'], { ...PEM, createOnly: true }),
    wechatFee: decimal(['费率', 'Fee rate'], {
      min: 0,
      max: 100,
      scale: 3,
      unit: ['‰', '‰'],
      createOnly: true,
    }),
  },
  list: {
    columns: [
      'account',
      'name',
      'kind',
      'licenceNo',
      'contact',
      'phone',
      'email',
      'projects',
      'package',
      'staffUsed',
      'staffLimit',
      'expiresOn',
      'enabled',
    ],
    hidden: ['email'],
    filters: ['enabled', 'kind', 'package', 'expiresWithin'],
    sort: '-createdAt',
    link: 'name',
    export: [
      'account',
      'name',
      'kind',
      'licenceNo',
      'contact',
      'phone',
      'email',
      'projects',
      'package',
      'staffUsed',
      'staffLimit',
      'expiresOn',
      'enabled',
    ],
    empty: ['还没有公司', 'No companies yet'],
  },
  form: {
    as: 'steps',
    sections: [
      {
        title: ['基本信息', 'Basics'],
        fields: [
          'name',
          'licenceNo',
          'city',
          'address',
          'legalPerson',
          'foundedOn',
          'registeredCapital',
          'contact',
          'phone',
          'email',
          'projects',
          'package',
          'expiresOn',
          'maxStaff',
          'intro',
        ],
      },
      {
        title: ['支付宝', 'Alipay'],
        note: [
          '可选；保存为草稿收款账户，审批与测试后启用。密钥只写不读，之后在收款账户中更换',
          'Optional. Kept as a draft payee account, in use after approval and a test. Keys are never shown; they are changed there later',
        ],
        fields: [
          'alipayName',
          'alipayPartner',
          'alipayAppId',
          'alipayPrivateKey',
          'alipayPublicKey',
          'alipayFee',
        ],
      },
      {
        title: ['微信支付', 'WeChat Pay'],
        note: ['可选，同上', 'Optional, likewise'],
        fields: [
          'wechatName',
          'wechatMerchantNo',
          'wechatAppId',
          'wechatApiKey',
          'wechatCertificate',
          'wechatPrivateKey',
          'wechatFee',
        ],
      },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['基本信息', 'Basics'],
        fields: [
          'name',
          'kind',
          'licenceNo',
          'city',
          'address',
          'legalPerson',
          'foundedOn',
          'registeredCapital',
          'contact',
          'phone',
          'email',
          'intro',
          'enabled',
        ],
      },
      {
        title: ['套餐与项目', 'Package and projects'],
        fields: ['package', 'expiresOn', 'maxStaff', 'staffUsed', 'staffLimit', 'projects'],
      },
    ],
  },
  actions: {
    create: {
      on: 'page',
      label: ['新增公司', 'Add company'],
      element: 'btn_addCompany',
      tone: 'primary',
      message: FIRST,
    },
    addCity: {
      on: 'page',
      label: ['新增中心城市', 'Add centre city'],
      element: 'btn_addCity',
      input: {
        city: ref('companyCity', ['城市', 'City'], { required: true }),
        address,
        contact,
        phone: contactPhone,
        email: mail,
        cityProjects: refs('freeCityProject', ['项目', 'Projects'], { required: true, max: 200 }),
        package: ref('tenantPackage', ['套餐', 'Package'], { required: true }),
        expiresOn,
        intro,
      },
      message: FIRST,
    },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    enable: { on: 'row', label: ['启用', 'Enable'], element: 'btn_enable', remark: 'reason', input: reason },
    disable: {
      on: 'row',
      label: ['禁用', 'Disable'],
      element: 'btn_disable',
      tone: 'danger',
      input: reason,
      confirm: ['禁用后其员工立即下线', 'Its staff are signed out at once'],
    },
    resetPassword: {
      on: 'row',
      label: ['重置密码', 'Reset password'],
      element: 'btn_resetPwd',
      tone: 'danger',
      confirm: [
        '为「{name}」的首个管理员生成新密码，其登录立即失效',
        'A new password for the first administrator of "{name}"; its sessions end at once',
      ],
      message: FIRST,
    },
  },
});

/** What a tenant may hold: the ceiling of its groups and of its staff. */
export const tenantPackage = defineResource({
  name: 'tenantPackage',
  menu: COMPANY_MENU,
  title: ['套餐', 'Packages'],
  noun: ['套餐', 'Package'],
  deletable: 'unused',
  stamps: true,
  fields: {
    name: text(['套餐名称', 'Name'], {
      required: true,
      keyword: true,
      sortable: true,
      min: 2,
      max: 40,
      width: 180,
    }),
    kind: choice(['适用类型', 'For'], PACKAGE_KINDS, {
      required: true,
      createOnly: true,
      search: 'in',
      width: 110,
    }),
    rights: json(['菜单与按钮', 'Menus and buttons'], { required: true }),
    menus: integer(['菜单数', 'Menus'], { readOnly: true, width: 90 }),
    elements: integer(['按钮数', 'Buttons'], { readOnly: true, width: 90 }),
    maxStaff: integer(['员工上限', 'Staff limit'], {
      required: true,
      min: 1,
      max: 99_999,
      sortable: true,
      width: 100,
    }),
    months: integer(['时长', 'Lasts'], {
      required: true,
      min: 1,
      max: 120,
      initial: 12,
      unit: ['个月', 'months'],
      width: 90,
    }),
    tenants: integer(['使用中', 'Tenants'], { readOnly: true, width: 90 }),
    note: text(['备注', 'Note'], { max: 200, width: 200 }),
  },
  list: {
    columns: ['name', 'kind', 'menus', 'elements', 'maxStaff', 'months', 'tenants', 'note', 'updatedAt'],
    filters: ['kind'],
    sort: '-updatedAt',
    export: true,
    empty: ['还没有套餐', 'No packages yet'],
  },
  form: {
    width: 880,
    sections: [
      { title: ['套餐', 'Package'], fields: ['name', 'kind', 'maxStaff', 'months', 'note'] },
      {
        title: ['权限上限', 'Ceiling of rights'],
        note: [
          '缩小套餐会立即收回使用该套餐的公司各权限组中超出的权限',
          'Making a package smaller takes what is beyond from the groups of every tenant that holds it',
        ],
        fields: ['rights'],
      },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['套餐', 'Package'],
        fields: ['name', 'kind', 'menus', 'elements', 'maxStaff', 'months', 'tenants', 'note'],
      },
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增套餐', 'Add package'], element: 'btn_package', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_package' },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_package',
      tone: 'danger',
      confirm: ['删除套餐「{name}」？', 'Delete the package "{name}"?'],
    },
  },
});
