import type { Registration } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { Binding } from '../../../kernel/server/resource/binding.ts';
import { serviceGroupOrder } from './service-group-order.contract.ts';
import { serviceOrderExport } from './service-order-export.server.ts';
import { serviceBinding, visitEndpoints } from './service-order.server.ts';

const binding: Binding = {
  ...serviceBinding,
  // The export reads by this binding and knows nothing of the view.
  where: `${serviceBinding.where} AND t.type = 'group'`,
  endpoints: visitEndpoints('/jinmao/web/serviceGroupOrder', serviceGroupOrder.menu, () => bound),
};
const bound: BoundResource = bindResource(serviceGroupOrder, binding);

/** Service group orders: orders of services under a menu of their own. */
export const registration: Registration = {
  ...bound.registration,
  exports: [serviceOrderExport(binding, bound, serviceGroupOrder)],
};
