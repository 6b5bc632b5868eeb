import './gateway.css';
import { Tabs } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { gatewayRoute } from './gateway-route.contract.ts';
import { upstreamHost } from './upstream-host.contract.ts';

const parts = () => import('./gateway-parts.tsx');
const VersionsPart = lazyPart(() => parts().then((module) => module.VersionsPart));
const TryButton = lazyPart(() => parts().then((module) => module.TryButton));
const MethodsInput = lazyPart(() => parts().then((module) => module.MethodsInput));
const TrafficPart = lazyPart(() => parts().then((module) => module.TrafficPart));
const TryPanel = lazyPart(() => import('./try-panel.tsx').then((module) => module.TryPanel));
const DraftDifference = lazyPart(() => parts().then((module) => module.DraftDifference));

const NO_SLOTS: ScreenSlots = {};
const ROUTE_SLOTS: ScreenSlots = {
  inputs: { methods: (props) => <MethodsInput {...props} /> },
  dialogAbove: {
    publish: (row) => <DraftDifference row={row} />,
    publishPublic: (row) => <DraftDifference row={row} />,
  },
  detailParts: [
    { key: 'versions', label: ['版本', 'Versions'], render: (row) => <VersionsPart row={row} /> },
    { key: 'traffic', label: ['流量', 'Traffic'], render: (row) => <TrafficPart row={row} /> },
  ],
};
const TRY_SLOTS: ScreenSlots = {
  ...ROUTE_SLOTS,
  toolbar: <TryButton />,
  detailParts: [
    ...ROUTE_SLOTS.detailParts!,
    {
      key: 'try',
      label: ['试草稿', 'Try the draft'],
      render: (row) => <TryPanel key={row.id} route={row.id} prefix={String(row.prefix)} />,
    },
  ],
};

const TABS = { routes: ['路由', 'Routes'], hosts: ['上游主机', 'Upstream hosts'] } as const;
type TabKey = keyof typeof TABS;

/** Routes to other systems, and for those who keep it the list of addresses they may lead to. */
function GatewayScreen() {
  const text = useText();
  const view = useView();
  const held = useHeld(gatewayRoute);
  const mayHost = useHeld(upstreamHost)('btn_host');
  const slots = held('btn_try') ? TRY_SLOTS : ROUTE_SLOTS;
  if (!mayHost) return <ScreenOf contract={gatewayRoute} slots={slots} />;
  const part: TabKey = view.query.get('part') === 'hosts' ? 'hosts' : 'routes';
  return (
    <>
      <Tabs
        className="gateway-tabs"
        activeKey={part}
        onChange={(key) => view.setQuery(new URLSearchParams(key === 'routes' ? {} : { part: key }))}
        items={(Object.keys(TABS) as TabKey[]).map((key) => ({ key, label: text(TABS[key]) }))}
      />
      {part === 'hosts' ? (
        <ScreenOf key="hosts" contract={upstreamHost} slots={NO_SLOTS} />
      ) : (
        <ScreenOf key="routes" contract={gatewayRoute} slots={slots} />
      )}
    </>
  );
}

/** Gateway routes. */
export const screen = { contract: gatewayRoute, component: GatewayScreen };
