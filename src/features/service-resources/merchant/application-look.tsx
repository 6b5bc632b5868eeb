import { Alert } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { REVIEWED, residentMerchant, type ApplicationLook } from './merchant.contract.ts';

const SAME: Readonly<Record<ApplicationLook['duplicates'][number]['same'][number], Label>> = {
  licenceNo: ['执照号相同', 'the same licence no.'],
  legalPerson: ['法人相同', 'the same legal person'],
  phone: ['电话相同', 'the same phone'],
  payee: ['收款账号相同', 'the same payee number'],
};

/** Over the application somebody decides: other merchants that look like it, and what changed since it was rejected. */
export function ApplicationLookPanel({ row }: { readonly row: RowData }) {
  const text = useText();
  const view = useView();
  const { data } = useQuery({
    queryKey: [...keysOf.row(residentMerchant.name, row.id), 'application'],
    queryFn: ({ signal }) =>
      call<ApplicationLook>('GET', `${rootOf(residentMerchant)}/${row.id}/application`, {
        signal,
        quiet: true,
      }),
  });
  if (!data) return null;
  const words = (name: string) =>
    text((REVIEWED as Readonly<Record<string, { readonly label: Label }>>)[name]?.label ?? [name, name]);
  return (
    <>
      {data.duplicates.length > 0 && (
        <Alert
          type="warning"
          showIcon
          title={text(['疑似重复申请', 'Looks like another merchant'])}
          description={
            <ul>
              {data.duplicates.map((one, index) => (
                <li key={one.id || index}>
                  {one.id === '' ? (
                    text(['范围外的商户', 'A merchant outside your reach'])
                  ) : (
                    <button
                      type="button"
                      className="k-link"
                      onClick={() =>
                        view.open(`/serviceSourceManager/residentMerchantsDetails/view/${one.id}`)
                      }
                    >
                      {one.name}
                    </button>
                  )}{' '}
                  {one.same.map((what) => text(SAME[what])).join(text(['、', ', ']))}
                  {one.state && (
                    <span className="k-quiet"> · {text(residentMerchant.states![one.state]!.label)}</span>
                  )}
                </li>
              ))}
            </ul>
          }
        />
      )}
      {data.changed && (
        <Alert
          type="info"
          showIcon
          title={text(
            data.changed.length > 0
              ? [
                  `驳回后修改：${data.changed.map(words).join('、')}`,
                  `Changed since it was rejected: ${data.changed.map(words).join(', ')}`,
                ]
              : ['驳回后没有修改', 'Nothing changed since it was rejected'],
          )}
        />
      )}
    </>
  );
}
