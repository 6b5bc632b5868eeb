import { definePage } from '../../../kernel/contract/page.ts';
import {
  boolean,
  choice,
  code,
  integer,
  longText,
  text,
  type Fields,
} from '../../../kernel/contract/fields.ts';

/** Menus whose hiding would lock everybody out. */
export const NEVER_HIDDEN: readonly string[] = ['menuManager', 'groupManager', 'userManager'];

/** The inputs of a menu, checked by the same rules on both sides. */
export const menuFields = {
  code: code(['编码', 'Code'], {
    required: true,
    createOnly: true,
    min: 2,
    max: 60,
    pattern: {
      source: '[a-zA-Z][a-zA-Z0-9_]*',
      message: [
        '以字母开头，仅限字母、数字、下划线',
        'Starts with a letter; letters, digits and underscores only',
      ],
    },
  }),
  titleZh: text(['中文标题', 'Chinese title'], { required: true, max: 20 }),
  titleEn: text(['英文标题', 'English title'], { required: true, max: 40 }),
  type: choice(
    ['类型', 'Type'],
    {
      menu: { label: ['菜单', 'Menu'] },
      dirt: { label: ['目录', 'Directory'] },
      sys: { label: ['系统', 'System'] },
      link: { label: ['外链', 'Link'] },
    },
    { required: true },
  ),
  url: text(['链接地址', 'URL'], {
    max: 500,
    pattern: {
      source: 'https:\\/\\/[^\\s]+',
      message: ['请输入 https 开头的地址', 'Please enter an address that begins with https'],
    },
  }),
  openIn: choice(
    ['打开方式', 'Opens in'],
    {
      window: { label: ['新窗口', 'New window'] },
      frame: { label: ['框架内标签页', 'Tab of the frame'] },
    },
    {
      help: ['对方网站须允许被嵌入，否则请选新窗口', 'A site that refuses to be embedded needs a new window'],
    },
  ),
  icon: text(['图标', 'Icon'], { max: 60 }),
  sort: integer(['排序', 'Order'], { min: 0, max: 999_999 }),
  hidden: boolean(['隐藏', 'Hidden'], {
    help: ['不在侧边菜单显示，仍可访问', 'Not in the side menu, can still be opened'],
  }),
  noCache: boolean(['不缓存', 'No cache'], {
    help: ['离开标签页后不保留内容', 'Its content is not kept when the tab is left'],
  }),
  subCache: boolean(['缓存子页', 'Cache sub-pages'], {
    help: [
      '其详情、表单等子页即使标为不缓存，也保留内容',
      'Its detail and form pages keep their content even where they are marked not to be cached',
    ],
  }),
  description: longText(['描述', 'Description'], { max: 200 }),
} satisfies Fields;

/** The inputs of an element. */
export const elementFields = {
  code: code(['编码', 'Code'], {
    required: true,
    createOnly: true,
    max: 120,
    pattern: {
      source: '[A-Za-z0-9_]+:btn_[a-zA-Z]+',
      message: ['格式为 菜单编码:btn_动作', 'The form is menuCode:btn_action'],
    },
  }),
  type: choice(
    ['类型', 'Type'],
    { button: { label: ['按钮', 'Button'] }, uri: { label: ['接口', 'URI'] } },
    { required: true },
  ),
  name: text(['名称', 'Name'], { required: true, min: 2, max: 20 }),
  nameEn: text(['英文名称', 'English name'], { required: true, min: 2, max: 60 }),
  uri: text(['地址', 'URI'], { max: 200 }),
  method: choice(
    ['请求方式', 'Method'],
    {
      GET: { label: ['GET', 'GET'] },
      POST: { label: ['POST', 'POST'] },
      PUT: { label: ['PUT', 'PUT'] },
      DELETE: { label: ['DELETE', 'DELETE'] },
    },
    { required: true },
  ),
  description: text(['描述', 'Description'], { max: 200 }),
} satisfies Fields;

/** A menu of the side menu with its elements. */
export const menuManager = definePage({
  name: 'menu',
  menu: 'menuManager',
  title: ['菜单管理', 'Menus'],
  purpose: [
    '菜单的标题、图标、顺序，以及每个菜单下的按钮',
    'Titles, icons and order of menus, and the elements of each',
  ],
  elements: {
    btn_add: ['新增', 'Add'],
    btn_edit: ['编辑', 'Edit'],
    btn_del: ['删除', 'Delete'],
    btn_element: ['按钮管理', 'Elements'],
    btn_element_add: ['新增按钮', 'Add element'],
    btn_element_edit: ['编辑按钮', 'Edit element'],
    btn_element_del: ['删除按钮', 'Delete element'],
    btn_check: ['自检', 'Check'],
    btn_export: ['导出', 'Export'],
    btn_import: ['导入', 'Import'],
  },
});
