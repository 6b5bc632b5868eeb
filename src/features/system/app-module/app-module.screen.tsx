import { useState } from 'react';
import { Button } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { appModule } from './app-module.contract.ts';

const AppPreview = lazyPart(() => import('./app-preview.tsx').then((module) => module.AppPreview));

const PreviewDrawer = lazyPart(() => import('./app-preview.tsx').then((module) => module.PreviewDrawer));

/** Beside tree and list there is room for a phone from this width on; below it, the phone stands over them. */
const ROOM = 1400;

/** App modules with the phone that shows what a resident sees of them. */
function AppModuleScreen() {
  const text = useText();
  const [shown, setShown] = useState(() => window.innerWidth >= ROOM);
  const beside = window.innerWidth >= ROOM;
  const slots: ScreenSlots = {
    toolbar: (
      <Button type="text" aria-pressed={shown} onClick={() => setShown(!shown)}>
        {text(shown ? ['收起手机预览', 'Hide the phone'] : ['手机预览', 'Phone preview'])}
      </Button>
    ),
    ...(shown && beside ? { aside: <AppPreview /> } : {}),
  };
  return (
    <>
      <ScreenOf contract={appModule} slots={slots} />
      {shown && !beside && <PreviewDrawer onClose={() => setShown(false)} />}
    </>
  );
}

/** App modules. */
export const screen = { contract: appModule, component: AppModuleScreen };
