import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { postSlots } from './post-parts.tsx';
import { chamberPost } from './post.contract.ts';

const slots = postSlots(true);

function ChamberPostScreen() {
  return <ScreenOf contract={chamberPost} slots={slots} />;
}

/** 议事厅管理. */
export const screen = { contract: chamberPost, component: ChamberPostScreen };
