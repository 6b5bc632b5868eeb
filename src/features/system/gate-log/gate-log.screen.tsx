import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useLanguageStore } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { gateLog } from './gate-log.contract.ts';

const TracePart = lazyPart(() => import('./trace-part.tsx').then((module) => module.TracePart));

const slots: ScreenSlots = {
  cells: {
    at: (row) => (
      <span>
        {String(row.at ?? '')
          .slice(0, 19)
          .replace('T', ' ')}
        {typeof row.ms === 'number' && `.${String(row.ms).padStart(3, '0')}`}
      </span>
    ),
    menu: (row) => <MenuCell code={String(row.menu ?? '')} />,
  },
  detailParts: [{ key: 'trace', label: ['同链路', 'Same trace'], render: (row) => <TracePart row={row} /> }],
};

/** Calls of the API, with what else happened under the trace of each. */
function GateLogScreen() {
  return <ScreenOf contract={gateLog} slots={slots} />;
}

/** Gate log. */
export const screen = { contract: gateLog, component: GateLogScreen };

function MenuCell({ code }: { readonly code: string }) {
  const language = useLanguageStore((state) => state.language);
  const { data } = useQuery({
    queryKey: ['gateLog', 'menus', language],
    queryFn: ({ signal }) =>
      call<Record<string, string>>('GET', '/api/admin/gateLog/menus', { signal, quiet: true }),
    staleTime: Infinity,
  });
  return <>{data?.[code] ?? code}</>;
}
