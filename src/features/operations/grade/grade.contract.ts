import { code, image, integer, longText, percent, text } from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';

/** Bytes of a badge. */
export const BADGE_BYTES = 200 * 1024;

/** A step members reach by what they earned in their life; spending never takes it away. */
export const grade = defineResource({
  name: 'grade',
  menu: 'os_userGrade',
  title: ['用户等级', 'User grades'],
  noun: ['等级', 'Grade'],
  titleField: 'title',
  purpose: [
    '按累计获得积分（扣除追回）划分，使用与过期不降级；指定等级在到期日前有效',
    'By the points earned in a life less what was taken back: spending or expiry lowers nobody. A fixed grade holds until its day',
  ],
  stamps: true,
  fields: {
    code: code(['编号', 'Code'], { readOnly: true, keyword: true, width: 90 }),
    level: integer(['级别', 'Level'], { readOnly: true, width: 80 }),
    title: text(['名称', 'Title'], { required: true, min: 1, max: 10, keyword: true, width: 140 }),
    threshold: integer(['所需积分', 'Threshold'], {
      required: true,
      min: 0,
      max: 100_000_000,
      sortable: true,
      width: 110,
      help: ['累计获得达到即为该等级；最低一级为 0', 'Reached with this many points; the lowest stands at 0'],
    }),
    badge: image(['徽章', 'Badge'], {
      width: 72,
      help: ['jpg、png、webp，不超过 200 KB', 'jpg, png or webp, at most 200 KB'],
    }),
    benefits: longText(['权益说明', 'Benefits'], { max: 500, width: 220 }),
    sort: integer(['排序', 'Order'], {
      required: true,
      min: 1,
      max: 999,
      initial: 1,
      sortable: true,
      width: 80,
    }),
    members: integer(['会员数', 'Members'], {
      readOnly: true,
      width: 100,
      help: ['全部项目，不含官方账号', 'Of all projects, without official accounts'],
    }),
    share: percent(['占比', 'Share'], { readOnly: true, width: 90 }),
  },
  list: {
    columns: [
      'code',
      'level',
      'title',
      'threshold',
      'badge',
      'members',
      'share',
      'benefits',
      'sort',
      'updater',
      'updatedAt',
    ],
    hidden: ['updater'],
    sort: 'threshold',
    link: 'title',
    export: true,
  },
  form: {
    width: 560,
    sections: [{ title: ['等级', 'Grade'], fields: ['title', 'threshold', 'badge', 'benefits', 'sort'] }],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['等级', 'Grade'],
        fields: [
          'code',
          'level',
          'title',
          'threshold',
          'badge',
          'members',
          'share',
          'benefits',
          'sort',
          'updater',
          'updatedAt',
        ],
      },
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      confirm: ['删除等级「{title}」？', 'Delete “{title}”?'],
    },
  },
});

/** What a threshold would change, in the caller's projects. */
export interface GradePreview {
  readonly rise: number;
  readonly fall: number;
  /** The first of them, shown masked. */
  readonly members: readonly { readonly name: string; readonly from: string; readonly to: string }[];
}
