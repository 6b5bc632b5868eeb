import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { useSession } from '../../../kernel/client/session.ts';
import { returnAddress } from './return-address.contract.ts';

const MERCHANT = 2;

/** 退货地址: a merchant's staff are not asked whose address it is. */
function ReturnAddressScreen() {
  const own = useSession((session) =>
    session.info?.tenantType === MERCHANT ? session.info.tenantId : undefined,
  );
  return (
    <ScreenOf
      contract={returnAddress}
      slots={
        own === undefined
          ? {}
          : { createWith: { merchant: { id: own, title: own } }, hiddenInputs: ['merchant'] }
      }
    />
  );
}

/** Module of am_businessAddress. */
export const screen = { contract: returnAddress, component: ReturnAddressScreen };
