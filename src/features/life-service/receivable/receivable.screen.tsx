import { useEffect, useEffectEvent } from 'react';
import type { ActionScreenProps, ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { SourcedModes } from '../sourced-modes.tsx';
import { receivable } from './receivable.contract.ts';

/** Opens the form of a receipt for what is owed. */
function Collect({ row, close }: ActionScreenProps) {
  const view = useView();
  const go = useEffectEvent(() => {
    close();
    view.open(`/lifeService/accountsConfirmEdit/0/receivable?receivable=${row!.id}`);
  });
  useEffect(() => go(), []);
  return null;
}

const slots: ScreenSlots = {
  actionScreens: { collect: (props) => <Collect {...props} /> },
};
const added: ScreenSlots = { ...slots, hiddenInputs: ['changeReason'] };

/** 应收账款, with its edit and detail pages. */
export const screen = {
  contract: receivable,
  component: () => <SourcedModes contract={receivable} slots={slots} added={added} />,
};
