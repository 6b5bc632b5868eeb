import { boolean, choice, ref, refs, text, treeRef } from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';

const ELEMENT = 'btn_rule';
const clock = (label: readonly [string, string], placeholder: string) =>
  text(label, {
    max: 5,
    placeholder: [placeholder, placeholder],
    pattern: {
      source: '^([01]\\d|2[0-3]):[0-5]\\d$|^24:00$',
      message: ['请填写 09:00 这样的时间', 'Write a time like 09:00'],
    },
  });

/** Who gets new orders of a project and category by themselves. */
export const dispatchRule = defineResource({
  name: 'dispatchRule',
  menu: 'cs_maintenance',
  title: ['派单规则', 'Dispatch rules'],
  noun: ['派单规则', 'Rule'],
  purpose: [
    '新工单5秒内按规则派出；无合适人员时保持待系统受理，由调度处理',
    'New orders leave by rule within 5 seconds; where nobody fits, the dispatcher is asked',
  ],
  titleField: 'project',
  stamps: true,
  fields: {
    project: ref('project', ['项目', 'Project'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 130,
    }),
    category: treeRef('workCategory', ['分类', 'Category'], {
      search: 'in',
      width: 120,
      help: ['不填为全部分类，含下级', 'Empty: every category; holds for those below'],
    }),
    mode: choice(
      ['方式', 'Mode'],
      {
        grab: { label: ['抢单', 'Grab'] },
        assign: { label: ['指派', 'Assign'] },
        rotate: { label: ['轮派', 'Rotate'] },
      },
      {
        required: true,
        search: 'in',
        width: 80,
        help: [
          '抢单：通知人员池先到先得；指派：派给池中第一位合适人员；轮派：在手最少者优先',
          'Grab: the pool is told, the first has it; assign: the first who fits; rotate: who has the fewest',
        ],
      },
    ),
    pool: refs('workHandler', ['人员池', 'Pool'], {
      max: 50,
      width: 200,
      help: ['人员与岗位都不填则为全部合适人员', 'Neither people nor stations: all who fit'],
    }),
    stations: refs('workStation', ['岗位池', 'Stations'], { max: 20, width: 140 }),
    shiftFrom: clock(['班次从', 'Shift from'], '08:00'),
    shiftTo: clock(['班次到', 'Shift to'], '20:00'),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 72 }),
  },
  list: {
    columns: [
      'project',
      'category',
      'mode',
      'pool',
      'stations',
      'shiftFrom',
      'shiftTo',
      'enabled',
      'updatedAt',
    ],
    filters: ['project', 'category', 'mode', 'enabled'],
    sort: '-updatedAt',
  },
  form: {
    sections: [
      { title: ['适用', 'For'], fields: ['project', 'category', 'shiftFrom', 'shiftTo'] },
      { title: ['派给谁', 'Whom'], fields: ['mode', 'pool', 'stations'] },
    ],
  },
  deletable: 'unused',
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: ELEMENT, tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: ELEMENT },
    enable: { on: 'row', label: ['启用', 'Enable'], element: ELEMENT },
    disable: { on: 'row', label: ['停用', 'Disable'], element: ELEMENT, tone: 'danger' },
    remove: { on: 'row', label: ['删除', 'Delete'], element: ELEMENT, tone: 'danger' },
  },
});
