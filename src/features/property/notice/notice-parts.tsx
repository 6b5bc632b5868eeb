import './notice.css';
import { Alert, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { SafeHtml } from '../../../kernel/client/parts/safe-html.tsx';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { notice, NOTICE_TYPES, type Notice } from './notice.contract.ts';

interface Reach {
  readonly households: number;
  readonly houses: number;
  readonly sms: boolean;
}

/** How many residents a notice reaches, told before it goes out. */
export function Audience({ row }: { readonly row: RowData }) {
  const text = useText();
  const reach = useQuery({
    queryKey: [...keysOf.row(notice.name, row.id), 'audience'],
    gcTime: 0,
    queryFn: ({ signal }) =>
      call<Reach>('GET', `${rootOf(notice)}/${row.id}/audience`, { signal, quiet: true }),
  });
  if (reach.isError) return <ErrorPanel error={reach.error} onRetry={() => void reach.refetch()} />;
  if (!reach.data) return <Skeleton active title={false} paragraph={{ rows: 1 }} />;
  const { households, houses, sms } = reach.data;
  return (
    <Alert
      type={households === 0 ? 'warning' : 'info'}
      showIcon
      title={text(
        households === 0
          ? ['目前没有可送达的住户', 'It would reach nobody at the moment']
          : fill(
              [
                sms ? '将送达 {n} 位住户（{h} 户），并发送短信' : '将送达 {n} 位住户（{h} 户）',
                sms
                  ? 'It reaches {n} {n|resident|residents} in {h} {h|house|houses}, by SMS too'
                  : 'It reaches {n} {n|resident|residents} in {h} {h|house|houses}',
              ],
              { n: households, h: houses },
            ),
      )}
    />
  );
}

/** The notice as a resident sees it. */
export function NoticePreview({ row }: { readonly row: RowData }) {
  const text = useText();
  const shown = row as unknown as Notice;
  const at = shown.publishedAt ?? shown.publishAt;
  return (
    <section className="pn-phone" aria-label={text(['手机预览', 'Preview'])}>
      <header>{NOTICE_TYPES[shown.type].label[0]}</header>
      <div className="pn-page" role="document" tabIndex={0}>
        <h3>
          {shown.importance === '1' && <em>重要</em>}
          {shown.title}
        </h3>
        <p className="pn-by">
          {shown.signature} {at ? instantFull(at) : '发布后显示时间'}
        </p>
        <SafeHtml html={shown.body ?? ''} />
        {shown.images.map((one) => (
          <img key={one.id} src={one.url} alt={one.name} />
        ))}
        {shown.needsConfirmation && <span className="pn-confirm">我已知晓</span>}
      </div>
    </section>
  );
}
