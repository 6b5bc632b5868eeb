import { useQuery } from '@tanstack/react-query';
import { Alert } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { deployServer, type DeploySummary } from './deploy-server.contract.ts';
import './deploy-server.css';

/** Servers online, instances up and versions in use, with a warning where one service runs in several. */
function Head() {
  const text = useText();
  const { active } = useView();
  const { data } = useQuery({
    queryKey: ['deployServer', 'summary'],
    queryFn: ({ signal }) =>
      call<DeploySummary>('GET', '/api/admin/deployServer/summary', { signal, quiet: true }),
    refetchInterval: active ? 10_000 : false,
  });
  const facts = [
    [['在线服务器', 'Servers online'], data?.online],
    [['正常实例', 'Instances UP'], data?.up],
    [['使用中的版本', 'Versions in use'], data?.versions.join(', ')],
  ] as const;
  return (
    <>
      {data && data.mixed.length > 0 && (
        <Alert
          className="deploy-banner"
          type="warning"
          showIcon
          title={text(['同一服务存在多个版本', 'Several versions of one service are running'])}
          description={data.mixed.map((one) => `${one.service}: ${one.versions.join(', ')}`).join(' · ')}
        />
      )}
      <dl className="deploy-head">
        {facts.map(([label, value]) => (
          <div key={label[1]}>
            <dt>{text(label)}</dt>
            <dd>{value || value === 0 ? value : '–'}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

const parts = () => import('./server-parts.tsx');
const InstancesPart = lazyPart(() => parts().then((module) => module.InstancesPart));
const LoadPart = lazyPart(() => parts().then((module) => module.LoadPart));
const EventsPart = lazyPart(() => parts().then((module) => module.EventsPart));

const slots: ScreenSlots = {
  above: <Head />,
  detailParts: [
    { key: 'instances', label: ['实例', 'Instances'], render: (row) => <InstancesPart row={row} /> },
    { key: 'load', label: ['资源', 'Load'], render: (row) => <LoadPart row={row} /> },
    { key: 'events', label: ['事件', 'Events'], render: (row) => <EventsPart row={row} /> },
  ],
};

function DeployServers() {
  return <ScreenOf contract={deployServer} slots={slots} />;
}

/** 部署管理. */
export const screen = { contract: deployServer, component: DeployServers };
