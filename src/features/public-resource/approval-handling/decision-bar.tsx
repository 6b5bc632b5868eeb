import { useRef, useState } from 'react';
import { Button, Checkbox, Input, Select } from 'antd';
import { useQueryClient } from '@tanstack/react-query';
import { call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { ask, message, tellFault } from '../../../kernel/client/feedback.ts';
import { UploadInput } from '../../../kernel/client/form/upload-input.tsx';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { GUARD_MS } from '../../../kernel/client/parts/use-guard.ts';
import { usePreference } from '../../../kernel/client/preference.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf } from '../../../kernel/client/wire.ts';
import type { FileValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { pageOf } from '../approval-centre/approval-cells.tsx';
import { MOST_PHRASES } from './approval-handling.contract.ts';
import { nodeName } from '../approval-process/flow-words.ts';
import type { ShownApproval } from './handling-types.ts';

const TASK = '/api/jinmao/web/approvalTask';
type Dialog = 'return' | 'transfer' | 'before' | 'after' | undefined;

/** Opinion and the buttons the server allows; after a decision the next to-do opens when that is wanted. */
export function DecisionBar({ approval }: { readonly approval: ShownApproval }) {
  const text = useText();
  const view = useView();
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const heldUntil = useRef(new Map<string, number>());
  const [opinion, setOpinion] = useState('');
  const [files, setFiles] = useState<readonly FileValue[]>([]);
  const [dialog, setDialog] = useState<Dialog>();
  const [onward, setOnward] = usePreference<boolean>('form.approvalOnward');
  const { acts } = approval;
  const { decide } = acts;

  /**
   * Does something and shows what has become of it, also where somebody else was quicker. A second click decides no second node;
   * taking back at once, or urging the next one, is no second click.
   */
  const act = async (path: string, body: object, told: Label, next = false) => {
    const click = next ? 'decide' : path;
    if (busy || Date.now() < (heldUntil.current.get(click) ?? 0)) return;
    heldUntil.current.set(click, Date.now() + GUARD_MS);
    setBusy(true);
    let done = false;
    try {
      await call('POST', path, { body, idempotencyKey: newIdempotencyKey() });
      void message.success(text(told), 2);
      setOpinion('');
      setFiles([]);
      setDialog(undefined);
      done = true;
    } catch (error) {
      // What was refused is put right and sent again.
      heldUntil.current.delete(click);
      tellFault(error);
    }
    void client.invalidateQueries({ queryKey: keysOf.todos });
    void client.invalidateQueries({ queryKey: ['resource'] });
    await client.invalidateQueries({ queryKey: ['approval'] });
    setBusy(false);
    if (done && next && onward === true) await openNext();
  };
  const openNext = async () => {
    const mine = await call<readonly { approval: string; decidable: boolean }[]>(
      'GET',
      '/api/admin/approval/mine',
      { quiet: true },
    ).catch(() => []);
    const next = mine.find((one) => one.decidable && one.approval !== approval.id);
    if (next) view.open(pageOf(next.approval));
    else void message.success(text(['没有待处理的审批了', 'Nothing waits for you any more']), 2);
  };
  const short = Array.from(opinion.trim()).length < 2;
  const body = () => ({ opinion: opinion.trim(), attachments: files.map((file) => file.id) });
  const refuse = () => {
    if (short)
      return void message.warning(text(['请填写意见，至少2个字', 'Say why, at least 2 characters']), 3);
    void act(`${TASK}/${decide?.taskId}/refuse`, body(), ['已提交：不同意', 'Sent: rejected'], true);
  };
  const agree = () => {
    if (decide?.opinionRequired && opinion.trim() === '')
      return void message.warning(text(['请填写意见', 'An opinion is required']), 3);
    const told: Label = decide?.refuse ? ['已同意', 'Approved'] : ['已完成办理', 'Done'];
    void act(`${TASK}/${decide?.taskId}/approve`, body(), told, true);
  };
  const sure = async (title: Label, path: string, told: Label) => {
    if (await ask({ title, confirm: title, cancel: ['取消', 'Cancel'] })) void act(path, {}, told);
  };
  const own = `/api/admin/approval/instance/${approval.id}`;
  const others =
    acts.withdraw || acts.resubmit || acts.undo || acts.urge.length > 0 || acts.removeSign.length > 0;
  if (!decide && !others) return null;
  return (
    <footer className="handling-bar">
      {decide && (
        <>
          <div className="handling-words">
            <Input.TextArea
              aria-label={text(['审批意见', 'Opinion'])}
              placeholder={text(
                decide.opinionRequired
                  ? ['请填写意见', 'An opinion is required']
                  : ['意见（同意时可不填）', 'Opinion (not needed to agree)'],
              )}
              autoSize={{ minRows: 2, maxRows: 5 }}
              maxLength={500}
              value={opinion}
              onChange={(event) => setOpinion(event.target.value)}
            />
            <Phrases
              opinion={opinion}
              onPick={(phrase) => setOpinion(opinion ? `${opinion}${phrase}` : phrase)}
            />
          </div>
          <UploadInput
            image={false}
            max={9}
            label={text(['附件', 'Files'])}
            value={files}
            onChange={setFiles}
          />
        </>
      )}
      <div className="handling-buttons">
        {decide && (
          <Checkbox checked={onward === true} onChange={(event) => setOnward(event.target.checked)}>
            {text(['连续处理', 'Go on to the next'])}
          </Checkbox>
        )}
        {acts.removeSign.map((one) => (
          <Button
            key={one.taskId}
            onClick={() =>
              void sure([`减签 ${one.name}`, `Take back ${one.name}`], `${TASK}/${one.taskId}/removeSign`, [
                '已减签',
                'Taken back',
              ])
            }
          >
            {text([`减签 ${one.name}`, `Take back ${one.name}`])}
          </Button>
        ))}
        {acts.urge.map((one) => (
          <Button
            key={one.taskId}
            disabled={busy}
            onClick={() => void act(`${TASK}/${one.taskId}/urge`, {}, ['已催办', 'Urged'])}
          >
            {text([`催办 ${one.name}`, `Urge ${one.name}`])}
          </Button>
        ))}
        {acts.withdraw && (
          <Button onClick={() => void sure(['撤回', 'Withdraw'], `${own}/withdraw`, ['已撤回', 'Withdrawn'])}>
            {text(['撤回', 'Withdraw'])}
          </Button>
        )}
        {acts.resubmit && (
          <Button
            type="primary"
            onClick={() =>
              void sure(['重新提交', 'Hand in again'], `${own}/resubmit`, ['已提交', 'Handed in'])
            }
          >
            {text(['重新提交', 'Hand in again'])}
          </Button>
        )}
        {acts.undo && (
          <Button
            onClick={() =>
              void sure(['撤销处理', 'Take my decision back'], `${TASK}/${acts.undo?.taskId}/undo`, [
                '已撤销',
                'Taken back',
              ])
            }
          >
            {text(['撤销处理', 'Take my decision back'])}
          </Button>
        )}
        {decide?.addSign && (
          <>
            <Button onClick={() => setDialog('before')}>{text(['前加签', 'Ask before'])}</Button>
            <Button onClick={() => setDialog('after')}>{text(['后加签', 'Ask after'])}</Button>
          </>
        )}
        {decide?.transfer && (
          <Button onClick={() => setDialog('transfer')}>{text(['转办', 'Hand on'])}</Button>
        )}
        {decide && decide.returnTo.length > 0 && (
          <Button onClick={() => setDialog('return')}>{text(['退回', 'Return'])}</Button>
        )}
        {decide?.refuse && (
          <Button danger disabled={busy} onClick={refuse}>
            {text(['不同意', 'Reject'])}
          </Button>
        )}
        {decide && (
          <Button type="primary" loading={busy} onClick={agree}>
            {text(decide.refuse ? ['同意', 'Approve'] : ['完成办理', 'Done'])}
          </Button>
        )}
      </div>
      {decide && dialog !== undefined && (
        <HandOn
          key={dialog}
          kind={dialog}
          targets={decide.returnTo}
          opinion={opinion}
          busy={busy}
          onClose={() => setDialog(undefined)}
          onDone={(input) =>
            void act(
              `${TASK}/${decide?.taskId}/${dialog === 'return' || dialog === 'transfer' ? dialog : 'addSign'}`,
              input,
              ['已提交', 'Done'],
              dialog !== 'before',
            )
          }
        />
      )}
    </footer>
  );
}

const TITLES = {
  return: ['退回', 'Return'],
  transfer: ['转办', 'Hand on'],
  before: ['前加签', 'Ask others before my decision'],
  after: ['后加签', 'Agree, and ask others after me'],
} as const satisfies Readonly<Record<NonNullable<Dialog>, Label>>;

/** Where it goes, or who is asked too, and why. */
function HandOn(props: {
  readonly kind: NonNullable<Dialog>;
  readonly targets: readonly { readonly key: string; readonly name: string }[];
  readonly opinion: string;
  readonly busy: boolean;
  readonly onClose: () => void;
  readonly onDone: (input: object) => void;
}) {
  const text = useText();
  const { kind, targets } = props;
  const [words, setWords] = useState(props.opinion);
  const [target, setTarget] = useState(targets.at(-1)?.key ?? 'starter');
  const [staff, setStaff] = useState<readonly string[]>([]);
  const [known, setKnown] = useState<Readonly<Record<string, string>>>({});
  const adds = kind === 'before' || kind === 'after';
  const needsWords = !adds;
  const ready =
    (!needsWords || Array.from(words.trim()).length >= 2) && (kind === 'return' || staff.length > 0);
  const send = () =>
    props.onDone(
      kind === 'return'
        ? { to: target, opinion: words.trim() }
        : kind === 'transfer'
          ? { to: staff[0], reason: words.trim() }
          : { where: kind, staff, opinion: words.trim() },
    );
  return (
    <AppModal
      open
      title={text(TITLES[kind])}
      onCancel={props.onClose}
      onOk={send}
      confirmLoading={props.busy}
      okButtonProps={{ disabled: !ready }}
    >
      <div className="handling-form">
        {kind === 'return' ? (
          <label>
            <span>{text(['退回到', 'Return to'])}</span>
            <Select
              aria-label={text(['退回到', 'Return to'])}
              value={target}
              onChange={setTarget}
              options={targets.map((one) => ({ value: one.key, label: text(nodeName(one.name)) }))}
            />
          </label>
        ) : (
          <label>
            <span>{text(adds ? ['加签人员（1–5 人）', 'People (1–5)'] : ['转给', 'To'])}</span>
            <RemoteSelect
              target="staff"
              multiple={adds}
              label={text(adds ? ['加签人员', 'People'] : ['转给', 'To'])}
              placeholder={text(['请选择', 'Please choose'])}
              value={staff}
              known={known}
              onChange={(ids, entries) => {
                setStaff(adds ? ids.slice(0, 5) : ids.slice(0, 1));
                setKnown({ ...known, ...Object.fromEntries(entries.map((one) => [one.id, one.title])) });
              }}
            />
          </label>
        )}
        <label>
          <span>{text(needsWords ? ['原因（必填）', 'Reason (required)'] : ['说明', 'Note'])}</span>
          <Input.TextArea
            aria-label={text(['原因', 'Reason'])}
            rows={3}
            maxLength={500}
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
        </label>
      </div>
    </AppModal>
  );
}

/** Own phrases that are put into the opinion with one click. */
function Phrases({
  opinion,
  onPick,
}: {
  readonly opinion: string;
  readonly onPick: (phrase: string) => void;
}) {
  const text = useText();
  const [kept, keep] = usePreference<readonly string[]>('form.approvalPhrases');
  const phrases = Array.isArray(kept) ? kept : [];
  const phrase = opinion.trim();
  const full = phrases.length >= MOST_PHRASES;
  return (
    <div className="handling-phrases">
      {phrases.map((one) => (
        <span key={one} className="handling-phrase">
          <button type="button" className="k-link" onClick={() => onPick(one)}>
            {one}
          </button>
          <button
            type="button"
            className="k-link"
            aria-label={text([`删除常用语 ${one}`, `Remove the phrase ${one}`])}
            onClick={() => keep(phrases.filter((other) => other !== one))}
          >
            ×
          </button>
        </span>
      ))}
      <button
        type="button"
        className="k-link"
        disabled={phrase === '' || full || phrases.includes(phrase)}
        title={full ? text([`最多 ${MOST_PHRASES} 条常用语`, `At most ${MOST_PHRASES} phrases`]) : undefined}
        onClick={() => keep([...phrases, phrase.slice(0, 100)])}
      >
        {text(['存为常用语', 'Keep as a phrase'])}
      </button>
    </div>
  );
}
