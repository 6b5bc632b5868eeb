import { useState } from 'react';
import { Button } from 'antd';
import type { Label } from '../../../kernel/contract/label.ts';
import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { useSession } from '../../../kernel/client/session.ts';

// Its pickers are as much code as the list the button stands above.
const WhoCanDialog = lazyPart(() => import('./who-can.tsx').then((module) => module.WhoCanDialog));

/** Name of the dialog and of the button that opens it. */
export const WHO_CAN: Label = ['谁能做什么', 'Who can do what'];

/** Asks who holds a right without opening a person first. `element`: whoever may ask. */
export function WhoCanButton({ element }: { readonly element: string }) {
  const text = useText();
  const held = useSession((state) => state.elements[element] === true);
  const [open, setOpen] = useState(false);
  if (!held) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{text(WHO_CAN)}</Button>
      {open && <WhoCanDialog onClose={() => setOpen(false)} />}
    </>
  );
}
