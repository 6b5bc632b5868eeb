import { images, instant, money, ref, richText } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

/** Supervision of decoration works as it is offered in a project. */
export const decorationOffer = defineResource({
  name: 'decorationOffer',
  menu: 'cs_decoreteSupervise',
  title: ['装修监理', 'Supervision offers'],
  noun: ['监理服务', 'Offer'],
  titleField: 'project',
  purpose: [
    '每个项目发布一个装修监理服务；改价须先撤回，已下单的申请保持原价',
    'One published supervision offer a project; to change it, withdraw it first. Running applications keep their price',
  ],
  stamps: true,
  copy: true,
  deletable: 'unused',
  fields: {
    project: ref('project', ['项目', 'Project'], { required: true, search: 'in', width: 180 }),
    price: money(['服务价', 'Service price'], {
      required: true,
      min: 1,
      max: 99_999_999,
      sortable: true,
      width: 120,
    }),
    // Asked for by the server: whoever may not see it leaves it as it is.
    cost: money(['成本价', 'Cost price'], {
      min: 1,
      max: 99_999_999,
      width: 120,
      help: ['必填，仅授权人员可见', 'Needed; shown to authorised staff only'],
    }),
    images: images(['宣传图', 'Pictures'], {
      required: true,
      min: 1,
      max: 9,
      width: 120,
    }),
    introduction: richText(['服务介绍', 'Introduction'], { required: true, max: 20_000 }),
    publishedAt: instant(['发布时间', 'Published at'], { readOnly: true, width: 150 }),
  },
  states: {
    draft: { label: ['未发布', 'Unpublished'], tone: 'default', code: 0 },
    published: { label: ['已发布', 'Published'], tone: 'success', code: 1 },
  },
  list: {
    columns: ['project', 'price', 'cost', 'state', 'images', 'publishedAt', 'updater', 'updatedAt'],
    filters: ['project', 'state', 'updatedAt'],
    sort: '-updatedAt',
    link: 'project',
  },
  form: {
    width: 800,
    sections: [
      { title: ['价格', 'Price'], fields: ['project', 'price', 'cost'] },
      { title: ['介绍', 'Introduction'], fields: ['images', 'introduction'] },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['服务', 'Offer'],
        fields: [
          'project',
          'price',
          'cost',
          'publishedAt',
          'images',
          'creator',
          'createdAt',
          'updater',
          'updatedAt',
        ],
      },
      { title: ['服务介绍', 'Introduction'], fields: ['introduction'] },
    ],
  },
  elements: { btn_cost: ['查看成本价', 'See the cost price'] },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary', to: 'draft' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit', from: ['draft'] },
    publish: {
      on: 'row',
      label: ['发布', 'Publish'],
      element: 'btn_publish',
      from: ['draft'],
      to: 'published',
      tone: 'primary',
      confirm: [
        '发布「{project}」的装修监理？业主可按此价格申请。',
        'Publish the offer of “{project}”? Owners can apply at this price',
      ],
    },
    withdraw: {
      on: 'row',
      label: ['撤回', 'Withdraw'],
      element: 'btn_withdraw',
      from: ['published'],
      to: 'draft',
      confirm: [
        '撤回「{project}」的装修监理？已有申请不受影响。',
        'Withdraw the offer of “{project}”? Applications go on as they are',
      ],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      from: ['draft'],
      tone: 'danger',
      confirm: ['删除「{project}」的装修监理？', 'Delete the offer of “{project}”?'],
    },
  },
});

export interface DecorationOffer extends Row<typeof decorationOffer> {}
