import { useRef, useState } from 'react';
import { Alert, Input, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { ApiError, call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { tellFault } from '../../../kernel/client/feedback.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { NumberText } from '../../../kernel/client/parts/number-text.tsx';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { inputProblem } from '../../../kernel/contract/input.ts';
import { product } from './product.contract.ts';
import { SPEC_LIMITS } from './spec.rules.ts';

interface SpecStock {
  readonly id: string;
  readonly name: string;
  readonly stockNow: number;
  readonly reserved: number;
  readonly unit: string;
}

const spec = product.actions!.stock!;

/** Adds to or takes from the stock of specs: signed numbers with a reason, never a new total. */
export function StockDialog({ row, close, done }: ActionScreenProps) {
  const text = useText();
  const guard = useSubmitGuard();
  const key = useRef<string>(undefined);
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [reason, setReason] = useState('');
  const [asked, setAsked] = useState(false);
  const [error, setError] = useState<string>();
  const {
    data,
    isPending,
    isError,
    error: failure,
    refetch,
  } = useQuery({
    queryKey: [...keysOf.row(product.name, row!.id), 'stock'],
    staleTime: 0,
    gcTime: 0,
    queryFn: ({ signal }) =>
      call<RowData>('GET', `${rootOf(product)}/${encodeURIComponent(row!.id)}`, { signal }),
  });
  const specs = (data?.specs as readonly SpecStock[] | undefined) ?? [];
  const changes = specs.flatMap((one) => {
    const difference = Number(typed[one.id] ?? '');
    return Number.isSafeInteger(difference) && difference !== 0 ? [{ specId: one.id, difference }] : [];
  });
  const short = specs.some((one) => one.stockNow + Number(typed[one.id] || 0) < 0);
  const reasonProblem = inputProblem(spec.input!.reason!, reason.trim());
  const submit = () => {
    setAsked(true);
    if (changes.length === 0 || short || reasonProblem) return guard.hold();
    void guard.run(async () => {
      key.current ??= newIdempotencyKey();
      setError(undefined);
      try {
        await call('POST', `${rootOf(product)}/${row!.id}/stock`, {
          body: { version: data?.version, changes, reason: reason.trim() },
          idempotencyKey: key.current,
        });
        done([row!.id]);
      } catch (caught) {
        if (!(caught instanceof ApiError)) return tellFault(caught);
        if (caught.http !== 0 && caught.http !== 504) key.current = undefined;
        setError(caught.message);
        void refetch();
      }
    });
  };
  return (
    <AppModal
      open
      width={640}
      title={`${text(spec.label)} · ${String(row!.name ?? '')}`}
      okText={text(spec.label)}
      confirmLoading={guard.busy}
      okButtonProps={{ disabled: isPending || (guard.locked && !guard.busy) }}
      onOk={submit}
      onCancel={close}
    >
      {isPending ? (
        <Skeleton active />
      ) : isError ? (
        <ErrorPanel error={failure} onRetry={() => void refetch()} />
      ) : (
        <>
          <p className="k-quiet">
            {text([
              '填写增减数量：正数入库，负数出库；下单占用不受影响',
              'Enter differences: positive adds, negative takes away; pieces held by orders stay',
            ])}
          </p>
          <table className="spec-table" style={{ minWidth: 0 }}>
            <thead>
              <tr>
                <th scope="col">{text(['规格', 'Spec'])}</th>
                <th scope="col">{text(['可售', 'Stock'])}</th>
                <th scope="col">{text(['占用', 'Held'])}</th>
                <th scope="col">{text(['增减', 'Difference'])}</th>
                <th scope="col">{text(['调整后', 'Afterwards'])}</th>
              </tr>
            </thead>
            <tbody>
              {specs.map((one) => {
                const after = one.stockNow + Number(typed[one.id] || 0);
                const bad = after < 0 || after > SPEC_LIMITS.stock;
                return (
                  <tr key={one.id}>
                    <td>{one.name}</td>
                    <td className="k-number">{one.stockNow}</td>
                    <td className="k-number">{one.reserved}</td>
                    <td className={bad ? 'spec-bad' : ''}>
                      <NumberText
                        value={typed[one.id] ?? ''}
                        label={`${one.name} ${text(['增减', 'Difference'])}`}
                        scale={0}
                        negative
                        unit={one.unit}
                        onChange={(value) => setTyped({ ...typed, [one.id]: value })}
                      />
                    </td>
                    <td className={`k-number${bad ? ' k-problem' : ''}`}>
                      {Number.isNaN(after) ? '–' : after}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
          <label className="stock-reason">
            {text(spec.input!.reason!.label)} <span className="k-problem">*</span>
            <Input.TextArea
              value={reason}
              autoSize={{ minRows: 2, maxRows: 4 }}
              count={{ max: 200, show: true }}
              status={asked && reasonProblem ? 'error' : ''}
              onChange={(event) => setReason(event.target.value)}
            />
          </label>
          {asked && (reasonProblem ?? (changes.length === 0 ? NO_CHANGE : undefined)) && (
            <p className="k-problem" role="alert">
              {text(reasonProblem ?? NO_CHANGE)}
            </p>
          )}
          {error && <Alert type="error" showIcon title={error} />}
        </>
      )}
    </AppModal>
  );
}

const NO_CHANGE = ['请填写调整数量', 'Enter the numbers to add or take away'] as const;
