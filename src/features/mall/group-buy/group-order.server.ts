import type { Registration } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { Binding } from '../../../kernel/server/resource/binding.ts';
import { orderBinding, rowEndpoints } from '../goods-order/goods-order.server.ts';
import { orderExport } from '../goods-order/order-export.server.ts';
import { groupOrder } from './group-order.contract.ts';

const { also: _also, endpoints: _endpoints, revealPaths: _reveal, ...shared } = orderBinding;
const binding: Binding = {
  ...shared,
  // The export reads by this binding and knows nothing of the view.
  where: `${orderBinding.where} AND t.type = 'group'`,
  endpoints: rowEndpoints('/jinmao/web/groupOrder', groupOrder.menu, () => bound),
};
const bound: BoundResource = bindResource(groupOrder, binding);

/** Group orders: the orders of goods under a menu of their own. */
export const registration: Registration = {
  ...bound.registration,
  exports: [orderExport(binding, bound, groupOrder)],
};
