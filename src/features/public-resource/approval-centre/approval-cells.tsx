import './approval-centre.css';
import { useText } from '../../../kernel/client/language.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { nodeName } from '../approval-process/flow-words.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';

/** A node with the seats of a ratio. */
interface ShownNode {
  readonly key: string;
  readonly name: string;
  readonly mode: string | null;
  readonly agreed: number;
  readonly refused: number;
  readonly open: number;
  readonly need: number;
}

/** Path of the page of an approval. */
export const pageOf = (id: unknown): string => `/publicResource/pr_approvalProcess/${String(id)}`;

/** Business minutes in words; a working day has seven and a half hours, so hours say more than days. */
export function minutesText(minutes: number): Label {
  const whole = Math.abs(minutes);
  const hours = Math.floor(whole / 60);
  const rest = whole % 60;
  return [`${hours > 0 ? `${hours} 小时 ` : ''}${rest} 分`, `${hours > 0 ? `${hours} h ` : ''}${rest} min`];
}

/** Opens the approval of a task. */
export function CodeLink({ row }: { readonly row: RowData }) {
  const view = useView();
  return (
    <button type="button" className="k-link" onClick={() => view.open(pageOf(row.approval))}>
      {String(row.code)}
    </button>
  );
}

/** The title in the language of the page; what is not for the caller any more says so. */
export function TitleCell({ row }: { readonly row: RowData }) {
  const text = useText();
  if (row.barred === true)
    return (
      <span className="k-quiet">
        {text([
          '您没有审批权限或已不负责，请联系管理员',
          'You may not decide it any more: ask an administrator',
        ])}
      </span>
    );
  return <>{text([String(row.title ?? ''), String(row.titleEn || row.title || '')])}</>;
}

/** Up to four facts; amounts stand at the right. */
export function SummaryCell({ row }: { readonly row: RowData }) {
  const text = useText();
  const facts = (row.summary ?? []) as readonly { readonly label: Label; readonly value: Label }[];
  if (facts.length === 0) return <>–</>;
  return (
    <span className="approval-facts">
      {facts.slice(0, 4).map((fact) => {
        const value = text(fact.value);
        return (
          <span key={fact.label[0]} className="approval-fact">
            <span className="k-quiet">{text(fact.label)}</span>
            <span className={/^-?[\d,]+\.\d{2}$/.test(value) ? 'k-number approval-amount' : ''}>{value}</span>
          </span>
        );
      })}
    </span>
  );
}

function NodeLine({ node }: { readonly node: ShownNode }) {
  const text = useText();
  return (
    <span>
      {text(nodeName(node.name))}
      {node.mode === 'ratio' && (
        <span className="k-quiet k-small approval-counter">
          {text([
            `同意 ${node.agreed} · 不同意 ${node.refused} · 待处理 ${node.open} · 需 ${node.need}`,
            `Agreed ${node.agreed} · refused ${node.refused} · open ${node.open} · needed ${node.need}`,
          ])}
        </span>
      )}
    </span>
  );
}

/** Where an approval stands. */
export function NodeCell({ value }: { readonly value: unknown }) {
  const nodes = (Array.isArray(value) ? value : value ? [value] : []) as readonly ShownNode[];
  if (nodes.length === 0) return <>–</>;
  return (
    <span className="approval-facts">
      {nodes.map((node) => (
        <NodeLine key={node.key} node={node} />
      ))}
    </span>
  );
}

/** Business time left, red when past. */
export function TimeLeft({ minutes }: { readonly minutes: unknown }) {
  const text = useText();
  if (typeof minutes !== 'number') return <>–</>;
  const words = minutesText(minutes);
  return minutes < 0 ? (
    <strong className="approval-late">{text([`超时 ${words[0]}`, `${words[1]} late`])}</strong>
  ) : (
    <span className="k-number">{text(words)}</span>
  );
}

/** How it came to who has it, and in whose place. */
export function ViaCell({ row, label }: { readonly row: RowData; readonly label: Label }) {
  const text = useText();
  const first = row.first as RefValue | null;
  if (row.via === 'none' || row.via === null) return <>–</>;
  return (
    <span>
      {row.via === 'standin' && first ? text([`代 ${first.title}`, `For ${first.title}`]) : text(label)}
    </span>
  );
}

/** Who is asked at this moment. */
export function WaitingCell({ row }: { readonly row: RowData }) {
  const text = useText();
  const people = (row.waiting ?? []) as readonly { readonly id: string; readonly name: string }[];
  return <>{people.length === 0 ? '–' : people.map((one) => one.name).join(text(['、', ', ']))}</>;
}
