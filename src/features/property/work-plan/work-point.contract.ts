import { boolean, decimal, ref, text } from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';

const ELEMENT = 'btn_point';

/** A place that planned orders visit; its QR hangs there. */
export const workPoint = defineResource({
  name: 'workPoint',
  menu: 'cs_PlaneWorkOrder',
  title: ['点位', 'Points'],
  noun: ['点位', 'Point'],
  purpose: [
    '巡检、保洁等计划工单签到的位置；打印二维码张贴在现场',
    'Places planned orders sign in at; print the QR and hang it up there',
  ],
  titleField: 'name',
  stamps: true,
  copy: true,
  deletable: 'unused',
  fields: {
    project: ref('project', ['项目', 'Project'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 140,
    }),
    name: text(['点位名称', 'Point'], { required: true, keyword: true, max: 40, width: 180 }),
    place: text(['位置说明', 'Where'], { keyword: true, max: 60, width: 220 }),
    longitude: decimal(['经度', 'Longitude'], {
      scale: 6,
      min: -180,
      max: 180,
      width: 120,
      help: ['定位签到的计划需要', 'Needed where one signs in by position'],
    }),
    latitude: decimal(['纬度', 'Latitude'], { scale: 6, min: -90, max: 90, width: 120 }),
    photoRequired: boolean(['须拍照', 'Photo needed'], { search: 'equals', width: 90 }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 72 }),
  },
  list: {
    columns: ['name', 'project', 'place', 'longitude', 'latitude', 'photoRequired', 'enabled', 'updatedAt'],
    filters: ['project', 'photoRequired', 'enabled'],
    sort: '-updatedAt',
    link: 'name',
    empty: ['还没有点位', 'No points yet'],
  },
  form: {
    sections: [
      {
        title: ['点位', 'Point'],
        fields: ['project', 'name', 'place', 'longitude', 'latitude', 'photoRequired'],
      },
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增点位', 'Add a point'], element: ELEMENT, tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: ELEMENT },
    qr: {
      on: 'rowAndBulk',
      label: ['打印二维码', 'Print QR'],
      element: ELEMENT,
      opens: 'screen',
      bulkMax: 100,
    },
    enable: { on: 'row', label: ['启用', 'Enable'], element: ELEMENT },
    disable: { on: 'row', label: ['停用', 'Disable'], element: ELEMENT },
    remove: { on: 'row', label: ['删除', 'Delete'], element: ELEMENT, tone: 'danger' },
  },
});

/** What is printed of a point. */
export interface PointQr {
  readonly id: string;
  readonly name: string;
  readonly place: string;
  readonly project: string;
  readonly code: string;
}
