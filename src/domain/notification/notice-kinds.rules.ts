import type { Label } from '../../kernel/contract/label.ts';

/** A kind of message to staff. */
export interface NoticeKind {
  readonly title: Label;
  /** When it is sent, for the person who decides about it. */
  readonly note: Label;
  /** Who can get it at all: holders of one of these menus; absent: everybody. */
  readonly menus?: readonly string[];
  /** Tenants whose staff can get it; absent: all. */
  readonly tenantKinds?: readonly (1 | 2 | 3 | 4)[];
  /** Cannot be switched off in the product itself; SMS and e-mail stay a choice. */
  readonly mandatory?: boolean;
  /** Stands under 告警 / Alerts. */
  readonly alert?: boolean;
}

const KINDS = {
  approval: {
    title: ['审批', 'Approvals'],
    note: ['有待我审批的申请，或我的申请有了结果', 'Something waits for my approval, or mine was decided'],
  },
  productReview: {
    title: ['商品审核结果', 'Product reviews'],
    note: ['我提交审核的商品通过或被驳回', 'A product I handed in was approved or refused'],
    menus: ['mm_commodityMana'],
  },
  couponBudget: {
    title: ['优惠券预算', 'Budgets of coupons'],
    note: ['我负责的优惠券预算已用 80%', 'A coupon I look after used 80 % of its budget'],
    menus: ['mm_couponManagement'],
  },
  couponConsent: {
    title: ['优惠券承担确认', 'Consent to coupons'],
    note: ['平台优惠券请本商户承担一部分', 'A platform coupon asks the merchant to bear a part'],
    menus: ['mk_coupon'],
  },
  positionHold: {
    title: ['点位预留', 'Holds of positions'],
    note: ['我预留的点位即将到期或已到期', 'A position I hold is released soon or was released'],
    menus: ['positionList', 'pointList'],
  },
  contractReminder: {
    title: ['合同提醒', 'Contracts'],
    note: [
      '我或下属负责的合同即将到期、付款或缺签署件，或自动续签',
      'A contract of mine or of my people ends soon, is due, lacks its signed copy or renews itself',
    ],
    menus: ['pr_contractMineManagement', 'pr_contractListManagement'],
  },
  coinBudget: {
    title: ['代币抵扣预算', 'Budgets of coin deduction'],
    note: ['我负责的代币抵扣规则预算已用 80%', 'A coin-deduction rule I look after used 80 % of its budget'],
    menus: ['mk_coinDeductionRule'],
  },
  pointsBudget: {
    title: ['积分预算', 'Points budgets'],
    note: ['积分预算已用到提醒比例或已用完', 'A points budget passed its warning line or is used up'],
    menus: ['pointsSend'],
  },
  refundResult: {
    title: ['退款结果', 'Refund results'],
    note: [
      '我申请的退款有了结果，或我通过的退款失败',
      'A refund I asked for was decided, or one I passed failed',
    ],
    menus: ['mm_orderRefund', 'mm_businessOrder_wx'],
  },
  statement: {
    title: ['商户账单', 'Bills of merchants'],
    note: [
      '本商户有新账单待确认，或账单已自动确认、已付款',
      'A bill of my merchant waits for confirmation, was confirmed by itself, or was paid',
    ],
    menus: ['mm_accountStatement'],
    tenantKinds: [2],
  },
  serviceCertificate: {
    title: ['服务人员证件', 'Certificates of service people'],
    note: ['服务人员的证件即将到期或已过期', 'A certificate of a service person ends soon or has ended'],
    menus: ['cs_busServicePerson'],
  },
  report: {
    title: ['订阅的报表', 'Subscribed reports'],
    note: ['我订阅的工单统计已更新', 'Work-order statistics I subscribed to'],
    menus: ['or_ProOperIndex', 'or_operIndex'],
  },
  advice: {
    title: ['投诉建议', 'Advice'],
    note: [
      '分派给我的投诉建议待回复、即将超时或已超时',
      'Advice given to me waits for a reply, is due soon or overdue',
    ],
    menus: ['cs_advise'],
  },
  afterSale: {
    title: ['售后单', 'After-sales cases'],
    note: [
      '本商户有新的售后申请、买家寄回、平台介入或即将到期',
      'Cases of my merchant are new, sent back, before the platform or due soon',
    ],
    menus: ['am_orderlist'],
  },
  custodyInspection: {
    title: ['托管巡查到期', 'Custody inspections'],
    note: ['我经办的托管房屋到了巡查日期', 'A house in my custody is to be inspected'],
    menus: ['cs_escrow'],
  },
  workOrder: {
    title: ['工单', 'Work orders'],
    note: [
      '工单派给我、即将超时或已超时、被催单',
      'A work order was given to me, is due soon or overdue, or was urged',
    ],
    menus: ['cs_workOrder'],
  },
  overtimeExpiry: {
    title: ['调休到期', 'Time off about to expire'],
    note: ['我或下属的调休即将到期', 'Time off of mine or of my people ends soon'],
  },
  whitelistExpiry: {
    title: ['登录白名单到期', 'Whitelist rules about to end'],
    note: ['我添加的登录白名单即将到期', 'A login whitelist rule of mine ends soon'],
    menus: ['WhiteManage'],
  },
  licenceExpiry: {
    title: ['机构执照到期', 'Licences about to end'],
    note: ['我负责或维护的机构执照即将到期', 'The licence of an organisation I lead or keep ends soon'],
    menus: ['mechanism'],
  },
  reportOverdue: {
    title: ['举报超时', 'Overdue reports'],
    note: ['下属认领的举报超过处理时限', 'A report somebody I lead has claimed is past its time'],
    menus: ['cs_reportManagement'],
  },
  tenantExpiry: {
    title: ['公司套餐到期', 'Packages of companies'],
    note: [
      '公司或中心城市的套餐即将到期或已到期',
      'The package of a company or centre city ends soon, or ended',
    ],
    menus: ['tenantManager'],
  },
  merchantTerms: {
    title: ['商户资质与协议到期', 'Certificates and agreements of merchants'],
    note: [
      '商户的资质或协议即将到期或已到期',
      'A certificate or agreement of a merchant ends soon, or ended',
    ],
    menus: ['ssm_merchantManager'],
  },
  unusedAccounts: {
    title: ['未使用账号', 'Unused accounts'],
    note: ['每周一列出长期未登录的账号', 'Every Monday: accounts nobody signed in to for long'],
    menus: ['userManager'],
  },
  groupEnded: {
    title: ['角色到期', 'Group memberships ended'],
    note: ['我在角色中的成员资格到期，权限随之变化', 'A membership of mine ended, and rights with it'],
    mandatory: true,
  },
  phoneChanged: {
    title: ['登录手机号变更', 'Phone of the account'],
    note: ['我的登录手机号被更改', 'The phone that can reset my password was changed'],
    mandatory: true,
  },
  ssoChanged: {
    title: ['单点登录账号变更', 'Single sign-on account'],
    note: [
      '可登录我账号的单点登录账号被更改',
      'The single sign-on account that opens my account was changed',
    ],
    mandatory: true,
  },
  emailChanged: {
    title: ['账号邮箱变更', 'E-mail address of the account'],
    note: ['他人更改了我的邮箱', 'Somebody else changed the address my e-mails go to'],
    mandatory: true,
  },
  alertPayment: {
    title: ['支付告警', 'Payment alerts'],
    note: ['款项与订单不符，已原路退回', 'A payment did not fit its order and was sent back'],
    menus: ['mm_businessOrder_wx'],
    tenantKinds: [3],
    mandatory: true,
    alert: true,
  },
  payeeNotice: {
    title: ['收款账户提醒', 'Payee accounts'],
    note: [
      '收款账户的证书即将到期，或适用范围今日生效、失效',
      'A certificate of a payee account ends soon, or an assignment begins or ends today',
    ],
    menus: ['pm_account'],
  },
  alertPayee: {
    title: ['收款账户告警', 'Payee account alerts'],
    note: [
      '付款因未配置收款账户被拒绝，或账户证书已过期',
      'A payment was refused for want of a payee account, or the certificate of one has expired',
    ],
    menus: ['pm_account'],
    mandatory: true,
    alert: true,
  },
  alertGate: {
    title: ['道闸告警', 'Gate alerts'],
    note: ['所在项目的道闸离线', 'Gates of my projects went offline'],
    menus: ['ssm_roadGate'],
    alert: true,
  },
  clientCredential: {
    title: ['客户端凭证', 'Client credentials'],
    note: [
      '我负责的客户端密钥即将到期、令牌被重复使用或长期未使用',
      'A secret of a client I keep ends soon, a token of it was used twice, or nobody uses it',
    ],
    menus: ['oauthClientDetailsManager'],
    tenantKinds: [3],
    mandatory: true,
  },
  alertApi: {
    title: ['接口告警', 'API alerts'],
    note: ['新版本增加了无需登录的接口', 'A release brought calls that need no token'],
    menus: ['apiManager'],
    tenantKinds: [3],
    mandatory: true,
    alert: true,
  },
  alertStock: {
    title: ['库存告警', 'Stock alerts'],
    note: ['库存与出入库流水核对有差异', 'Stock differs from its movements'],
    menus: ['mm_businessOrder_wx'],
    tenantKinds: [3],
    mandatory: true,
    alert: true,
  },
  errorAssigned: {
    title: ['错误指派', 'Assigned errors'],
    note: ['系统日志中的错误指派给我处理', 'An error of the system log was assigned to me'],
    menus: ['ssm_systemLog'],
    tenantKinds: [3],
  },
  alertSystem: {
    title: ['系统告警', 'System alerts'],
    note: [
      '定时任务连续失败、漏跑或未按时执行，审计链断裂，数据检查发现问题',
      'Jobs fail, are missed or late, the audit chain is broken, or the doctor found problems',
    ],
    menus: ['ssm_systemLog'],
    tenantKinds: [3],
    mandatory: true,
    alert: true,
  },
  butler: {
    title: ['管家', 'Butlers'],
    note: [
      '业绩调整、激励发放、分享提醒与运营任务',
      'Results that were changed, incentives that were paid, reminders to share and tasks',
    ],
    menus: [
      'butler_achievement',
      'butler_incentiveDistribution',
      'butler_remind',
      'butler_operate',
      'butler_configuration',
    ],
  },
  packageOrder: {
    title: ['套餐订单', 'Package orders'],
    note: [
      '我销售的套餐即将到期或有分期即将到期',
      'A package I sold ends soon, or an instalment of one falls due',
    ],
    menus: ['order'],
  },
  decorOrder: {
    title: ['美居订单', 'Decor orders'],
    note: [
      '我负责的美居订单有分期款到期或逾期、节点延误、质保将到期',
      'An instalment of a decor order of mine is due or overdue, a node is late, or a warranty ends soon',
    ],
    menus: ['mj_mercureCommodityOrder'],
  },
  clientPool: {
    title: ['客户将进入公海', 'Clients that go to the pool'],
    note: [
      '我的商业客户三天内将因未跟进或未签约进入公海',
      'A client of mine goes to the pool within three days, as it was not followed up or signed',
    ],
    menus: ['customerList'],
  },
  clientNews: {
    title: ['商业客户动态', 'News of commercial clients'],
    note: [
      '同事在跟进中@我，或分配的客户超过 24 小时未读',
      'A colleague named me in a follow-up, or an assigned client was not opened for a day',
    ],
    menus: ['customerList'],
  },
  decorCase: {
    title: ['美居售后', 'Decor after-sales'],
    note: [
      '本商户的美居售后新申请、即将到期，或超时转平台跟进',
      'A case of a decor order of ours is new, due soon, or late and with the desk',
    ],
    menus: ['mj_mercureCommodityAfterSales'],
  },
  receivable: {
    title: ['应收与收款', 'Receivables and receipts'],
    note: [
      '我负责的应收失约，或收款长时间未确认',
      'A promise on a receivable of mine was broken, or a receipt waits long for its confirmation',
    ],
    menus: ['accountsReceivable', 'accountsConfirm'],
  },
  alertMonitor: {
    title: ['监控告警', 'Monitoring alerts'],
    note: ['监控规则触发或恢复', 'A rule of the monitoring fired or recovered'],
    menus: ['serviceMonitorManager'],
    tenantKinds: [3],
    mandatory: true,
    alert: true,
  },
} as const satisfies Readonly<Record<string, NoticeKind>>;

/** Code of a kind. A message of a kind that is not declared here does not compile. */
export type NoticeKindCode = keyof typeof KINDS;

/** Kinds of which the messages stand under 告警 / Alerts. */
export type AlertKindCode = Extract<NoticeKindCode, `alert${string}`>;

/** All kinds by code, in the order the profile shows them. */
export const noticeKinds: Readonly<Record<NoticeKindCode, NoticeKind>> = KINDS;

/** Codes of the alerts. */
export const alertKinds = (Object.keys(KINDS) as NoticeKindCode[]).filter((code) => noticeKinds[code].alert);

/** Menu whose holders see alerts of the system itself. */
const MONITOR_MENU = 'serviceMonitorManager';

interface Receiver {
  readonly tenantKind: 1 | 2 | 3 | 4;
  readonly menus: { has(code: string): boolean };
}

/** True when a staff with these menus can get messages of the kind. */
export function canGet(kind: NoticeKind, staff: Receiver): boolean {
  return (
    (kind.tenantKinds?.includes(staff.tenantKind) ?? true) &&
    (kind.menus?.some((menu) => staff.menus.has(menu)) ?? true)
  );
}

/**
 * Kinds of which the messages tell of rows this staff does not see now: with a right they end, and come back with it. What
 * tells of the staff itself stays.
 */
export function kindsOutOfSight(staff: Receiver): NoticeKindCode[] {
  return (Object.keys(KINDS) as NoticeKindCode[]).filter((code) => !canGet(noticeKinds[code], staff));
}

/** True for holders of alerts: who sees the monitoring, or can get one of the alerts. */
export function isAlertHolder(staff: Receiver): boolean {
  return staff.menus.has(MONITOR_MENU) || alertKinds.some((code) => canGet(noticeKinds[code], staff));
}

/** Ways a message can go. */
export const CHANNELS = ['inApp', 'sms', 'email'] as const;

/** One of them. */
export type Channel = (typeof CHANNELS)[number];

/** The switches of a kind as they stand without a choice: in the product only. */
export const DEFAULT_SWITCHES: Readonly<Record<Channel, boolean>> = { inApp: true, sms: false, email: false };
