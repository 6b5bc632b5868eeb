import { boolean, choice, integer, longText, tags, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { LINES_MAX, WORD_MAX } from './sensitive-word.rules.ts';

/** Kinds of words. */
export const CATEGORIES = {
  politics: { label: ['政治', 'Politics'] },
  porn: { label: ['色情', 'Pornography'] },
  abuse: { label: ['辱骂', 'Abuse'] },
  advert: { label: ['广告', 'Advertising'] },
  contact: { label: ['联系方式', 'Contact details'] },
  custom: { label: ['自定义', 'Other'] },
} as const;

/** What a hit does. */
export const LEVEL_CHOICES = {
  block: { label: ['拦截', 'Block'], tone: 'error' },
  review: { label: ['人工审核', 'Review'], tone: 'warning' },
  replace: { label: ['替换', 'Replace'], tone: 'processing' },
} as const;

const category = choice(['分类', 'Category'], CATEGORIES, { required: true, search: 'in', width: 110 });
const note = longText(['备注', 'Note'], { max: 200, width: 160 });

/** A word members may not write as it is: what it does to a text that holds it. */
export const sensitiveWord = defineResource({
  name: 'sensitiveWord',
  menu: 'ssm_sensitiveWords',
  title: ['敏感词', 'Sensitive words'],
  noun: ['敏感词', 'Sensitive word'],
  purpose: [
    '帖子与评论发布前按此检查：拦截、转人工审核或替换',
    'Posts and comments are checked against these words: refused, reviewed or shown with ***',
  ],
  titleField: 'word',
  stamps: true,
  fields: {
    word: text(['敏感词', 'Word'], {
      required: true,
      max: WORD_MAX,
      sortable: true,
      keyword: true,
      width: 160,
      help: ['忽略大小写、全半角和标点后不能重复', 'Unique whatever its case, width and punctuation'],
    }),
    category,
    level: choice(['级别', 'Level'], LEVEL_CHOICES, {
      search: 'in',
      width: 110,
      initial: { setting: 'post.sensitive.action' },
      help: [
        '拦截：不能发布；人工审核：进入待审；替换：显示为 ***',
        'Block: refused; review: waits for a look; replace: shown as ***',
      ],
    }),
    variants: boolean(['识别变体', 'Variants'], {
      initial: true,
      width: 90,
      help: [
        '忽略大小写、全半角，以及字间的空格、标点和零宽字符',
        'Ignores case and width, and blanks, punctuation and zero-width signs between the characters',
      ],
    }),
    exceptions: tags(['例外短语', 'Exceptions'], {
      max: 20,
      width: 160,
      help: ['包含该词但允许发布的短语', 'Phrases that hold the word and may pass'],
    }),
    note,
    hits: integer(['近30天命中', 'Hits in 30 days'], { readOnly: true, width: 110 }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 80 }),
  },
  list: {
    columns: [
      'word',
      'category',
      'level',
      'variants',
      'exceptions',
      'enabled',
      'hits',
      'note',
      'creator',
      'createdAt',
      'updatedAt',
    ],
    hidden: ['note', 'updatedAt'],
    filters: ['enabled', 'category', 'level', 'createdAt'],
    sort: '-createdAt',
    link: 'word',
    export: true,
  },
  form: {
    sections: [
      {
        title: ['敏感词', 'Word'],
        fields: ['word', 'category', 'level', 'variants', 'exceptions', 'note'],
      },
    ],
  },
  importable: {
    key: 'word',
    fields: ['word', 'category', 'level', 'variants', 'exceptions', 'note'],
    mode: 'insert',
  },
  elements: {
    btn_import: ['导入', 'Import'],
    btn_test: ['检测', 'Test'],
    btn_hits: ['命中记录', 'Hits'],
    btn_rescan: ['重扫内容', 'Look over contents'],
  },
  actions: {
    addMany: {
      on: 'page',
      label: ['批量新增', 'Add many'],
      element: 'btn_add',
      message: ['已新增 {count} 个敏感词', '{count} {count|word|words} added'],
      input: {
        words: longText(['敏感词', 'Words'], {
          required: true,
          max: LINES_MAX * (WORD_MAX + 2),
          help: [`每行一个，最多 ${LINES_MAX} 行`, `One per line, at most ${LINES_MAX} lines`],
        }),
        category,
        level: choice(['级别', 'Level'], LEVEL_CHOICES, {
          help: ['不选则按系统参数', 'Left empty, the setting decides'],
        }),
        exact: boolean(['不识别变体', 'No variants'], {
          help: ['只匹配完全相同的写法', 'Only the very same writing is found'],
        }),
        note,
      },
    },
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    enable: { on: 'rowAndBulk', label: ['启用', 'Enable'], element: 'btn_enable' },
    disable: {
      on: 'rowAndBulk',
      label: ['禁用', 'Disable'],
      element: 'btn_disable',
      confirm: [
        '禁用「{word}」？之后的内容不再检查该词。',
        'Disable "{word}"? New texts are no longer checked for it.',
      ],
    },
    remove: {
      on: 'rowAndBulk',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      confirm: [
        '删除「{word}」？命中记录保留至满90天。',
        'Delete "{word}"? Its hits stay for their 90 days.',
      ],
    },
  },
});

export interface SensitiveWordRow extends Row<typeof sensitiveWord> {}

/** A look over what was written already. */
export interface Rescan {
  readonly id: string;
  readonly days: number;
  readonly state: 'queued' | 'running' | 'done' | 'failed';
  readonly looked: number;
  readonly found: number;
  readonly cases: number;
  readonly by: string;
  readonly at: string;
  readonly finishedAt: string | null;
}
