import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { postSlots } from './post-parts.tsx';
import { groupPost } from './post.contract.ts';

const slots = postSlots(false);

function GroupPostScreen() {
  return <ScreenOf contract={groupPost} slots={slots} />;
}

/** 小组帖子. */
export const screen = { contract: groupPost, component: GroupPostScreen };
