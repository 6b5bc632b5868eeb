import { defineGroup } from '../../kernel/contract/group.ts';

/** 物业管理. */
export const group = defineGroup({
  path: '/companymanager',
  screens: [
    {
      menu: 'cs_promanager',
      load: () => import('./property-staff/property-staff.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_pronotice',
      load: () => import('./notice/notice.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_maintenance',
      load: () => import('./maintenance/maintenance.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_escrow',
      load: () => import('./custody/custody.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_customer',
      load: () =>
        import('./customer-staff/customer-staff.contract.ts').then((module) => ({
          contract: module.customerStaff,
        })),
    },
    {
      menu: 'cs_hotline',
      load: () => import('./hotline/hotline.contract.ts').then((module) => ({ contract: module.hotline })),
    },
    {
      menu: 'cs_houseEnquiry',
      load: () => import('./house/house.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_workOrder',
      load: () => import('./work-order/work-order.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_housekeepManager',
      load: () => import('./housekeeper/housekeeper.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_feedBack',
      load: () => import('./feedback/feedback.contract.ts').then((module) => ({ contract: module.feedback })),
    },
    {
      menu: 'cs_visitRegistration',
      load: () => import('./visitor/visitor.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_housekeeperEvaluate',
      load: () => import('./evaluation/housekeeper-evaluation.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_propertyEvaluate',
      load: () => import('./evaluation/evaluation.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_payMentWay',
      load: () =>
        import('./payment-way/payment-way.contract.ts').then((module) => ({ contract: module.paymentWay })),
    },
    {
      menu: 'cs_propertyChargingBill',
      load: () => import('./charging/charging.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_orderDetail',
      load: () => import('./order-detail/order-detail.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_payCourtesy',
      load: () => import('./pay-courtesy/pay-courtesy.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_propertyBill',
      load: () => import('./bill-payment/bill-payment.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_PlaneWorkOrder',
      load: () => import('./work-plan/plan-order.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_decoreteSupervise',
      load: () => import('./decoration-offer/decoration-offer.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_decoreteApply',
      load: () => import('./decoration/decoration-application.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_passLog',
      load: () => import('./pass-log/pass-log.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_function',
      load: () => import('./assistant/assistant-function.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_question',
      load: () => import('./assistant/assistant-question.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'cs_advise',
      load: () => import('./advice/advice.contract.ts').then((module) => ({ contract: module.advice })),
    },
  ],
});
