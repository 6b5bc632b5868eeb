import { useContext, useMemo, type ReactNode } from 'react';
import { DetailPage } from '../../kernel/client/detail/detail-page.tsx';
import { FormPage } from '../../kernel/client/form/form-page.tsx';
import { ScreenOf } from '../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../kernel/client/slots.ts';
import { ViewContext } from '../../kernel/client/view.ts';
import type { Resource } from '../../kernel/contract/resource.ts';

/** Menu of the list each word of `:source` leads back to; any other leads to the own list. */
const BACK: Readonly<Record<string, string>> = {
  receivable: 'accountsReceivable',
  receipt: 'accountsConfirm',
  order: 'order',
  client: 'customerList',
  contract: 'contractList',
  todo: 'or_todo',
};

/**
 * List of a resource, and its edit and detail pages at `…/:id/:source`: id 0 is a new row, source only says where the way back
 * leads and is never a right.
 */
export function SourcedModes({
  contract,
  slots,
  added,
}: {
  readonly contract: Resource;
  readonly slots: ScreenSlots;
  /** Slots of the form of a new row, where they differ. */
  readonly added?: ScreenSlots;
}): ReactNode {
  const view = useContext(ViewContext)!;
  const { id, source = '' } = view.params;
  const place = useMemo(() => {
    const back = BACK[source];
    if (!back) return view;
    return {
      ...view,
      pathOf: (menu: string) =>
        menu === contract.menu ? (view.pathOf(back) ?? view.pathOf(menu)) : view.pathOf(menu),
    };
  }, [view, source, contract.menu]);
  if (id === undefined) return <ScreenOf contract={contract} slots={slots} />;
  const page =
    view.menu === menuOf(contract.modes?.detail) ? (
      <DetailPage key={id} resource={contract} slots={slots} id={id} />
    ) : id === '0' ? (
      <FormPage resource={contract} slots={added ?? slots} id={undefined} />
    ) : (
      <FormPage key={id} resource={contract} slots={slots} id={id} />
    );
  return <ViewContext value={place}>{page}</ViewContext>;
}

function menuOf(mode: string | undefined): string | undefined {
  return mode?.split('/')[0];
}
