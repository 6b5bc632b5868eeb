import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { DetailPart } from '../../../kernel/client/slots.ts';
import { protocolVersion } from './protocol-version.contract.ts';

const VersionDiff = lazyPart(() => import('./version-diff.tsx').then((module) => module.VersionDiff));
const ProtocolPreview = lazyPart(() =>
  import('./protocol-preview.tsx').then((module) => module.ProtocolPreview),
);

const PARTS: Readonly<Record<'btn_preview' | 'btn_diff', DetailPart>> = {
  btn_preview: {
    key: 'preview',
    label: ['手机预览', 'Preview'],
    render: (row) => <ProtocolPreview row={row} />,
  },
  btn_diff: {
    key: 'diff',
    label: ['版本对比', 'Compare versions'],
    render: (row) => <VersionDiff key={row.id} row={row} />,
  },
};

/** App agreements, with a look at them as on a phone and beside another version. */
function ProtocolVersionScreen() {
  const held = useHeld(protocolVersion);
  const detailParts = (['btn_preview', 'btn_diff'] as const).filter(held).map((element) => PARTS[element]);
  return <ScreenOf contract={protocolVersion} slots={{ detailParts }} />;
}

/** App agreements. */
export const screen = { contract: protocolVersion, component: ProtocolVersionScreen };
