import { useEffect, useEffectEvent } from 'react';
import { FormPage } from '../../../kernel/client/form/form-page.tsx';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ActionScreenProps, ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { commercialClient } from './client.contract.ts';

/** Drafts a contract with a client. */
function Draft({ row, close }: ActionScreenProps) {
  const view = useView();
  const go = useEffectEvent(() => {
    close();
    view.open(`/publicResource/pr_contractCreart/add/0?clientId=${row!.id}`);
  });
  useEffect(() => go(), []);
  return null;
}

const ClientSpaces = lazyPart(() => import('./client-spaces.tsx').then((module) => module.ClientSpaces));

const slots: ScreenSlots = {
  actionScreens: { contract: (props) => <Draft {...props} /> },
  detailParts: [
    {
      key: 'spaces',
      label: ['匹配铺位', 'Matching spaces'],
      render: (row) => <ClientSpaces id={row.id} />,
    },
  ],
};

/** 商业客户: the list; one page adds and, with an id, edits; the detail. */
function Clients() {
  const view = useView();
  const id = view.query.get('id') ?? undefined;
  if (view.menu === 'addCustomer')
    return <FormPage key={id ?? ''} resource={commercialClient} slots={slots} id={id} />;
  return <ScreenOf contract={commercialClient} slots={slots} />;
}

/** 商业客户. */
export const screen = { contract: commercialClient, component: Clients };
