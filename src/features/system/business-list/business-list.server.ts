import { defineRegistration, endpoint } from '../../../kernel/server/registration.ts';

/** Ways to pay in the mall. */
export const registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/shoppingMall/getPayType',
      title: ['支付方式', 'Pay ways'],
      access: 'staff',
      handle: async (call) => [
        { id: 1, name: call.facts.language === 'zh' ? PAY_WAYS[0][0] : PAY_WAYS[0][1] },
        { id: 2, name: call.facts.language === 'zh' ? PAY_WAYS[1][0] : PAY_WAYS[1][1] },
      ],
    }),
  ],
});

const PAY_WAYS = [
  ['支付宝', 'Alipay'],
  ['微信', 'WeChat Pay'],
] as const;
