import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import { CONFIRM_DAYS, workOrderBinding, workOrderPrefix } from './work-order-binding.server.ts';
import { reservationOrder } from './work-order.contract.ts';

const bound: BoundResource = bindResource(reservationOrder, {
  ...workOrderBinding,
  where: `t.type = 'service'`,
  also: {
    prefixes: [workOrderPrefix(reservationOrder, 'service')],
    jobs: [
      dueJob(() => bound, {
        name: 'reservationOrder.auto_confirm',
        title: ['预约订单自动确认', 'Confirm finished orders of services'],
        cron: '9 * * * *',
        action: 'autoConfirm',
        when: `t.finished_at + make_interval(days => ${CONFIRM_DAYS}) <= now()`,
      }),
    ],
  },
});

/** Orders of services created as work orders. */
export const registration = bound.registration;
