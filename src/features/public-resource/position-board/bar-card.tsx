import { Button, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { useAction } from '../../../kernel/client/action/use-action.tsx';
import { call } from '../../../kernel/client/api-client.ts';
import { currentLanguage, useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { cellValue } from '../../../kernel/client/parts/field-value.tsx';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { boardOccupancy, boardPosition } from '../position/position.contract.ts';

const FACTS = [
  'position',
  'kind',
  'from',
  'to',
  'standing',
  'client',
  'contract',
  'reason',
  'holder',
  'expiresAt',
] as const;
const ACTS = ['prolong', 'release'] as const;

/** What one bar of the board is, and what the caller may do with it. */
export function BarCard({
  id,
  close,
  changed,
  draft,
}: {
  readonly id: string;
  readonly close: () => void;
  readonly changed: () => void;
  /** Drafts a contract that takes the hold over. */
  readonly draft: (() => void) | undefined;
}) {
  const text = useText();
  const context = { language: currentLanguage(), canReveal: false };
  const action = useAction(boardOccupancy, {
    onDone: () => {
      changed();
      close();
    },
  });
  const { data, isError, error, refetch } = useQuery({
    queryKey: keysOf.row(boardOccupancy.name, id),
    staleTime: 0,
    queryFn: ({ signal }) => call<RowData>('GET', `${rootOf(boardOccupancy)}/${id}`, { signal, quiet: true }),
  });
  return (
    <>
      <AppModal
        open
        title={text(boardOccupancy.title)}
        onCancel={close}
        footer={[
          ...ACTS.filter((name) => data?.actions.includes(name)).map((name) => (
            <Button key={name} danger={name === 'release'} onClick={() => action.run(name, data)}>
              {text(boardOccupancy.actions![name].label)}
            </Button>
          )),
          ...(draft
            ? [
                <Button key="draft" type="primary" onClick={draft}>
                  {text(boardPosition.elements!.btn_draft!)}
                </Button>,
              ]
            : []),
          <Button key="close" onClick={close}>
            {text(['关闭', 'Close'])}
          </Button>,
        ]}
      >
        {isError && !data ? (
          <ErrorPanel error={error} onRetry={() => void refetch()} />
        ) : !data ? (
          <Skeleton active />
        ) : (
          <dl className="pb-facts">
            {FACTS.filter((name) => data[name]).map((name) => (
              <div key={name}>
                <dt>{text(boardOccupancy.fields[name].label)}</dt>
                <dd>{cellValue(name, boardOccupancy.fields[name], data, context)}</dd>
              </div>
            ))}
          </dl>
        )}
      </AppModal>
      {action.element}
    </>
  );
}
