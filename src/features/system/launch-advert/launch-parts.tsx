import './launch-parts.css';
import { useState } from 'react';
import { Alert, Segmented, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { PhoneFrame } from '../../../kernel/client/parts/phone-frame.tsx';
import { launchAdvert, type LaunchAdvert, type LeftOutPages } from './launch-advert.contract.ts';

/** The picture as a phone shows it while the app starts. */
export function LaunchPreview({ row }: { readonly row: RowData }) {
  const text = useText();
  const page = row as unknown as LaunchAdvert;
  const [phone, setPhone] = useState<'android' | 'ios'>('android');
  const image = phone === 'ios' ? page.iosImage : page.androidImage;
  return (
    <>
      <Segmented
        aria-label={text(['手机', 'Phone'])}
        value={phone}
        onChange={setPhone}
        options={[
          { value: 'android', label: 'Android' },
          { value: 'ios', label: 'iOS' },
        ]}
      />
      <PhoneFrame title={text(['业主端', 'Owner app'])}>
        <div className="la-page">
          {image && <img src={image.url} alt={page.title} />}
          <span className="la-skip">{text([`跳过 ${page.stay}`, `Skip ${page.stay}`])}</span>
        </div>
      </PhoneFrame>
    </>
  );
}

/** What publishing leaves out, told before it happens. */
export function LeftOut({ row }: { readonly row: RowData }) {
  const text = useText();
  const lost = useQuery({
    queryKey: [...keysOf.row(launchAdvert.name, row.id), 'leftOut'],
    gcTime: 0,
    queryFn: ({ signal }) =>
      call<readonly LeftOutPages[]>('GET', `${rootOf(launchAdvert)}/${row.id}/leftOut`, {
        signal,
        quiet: true,
      }),
  });
  if (lost.isError) return <ErrorPanel error={lost.error} onRetry={() => void lost.refetch()} />;
  if (!lost.data) return <Skeleton active title={false} paragraph={{ rows: 1 }} />;
  if (lost.data.length === 0) return null;
  return (
    <Alert
      type="warning"
      showIcon
      title={text([
        '超出同时展示的上限，以下启动页将不展示',
        'Over the limit: these pages will not be shown',
      ])}
      description={
        <ul className="la-lost">
          {lost.data.map((one) => (
            <li key={one.project}>
              {one.project}
              {text(['：', ': '])}
              {one.titles.join(text(['、', ', ']))}
            </li>
          ))}
        </ul>
      }
    />
  );
}
