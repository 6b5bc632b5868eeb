/** Line icons of the menu groups on a 24 px grid. */
const shapes: Readonly<Record<string, string>> = {
  home: 'M4 11l8-7 8 7v8a1 1 0 0 1-1 1h-4v-6H9v6H5a1 1 0 0 1-1-1z',
  gauge: 'M4 18a9 9 0 1 1 16 0M12 14l4-5M12 16a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  operation: 'M4 19V5m0 14h16M8 15l3-4 3 2 5-7',
  permission: 'M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 12l2 2 4-4',
  merchant:
    'M4 9l1-5h14l1 5M4 9a2.7 2.7 0 0 0 5.3 0A2.7 2.7 0 0 0 14.7 9 2.7 2.7 0 0 0 20 9M5 12v8h14v-8M10 20v-5h4v5',
  service:
    'M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM12 3v3m0 12v3m9-9h-3M6 12H3m15.4-6.4l-2.2 2.2M7.8 16.2l-2.2 2.2m12.8 0l-2.2-2.2M7.8 7.8L5.6 5.6',
  monitor: 'M4 5h16v11H4zM9 20h6m-3-4v4M7 11h2l1.5-3 3 5 1.5-2h2',
  property: 'M4 21V8l7-4v17M11 9l8 3v9M3 21h18M7 11h1m-1 4h1m6 0h2m-2 3h2',
  wrench:
    'M14.5 6.5a4 4 0 0 1 5-1l-2.7 2.7 1 2 2 1L21 8.5a4 4 0 0 1-5.5 4.5L8 20.5a2 2 0 0 1-3-3L12.5 10a4 4 0 0 1 2-3.5z',
  mall: 'M5 8h14l-1 12H6zM9 8a3 3 0 0 1 6 0',
  system: 'M4 6h16M4 12h16M4 18h16M8 4v4m8 2v4m-6 2v4',
  people:
    'M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zm-6 8c0-3 2.5-5 6-5s6 2 6 5m0-13.5a3 3 0 0 1 0 5.5m2 3.5c2.5.5 4 2.3 4 4.5',
  report: 'M5 20V11h3v9zm5.5 0V5h3v15zM16 20v-7h3v7z',
  butler: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zm-7 9c0-4 3-7 7-7s7 3 7 7M12 14v4',
  finance: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM8.5 7.5L12 12l3.5-4.5M8 12.5h8m-8 3h8M12 12v6',
  sofa: 'M5 11V8a2 2 0 0 1 2-2h10a2 2 0 0 1 2 2v3M3 12a2 2 0 0 1 4 0v2h10v-2a2 2 0 0 1 4 0v5H3zM5 17v2m14-2v2',
  database:
    'M5 6c0-1.6 3-3 7-3s7 1.4 7 3-3 3-7 3-7-1.4-7-3zm0 0v12c0 1.6 3 3 7 3s7-1.4 7-3V6M5 12c0 1.6 3 3 7 3s7-1.4 7-3',
  marketing: 'M4 10v4h3l8 5V5L7 10zM18 9a4 4 0 0 1 0 6',
  contract: 'M6 3h9l4 4v14H6zM14 3v5h5M9 12h7m-7 4h5',
  chart: 'M12 3a9 9 0 1 0 9 9h-9zM15 3.5A9 9 0 0 1 20.5 9H15z',
  life: 'M12 20s-8-4.7-8-10a4.3 4.3 0 0 1 8-2.3A4.3 4.3 0 0 1 20 10c0 5.3-8 10-8 10z',
  client: 'M4 8h16v11H4zM9 8V5h6v3M4 13h16',
  afterSales: 'M4 12a8 8 0 0 1 14-5.3L20 9M20 4v5h-5M20 12a8 8 0 0 1-14 5.3L4 15m0 5v-5h5',
  points: 'M12 3l2.7 5.7 6.3.8-4.6 4.3 1.2 6.2-5.6-3-5.6 3 1.2-6.2L3 9.5l6.3-.8z',
  menu: 'M5 5h6v6H5zm8 0h6v6h-6zM5 13h6v6H5zm8 0h6v6h-6z',
};

const ofGroup: Readonly<Record<string, string>> = {
  operService: 'operation',
  adminSys: 'permission',
  serviceSourceManager: 'merchant',
  authManager: 'service',
  monitorManager: 'monitor',
  companymanager: 'property',
  service: 'home',
  merchantManager: 'mall',
  sysManager: 'system',
  ownersmanager: 'people',
  ProOperReport: 'report',
  butlermanager: 'butler',
  financialManage: 'finance',
  mercureManager: 'sofa',
  baseData: 'database',
  marketing: 'marketing',
  publicResource: 'contract',
  statisticalAnalysis: 'chart',
  lifeService: 'life',
  yueshang: 'client',
  afterSalesManage: 'afterSales',
  vipAccount: 'points',
};

/** Names of the component library's icons the menus use, by the nearest of ours. */
const ofLibrary: Readonly<Record<string, string>> = {
  DashboardOutlined: 'gauge',
  HomeOutlined: 'home',
  RocketOutlined: 'operation',
  LineChartOutlined: 'operation',
  SafetyCertificateOutlined: 'permission',
  SafetyOutlined: 'permission',
  ShopOutlined: 'merchant',
  ApiOutlined: 'service',
  SettingOutlined: 'system',
  ControlOutlined: 'system',
  MonitorOutlined: 'monitor',
  BankOutlined: 'property',
  ToolOutlined: 'wrench',
  ShoppingOutlined: 'mall',
  TeamOutlined: 'people',
  UserOutlined: 'butler',
  BarChartOutlined: 'report',
  CustomerServiceOutlined: 'butler',
  AccountBookOutlined: 'finance',
  TransactionOutlined: 'finance',
  FormatPainterOutlined: 'sofa',
  DatabaseOutlined: 'database',
  GiftOutlined: 'marketing',
  NotificationOutlined: 'marketing',
  FileProtectOutlined: 'contract',
  AuditOutlined: 'contract',
  PieChartOutlined: 'chart',
  CoffeeOutlined: 'life',
  ContactsOutlined: 'client',
  RollbackOutlined: 'afterSales',
  WalletOutlined: 'points',
  StarOutlined: 'points',
  MenuOutlined: 'system',
  AppstoreOutlined: 'menu',
};

/** Names of icons an administrator can choose from, one for every drawing. */
export const MENU_ICONS: readonly string[] = Object.keys(ofLibrary).filter(
  (name, index, names) => names.findIndex((other) => ofLibrary[other] === ofLibrary[name]) === index,
);

/** Icon of a menu: by the name the server sends, else by the group's code, else a general one. */
export function MenuIcon({ name, code }: { readonly name: string | undefined; readonly code: string }) {
  const shape = shapes[name ?? ''] ?? shapes[ofLibrary[name ?? ''] ?? ofGroup[code] ?? ''] ?? shapes.menu;
  return (
    <svg className="menu-icon" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
      <path d={shape} />
    </svg>
  );
}
