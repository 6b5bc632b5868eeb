import './visitor-parts.css';
import { useState } from 'react';
import { QRCode, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { visitor, type VisitPassAnswer } from './visitor.contract.ts';

const WHY: Readonly<Record<'early' | 'over' | 'state', Label>> = {
  early: ['未到有效时间，通行码尚不显示', 'Not valid yet: the pass is shown when its time begins'],
  over: ['有效时间已过，通行码已失效', 'Its time is over: the pass is dead'],
  state: ['当前状态没有通行码', 'There is no pass in this state'],
};

/** The QR pass of a visit while it is valid. */
export function PassCode({ row }: { readonly row: RowData }) {
  const text = useText();
  const pass = useQuery({
    queryKey: [...keysOf.row(visitor.name, row.id), 'pass', row.version],
    queryFn: ({ signal }) =>
      call<VisitPassAnswer>('GET', `${rootOf(visitor)}/${row.id}/pass`, { signal, quiet: true }),
    refetchInterval: 60_000,
  });
  if (pass.isError) return <ErrorPanel error={pass.error} onRetry={() => void pass.refetch()} />;
  if (!pass.data) return <Skeleton.Input active block size="small" />;
  const { code, why } = pass.data;
  if (!code) return <p className="k-quiet">{text(WHY[why ?? 'state'])}</p>;
  return (
    <figure className="visit-pass">
      <QRCode
        value={code}
        size={168}
        bordered={false}
        color="#000"
        bgColor="#fff"
        type="svg"
        aria-label={text(['访客通行码', 'Pass of the visitor'])}
      />
      <figcaption className="k-quiet">
        {text(['访客通行码，仅在有效时间内显示', 'Pass of the visitor, shown only while it is valid'])}
      </figcaption>
    </figure>
  );
}

/** The house first, then one of its residents: the visit keeps the resident, which names the house. */
export function InviterInput({ id, value, onChange, disabled }: SlotInputProps) {
  const text = useText();
  const [house, setHouse] = useState<string>();
  const [known, setKnown] = useState<Record<string, string>>({});
  const chosen = typeof value === 'string' && value !== '' ? [value] : [];
  return (
    <div className="visit-inviter">
      <RemoteSelect
        target="visitHouse"
        label={text(['房屋', 'House'])}
        placeholder={text(['房屋，如 1栋 1单元 101', 'House'])}
        value={house ? [house] : []}
        known={known}
        disabled={disabled}
        onChange={([next], [entry]) => {
          setHouse(next);
          if (entry) setKnown((all) => ({ ...all, [entry.id]: entry.title }));
          onChange?.(undefined);
        }}
      />
      <RemoteSelect
        key={house}
        {...(id && { id })}
        target="visitInviter"
        label={text(['邀请人', 'Inviter'])}
        placeholder={text(['该房屋的住户', 'Resident of the house'])}
        value={chosen}
        known={known}
        disabled={disabled || !house}
        {...(house && { within: house })}
        onChange={([next], [entry]) => {
          if (entry) setKnown((all) => ({ ...all, [entry.id]: entry.title }));
          onChange?.(next);
        }}
      />
    </div>
  );
}
