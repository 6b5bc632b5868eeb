import { useQuery } from '@tanstack/react-query';
import { Alert } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
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

const slots: ScreenSlots = { above: <Head /> };

function DeployServers() {
  return <ScreenOf contract={deployServer} slots={slots} />;
}

/** 部署管理. */
export const screen = { contract: deployServer, component: DeployServers };
