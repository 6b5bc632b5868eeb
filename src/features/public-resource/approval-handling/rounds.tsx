import { useText } from '../../../kernel/client/language.ts';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import type { Label } from '../../../kernel/contract/label.ts';
import { minutesText } from '../approval-centre/approval-cells.tsx';
import { TASK_STATES, VIAS } from '../approval-centre/approval-task.contract.ts';
import { nodeName } from '../approval-process/flow-words.ts';
import { insteadOf, type RoundEntry, type ShownApproval } from './handling-types.ts';

/** Why the product itself decided. */
const RULES: Readonly<Record<string, Label>> = {
  repeat: ['系统自动通过（此前已同意）', 'Passed by the system (agreed before)'],
  timeout: ['超时自动处理', 'Decided by the system, its time being over'],
};

const KINDS: Readonly<Record<string, Label>> = {
  copy: ['抄送', 'Copied'],
  add_before: ['前加签', 'Added before'],
  add_after: ['后加签', 'Added after'],
  handle: ['办理', 'Handled'],
};

/** What was said and done, the newest round first; earlier rounds stay as they were. */
export function Rounds({ rounds }: { readonly rounds: ShownApproval['rounds'] }) {
  const text = useText();
  if (rounds.every((one) => one.entries.length === 0))
    return <p className="k-quiet">{text(['还没有人处理', 'Nobody has decided yet'])}</p>;
  return (
    <>
      {rounds.map(({ round, entries }) => (
        <div key={round} className="handling-round">
          {rounds.length > 1 && <h3>{text([`第 ${round} 轮`, `Round ${round}`])}</h3>}
          <ol className="k-timeline">
            {entries.map((entry) => (
              <Entry key={entry.key} entry={entry} />
            ))}
          </ol>
        </div>
      ))}
    </>
  );
}

function Entry({ entry }: { readonly entry: RoundEntry }) {
  const text = useText();
  const state =
    entry.result && entry.kind !== 'copy' ? TASK_STATES[entry.result as keyof typeof TASK_STATES] : undefined;
  const via = entry.via && entry.via !== 'none' ? VIAS[entry.via as keyof typeof VIAS] : undefined;
  const rule = entry.rule ? RULES[entry.rule] : undefined;
  const kind = entry.kind ? KINDS[entry.kind] : undefined;
  return (
    <li>
      <div className="k-timeline-head">
        <strong>{entry.label ?? text(nodeName(entry.node ?? ''))}</strong>
        {kind && <span className="k-quiet">{text(kind)}</span>}
        {state && <StatusTag choice={state} />}
      </div>
      <div className="k-quiet k-small">
        {entry.who ?? text(['系统', 'System'])}
        {entry.instead && text(insteadOf(entry.instead, entry.via))}
        {via && <> · {text(via.label)}</>} · <time>{entry.at}</time>
        {entry.minutes !== undefined && (
          <>
            {' '}
            · {text(['用时', 'took'])} {text(minutesText(entry.minutes))}
          </>
        )}
      </div>
      {rule && <div className="k-small">{text(rule)}</div>}
      {entry.opinion && <p className="handling-opinion">{entry.opinion}</p>}
      {entry.files.length > 0 && (
        <ul className="handling-files">
          {entry.files.map((file) => (
            <li key={file.id}>
              <a href={file.url} target="_blank" rel="noreferrer">
                {file.name}
              </a>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
