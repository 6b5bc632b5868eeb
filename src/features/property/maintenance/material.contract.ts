import { boolean, instant, integer, money, ref, text } from '../../../kernel/contract/fields.ts';
import { defineResource, part } from '../../../kernel/contract/resource.ts';

const ELEMENT = 'btn_material';
const seen = { readOnly: true } as const;
const input = {
  qty: integer(['数量', 'Quantity'], { required: true, min: 1, max: 99_999 }),
  reason: text(['原因', 'Reason'], { required: true, min: 2, max: 200 }),
};

/** One movement of a stock: bought, taken out, used on an order or brought back from it. */
export const materialMove = defineResource({
  name: 'materialMove',
  menu: 'cs_maintenance',
  title: ['出入库记录', 'Movements'],
  noun: ['出入库', 'Movement'],
  titleField: 'reason',
  fields: {
    material: ref('material', ['材料', 'Material'], { ...seen, search: 'in' }),
    at: instant(['时间', 'Time'], { ...seen, sortable: true, width: 150 }),
    qty: integer(['数量', 'Quantity'], { ...seen, width: 90 }),
    reason: text(['原因', 'Reason'], { ...seen, width: 200 }),
    orderCode: text(['工单', 'Order'], { ...seen, width: 170 }),
    staff: ref('staff', ['经办人', 'By'], { ...seen, width: 100 }),
  },
  list: { columns: ['at', 'qty', 'reason', 'orderCode', 'staff'], filters: ['material'], sort: '-at' },
});

/** What a project keeps in store for its repairs; never less than nothing. */
export const material = defineResource({
  name: 'material',
  menu: 'cs_maintenance',
  title: ['材料', 'Materials'],
  noun: ['材料', 'Material'],
  purpose: [
    '各项目的维修材料与库存；完成工单时自动出库，重开时退回',
    'Materials of each project: they leave the stock with a finished order and come back when it is reopened',
  ],
  stamps: true,
  fields: {
    name: text(['名称', 'Name'], { required: true, keyword: true, sortable: true, max: 40, width: 150 }),
    spec: text(['规格', 'Spec'], { keyword: true, max: 40, width: 120 }),
    unit: text(['单位', 'Unit'], { required: true, max: 10, width: 64 }),
    price: money(['单价', 'Price'], { required: true, min: 0, max: 10_000_000, sortable: true, width: 100 }),
    project: ref('project', ['项目', 'Project'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 130,
    }),
    stock: integer(['库存', 'Stock'], { ...seen, sortable: true, search: 'range', width: 90 }),
    enabled: boolean(['启用', 'Enabled'], { ...seen, search: 'equals', width: 72 }),
  },
  list: {
    columns: ['name', 'spec', 'unit', 'price', 'project', 'stock', 'enabled', 'updater', 'updatedAt'],
    hidden: ['updater'],
    filters: ['project', 'stock', 'enabled'],
    sort: 'name',
    export: ['name', 'spec', 'unit', 'price', 'project', 'stock', 'enabled'],
    exportElement: ELEMENT,
  },
  form: { sections: [{ title: ['材料', 'Material'], fields: ['project', 'name', 'spec', 'unit', 'price'] }] },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['材料', 'Material'],
        fields: ['name', 'spec', 'unit', 'price', 'project', 'stock', 'enabled'],
      },
    ],
    parts: [
      part({ key: 'moves', title: ['出入库记录', 'Movements'], resource: materialMove, by: 'material' }),
    ],
  },
  deletable: 'unused',
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: ELEMENT, tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: ELEMENT },
    stockIn: { on: 'row', label: ['入库', 'Stock in'], element: ELEMENT, input },
    stockOut: { on: 'row', label: ['出库', 'Stock out'], element: ELEMENT, input },
    enable: { on: 'row', label: ['启用', 'Enable'], element: ELEMENT },
    disable: { on: 'row', label: ['停用', 'Disable'], element: ELEMENT, tone: 'danger' },
    remove: { on: 'row', label: ['删除', 'Delete'], element: ELEMENT, tone: 'danger' },
  },
});
