import './agreement-versions.css';
import { useState } from 'react';
import { Empty, Select, Skeleton, Switch } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { LinesTable } from '../../../kernel/client/detail/lines-table.tsx';
import { useRow } from '../../../kernel/client/detail/use-row.ts';
import { cellValue } from '../../../kernel/client/parts/field-value.tsx';
import { rootOf, type PageAnswer, type RowData } from '../../../kernel/client/wire.ts';
import { fieldsOf, type ResourceSpec } from '../../../kernel/contract/resource.ts';

/** Any two versions of a merchant's agreement, field by field; what differs stands out. */
export function AgreementVersions({
  agreement,
  merchant,
}: {
  readonly agreement: ResourceSpec;
  readonly merchant: string;
}) {
  const text = useText();
  const [chosen, setChosen] = useState<{ readonly from?: string; readonly to?: string }>({});
  const { data } = useQuery({
    queryKey: [agreement.name, 'versions', merchant],
    queryFn: ({ signal }) =>
      call<PageAnswer>('GET', `${rootOf(agreement)}/page?merchant=${merchant}&limit=100&sort=-versionNo`, {
        signal,
      }),
  });
  if (!data) return <Skeleton active />;
  const versions = data.rows;
  if (versions.length < 2)
    return (
      <Empty
        image={Empty.PRESENTED_IMAGE_SIMPLE}
        description={text(['至少两个版本才能对比', 'Two versions at least are needed'])}
      />
    );
  const to = chosen.to ?? versions[0]!.id;
  const from = chosen.from ?? versions[1]!.id;
  const options = versions.map((one) => ({
    value: one.id,
    label: `V${String(one.versionNo)} · ${text(agreement.states?.[String(one.state)]?.label ?? ['', ''])}`,
  }));
  return (
    <div>
      <div className="agreement-versions-choice">
        <Select
          aria-label={text(['旧版本', 'Older version'])}
          value={from}
          options={options}
          onChange={(value: string) => setChosen({ ...chosen, from: value })}
        />
        <span aria-hidden>→</span>
        <Select
          aria-label={text(['新版本', 'Newer version'])}
          value={to}
          options={options}
          onChange={(value: string) => setChosen({ ...chosen, to: value })}
        />
      </div>
      <Difference key={`${from}-${to}`} agreement={agreement} from={from} to={to} />
    </div>
  );
}

function Difference({
  agreement,
  from,
  to,
}: {
  readonly agreement: ResourceSpec;
  readonly from: string;
  readonly to: string;
}) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const [all, setAll] = useState(false);
  const older = useRow(agreement, from).data;
  const newer = useRow(agreement, to).data;
  if (!older || !newer) return <Skeleton active />;
  const fields = fieldsOf(agreement);
  const names = (agreement.form?.sections ?? []).flatMap((section) => section.fields);
  const differs = (name: string) => comparable(older[name]) !== comparable(newer[name]);
  const shown = names.filter((name) => name !== 'merchant' && (all || differs(name)));
  const value = (name: string, row: RowData) =>
    fields[name]!.kind === 'lines' ? (
      <LinesTable
        field={fields[name]!}
        rows={(row[name] ?? []) as readonly Readonly<Record<string, unknown>>[]}
        encryptionField={row.encryptionField}
        canReveal={false}
      />
    ) : (
      cellValue(name, fields[name]!, row, { language, canReveal: false })
    );
  return (
    <>
      <label className="agreement-versions-all">
        <Switch size="small" checked={all} onChange={setAll} /> {text(['显示全部字段', 'Show all fields'])}
      </label>
      {shown.length === 0 ? (
        <Empty
          image={Empty.PRESENTED_IMAGE_SIMPLE}
          description={text(['两个版本的条款相同', 'The terms of both versions are the same'])}
        />
      ) : (
        <table className="agreement-versions">
          <thead>
            <tr>
              <th scope="col">{text(['条款', 'Term'])}</th>
              <th scope="col">V{String(older.versionNo)}</th>
              <th scope="col">V{String(newer.versionNo)}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((name) => (
              <tr key={name} data-differs={differs(name)}>
                <th scope="row">{text(fields[name]!.label)}</th>
                <td>{value(name, older)}</td>
                <td>{value(name, newer)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

/** A value as text that is the same for the same terms: lines without the ids of their rows. */
function comparable(value: unknown): string {
  if (!Array.isArray(value)) return JSON.stringify(value ?? null);
  return JSON.stringify(value.map((line: Record<string, unknown>) => ({ ...line, id: undefined })));
}
