import { definePage } from '../../../kernel/contract/page.ts';
import { boolean, code, text, type Fields } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';

/** What can be done with groups; the same elements exist under groupManager and roleManager. */
export const GROUP_ELEMENTS = {
  btn_add: ['新增', 'Add'],
  btn_edit: ['编辑', 'Edit'],
  btn_del: ['删除', 'Delete'],
  btn_copy: ['复制', 'Copy'],
  btn_resourceManager: ['权限分配', 'Grants'],
  btn_userManager: ['关联用户', 'Members'],
  btn_history: ['历史', 'History'],
  btn_export: ['导出', 'Export'],
} as const satisfies Readonly<Record<string, Label>>;

/** The inputs of a group, checked by the same rules on both sides. */
export const groupFields = {
  name: text(['名称', 'Name'], { required: true, min: 2, max: 20 }),
  code: code(['编码', 'Code'], {
    required: true,
    min: 3,
    max: 30,
    pattern: {
      source: '[a-zA-Z][a-zA-Z0-9_]*',
      message: [
        '以字母开头，仅限字母、数字、下划线',
        'Starts with a letter; letters, digits and underscores only',
      ],
    },
  }),
  description: text(['描述', 'Description'], { max: 200 }),
  enabled: boolean(['启用', 'Enabled'], {
    help: ['停用后成员立即失去该角色的权限', 'Members lose its rights at once when it is off'],
  }),
} satisfies Fields;

/** A set of rights with leaders and members, kept as a tree by type. */
export const groupManager = definePage({
  name: 'permissionGroup',
  menu: 'groupManager',
  title: ['角色权限管理', 'Groups and permissions'],
  purpose: [
    '谁属于哪个角色，角色能看到什么、能做什么',
    'Who is in which group, and what a group may see and do',
  ],
  elements: GROUP_ELEMENTS,
});
