import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';

/** Which months of a range are closed: their figures never move again. */
export function ClosedMonths({ range }: { readonly range: string | null }) {
  const text = useText();
  const { data } = useQuery({
    queryKey: ['statMonth', 'closed'],
    queryFn: ({ signal }) =>
      call<{ months: string[] }>('GET', '/api/jinmao/web/goodsSale/closedMonths', { signal, quiet: true }),
  });
  const [from = '', to = ''] = (range ?? '').split('~');
  const closed = (data?.months ?? []).filter(
    (month) => range === null || (month >= from.slice(0, 7) && month <= to.slice(0, 7)),
  );
  if (closed.length === 0 || range === null) return null;
  return <p className="k-quiet">{text([`已关账：${closed.join('、')}`, `Closed: ${closed.join(', ')}`])}</p>;
}
