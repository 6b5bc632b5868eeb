import { useState } from 'react';
import { DatePicker, Select, Skeleton } from 'antd';
import type { Dayjs } from 'dayjs';
import { useQuery } from '@tanstack/react-query';
import { fill } from '../../../kernel/contract/label.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { WHO_CAN } from './who-can-button.tsx';
import './permission-group.css';

/** Where a right comes from, as the server says it. */
export interface Source {
  readonly group: string;
  readonly through: string | null;
  readonly inherited: boolean;
  readonly kind: 'manual' | 'department';
  readonly memberKind: 'leader' | 'member';
  readonly until: string | null;
  readonly scope: string | null;
}
interface Who {
  readonly id: string;
  readonly name: string;
  readonly account: string;
  readonly department: string | null;
  readonly sources: readonly Source[];
}

/** Calls and cached answers about effective permissions. */
export const ROOT = '/api/admin/effectivePermission';
export const KEY = ['effectivePermission'] as const;

/** Every menu and element one may ask about. */
export function useCodes() {
  return useQuery({
    queryKey: [...KEY, 'codes'],
    staleTime: 600_000,
    queryFn: ({ signal }) =>
      call<readonly { code: string; title: string; titleEn: string; menu: string | null }[]>(
        'GET',
        `${ROOT}/codes`,
        { signal },
      ),
  });
}

/** Chooses the menu or element whose holders are listed. */
export function WhoSelect(props: {
  readonly value: string | undefined;
  readonly onChange: (code: string | undefined) => void;
}) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const { data, isFetching } = useCodes();
  return (
    <Select
      className="pg-who"
      allowClear
      loading={isFetching && !data}
      showSearch={{
        filterOption: (input, option) =>
          `${option?.label ?? ''} ${option?.value ?? ''}`.toLowerCase().includes(input.toLowerCase()),
      }}
      placeholder={text(['谁拥有此权限', 'Who can do …'])}
      aria-label={text(['谁拥有此权限', 'Who can do …'])}
      value={props.value ?? null}
      options={(data ?? []).map((one) => ({
        value: one.code,
        label: language === 'zh' ? one.title : one.titleEn,
      }))}
      onChange={(code: string | null) => props.onChange(code ?? undefined)}
    />
  );
}

/** The moment a question about rights is asked for: now, or a past one. */
export function AtPicker(props: {
  readonly value: Dayjs | null;
  readonly onChange: (at: Dayjs | null) => void;
}) {
  const text = useText();
  return (
    <DatePicker
      className="pg-at"
      showTime={{ format: 'HH:mm' }}
      format="YYYY-MM-DD HH:mm"
      value={props.value}
      placeholder={text(['当前；可选过去时刻', 'Now; or a past time'])}
      aria-label={text(['时刻', 'Time'])}
      onChange={props.onChange}
    />
  );
}

/** Dialog 谁能做什么: a menu or a button and a time give the staff who hold it. */
export function WhoCanDialog({ onClose }: { readonly onClose: () => void }) {
  const text = useText();
  const [code, setCode] = useState<string>();
  const [at, setAt] = useState<Dayjs | null>(null);
  return (
    <AppModal open width={800} title={text(WHO_CAN)} footer={null} onCancel={onClose}>
      <div className="pg-body">
        <div className="pg-bar">
          <WhoSelect value={code} onChange={setCode} />
          <AtPicker value={at} onChange={setAt} />
        </div>
        {code ? (
          <WhoCan code={code} at={at?.toISOString()} onLeave={onClose} />
        ) : (
          <p className="k-quiet">
            {text([
              '选择菜单或按钮（例如“退款 审核”），列出当时拥有它的人和来源。',
              'Choose a menu or a button: who holds it at that time, and through what.',
            ])}
          </p>
        )}
      </div>
    </AppModal>
  );
}

/** The staff who hold a menu or element, with the sources. */
export function WhoCan({
  code,
  at,
  onLeave,
}: {
  readonly code: string;
  readonly at: string | undefined;
  /** Told when a person of the list is opened. */
  readonly onLeave?: () => void;
}) {
  const text = useText();
  const view = useView();
  const users = view.pathOf('allUserManager') ?? view.pathOf('userManager');
  const { data } = useQuery({
    queryKey: [...KEY, 'who', code, at],
    queryFn: ({ signal }) =>
      call<readonly Who[]>('GET', `${ROOT}/who`, { query: { element: code, at }, signal }),
  });
  if (!data) return <Skeleton active paragraph={{ rows: 3 }} />;
  return (
    <div className="pg-table-host">
      <p className="k-quiet">{text(fill(['{n} 人拥有此权限', '{n} staff hold it'], { n: data.length }))}</p>
      <table className="pg-table">
        <tbody>
          {data.map((staff) => (
            <tr key={staff.id}>
              <td>
                {users ? (
                  <button
                    type="button"
                    className="k-link"
                    onClick={() => {
                      onLeave?.();
                      view.open(`${users}?detail=${staff.id}`);
                    }}
                  >
                    {staff.name}
                  </button>
                ) : (
                  staff.name
                )}
              </td>
              <td className="k-quiet">{staff.account}</td>
              <td className="k-quiet">{staff.department ?? '–'}</td>
              <td>
                <Sources sources={staff.sources} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The sources of a right in words. */
export function Sources({ sources }: { readonly sources: readonly Source[] }) {
  const text = useText();
  return (
    <ul className="pg-sources">
      {sources.map((source, index) => (
        <li key={index}>
          <strong>{source.group}</strong>{' '}
          <span className="k-quiet">
            {[
              source.inherited
                ? text(fill(['由「{name}」继承', 'inherited by "{name}"'], { name: source.through ?? '' }))
                : '',
              text(
                source.kind === 'department'
                  ? ['按部门', 'by department']
                  : source.memberKind === 'leader'
                    ? ['负责人', 'leader']
                    : ['成员', 'member'],
              ),
              source.scope ?? '',
              source.until ? text(fill(['至 {at}', 'until {at}'], { at: instantFull(source.until) })) : '',
            ]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </li>
      ))}
    </ul>
  );
}
