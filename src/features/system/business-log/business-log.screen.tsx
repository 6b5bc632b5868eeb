import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { auditRecord, type Wording } from './business-log.contract.ts';

const DifferencePart = lazyPart(() => import('./record-parts.tsx').then((module) => module.DifferencePart));
const VerifyDialog = lazyPart(() => import('./verify-dialog.tsx').then((module) => module.VerifyDialog));

const ROOT = '/api/admin/auditRecord';

const slots: ScreenSlots = {
  cells: {
    staff: (row) => <StaffCell row={row} />,
    menu: (row) => <MenuCell code={String(row.menu ?? '')} />,
    action: (row) => <Worded row={row} tell={(words) => words.actions[String(row.action)]} name="action" />,
    entity: (row) => <Worded row={row} tell={(words) => words.entity} name="entity" />,
    changed: (row) => (
      <Worded
        row={row}
        name="changed"
        tell={(words, between) =>
          ((row.changed as readonly string[] | null) ?? [])
            .map((one) => words.columns[one] ?? one)
            .join(between)
        }
      />
    ),
    sealed: (row) => <SealedCell row={row} />,
  },
  actionScreens: { verify: (props) => <VerifyDialog {...props} /> },
  detailParts: [
    { key: 'difference', label: ['字段差异', 'Difference'], render: (row) => <DifferencePart row={row} /> },
  ],
};

/** Every recorded change, with its fields before and after and its place in the hash chain. */
function BusinessLogScreen() {
  return <ScreenOf contract={auditRecord} slots={slots} />;
}

/** Business log. */
export const screen = { contract: auditRecord, component: BusinessLogScreen };

function StaffCell({ row }: { readonly row: RowData }) {
  const text = useText();
  const staff = row.staff as { id: string; title: string } | null;
  return <>{!staff || staff.id === '0' ? text(['系统', 'System']) : staff.title}</>;
}

function MenuCell({ code }: { readonly code: string }) {
  const language = useLanguageStore((state) => state.language);
  const { data } = useQuery({
    queryKey: ['auditRecord', 'menus', language],
    queryFn: ({ signal }) => call<Record<string, string>>('GET', `${ROOT}/menus`, { signal, quiet: true }),
    staleTime: Infinity,
  });
  return <>{data?.[code] ?? code}</>;
}

/** Codes of a record as the release calls them; the code itself until the words are there. */
function Worded({
  row,
  tell,
  name,
}: {
  readonly row: RowData;
  readonly tell: (words: Wording, between: string) => string | undefined;
  readonly name: string;
}) {
  const language = useLanguageStore((state) => state.language);
  const entity = String(row.entity ?? '');
  const { data } = useQuery({
    queryKey: ['auditRecord', 'wording', entity, language],
    queryFn: ({ signal }) =>
      call<Wording>('GET', `${ROOT}/wording?entity=${encodeURIComponent(entity)}`, { signal, quiet: true }),
    staleTime: Infinity,
  });
  const code = row[name];
  const between = language === 'en' ? ', ' : '、';
  return (
    <>{(data && tell(data, between)) ?? (Array.isArray(code) ? code.join(between) : String(code ?? ''))}</>
  );
}

function SealedCell({ row }: { readonly row: RowData }) {
  const text = useText();
  return row.sealed === true ? (
    <span role="img" aria-label={text(['已上链', 'In the chain'])}>
      ✓
    </span>
  ) : (
    <span className="k-quiet">{text(['待封存', 'Not yet'])}</span>
  );
}
