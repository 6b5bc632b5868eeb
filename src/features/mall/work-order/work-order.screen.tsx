import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { businessOrder, reservationOrder } from './work-order.contract.ts';

const slots: ScreenSlots = {
  dialogWith: {
    remark: (row) => ({ remark: row.remark }),
    assign: (row) => ({ servicePerson: row.servicePerson, expectedAt: row.expectedAt }),
    quote: (row) => ({ amount: row.amount }),
  },
};

const screenOf = <R extends Parameters<typeof ScreenOf>[0]['contract']>(contract: R) => ({
  contract,
  component: () => <ScreenOf contract={contract} slots={slots} />,
});

/** 商业订单 and 预约订单: dialogs start with what stands there already. */
export const businessScreen = screenOf(businessOrder);
export const reservationScreen = screenOf(reservationOrder);
