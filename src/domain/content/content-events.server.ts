import { z } from 'zod';
import { boolean, choice, images, instant, longText, ref, refs, text } from '../../kernel/contract/fields.ts';
import { idText } from '../../kernel/server/http/call-parts.ts';
import type { EventForm } from '../member-event/event-form.rules.ts';
import { memberEvent, type MemberEventKind } from '../member-event/member-event.server.ts';
import { grantTask } from '../points-task/points-task.server.ts';
import {
  castVote,
  deleteComment,
  deletePost,
  editPost,
  likePost,
  likeTopic,
  viewContent,
  writeActivityComment,
  writeComment,
  writePost,
  writeTopicComment,
} from './content.server.ts';
import { POST_ENTITIES } from './content.rules.ts';

const content = z.string().max(4_000);
const onPost = z.strictObject({ postId: idText });
const onContent = z
  .strictObject({ postId: idText.optional(), topicId: idText.optional() })
  .refine((one) => (one.postId === undefined) !== (one.topicId === undefined));
const needed = { required: true } as const;
const words = (most: number) => longText(['内容', 'Content'], { required: true, max: most });
const ownPost: EventForm = {
  post: {
    field: ref('eventOwnPost', ['帖子', 'Post'], {
      ...needed,
      help: ['会员本人的帖子', 'Posts of the member'],
    }),
    at: 'postId',
  },
};
/** What is liked, looked at or commented. */
const onWhat: EventForm = {
  on: {
    field: choice(
      ['对象', 'What'],
      { post: { label: ['帖子', 'Post'] }, topic: { label: ['社区话题', 'Community topic'] } },
      { ...needed, initial: 'post' },
    ),
    at: '',
  },
  post: { field: ref('eventPost', ['帖子', 'Post'], needed), at: 'postId', when: ['on', 'post'] },
  topic: {
    field: ref('eventTopic', ['社区话题', 'Community topic'], needed),
    at: 'topicId',
    when: ['on', 'topic'],
  },
};
const POSTS = Object.values(POST_ENTITIES);
const TOPICS = ['communityTopic', 'topicComment'];

/** What members do with content. Source: group 01, Member events. */
export const contentEvents: readonly MemberEventKind[] = [
  memberEvent({
    type: 'post.create',
    title: ['发帖', 'Post written'],
    payload: z
      .strictObject({
        kind: z.enum(['family', 'chamber', 'group_post']),
        groupId: idText.optional(),
        content: content.default(''),
        imageIds: z.array(z.uuid()).max(9).default([]),
        tagId: idText.optional(),
        vote: z
          .strictObject({
            options: z.array(z.string().trim().min(1).max(40)).min(2).max(10),
            multiple: z.boolean().default(false),
            endsAt: z.iso.datetime({ offset: true }),
          })
          .optional(),
      })
      .refine((post) => post.kind === 'chamber' || (!post.vote && post.tagId === undefined))
      .refine((post) => (post.kind === 'group_post') === (post.groupId !== undefined)),
    form: {
      kind: {
        field: choice(
          ['发在', 'Where'],
          {
            family: { label: ['家人圈', 'Family circle'] },
            chamber: { label: ['议事厅', 'Council hall'] },
            group_post: { label: ['小组', 'Group'] },
          },
          { ...needed, initial: 'family' },
        ),
      },
      group: {
        field: ref('eventOwnGroup', ['小组', 'Group'], needed),
        at: 'groupId',
        when: ['kind', 'group_post'],
      },
      content: { field: longText(['内容', 'Content'], { max: 2_000 }) },
      images: {
        field: images(['图片', 'Pictures'], { max: 9, help: ['内容与图片至少一项', 'Words or pictures'] }),
        at: 'imageIds',
      },
      tag: { field: ref('eventTag', ['话题标签', 'Tag']), at: 'tagId', when: ['kind', 'chamber'] },
      options: {
        field: longText(['投票选项', 'Options of the vote'], {
          max: 500,
          help: ['每行一个，2–10 个；不是投票则留空', 'One a line, 2 to 10; empty where it is no vote'],
        }),
        at: 'vote.options',
        as: 'lines',
        when: ['kind', 'chamber'],
      },
      multiple: { field: boolean(['可多选', 'Several choices']), at: 'vote.multiple', when: ['options'] },
      endsAt: { field: instant(['投票截止', 'Vote ends'], needed), at: 'vote.endsAt', when: ['options'] },
    },
    changes: POSTS,
    apply: async (tx, platform, event) => {
      const { vote, ...post } = event.payload;
      const { effects, postId, reviewState } = await writePost(tx, platform, {
        ...post,
        memberId: event.memberId,
        projectId: event.projectId,
        at: event.occurredAt,
        ...(vote && { vote: { ...vote, endsAt: new Date(vote.endsAt) } }),
      });
      return { result: { postId: String(postId), reviewState }, effects };
    },
  }),
  memberEvent({
    type: 'post.edit',
    title: ['改帖', 'Post edited'],
    payload: z.strictObject({ postId: idText, content }),
    form: { ...ownPost, content: { field: words(2_000) } },
    changes: POSTS,
    apply: async (tx, platform, event) => ({
      result: await editPost(tx, platform, {
        ...event.payload,
        memberId: event.memberId,
        projectId: event.projectId,
        at: event.occurredAt,
      }),
      effects: [],
    }),
  }),
  memberEvent({
    type: 'post.delete',
    title: ['删帖', 'Post deleted'],
    payload: onPost,
    form: ownPost,
    changes: POSTS,
    apply: async (tx, platform, event) => ({
      result: await deletePost(tx, platform, { ...event.payload, memberId: event.memberId }),
      effects: [],
    }),
  }),
  memberEvent({
    type: 'comment.create',
    title: ['评论', 'Comment written'],
    payload: z
      .strictObject({
        postId: idText.optional(),
        activityId: idText.optional(),
        topicId: idText.optional(),
        content,
      })
      .refine(
        (one) => [one.postId, one.activityId, one.topicId].filter((id) => id !== undefined).length === 1,
      ),
    form: {
      ...onWhat,
      on: {
        field: choice(
          ['对象', 'What'],
          {
            post: { label: ['帖子', 'Post'] },
            topic: { label: ['社区话题', 'Community topic'] },
            activity: { label: ['活动', 'Activity'] },
          },
          { ...needed, initial: 'post' },
        ),
        at: '',
      },
      activity: {
        field: ref('eventActivity', ['活动', 'Activity'], needed),
        at: 'activityId',
        when: ['on', 'activity'],
      },
      content: { field: words(500) },
    },
    changes: [...POSTS, 'activity', 'activityComment', ...TOPICS],
    apply: async (tx, platform, event) => {
      const { postId, activityId, topicId, content } = event.payload;
      const { memberId, projectId } = event;
      const written = { content, memberId, projectId, at: event.occurredAt };
      const { effects, commentId, reviewState } =
        postId !== undefined
          ? await writeComment(tx, platform, { ...written, postId })
          : topicId !== undefined
            ? await writeTopicComment(tx, platform, { ...written, topicId })
            : await writeActivityComment(tx, platform, { ...written, activityId: activityId! });
      return { result: { commentId: String(commentId), reviewState }, effects };
    },
  }),
  memberEvent({
    type: 'comment.delete',
    title: ['删评论', 'Comment deleted'],
    payload: z.strictObject({ commentId: idText }),
    form: {
      comment: {
        field: ref('eventOwnComment', ['评论', 'Comment'], {
          ...needed,
          help: ['会员本人的评论', 'Comments of the member'],
        }),
        at: 'commentId',
      },
    },
    changes: POSTS,
    apply: async (tx, platform, event) => {
      await deleteComment(tx, platform, { ...event.payload, memberId: event.memberId });
      return { result: {}, effects: [] };
    },
  }),
  ...([true, false] as const).map((on) =>
    memberEvent({
      type: on ? 'like' : 'unlike',
      title: on ? ['点赞', 'Like'] : ['取消点赞', 'Like taken back'],
      payload: onContent,
      form: onWhat,
      changes: [...POSTS, ...TOPICS],
      apply: async (tx, platform, event) => {
        const { postId, topicId } = event.payload;
        const { memberId, projectId, occurredAt: at } = event;
        if (topicId !== undefined)
          return { result: await likeTopic(tx, { topicId, memberId, projectId, on }), effects: [] };
        const { likes, effects } = await likePost(tx, platform, { postId: postId!, memberId, at, on });
        return { result: { likes }, effects };
      },
    }),
  ),
  memberEvent({
    type: 'view',
    title: ['浏览', 'View'],
    payload: onContent,
    form: onWhat,
    apply: async (tx, _platform, event) => ({
      result: await viewContent(tx, {
        ...event.payload,
        memberId: event.memberId,
        projectId: event.projectId,
        at: event.occurredAt,
      }),
      effects: [],
    }),
  }),
  memberEvent({
    type: 'vote.cast',
    title: ['投票', 'Vote'],
    payload: z.strictObject({
      postId: idText,
      options: z.array(z.number().int().min(1).max(10)).min(1).max(10),
    }),
    form: {
      post: { field: ref('eventVote', ['投票帖', 'Post with a vote'], needed), at: 'postId' },
      options: { field: refs('eventVoteOption', ['选项', 'Options'], needed), follows: 'post', as: 'json' },
    },
    changes: ['chamberPost'],
    apply: async (tx, platform, event) => {
      const { participants, effects } = await castVote(tx, platform, {
        ...event.payload,
        memberId: event.memberId,
        projectId: event.projectId,
        at: event.occurredAt,
      });
      return { result: { participants }, effects };
    },
  }),
  memberEvent({
    type: 'task.share',
    title: ['分享', 'Share'],
    payload: z.strictObject({ target: z.string().trim().min(1).max(60) }),
    form: { target: { field: text(['分享的内容', 'What was shared'], { ...needed, max: 60 }) } },
    apply: async (tx, { settings }, event) => ({
      result: {},
      effects: [
        await grantTask(tx, settings, {
          task: 'T14',
          memberId: event.memberId,
          projectId: event.projectId,
          subject: `share:${event.payload.target}`,
          at: event.occurredAt,
        }),
      ],
    }),
  }),
];
