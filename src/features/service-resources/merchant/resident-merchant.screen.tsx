import { useEffect, useEffectEvent, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { residentAgreement } from './merchant-agreement.contract.ts';
import { merchantSlots } from './merchant-parts.tsx';
import { residentMerchant } from './merchant.contract.ts';

const Look = lazyPart(() => import('./application-look.tsx').then((module) => module.ApplicationLookPanel));

const slots = {
  ...merchantSlots(residentMerchant, residentAgreement, {
    cells: {
      // Red once a review takes longer than it may.
      waitingDays: (row) =>
        row.waitingDays === null || row.waitingDays === undefined ? (
          '–'
        ) : (
          <span className={row.reviewLate === true ? 'k-number k-bad' : 'k-number'}>
            {String(row.waitingDays)}
          </span>
        ),
    },
  }),
  // Who decides sees what else is known, others do not.
  detailAbove: (row: RowData) =>
    row.state === 'in_review' && row.actions.includes('approve') ? <Look row={row} /> : null,
};

/** Resident merchants with their agreements; reviewers begin with what waits for them. */
function ResidentMerchantScreen() {
  const view = useView();
  const held = useHeld(residentMerchant);
  const [bare] = useState(
    () => view.path.endsWith(`/${residentMerchant.menu}`) && [...view.query.keys()].length === 0,
  );
  const { data } = useQuery({
    queryKey: keysOf.counts(residentMerchant.name, {}),
    enabled: bare && held('btn_audit'),
    queryFn: ({ signal }) =>
      call<Record<string, number>>('GET', `${rootOf(residentMerchant)}/counts`, { signal, quiet: true }),
  });
  const waits = (data?.review ?? 0) > 0;
  const begin = useEffectEvent(() => {
    if (waits && [...view.query.keys()].length === 0) view.setQuery(new URLSearchParams({ tab: 'review' }));
  });
  useEffect(() => begin(), [waits]);
  return <ScreenOf contract={residentMerchant} slots={slots} />;
}

/** Resident merchants. */
export const screen = { contract: residentMerchant, component: ResidentMerchantScreen };
