/** Outbox effect that works out whose result an order is and what it earns; its payload is `{ orderId }`. */
export const BUTLER_EFFECT = 'butler.settle';
