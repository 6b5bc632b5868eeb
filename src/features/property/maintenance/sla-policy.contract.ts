import { boolean, choice, integer, ref, text, treeRef } from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';
import { URGENCIES } from '../../../domain/work-order/work-order-words.rules.ts';

const ELEMENT = 'btn_sla';
const minutes = (label: readonly [string, string]) =>
  integer(label, { required: true, min: 1, max: 100_000, sortable: true, unit: ['分钟', 'min'], width: 100 });
const yes = (label: readonly [string, string], initial: boolean) => boolean(label, { initial, width: 90 });

/** How fast orders of an urgency are answered and solved, in the minutes of a calendar. */
export const slaPolicy = defineResource({
  name: 'slaPolicy',
  menu: 'cs_maintenance',
  title: ['时效策略', 'SLA policies'],
  noun: ['时效策略', 'Policy'],
  purpose: [
    '按项目、分类、紧急程度从细到粗匹配；修改后正在计时的工单重新计算，已用和暂停时间保留',
    'The closest project, category and urgency wins; a change reckons running clocks anew and keeps used and paused minutes',
  ],
  stamps: true,
  fields: {
    name: text(['名称', 'Name'], { required: true, keyword: true, sortable: true, max: 40, width: 140 }),
    project: ref('project', ['项目', 'Project'], {
      search: 'in',
      width: 110,
      help: ['不填为全部项目', 'Empty: every project'],
    }),
    category: treeRef('workCategory', ['分类', 'Category'], {
      search: 'in',
      width: 110,
      help: ['不填为全部分类，含下级', 'Empty: every category; holds for those below'],
    }),
    urgency: choice(['紧急程度', 'Urgency'], URGENCIES, { required: true, search: 'in', width: 90 }),
    responseMin: minutes(['响应时限', 'Response']),
    resolutionMin: minutes(['解决时限', 'Resolution']),
    calendar: ref('businessCalendar', ['工作日历', 'Calendar'], { required: true, search: 'in', width: 120 }),
    pauseParts: yes(['等待配件暂停', 'Pauses for parts'], true),
    pauseOwner: yes(['等待业主暂停', 'Pauses for the owner'], true),
    pauseWeather: yes(['天气暂停', 'Pauses for weather'], true),
    pauseThirdParty: yes(['第三方暂停', 'Pauses for third parties'], false),
    step70: boolean(['70%提醒处理人', '70 %: the handler'], { initial: true }),
    step100: boolean(['100%升级部门负责人', '100 %: the department leader'], { initial: true }),
    step150: boolean(['150%升级项目经理', '150 %: the project manager'], { initial: true }),
    running: integer(['计时中工单', 'Running clocks'], { readOnly: true, width: 96 }),
    standard: boolean(['标准策略', 'Standard'], { readOnly: true, search: 'equals', width: 90 }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 72 }),
  },
  list: {
    columns: [
      'name',
      'project',
      'category',
      'urgency',
      'responseMin',
      'resolutionMin',
      'calendar',
      'running',
      'standard',
      'enabled',
      'pauseParts',
      'pauseOwner',
      'pauseWeather',
      'pauseThirdParty',
    ],
    hidden: ['pauseParts', 'pauseOwner', 'pauseWeather', 'pauseThirdParty'],
    filters: ['project', 'category', 'urgency', 'calendar', 'standard', 'enabled'],
    sort: 'name',
  },
  form: {
    sections: [
      { title: ['适用', 'For'], fields: ['name', 'project', 'category', 'urgency'] },
      { title: ['时限', 'Times'], fields: ['responseMin', 'resolutionMin', 'calendar'] },
      {
        title: ['暂停计时的原因', 'Pauses that stop the clock'],
        fields: ['pauseParts', 'pauseOwner', 'pauseWeather', 'pauseThirdParty'],
      },
      { title: ['升级', 'Ladder'], fields: ['step70', 'step100', 'step150'] },
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
