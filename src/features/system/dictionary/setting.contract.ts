import type { Label } from '../../../kernel/contract/label.ts';
import { definePage } from '../../../kernel/contract/page.ts';
import type { SettingScope, SettingType } from '../../../kernel/contract/setting-declaration.ts';

/** The tab 系统参数: every setting key with the value in force, where it comes from, and its history. */
export const settingPage = definePage({
  name: 'setting',
  menu: 'dictManager',
  title: ['系统参数', 'Settings'],
  purpose: [
    '各业务的规则参数；项目的值优先于租户，租户优先于平台，修改后所有实例 5 秒内生效',
    'Figures the rules of all groups read; a project’s value wins over the tenant’s, that over the platform’s; changes act on every instance within 5 seconds',
  ],
  elements: {
    btn_setting: ['设置参数', 'Change a setting'],
    btn_settingReset: ['恢复默认', 'Reset to default'],
    btn_testSender: ['测试发送', 'Send a test message'],
    btn_senderSecret: ['设置发送密钥', 'Set secrets of senders'],
  },
});

/** Names of the groups a key belongs to, by number. */
export const SETTING_GROUPS: Readonly<Record<string, Label>> = {
  '00': ['平台框架', 'Frame and sign-in'],
  '01': ['运营服务', 'Operations service'],
  '02': ['权限管理', 'Permission management'],
  '03': ['服务资源', 'Service resources'],
  '04': ['服务管理', 'Service management'],
  '05': ['监控中心', 'Monitoring'],
  '06': ['物业管理', 'Property management'],
  '07': ['到家服务', 'Home services'],
  '08': ['商城', 'Mall'],
  '09': ['系统', 'System'],
  '10': ['业主圈', "Owners' circle"],
  '11': ['运营报表', 'Work-order reports'],
  '12': ['管家', 'Butler management'],
  '13': ['财务结算', 'Finance and settlement'],
  '14': ['美居', 'Home furnishing'],
  '15': ['基础数据', 'Base data'],
  '16': ['营销', 'Marketing'],
  '17': ['公共资源', 'Public resources'],
  '18': ['统计分析', 'Statistics'],
  '19': ['生活服务', 'Life service'],
  '20': ['商业客户', 'Commercial clients'],
  '21': ['售后管理', 'After-sales'],
  '22': ['积分账户', 'Points accounts'],
};

/** Where a value comes from. */
export const SETTING_SOURCES = {
  default: ['默认', 'Default'],
  platform: ['平台', 'Platform'],
  tenant: ['租户', 'Tenant'],
  project: ['项目', 'Project'],
} as const satisfies Readonly<Record<string, Label>>;
export type SettingSource = keyof typeof SETTING_SOURCES;

/** A key as the list shows it, for the place that was asked for. Values as they travel, with their words. */
export interface SettingRow {
  readonly key: string;
  readonly name: string;
  readonly group: string;
  readonly groupName: string;
  readonly type: SettingType;
  readonly value: unknown;
  readonly text: string;
  readonly defaultValue: unknown;
  readonly defaultText: string;
  readonly unit: string | null;
  readonly limits: string | null;
  readonly scopes: readonly SettingScope[];
  readonly source: SettingSource;
  /** Whether a value is set at the very place that was asked for. */
  readonly setHere: boolean;
  /** How many tenants and projects have a value of their own. */
  readonly overrides: number;
  readonly changedBy: string | null;
  readonly changedAt: string | null;
  /** Number of the last change at this place; 0: none yet. */
  readonly version: number;
  /** Menu of the screen that alone may change it. */
  readonly keptOn: string | null;
  /** Input of the value, as a form field needs it. */
  readonly input: {
    readonly min: number | null;
    readonly max: number | null;
    readonly choices: Readonly<Record<string, string>> | null;
  };
}

/** A tenant or project with a value of its own. */
export interface SettingOverride {
  readonly scope: 'tenant' | 'project';
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly changedBy: string | null;
  readonly changedAt: string;
}

/** One change of a key. */
export interface SettingChange {
  readonly id: string;
  readonly at: string;
  readonly who: string;
  readonly scope: SettingScope;
  readonly place: string | null;
  /** Null: there was, or is, no value of this place. */
  readonly before: string | null;
  readonly after: string | null;
  /** The value before it can be put back. */
  readonly undoable: boolean;
  /** Number of the last change at its place. */
  readonly version: number;
}

/** What the page of settings answers. */
export interface SettingPage {
  readonly total: number;
  readonly rows: readonly SettingRow[];
  readonly groups: readonly { readonly group: string; readonly name: string; readonly count: number }[];
}
