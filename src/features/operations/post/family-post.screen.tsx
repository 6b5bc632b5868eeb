import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { postSlots } from './post-parts.tsx';
import { familyPost } from './post.contract.ts';

const slots = postSlots(false);

function FamilyPostScreen() {
  return <ScreenOf contract={familyPost} slots={slots} />;
}

/** 家人圈帖子. */
export const screen = { contract: familyPost, component: FamilyPostScreen };
