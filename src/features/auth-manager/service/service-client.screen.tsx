import { instantShort } from '../../../kernel/client/format.rules.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { serviceClient } from './service-client.contract.ts';

const secrets = () => import('../oauth-client/oauth-client-parts.tsx');
const SecretsPart = lazyPart(() => secrets().then((module) => module.SecretsPart));
const SecretsDialog = lazyPart(() => secrets().then((module) => module.SecretsDialog));
const MapPart = lazyPart(() => import('./service-map.tsx').then((module) => module.MapPart));

const slots: ScreenSlots = {
  cells: {
    instances: (row) => <Instances row={row} />,
    maintenance: (row) => <Maintenance row={row} />,
  },
  dialogAbove: { allow: (row) => <MapPart row={row} /> },
  actionScreens: {
    removeSecret: (props) => <SecretsDialog {...props} of={serviceClient} />,
    endSecret: (props) => <SecretsDialog {...props} of={serviceClient} />,
  },
  detailParts: [
    { key: 'map', label: ['调用关系', 'Who calls whom'], render: (row) => <MapPart row={row} /> },
    {
      key: 'secrets',
      label: ['密钥', 'Secrets'],
      render: (row) => <SecretsPart row={row} of={serviceClient} />,
    },
  ],
};

/** Services with their credentials and whom they may call. */
function ServiceClientScreen() {
  return <ScreenOf contract={serviceClient} slots={slots} />;
}

/** Services. */
export const screen = { contract: serviceClient, component: ServiceClientScreen };

/** Live and all instances, leading to them. */
function Instances({ row }: { readonly row: RowData }) {
  const view = useView();
  const place = view.pathOf('serviceEurekaManager');
  const count = String(row.instances ?? '0/0');
  if (!place) return <>{count}</>;
  return (
    <button
      type="button"
      className="k-link"
      onClick={() => view.open(`${place}?searchVal=${encodeURIComponent(String(row.code))}`)}
    >
      {count}
    </button>
  );
}

function Maintenance({ row }: { readonly row: RowData }) {
  if (row.maintenance !== true) return <>–</>;
  const until = typeof row.maintenanceUntil === 'string' ? ` ${instantShort(row.maintenanceUntil)}` : '';
  return <StatusTag tone="warning" choice={{ label: [`维护中${until}`, `Maintenance${until}`] }} />;
}
