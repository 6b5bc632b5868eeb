import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { jumpLink } from './jump-link.contract.ts';

const LinkTest = lazyPart(() => import('./link-test.tsx').then((module) => module.LinkTest));

const NO_SLOTS: ScreenSlots = {};
const WITH_TEST: ScreenSlots = {
  detailParts: [{ key: 'test', label: ['测试', 'Test'], render: (row) => <LinkTest row={row} /> }],
};

/** Jump links, with a test of the links in the detail. */
function JumpLinkScreen() {
  const held = useHeld(jumpLink);
  return <ScreenOf contract={jumpLink} slots={held('btn_test') ? WITH_TEST : NO_SLOTS} />;
}

/** Jump links. */
export const screen = { contract: jumpLink, component: JumpLinkScreen };
