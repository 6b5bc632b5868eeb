import { boolean, choice, personName, phone, ref, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

/** What an address is for. Source: group 21, am_businessAddress. */
export const ADDRESS_USES = {
  return: { label: ['退货', 'Returns'] },
  send: { label: ['发货', 'Sending'] },
} as const;

/** An address of a merchant: where buyers send goods back to, or where the merchant sends from. */
export const returnAddress = defineResource({
  name: 'returnAddress',
  menu: 'am_businessAddress',
  title: ['退货地址', 'Return addresses'],
  noun: ['地址', 'Address'],
  purpose: [
    '商户收退货与发货的地址；同意退货时买家收到默认退货地址',
    'Where merchants take returns and send from; buyers get the default return address',
  ],
  titleField: 'address',
  sensitive: true,
  deletable: 'unused',
  stamps: true,
  fields: {
    merchant: ref('merchant', ['商户', 'Merchant'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 140,
    }),
    receiver: personName(['收件人', 'Receiver'], { required: true, max: 20, width: 100 }),
    phone: phone(['电话', 'Phone'], {
      required: true,
      width: 140,
      help: ['手机号或座机', 'Mobile or landline'],
    }),
    region: ref('region', ['地区', 'Region'], {
      required: true,
      width: 200,
      help: ['选到区县', 'Down to the district'],
    }),
    address: text(['详细地址', 'Address'], {
      required: true,
      min: 5,
      max: 100,
      keyword: true,
      width: 200,
    }),
    use: choice(['用途', 'Use'], ADDRESS_USES, {
      required: true,
      search: 'in',
      width: 80,
      initial: 'return',
    }),
    isDefault: boolean(['默认', 'Default'], {
      width: 72,
      search: 'equals',
      help: ['每个商户每种用途一个默认地址', 'One default for each merchant and use'],
    }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 72 }),
  },
  list: {
    columns: [
      'address',
      'merchant',
      'use',
      'isDefault',
      'enabled',
      'receiver',
      'phone',
      'region',
      'createdAt',
    ],
    filters: ['merchant', 'use', 'isDefault', 'enabled'],
    sort: '-createdAt',
    empty: ['还没有地址', 'No addresses yet'],
  },
  form: {
    sections: [
      {
        title: ['地址', 'Address'],
        fields: ['merchant', 'use', 'receiver', 'phone', 'region', 'address', 'isDefault'],
      },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['地址', 'Address'],
        fields: ['merchant', 'use', 'receiver', 'phone', 'region', 'address', 'isDefault', 'enabled'],
      },
      { title: ['记录', 'Record'], fields: ['creator', 'createdAt', 'updater', 'updatedAt'] },
    ],
  },
  actions: {
    create: { label: ['新增', 'New'], on: 'page', element: 'btn_add', tone: 'primary' },
    update: { label: ['编辑', 'Edit'], on: 'row', element: 'btn_edit' },
    setDefault: {
      label: ['设为默认', 'Make default'],
      on: 'row',
      element: 'btn_default',
      confirm: [
        '设为默认后，同用途原默认地址自动取消',
        'The other default address of this use stops being one',
      ],
    },
    enable: { label: ['启用', 'Enable'], on: 'rowAndBulk', element: 'btn_on' },
    disable: {
      label: ['停用', 'Disable'],
      on: 'rowAndBulk',
      element: 'btn_off',
      confirm: [
        '停用后不能再被选用，进行中的售后单不受影响',
        'It can no longer be chosen; open cases keep it',
      ],
    },
    remove: {
      label: ['删除', 'Delete'],
      on: 'row',
      element: 'btn_del',
      tone: 'danger',
      confirm: ['删除该地址？进行中的售后单保留其内容', 'Delete the address? Open cases keep their copy'],
    },
  },
});

/** An address as it travels to the page. */
export interface ReturnAddress extends Row<typeof returnAddress> {}
