import { Skeleton, Tag } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { keysOf, type RowData } from '../../../kernel/client/wire.ts';
import { serviceClient, type ServiceMap } from './service-client.contract.ts';

/** Callers on the left, the service in the middle, whom it may call on the right. */
export function MapPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const { data, error, refetch } = useQuery({
    queryKey: [...keysOf.all(serviceClient.name), 'map', row.id],
    queryFn: ({ signal }) =>
      call<ServiceMap>('GET', `/api/admin/serviceClient/${row.id}/map`, { signal, quiet: true }),
  });
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active paragraph={{ rows: 2 }} />;
  const side = (label: string, services: ServiceMap['callers']) => (
    <section aria-label={label}>
      <span className="k-quiet">{label}</span>
      <ul style={{ listStyle: 'none', margin: 0, padding: 0 }}>
        {services.length === 0 && <li>–</li>}
        {services.map((one) => (
          <li key={one.id}>
            <Tag title={one.name}>{one.code}</Tag>
          </li>
        ))}
      </ul>
    </section>
  );
  return (
    <div style={{ display: 'flex', flexWrap: 'wrap', gap: 16, alignItems: 'center' }}>
      {side(text(['可以调用它', 'May call it']), data.callers)}
      <span aria-hidden>→</span>
      <strong>{String(row.code)}</strong>
      <span aria-hidden>→</span>
      {side(text(['它可以调用', 'It may call']), data.callees)}
    </div>
  );
}
