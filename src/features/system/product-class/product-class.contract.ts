import { boolean, image, integer, percent, ref, refs, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

/** A class of products of a business, up to three levels deep. */
export const productClass = defineResource({
  name: 'productClass',
  menu: 'Proclass',
  title: ['商品分类', 'Product classes'],
  noun: ['分类', 'Class'],
  titleField: 'label',
  purpose: [
    '每个业务的商品分类，最多三级；停用后不再可选',
    'Classes of the products of each business, three levels at most; stopped ones can no longer be chosen',
  ],
  stamps: true,
  tree: { parent: 'parent', maxDepth: 3 },
  deletable: 'unused',
  fields: {
    business: ref('anyBusiness', ['业务', 'Business'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 110,
    }),
    parent: ref('productClassAbove', ['上级分类', 'Parent'], {
      createOnly: true,
      search: 'in',
      width: 140,
      help: ['不选为一级；之后在树中拖动', 'Empty: top level; later moved in the tree'],
    }),
    // The top level says whose it is, as the tree holds all businesses.
    label: text(['分类', 'Class'], { readOnly: true, width: 170 }),
    labelEn: text(['英文分类', 'Class in English'], { readOnly: true, width: 170 }),
    name: text(['名称', 'Name'], { required: true, keyword: true, sortable: true, max: 20, width: 140 }),
    nameEn: text(['英文名称', 'English name'], { required: true, keyword: true, max: 20, width: 150 }),
    path: text(['路径', 'Path'], { readOnly: true, width: 220 }),
    pathEn: text(['英文路径', 'Path in English'], { readOnly: true, width: 220 }),
    // Those below a class follow it, in their order.
    place: text(['位置', 'Place'], { readOnly: true, sortable: true }),
    image: image(['图片', 'Image'], { width: 70 }),
    sort: integer(['排序', 'Order'], {
      sortable: true,
      readOnly: true,
      width: 80,
      help: ['在树中拖动调整', 'Changed by dragging in the tree'],
    }),
    tenants: refs('merchant', ['可用商户', 'Merchants'], {
      search: 'in',
      width: 160,
      help: ['不选为全部商户', 'Empty: all merchants'],
    }),
    commission: percent(['建议佣金', 'Suggested commission'], {
      min: 0,
      max: 100,
      width: 110,
      unit: ['%', '%'],
      help: [
        '新建合作协议时预填，不参与计算',
        'Prefills the class rows of a new agreement; never used in a calculation',
      ],
    }),
    products: integer(['商品数', 'Products'], {
      readOnly: true,
      width: 90,
      help: ['含下级分类', 'With those of the classes below'],
    }),
    below: integer(['下级分类数', 'Classes below'], { readOnly: true, width: 110 }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 80 }),
  },
  list: {
    columns: [
      'image',
      'label',
      'labelEn',
      'path',
      'pathEn',
      'nameEn',
      'tenants',
      'commission',
      'products',
      'sort',
      'enabled',
    ],
    hidden: ['labelEn', 'pathEn', 'business', 'parent', 'name', 'below', 'updatedAt', 'updater'],
    filters: ['business', 'tenants', 'enabled'],
    sort: 'place',
    link: 'label',
    export: ['path', 'nameEn', 'tenants', 'commission', 'products', 'sort', 'enabled'],
  },
  form: {
    sections: [
      {
        title: ['分类', 'Class'],
        fields: ['business', 'parent', 'name', 'nameEn', 'image', 'tenants', 'commission'],
      },
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    moveProducts: {
      on: 'row',
      label: ['移动商品', 'Move products'],
      element: 'btn_move',
      input: {
        to: ref('productClassAbove', ['目标分类', 'To'], {
          required: true,
          help: ['须属于同一业务', 'Of the same business'],
        }),
        products: refs('product', ['商品', 'Products'], {
          help: ['不选为此分类及其下级的全部商品', 'Empty: all products of this class and those below'],
        }),
      },
      message: ['已移动 {n} 个商品', '{n} products moved'],
    },
    enable: {
      on: 'row',
      label: ['启用', 'Enable'],
      element: 'btn_enable',
      confirm: ['启用「{name}」及其下 {below} 个分类？', 'Enable "{name}" with {below} classes below it?'],
    },
    disable: {
      on: 'row',
      label: ['停用', 'Disable'],
      element: 'btn_enable',
      confirm: [
        '停用「{name}」及其下 {below} 个分类？不再可选，已有商品保留分类。',
        'Disable "{name}" with {below} classes below it? They can no longer be chosen; products keep them.',
      ],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      confirm: ['删除分类「{path}」？', 'Delete the class "{path}"?'],
    },
  },
  elements: { btn_import: ['导入', 'Import'] },
});

export interface ProductClass extends Row<typeof productClass> {}
