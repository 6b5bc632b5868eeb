import { useState } from 'react';
import { Select, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { keysOf, rootOf, type PageAnswer, type RowData } from '../../../kernel/client/wire.ts';
import { protocolVersion, type ProtocolVersion } from './protocol-version.contract.ts';
import { diffLines, linesOf, type DiffPiece } from './text-diff.rules.ts';
import './version-diff.css';

/** Two versions of an agreement side by side: the older one at the left, unless chosen otherwise. */
export function VersionDiff({ row }: { readonly row: RowData }) {
  const text = useText();
  const own = row as unknown as ProtocolVersion;
  const root = rootOf(protocolVersion);
  const query = { type: own.type, app: own.app, limit: '200' };
  const list = useQuery({
    queryKey: keysOf.page(protocolVersion.name, query),
    queryFn: ({ signal }) => call<PageAnswer>('GET', `${root}/page`, { query, signal, quiet: true }),
  });
  const versions = (list.data?.rows ?? [])
    .map((one) => one as unknown as ProtocolVersion)
    .sort((a, b) => numberOf(b) - numberOf(a));
  const older = versions.find((one) => numberOf(one) < numberOf(own));
  const [chosen, setChosen] = useState<{ readonly left?: string; readonly right?: string }>({});
  const left = chosen.left ?? older?.id ?? versions.find((one) => one.id !== own.id)?.id;
  const right = chosen.right ?? own.id;
  if (list.isPending) return <Skeleton active />;
  if (list.isError) return <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />;
  if (left === undefined)
    return (
      <p className="k-quiet">
        {text(['还没有其他版本可以对比', 'There is no other version to compare with'])}
      </p>
    );
  const options = versions.map((one) => ({
    value: one.id,
    label: `${one.edition} ${text(stateLabel(one))}`,
  }));
  const select = (side: 'left' | 'right', value: string) => (
    <Select
      className="k-fill"
      value={value}
      options={options}
      aria-label={text(
        side === 'left' ? ['左侧版本', 'Version at the left'] : ['右侧版本', 'Version at the right'],
      )}
      onChange={(id: string) => setChosen({ ...chosen, [side]: id })}
    />
  );
  return (
    <>
      <div className="pd-heads">
        {select('left', left)}
        {select('right', right)}
      </div>
      <Texts left={left} right={right} />
    </>
  );
}

function Texts({ left, right }: { readonly left: string; readonly right: string }) {
  const text = useText();
  const before = useVersion(left);
  const after = useVersion(right);
  const failed = before.isError ? before : after.isError ? after : undefined;
  if (failed) return <ErrorPanel error={failed.error} onRetry={() => void failed.refetch()} />;
  if (!before.data || !after.data) return <Skeleton active />;
  const parts = [
    { label: text(['标题', 'Title']), lines: diffLines(...sides((one) => [one.title, one.titleEn])) },
    { label: text(['正文', 'Text']), lines: diffLines(...sides((one) => linesOf(one.body))) },
    {
      label: text(['英文正文', 'English text']),
      lines: diffLines(...sides((one) => linesOf(one.bodyEn ?? ''))),
    },
  ];
  function sides(read: (one: ProtocolVersion) => string[]): [string[], string[]] {
    return [read(before.data!), read(after.data!)];
  }
  return parts
    .filter((part) => part.lines.length > 0)
    .map((part) => {
      const changes = part.lines.filter((line) => line.kind !== 'same').length;
      return (
        <section key={part.label} aria-label={part.label}>
          <h3 className="pd-title">
            {part.label}
            <span className="k-quiet">
              {changes === 0
                ? text(['没有变化', 'No change'])
                : text([`${changes} 处变化`, `${changes} ${changes === 1 ? 'change' : 'changes'}`])}
            </span>
          </h3>
          <table className="pd-table">
            <tbody>
              {part.lines.map((line, index) => (
                // Lines have no name of their own and never move.
                // eslint-disable-next-line react/no-array-index-key
                <tr key={index} className={`pd-${line.kind}`}>
                  <td>
                    <Pieces pieces={line.left} side="left" />
                  </td>
                  <td>
                    <Pieces pieces={line.right} side="right" />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      );
    });
}

function Pieces({
  pieces,
  side,
}: {
  readonly pieces: readonly DiffPiece[] | undefined;
  readonly side: 'left' | 'right';
}) {
  const Mark = side === 'left' ? 'del' : 'ins';
  return pieces?.map((piece, index) =>
    piece.changed ? (
      // eslint-disable-next-line react/no-array-index-key
      <Mark key={index}>{piece.text}</Mark>
    ) : (
      piece.text
    ),
  );
}

function useVersion(id: string) {
  return useQuery({
    queryKey: keysOf.row(protocolVersion.name, id),
    queryFn: ({ signal }) =>
      call<ProtocolVersion>('GET', `${rootOf(protocolVersion)}/${id}`, { signal, quiet: true }),
  });
}

function numberOf(version: Pick<ProtocolVersion, 'edition'>): number {
  return Number(version.edition.split('.')[1]);
}

function stateLabel(version: ProtocolVersion) {
  const { state } = version as unknown as { state: keyof NonNullable<typeof protocolVersion.states> };
  return protocolVersion.states![state]!.label;
}
