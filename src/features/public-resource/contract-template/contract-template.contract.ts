import { ref, richText } from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';
import { LEDGER } from '../contract/contract.contract.ts';
import { TEMPLATE_FIELDS } from './contract-template.rules.ts';

const named = (at: 0 | 1) =>
  Object.entries(TEMPLATE_FIELDS)
    .map(([name, label]) => `{${name}} ${label[at]}`)
    .join(at === 0 ? '、' : ', ');

/** What contracts of a kind are printed with, beside their positions and plan of payments. */
export const contractTemplate = defineResource({
  name: 'contractTemplate',
  menu: LEDGER,
  title: ['打印模板', 'Print templates'],
  noun: ['打印模板', 'Template'],
  titleField: 'kind',
  stamps: true,
  purpose: [
    '每种合同类型一份正文，打印时花括号中的字段换成合同的内容；没有模板的类型打印基本信息',
    'One text for each kind of contract: fields in braces become those of the contract. Kinds without one are printed with their facts',
  ],
  fields: {
    kind: ref('bizDict.contract_kind', ['合同类型', 'Kind'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 140,
    }),
    body: richText(['正文', 'Text'], {
      required: true,
      max: 50_000,
      help: [`可用字段：${named(0)}`, `Fields: ${named(1)}`],
    }),
  },
  list: {
    columns: ['kind', 'updater', 'updatedAt', 'creator', 'createdAt'],
    hidden: ['creator', 'createdAt'],
    filters: ['kind'],
    sort: '-updatedAt',
    link: 'kind',
    empty: ['还没有打印模板', 'There are no templates yet'],
  },
  form: { width: 860, sections: [{ title: ['打印模板', 'Template'], fields: ['kind', 'body'] }] },
  detail: {
    mode: 'drawer',
    sections: [{ title: ['打印模板', 'Template'], fields: ['kind', 'body', 'updater', 'updatedAt'] }],
  },
  actions: {
    create: { on: 'page', label: ['新增模板', 'Add a template'], element: 'btn_template', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_template' },
    remove: { on: 'row', label: ['删除', 'Delete'], element: 'btn_template', tone: 'danger' },
  },
});
