import { useState } from 'react';
import { Checkbox, Input } from 'antd';
import { useText } from '../language.ts';
import { AppModal } from '../parts/app-modal.tsx';
import { RemoteSelect } from '../parts/remote-select.tsx';
import { viewWords, words } from '../texts.ts';
import type { SavedView, SharePatch } from './use-saved-views.ts';

/** Asks for the name of a new view, at most 30 characters and unique for its owner. */
export function SaveViewDialog(props: {
  readonly taken: readonly string[];
  readonly onSave: (name: string) => Promise<void>;
  readonly onClose: () => void;
}) {
  const text = useText();
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string>();
  const [saving, setSaving] = useState(false);
  const save = async () => {
    const trimmed = name.trim();
    if (trimmed === '' || Array.from(trimmed).length > 30) return setProblem(text(viewWords.nameRule));
    if (props.taken.includes(trimmed)) return setProblem(text(viewWords.nameTaken));
    setSaving(true);
    await props.onSave(trimmed).then(props.onClose, () => setSaving(false));
  };
  return (
    <AppModal
      open
      title={text(viewWords.saveAs)}
      okText={text(words.save)}
      confirmLoading={saving}
      onOk={() => void save()}
      onCancel={props.onClose}
      width={420}
    >
      <label className="k-stacked">
        {text(viewWords.name)}
        <Input
          autoFocus
          value={name}
          maxLength={30}
          showCount
          {...(problem ? { status: 'error' as const } : {})}
          aria-describedby="k-view-name-note"
          onChange={(event) => {
            setName(event.target.value);
            setProblem(undefined);
          }}
          onPressEnter={() => void save()}
        />
      </label>
      <div
        id="k-view-name-note"
        className={problem ? 'k-problem' : 'k-quiet'}
        role={problem ? 'alert' : undefined}
      >
        {problem ?? text(viewWords.nameRule)}
      </div>
    </AppModal>
  );
}

/** Shares a view with a group, or stops it. Receivers keep their own rights. */
export function ShareViewDialog(props: {
  readonly view: SavedView;
  readonly onShare: (patch: SharePatch) => Promise<void>;
  readonly onClose: () => void;
}) {
  const text = useText();
  const [group, setGroup] = useState<string | null>(props.view.groupId);
  const [isDefault, setDefault] = useState(props.view.isGroupDefault);
  const [saving, setSaving] = useState(false);
  const save = async () => {
    setSaving(true);
    await props
      .onShare({ shared: group !== null, groupId: group, isGroupDefault: group !== null && isDefault })
      .then(props.onClose, () => setSaving(false));
  };
  return (
    <AppModal
      open
      title={`${text(viewWords.share)}: ${props.view.name}`}
      okText={text(group ? viewWords.share : viewWords.stopSharing)}
      confirmLoading={saving}
      onOk={() => void save()}
      onCancel={props.onClose}
      width={420}
    >
      <div className="k-stacked">
        {text(viewWords.group)}
        <RemoteSelect
          target="group"
          label={text(viewWords.group)}
          placeholder={text(viewWords.shareGroup)}
          value={group ? [group] : []}
          known={
            props.view.groupId && props.view.groupName ? { [props.view.groupId]: props.view.groupName } : {}
          }
          onChange={(ids) => setGroup(ids[0] ?? null)}
        />
      </div>
      <Checkbox
        style={{ marginBlock: 8 }}
        checked={group !== null && isDefault}
        disabled={group === null}
        onChange={(event) => setDefault(event.target.checked)}
      >
        {text(viewWords.groupDefault)}
      </Checkbox>
      <div className="k-quiet">{text(viewWords.receivers)}</div>
    </AppModal>
  );
}
