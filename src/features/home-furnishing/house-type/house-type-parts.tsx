import { useRef, useState } from 'react';
import { Alert, Skeleton, Table } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { ApiError, call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { houseType, type TypedHouse } from './house-type.contract.ts';
import './house-type.css';

/** 绑定房屋: houses of the project by building and unit; those of another type stand first. */
export function BindDialog({ row, close, done }: ActionScreenProps) {
  const text = useText();
  const guard = useSubmitGuard();
  const key = useRef<string>(undefined);
  const [building, setBuilding] = useState<RefValue>();
  const [unit, setUnit] = useState<RefValue>();
  // What was ticked or unticked, also of houses that are not shown any more.
  const [changed, setChanged] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [problem, setProblem] = useState<string>();
  const id = row!.id;
  const asked = new URLSearchParams({
    ...(building ? { building: building.id } : {}),
    ...(unit ? { unit: unit.id } : {}),
  }).toString();
  const houses = useQuery({
    queryKey: [...keysOf.row(houseType.name, id), 'houses', asked],
    staleTime: 0,
    gcTime: 0,
    queryFn: ({ signal }) =>
      call<readonly TypedHouse[]>('GET', `${rootOf(houseType)}/${id}/houses${asked ? `?${asked}` : ''}`, {
        signal,
      }),
  });
  const isBound = (house: TypedHouse) => house.type?.id === id;
  const shown = houses.data ?? [];
  const ticked = shown.filter((house) => changed.get(house.id) ?? isBound(house)).map((house) => house.id);
  const choose = (ids: readonly string[]) => {
    const next = new Map(changed);
    for (const house of shown) {
      const now = ids.includes(house.id);
      if (now === isBound(house)) next.delete(house.id);
      else next.set(house.id, now);
    }
    setChanged(next);
  };
  const bind = [...changed].filter(([, on]) => on).map(([house]) => house);
  const release = [...changed].filter(([, on]) => !on).map(([house]) => house);
  const moved = shown.filter((house) => changed.get(house.id) && house.type).length;
  const send = () =>
    void guard.run(async () => {
      key.current ??= newIdempotencyKey();
      setProblem(undefined);
      try {
        await call('POST', `${rootOf(houseType)}/${id}/bind`, {
          body: { houses: bind, release, version: row!.version },
          idempotencyKey: key.current,
          quiet: true,
        });
        done([id]);
      } catch (caught) {
        if (!(caught instanceof ApiError)) throw caught;
        if (caught.http !== 0 && caught.http !== 504) key.current = undefined;
        setProblem(caught.message);
      }
    });
  return (
    <AppModal
      open
      width={760}
      title={`${text(houseType.actions!.bind!.label)} · ${String(row!.name)}`}
      okText={text(['保存', 'Save'])}
      confirmLoading={guard.busy}
      okButtonProps={{ disabled: changed.size === 0 || (guard.locked && !guard.busy) }}
      onOk={send}
      onCancel={close}
    >
      <div className="furnish-bar">
        <RemoteSelect
          target="typeBuilding"
          within={(row!.project as RefValue).id}
          value={building ? [building.id] : []}
          known={building ? { [building.id]: building.title } : {}}
          label={text(['楼栋', 'Building'])}
          placeholder={text(['全部楼栋', 'Every building'])}
          onChange={(_, entries) => {
            setBuilding(entries[0]);
            setUnit(undefined);
          }}
        />
        <RemoteSelect
          key={building?.id ?? ''}
          target="typeUnit"
          {...(building ? { within: building.id } : {})}
          value={unit ? [unit.id] : []}
          known={unit ? { [unit.id]: unit.title } : {}}
          label={text(['单元', 'Unit'])}
          placeholder={text(['全部单元', 'Every unit'])}
          disabled={!building}
          onChange={(_, entries) => setUnit(entries[0])}
        />
      </div>
      {houses.error ? (
        <ErrorPanel error={houses.error} onRetry={() => void houses.refetch()} />
      ) : !houses.data ? (
        <Skeleton active />
      ) : (
        <Table<TypedHouse>
          size="small"
          rowKey="id"
          dataSource={shown as TypedHouse[]}
          pagination={{ pageSize: 50, showSizeChanger: false, hideOnSinglePage: true }}
          scroll={{ y: 360 }}
          rowSelection={{
            selectedRowKeys: ticked,
            onChange: (ids) => choose(ids.map(String)),
            getCheckboxProps: (house) => ({
              'aria-label': `${house.building} ${house.unit} ${house.number}`,
            }),
          }}
          columns={[
            { key: 'building', title: text(['楼栋', 'Building']), dataIndex: 'building' },
            { key: 'unit', title: text(['单元', 'Unit']), dataIndex: 'unit' },
            { key: 'number', title: text(['房号', 'Number']), dataIndex: 'number' },
            {
              key: 'area',
              title: text(['建筑面积 (m²)', 'Built area (m²)']),
              align: 'right',
              className: 'k-number',
              render: (_, house) => house.builtArea ?? '–',
            },
            {
              key: 'type',
              title: text(['现户型', 'Type now']),
              render: (_, house) =>
                house.type ? (
                  <StatusTag
                    choice={{
                      label: [house.type.name, house.type.name],
                      tone: isBound(house) ? 'success' : 'warning',
                    }}
                  />
                ) : (
                  <span className="k-quiet">–</span>
                ),
            },
          ]}
        />
      )}
      <p className="k-quiet k-small" aria-live="polite">
        {text(
          fill(
            ['将绑定 {n} 套（改绑 {m} 套），解除 {r} 套', '{n} to bind, {m} of another type, {r} to release'],
            {
              n: bind.length,
              m: moved,
              r: release.length,
            },
          ),
        )}
        {shown.length >= 500 &&
          text([
            ' · 仅显示前 500 套，请按楼栋、单元筛选',
            ' · The first 500 are shown: choose building and unit',
          ])}
      </p>
      {problem && <Alert type="error" showIcon title={problem} />}
    </AppModal>
  );
}

/** Houses of the type, in the detail. */
export function BoundHouses({ row }: { readonly row: RowData }) {
  const text = useText();
  const houses = (row.boundHouses ?? []) as readonly TypedHouse[];
  if (houses.length === 0)
    return <p className="k-quiet">{text(['还没有绑定房屋', 'No house is bound yet'])}</p>;
  return (
    <Table<TypedHouse>
      size="small"
      rowKey="id"
      dataSource={houses as TypedHouse[]}
      pagination={{ pageSize: 20, showSizeChanger: false, hideOnSinglePage: true }}
      columns={[
        { key: 'building', title: text(['楼栋', 'Building']), dataIndex: 'building' },
        { key: 'unit', title: text(['单元', 'Unit']), dataIndex: 'unit' },
        {
          key: 'number',
          title: text(['房号', 'Number']),
          render: (_, house) => <HouseNumber house={house} />,
        },
        {
          key: 'area',
          title: text(['建筑面积 (m²)', 'Built area (m²)']),
          align: 'right',
          className: 'k-number',
          render: (_, house) => house.builtArea ?? '–',
        },
      ]}
    />
  );
}

/** Opens the card of the house for those who may look at houses. */
function HouseNumber({ house }: { readonly house: TypedHouse }) {
  const view = useView();
  const path = `/companymanager/cs_houseEnquiry?card=${house.id}`;
  if (!view.mayOpen(path)) return <>{house.number}</>;
  return (
    <button type="button" className="k-link" onClick={() => view.open(path)}>
      {house.number}
    </button>
  );
}
