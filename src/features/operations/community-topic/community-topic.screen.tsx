import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { Emojied } from '../emoji/emojied.tsx';
import { communityTopic } from './community-topic.contract.ts';

const slots: ScreenSlots = {
  parts: { comments: { cells: { content: (row) => <Emojied>{String(row.content)}</Emojied> } } },
};

function CommunityTopicScreen() {
  return <ScreenOf contract={communityTopic} slots={slots} />;
}

/** 社区话题. */
export const screen = { contract: communityTopic, component: CommunityTopicScreen };
