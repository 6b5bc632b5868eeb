import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { jumpLink } from './jump-link.contract.ts';

const LinkTest = lazyPart(() => import('./link-test.tsx').then((module) => module.LinkTest));

const UsesPart = lazyPart(() => import('./link-uses.tsx').then((module) => module.UsesPart));

const USES = {
  key: 'uses',
  label: ['使用', 'Used by'],
  render: (row: RowData) => <UsesPart row={row} />,
} as const;
const NO_TEST: ScreenSlots = { detailParts: [USES] };
const WITH_TEST: ScreenSlots = {
  detailParts: [USES, { key: 'test', label: ['测试', 'Test'], render: (row) => <LinkTest row={row} /> }],
};

/** Jump links, with a test of the links in the detail. */
function JumpLinkScreen() {
  const held = useHeld(jumpLink);
  return <ScreenOf contract={jumpLink} slots={held('btn_test') ? WITH_TEST : NO_TEST} />;
}

/** Jump links. */
export const screen = { contract: jumpLink, component: JumpLinkScreen };
