import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { launchAdvert } from './launch-advert.contract.ts';

const LaunchPreview = lazyPart(() => import('./launch-parts.tsx').then((module) => module.LaunchPreview));
const LeftOut = lazyPart(() => import('./launch-parts.tsx').then((module) => module.LeftOut));

/** Launch pages, as they look on a phone, and what would be left out once one is published. */
function LaunchAdvertScreen() {
  const held = useHeld(launchAdvert);
  return (
    <ScreenOf
      contract={launchAdvert}
      slots={{
        dialogAbove: { publish: (row) => <LeftOut row={row} /> },
        ...(held('btn_preview') && {
          detailParts: [
            {
              key: 'preview',
              label: ['手机预览', 'Preview'] as const,
              render: (row) => <LaunchPreview row={row} />,
            },
          ],
        }),
      }}
    />
  );
}

/** Launch pages. */
export const screen = { contract: launchAdvert, component: LaunchAdvertScreen };
