import { Alert, Tag } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { DetailPart, ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, type RowData } from '../../../kernel/client/wire.ts';
import { apiCall } from './api-call.contract.ts';

const parts = () => import('./api-parts.tsx');
const DescriptionPart = lazyPart(() => parts().then((module) => module.DescriptionPart));
const CallersPart = lazyPart(() => parts().then((module) => module.CallersPart));
const TrafficPart = lazyPart(() => parts().then((module) => module.TrafficPart));
const FailuresPart = lazyPart(() => parts().then((module) => module.FailuresPart));
const TryPart = lazyPart(() => import('./try-part.tsx').then((module) => module.TryPart));
const ApiTools = lazyPart(() => parts().then((module) => module.ApiTools));

const DETAIL: readonly DetailPart[] = [
  { key: 'schema', label: ['描述', 'Description'], render: (row) => <DescriptionPart row={row} /> },
  { key: 'callers', label: ['谁可以调用', 'Who may call'], render: (row) => <CallersPart row={row} /> },
  { key: 'traffic', label: ['7天调用', 'Calls of 7 days'], render: (row) => <TrafficPart row={row} /> },
  { key: 'failures', label: ['最近错误', 'Last errors'], render: (row) => <FailuresPart row={row} /> },
];

/** Calls of the product with their rules and use. */
function ApiCallScreen() {
  const held = useHeld(apiCall);
  const slots: ScreenSlots = {
    above: <Summary />,
    toolbar: <ApiTools />,
    cells: { codes: (row) => <Codes row={row} />, title: (row) => <TitleCell row={row} /> },
    detailParts: [
      ...DETAIL,
      {
        key: 'try',
        label: ['试一试', 'Try it'],
        render: (row) => <TryPart key={row.id} row={row} mayWrite={held('btn_tryWrite')} />,
      },
    ],
  };
  return <ScreenOf contract={apiCall} slots={slots} />;
}

/** API list. */
export const screen = { contract: apiCall, component: ApiCallScreen };

/** How many calls need no token: what everybody can reach is looked at first. */
function Summary() {
  const text = useText();
  const { data } = useQuery({
    queryKey: [...keysOf.all(apiCall.name), 'summary'],
    queryFn: ({ signal }) =>
      call<{ total: number; public: number; off: number }>('GET', '/api/admin/apiCall/summary', {
        signal,
        quiet: true,
      }),
  });
  if (!data) return null;
  return (
    <Alert
      type="info"
      showIcon
      style={{ marginBottom: 12 }}
      title={text([
        `共 ${data.total} 个接口，其中 ${data.public} 个公开（无需登录），${data.off} 个已停用`,
        `${data.total} calls: ${data.public} public (no token needed), ${data.off} switched off`,
      ])}
    />
  );
}

/** What the call is called in the language of the page. */
function TitleCell({ row }: { readonly row: RowData }) {
  const text = useText();
  return <>{text([String(row.title ?? ''), String(row.titleEn || row.title || '')])}</>;
}

/** Rights that allow the call, each leading to where rights are kept. */
function Codes({ row }: { readonly row: RowData }) {
  const view = useView();
  const place = view.pathOf('menuManager');
  return (
    <>
      {((row.codes ?? []) as readonly string[]).map((code) =>
        place ? (
          <button
            key={code}
            type="button"
            className="k-link"
            title={code}
            style={{ maxWidth: '100%', overflow: 'hidden', textOverflow: 'ellipsis' }}
            onClick={() => view.open(`${place}?searchVal=${encodeURIComponent(code.split(':')[0]!)}`)}
          >
            {code}
          </button>
        ) : (
          <Tag key={code}>{code}</Tag>
        ),
      )}
    </>
  );
}
