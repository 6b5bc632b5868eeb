import { useRef, useState } from 'react';
import { Alert, Skeleton, TreeSelect } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { ApiError, call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { keysOf, rootOf } from '../../../kernel/client/wire.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { pickedRegion, pickerRegions, type RegionNode } from '../../../domain/region/region.rules.ts';
import type { AreaPart } from './product-parts.tsx';
import { product } from './product.contract.ts';

interface Node {
  readonly value: string;
  readonly title: string;
  readonly children: Node[];
  readonly disabled?: boolean;
}

/** 不配送区域 of one product: provinces, cities and districts with half ticks; the merchant's own stand ticked and fixed. */
export function AreaDialog({ row, close, done }: ActionScreenProps) {
  const text = useText();
  const guard = useSubmitGuard();
  const key = useRef<string>(undefined);
  const [chosen, setChosen] = useState<readonly string[]>();
  const [problem, setProblem] = useState<string>();
  const areas = useQuery({
    queryKey: [...keysOf.row(product.name, row!.id), 'noDelivery'],
    staleTime: 0,
    gcTime: 0,
    queryFn: ({ signal }) => call<AreaPart>('GET', `${rootOf(product)}/${row!.id}/noDelivery`, { signal }),
  });
  const regions = useQuery({
    queryKey: ['regions'],
    staleTime: Infinity,
    queryFn: ({ signal }) =>
      call<readonly RegionNode[]>('GET', '/api/jinmao/web/bizRegion/getAllRegionListPc', { signal }),
  });
  const failed = areas.error ?? regions.error;
  const places = regions.data ?? [];
  const before = (areas.data?.own ?? []).map((one) => pickedRegion(places, one.id));
  const now = chosen ?? before;
  const merchant = new Set((areas.data?.merchant ?? []).map((one) => pickedRegion(places, one.id)));
  const added = now.filter((id) => !before.includes(id)).length;
  const removed = before.filter((id) => !now.includes(id)).length;
  const send = () =>
    void guard.run(async () => {
      key.current ??= newIdempotencyKey();
      setProblem(undefined);
      try {
        await call('POST', `${rootOf(product)}/${row!.id}/noDelivery`, {
          body: { regions: now },
          idempotencyKey: key.current,
        });
        done([row!.id]);
      } catch (caught) {
        if (!(caught instanceof ApiError)) throw caught;
        if (caught.http !== 0 && caught.http !== 504) key.current = undefined;
        setProblem(caught.message);
      }
    });
  return (
    <AppModal
      open
      width={640}
      title={`${text(product.actions!.noDelivery!.label)} · ${String(row!.name ?? '')}`}
      okText={text(['保存', 'Save'])}
      confirmLoading={guard.busy}
      okButtonProps={{ disabled: !areas.data || added + removed === 0 || (guard.locked && !guard.busy) }}
      onOk={send}
      onCancel={close}
    >
      {failed ? (
        <ErrorPanel error={failed} onRetry={() => void Promise.all([areas.refetch(), regions.refetch()])} />
      ) : !areas.data || !regions.data ? (
        <Skeleton active />
      ) : (
        <>
          <p className="k-quiet">
            {text([
              '收货项目位于所选地区时不能下单，保存后立即生效；已支付的订单不受影响。',
              'Orders for projects in these places are refused from now on; paid orders stay as they are.',
            ])}
          </p>
          <TreeSelect
            className="k-fill"
            treeData={pickerRegions(places).map((one) => nodeOf(one, merchant))}
            value={now as string[]}
            treeCheckable
            showCheckedStrategy={TreeSelect.SHOW_PARENT}
            showSearch={{ treeNodeFilterProp: 'title' }}
            allowClear
            maxTagCount={12}
            listHeight={320}
            placeholder={text(['选择省、市、区', 'Choose provinces, cities, districts'])}
            aria-label={text(product.actions!.noDelivery!.label)}
            onChange={(value: unknown) => setChosen((value as string[]).map(String))}
          />
          <p className="k-quiet k-small" aria-live="polite">
            {text(
              fill(['已选 {n} 项，新增 {a}，移除 {r}', '{n} chosen, {a} added, {r} removed'], {
                n: now.length,
                a: added,
                r: removed,
              }),
            )}
          </p>
          {areas.data.merchant.length > 0 && (
            <p className="k-small">
              <span className="k-quiet">{text(['商户统一不配送：', 'Of the merchant: '])}</span>
              {areas.data.merchant.map((one) => one.title).join(text(['、', ', ']))}
            </p>
          )}
          {problem && <Alert type="error" showIcon title={problem} />}
        </>
      )}
    </AppModal>
  );
}

/** What the merchant does not deliver to anyway cannot be chosen again. */
function nodeOf(region: RegionNode, merchant: ReadonlySet<string>): Node {
  return {
    value: region.id,
    title: region.name,
    ...(merchant.has(region.id) ? { disabled: true } : {}),
    children: region.children.map((one) => nodeOf(one, merchant)),
  };
}
