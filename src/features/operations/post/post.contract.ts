import {
  boolean,
  choice,
  instant,
  images,
  integer,
  longText,
  personName,
  phone,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part, type ActionSpec } from '../../../kernel/contract/resource.ts';
import {
  HIDE_CODES,
  type POST_ENTITIES,
  REVIEW_STATES,
  type PostKind,
} from '../../../domain/content/content.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';

const reason = {
  code: choice(['原因', 'Reason'], HIDE_CODES, { required: true }),
  text: text(['说明', 'Text'], {
    max: 200,
    help: ['选“其他”时至少5个字', 'At least 5 characters for “Other”'],
  }),
} as const;

/** Comments under the posts of a screen, with its own rights. */
function commentsOf(name: string, menu: string, post: string) {
  return defineResource({
    name,
    menu,
    title: ['评论', 'Comments'],
    noun: ['评论', 'Comment'],
    titleField: 'content',
    sensitive: true,
    fields: {
      post: ref(post, ['帖子', 'Post'], { readOnly: true, search: 'in', width: 160 }),
      author: personName(['昵称', 'Author'], { readOnly: true, width: 110 }),
      phone: phone(['手机', 'Phone'], { readOnly: true, width: 130 }),
      content: text(['内容', 'Content'], { readOnly: true, keyword: true, width: 320 }),
      publishedAt: instant(['时间', 'Time'], { readOnly: true, sortable: true, width: 150 }),
      shown: boolean(['显示', 'Shown'], { readOnly: true, search: 'equals', width: 80 }),
    },
    states: REVIEW_STATES,
    list: {
      columns: ['author', 'phone', 'content', 'state', 'shown', 'publishedAt', 'post'],
      hidden: ['post'],
      filters: ['post', 'state', 'shown'],
      sort: '-publishedAt',
      empty: ['还没有评论', 'No comments yet'],
    },
    actions: {
      pass: {
        on: 'rowAndBulk',
        label: ['通过', 'Pass'],
        element: 'btn_comment',
        tone: 'primary',
        from: ['pending'],
        to: 'passed',
      },
      refuse: {
        on: 'rowAndBulk',
        label: ['不通过', 'Refuse'],
        element: 'btn_comment',
        from: ['pending'],
        to: 'refused',
        input: reason,
      },
      hide: {
        on: 'rowAndBulk',
        label: ['隐藏', 'Hide'],
        element: 'btn_comment',
        tone: 'danger',
        from: ['passed'],
        to: 'passed',
        input: reason,
      },
      show: {
        on: 'rowAndBulk',
        label: ['显示', 'Show'],
        element: 'btn_comment',
        from: ['passed'],
        to: 'passed',
      },
    },
  });
}

/** What the screens of posts have in common. */
function postsOf(spec: {
  readonly name: (typeof POST_ENTITIES)[PostKind];
  readonly kind: PostKind;
  readonly menu: string;
  readonly title: Label;
  readonly noun: Label;
  readonly purpose: Label;
}) {
  const chamber = spec.kind === 'chamber';
  const grouped = spec.kind === 'group_post';
  const comments = commentsOf(`${spec.name}Comment`, spec.menu, spec.name);
  const resource = defineResource({
    name: spec.name,
    menu: spec.menu,
    title: spec.title,
    noun: spec.noun,
    purpose: spec.purpose,
    titleField: 'excerpt',
    sensitive: true,
    elements: { btn_comment: ['评论管理', 'Comments'] },
    fields: {
      author: personName(['作者', 'Author'], { readOnly: true, width: 100 }),
      phone: phone(['手机', 'Phone'], { readOnly: true, width: 130 }),
      official: boolean(['官方', 'Official'], { readOnly: true, width: 80 }),
      grade: ref('grade', ['等级', 'Grade'], { readOnly: true, width: 100 }),
      excerpt: text(['内容', 'Content'], { readOnly: true, keyword: true, width: 340 }),
      content: longText(['全文', 'Full text'], { readOnly: true, width: 340 }),
      pictures: images(['图片', 'Pictures'], { readOnly: true }),
      pictureCount: integer(['图片数', 'Pictures'], { readOnly: true, width: 80 }),
      project: ref('project', ['项目', 'Project'], { readOnly: true, search: 'in', width: 140 }),
      ...(grouped && {
        group: ref('interestGroup', ['小组', 'Group'], { readOnly: true, search: 'in', width: 140 }),
      }),
      tag: ref('hallTag', ['标签', 'Tag'], {
        readOnly: true,
        ...(chamber && { search: 'in' as const }),
        width: 110,
      }),
      type: choice(
        ['类型', 'Type'],
        { topic: { label: ['话题', 'Topic'], code: 1 }, vote: { label: ['投票', 'Vote'], code: 2 } },
        { readOnly: true, ...(chamber && { search: 'in' as const }), width: 80 },
      ),
      participants: integer(['参与人数', 'Participants'], { readOnly: true, width: 90 }),
      likes: integer(['点赞', 'Likes'], { readOnly: true, sortable: true, width: 80 }),
      comments: integer(['评论', 'Comments'], { readOnly: true, sortable: true, width: 80 }),
      views: integer(['浏览', 'Views'], { readOnly: true, sortable: true, width: 80 }),
      publishedAt: instant(['发布时间', 'Published'], {
        readOnly: true,
        search: 'range',
        sortable: true,
        width: 150,
      }),
      shown: boolean(['显示', 'Shown'], { readOnly: true, search: 'equals', width: 80 }),
      topped: boolean(['置顶', 'On top'], { readOnly: true, search: 'equals', width: 80 }),
      essence: boolean(['精华', 'Essence'], {
        readOnly: true,
        ...(!chamber && { search: 'equals' as const }),
        width: 80,
      }),
      hideCode: choice(['隐藏原因', 'Hidden for'], HIDE_CODES, { readOnly: true, width: 100 }),
      reviewReason: text(['审核说明', 'Review text'], { readOnly: true, width: 180 }),
    },
    states: REVIEW_STATES,
    list: {
      columns: [
        'author',
        'official',
        'grade',
        'excerpt',
        ...(chamber
          ? (['project', 'tag', 'type', 'participants'] as const)
          : (['pictureCount', 'project'] as const)),
        ...(grouped ? (['group'] as const) : []),
        'likes',
        'comments',
        'views',
        'publishedAt',
        'state',
        'shown',
        'topped',
        ...(chamber ? [] : (['essence'] as const)),
        'hideCode',
        'content',
        'phone',
      ],
      hidden: [
        'hideCode',
        'content',
        'phone',
        ...(grouped ? ['official', 'grade', 'pictureCount', 'views'] : []),
      ],
      filters: [
        'project',
        ...(grouped ? (['group'] as const) : []),
        ...(chamber ? (['tag', 'type'] as const) : (['essence'] as const)),
        'state',
        'shown',
        'topped',
        'publishedAt',
      ],
      sort: '-publishedAt',
      link: 'excerpt',
      tabs: [
        { key: 'all', label: ['全部', 'All'], filter: {} },
        { key: 'waiting', label: ['待审', 'Waiting'], named: true },
        { key: 'hidden', label: ['已隐藏', 'Hidden'], filter: { shown: 'false' } },
      ],
      export: [
        'author',
        'phone',
        'grade',
        'content',
        'project',
        ...(grouped ? (['group'] as const) : []),
        ...(chamber ? (['tag', 'type', 'participants'] as const) : (['pictureCount', 'essence'] as const)),
        'likes',
        'comments',
        'views',
        'publishedAt',
        'state',
        'shown',
        'topped',
        'hideCode',
      ],
      empty: chamber ? ['还没有话题', 'No topics yet'] : ['还没有帖子', 'No posts yet'],
    },
    detail: {
      mode: 'drawer',
      sections: [
        {
          title: ['内容', 'Content'],
          fields: [
            'content',
            'pictures',
            'author',
            'phone',
            'project',
            ...(grouped ? (['group'] as const) : []),
            ...(chamber ? (['tag', 'type'] as const) : []),
          ],
        },
        {
          title: ['状态', 'State'],
          fields: [
            'publishedAt',
            'shown',
            'topped',
            ...(chamber ? (['participants'] as const) : (['essence'] as const)),
            'likes',
            'comments',
            'views',
            'hideCode',
            'reviewReason',
          ],
        },
      ],
      parts: [part({ key: 'comments', title: ['评论', 'Comments'], resource: comments, by: 'post' })],
    },
    actions: {
      pass: {
        on: 'rowAndBulk',
        label: ['通过', 'Pass'],
        element: 'btn_review',
        tone: 'primary',
        from: ['pending', 'passed', 'refused'],
        to: 'passed',
      },
      // Beside 通过, not behind 更多: a queue is worked with both of them.
      refuse: {
        on: 'rowAndBulk',
        label: ['不通过', 'Refuse'],
        element: 'btn_review',
        from: ['pending', 'passed', 'refused'],
        to: 'refused',
        input: reason,
      },
      top: {
        on: 'row',
        label: ['置顶', 'Put on top'],
        element: 'btn_top',
        from: ['passed'],
        to: 'passed',
      },
      untop: {
        on: 'row',
        label: ['取消置顶', 'Take from top'],
        element: 'btn_top',
        from: ['passed'],
        to: 'passed',
      },
      ...(chamber
        ? {
            retag: {
              on: 'row',
              label: ['改标签', 'Change tag'],
              element: 'btn_tag',
              from: ['pending', 'passed', 'refused'],
              to: ['pending', 'passed', 'refused'],
              input: { tag: ref('hallTag', ['标签', 'Tag'], { required: true }) },
            } as const,
          }
        : {
            essence: {
              on: 'row',
              label: ['设为精华', 'Mark as essence'],
              element: 'btn_essence',
              from: ['passed'],
              to: 'passed',
            } as const,
            unessence: {
              on: 'row',
              label: ['取消精华', 'Not essence'],
              element: 'btn_essence',
              from: ['passed'],
              to: 'passed',
            } as const,
          }),
      ...(grouped && {
        move: {
          on: 'row',
          label: ['移动', 'Move'],
          element: 'btn_move',
          from: ['pending', 'passed', 'refused'],
          to: ['pending', 'passed', 'refused'],
          input: {
            group: ref('groupForPost', ['移至小组', 'To group'], {
              required: true,
              help: ['同一项目的已发布小组', 'Published groups of the same project'],
            }),
          },
        } as const,
      }),
      hide: {
        on: 'rowAndBulk',
        label: ['隐藏', 'Hide'],
        element: 'btn_show',
        tone: 'danger',
        from: ['passed'],
        to: 'passed',
        input: reason,
      },
      show: {
        on: 'rowAndBulk',
        label: ['显示', 'Show'],
        element: 'btn_show',
        from: ['passed'],
        to: 'passed',
      },
    } satisfies Readonly<Record<string, ActionSpec>> as Readonly<Record<string, ActionSpec>>,
  });
  return { resource, comments };
}

const family = postsOf({
  name: 'familyPost',
  kind: 'family',
  menu: 'os_familyPosts',
  title: ['家人圈帖子', 'Family posts'],
  noun: ['帖子', 'Post'],
  purpose: [
    '业主在家人圈发布的内容：审核、隐藏、置顶与精华；隐藏后会员处一律不可见',
    'What members write in the family circle: review, hide, top and essence. What is hidden is gone for members everywhere',
  ],
});
const hall = postsOf({
  name: 'chamberPost',
  kind: 'chamber',
  menu: 'os_conHallManage',
  title: ['议事厅管理', 'Council hall'],
  noun: ['话题', 'Topic'],
  purpose: [
    '议事厅的话题与意见投票；有约束力的表决在业主决策中进行',
    'Topics and opinion polls of the council hall; binding votes are owners’ decisions',
  ],
});

const group = postsOf({
  name: 'groupPost',
  kind: 'group_post',
  menu: 'cs_interestGroupPost',
  title: ['小组帖子', 'Group posts'],
  noun: ['帖子', 'Post'],
  purpose: [
    '成员在兴趣小组发布的内容：审核、隐藏、置顶、精华与移动；小组撤回后其帖子对会员不可见',
    'What members write in interest groups: review, hide, top, essence and move. Posts of a withdrawn group are gone for members',
  ],
});

export const familyPost = family.resource;
export const familyComment = family.comments;
export const chamberPost = hall.resource;
export const chamberComment = hall.comments;
export const groupPost = group.resource;
export const groupPostComment = group.comments;

/** What the detail of a post brings besides its row. */
export interface PostExtras {
  readonly revisions: readonly { readonly seq: number; readonly content: string; readonly at: string }[];
  readonly hits: readonly { readonly word: string; readonly start: number; readonly end: number }[];
  readonly vote: {
    readonly multiple: boolean;
    readonly endsAt: string;
    readonly over: boolean;
    readonly participants: number;
    readonly options: readonly {
      readonly no: number;
      readonly text: string;
      readonly votes: number;
      /** Tenths of a per cent. */
      readonly share: number;
    }[];
  } | null;
}
