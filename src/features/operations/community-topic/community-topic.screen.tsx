import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { commentSlots } from '../../../domain/content/emoji/emojied.tsx';
import { communityTopic } from './community-topic.contract.ts';

const EmojiInput = lazyPart(() =>
  import('../../../domain/content/emoji/emoji-input.tsx').then((module) => module.EmojiInput),
);
const EmojiedHtml = lazyPart(() =>
  import('../../../domain/content/emoji/emojied-html.tsx').then((module) => module.EmojiedHtml),
);
const { content } = communityTopic.fields;
const { answer } = communityTopic.actions!.reply.input!;

const slots: ScreenSlots = {
  inputs: {
    content: (props) => <EmojiInput {...props} field={content} />,
    answer: (props) => <EmojiInput {...props} field={answer!} />,
  },
  cells: { content: (row) => <EmojiedHtml html={String(row.content)} /> },
  parts: { comments: commentSlots },
};

function CommunityTopicScreen() {
  return <ScreenOf contract={communityTopic} slots={slots} />;
}

/** 社区话题. */
export const screen = { contract: communityTopic, component: CommunityTopicScreen };
