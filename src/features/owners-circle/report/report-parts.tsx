import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ResourceTable } from '../../../kernel/client/list/resource-table.tsx';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { Emojied } from '../../../domain/content/emoji/emojied.tsx';
import { CASE_STATES } from '../../../domain/report-case/report-case.rules.ts';
import { differenceOf } from './difference.rules.ts';
import { postReport, type CaseExtras } from './report.contract.ts';
import './report.css';

const extrasOf = (row: RowData) => row as unknown as Partial<CaseExtras>;

/** Who reported the content of a case, masked. */
export function Reporters({ row, close }: ActionScreenProps) {
  const text = useText();
  return (
    <AppModal
      open
      width={980}
      footer={null}
      title={text([`${String(row!.code)}：举报人`, `${String(row!.code)}: reporters`])}
      onCancel={close}
    >
      <ResourceTable
        resource={postReport}
        filters={{ case: row!.id }}
        columns={['reporter', 'phone', 'at', 'reason', 'text', 'pictures', 'revision', 'counts']}
        limit={20}
        search={false}
      />
    </AppModal>
  );
}

/** The content as it was reported beside the present one; what differs is marked. */
export function Comparison({ row }: { readonly row: RowData }) {
  const text = useText();
  const { was, now } = extrasOf(row);
  if (!was) return null;
  const [before, after] = differenceOf(was.content, now?.content ?? '');
  const same = now !== null && was.content === now?.content;
  return (
    <div className="rc-compare">
      <section>
        <h4>
          {text(['举报时', 'When reported'])} · {text([`第${was.revision}版`, `version ${was.revision}`])}
        </h4>
        <p>
          {before.map((piece, index) =>
            piece.differs && !same ? (
              <del key={index}>
                <Emojied>{piece.text}</Emojied>
              </del>
            ) : (
              <Emojied key={index}>{piece.text}</Emojied>
            ),
          )}
        </p>
      </section>
      <section>
        <h4>
          {text(['现在', 'Now'])}
          {now && (
            <>
              {' '}
              ·{' '}
              {same
                ? text(['未修改', 'unchanged'])
                : text([`第${now.revision}版`, `version ${now.revision}`])}
            </>
          )}
        </h4>
        <p>
          {after.map((piece, index) =>
            piece.differs && !same ? (
              <ins key={index}>
                <Emojied>{piece.text}</Emojied>
              </ins>
            ) : (
              <Emojied key={index}>{piece.text}</Emojied>
            ),
          )}
        </p>
      </section>
    </div>
  );
}

/** Comments near the reported one, or under the reported post. */
export function Around({ row }: { readonly row: RowData }) {
  const text = useText();
  const around = extrasOf(row).around ?? [];
  if (around.length === 0) return <p className="k-quiet">{text(['没有评论', 'No comments'])}</p>;
  return (
    <ol className="rc-lines">
      {around.map((one) => (
        <li key={one.id} className={one.own ? 'rc-own' : undefined}>
          <time>{instantFull(one.at)}</time>
          <Emojied>{one.content}</Emojied>
        </li>
      ))}
    </ol>
  );
}

/** Other cases of the author in this project. */
export function History({ row }: { readonly row: RowData }) {
  const text = useText();
  const history = extrasOf(row).history ?? [];
  if (history.length === 0) return <p className="k-quiet">{text(['没有其他举报', 'No other cases'])}</p>;
  return (
    <ol className="rc-lines">
      {history.map((one) => (
        <li key={one.id}>
          <time>{instantFull(one.at)}</time>
          <span>
            {one.code} · {text(CASE_STATES[one.state].label)} · <Emojied>{one.excerpt}</Emojied>
          </span>
        </li>
      ))}
    </ol>
  );
}

/** What happened to the content itself. */
export function Moderation({ row }: { readonly row: RowData }) {
  const text = useText();
  const moderation = extrasOf(row).moderation ?? [];
  if (moderation.length === 0)
    return <p className="k-quiet">{text(['没有操作', 'Nothing happened to it'])}</p>;
  return (
    <ol className="rc-lines">
      {moderation.map((one, index) => (
        <li key={index}>
          <time>{instantFull(one.at)}</time>
          <span>
            {one.who} · {text(one.label)}
            {one.remark && ` · ${one.remark}`}
          </span>
        </li>
      ))}
    </ol>
  );
}
