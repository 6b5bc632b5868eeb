import { useState } from 'react';
import { timeAgo } from '../../../../kernel/client/format.rules.ts';
import { draftKey, dropDraft, readDraft } from '../../../../kernel/client/form/draft.ts';
import { useText } from '../../../../kernel/client/language.ts';

/** Unsubmitted forms this browser keeps for seven days; offered again when the form is opened. */
export function DraftsPart() {
  const text = useText();
  const [forms, setForms] = useState(draftForms);
  if (forms.length === 0) return <p className="quiet">{text(['没有草稿', 'No drafts'])}</p>;
  return (
    <>
      <p className="quiet">
        {text(['再次打开对应表单时会提示恢复。', 'Open the form again and the draft is offered to you.'])}
      </p>
      <ul className="profile-list">
        {forms.map((form) => {
          const [resource, row] = form.split(':');
          return (
            <li key={form}>
              <div>
                <strong>
                  {resource}{' '}
                  {row === 'new'
                    ? text(['新增', 'New'])
                    : row === 'bulk'
                      ? text(['批量', 'Bulk'])
                      : `#${row}`}
                </strong>
                <p className="quiet">{text(timeAgo(readDraft(draftKey(form))?.at ?? Date.now()))}</p>
              </div>
              <button
                type="button"
                className="link-button"
                onClick={() => {
                  dropDraft(draftKey(form));
                  setForms(forms.filter((one) => one !== form));
                }}
              >
                {text(['删除', 'Delete'])}
              </button>
            </li>
          );
        })}
      </ul>
    </>
  );
}

function draftForms(): readonly string[] {
  const prefix = draftKey('');
  return Object.keys(localStorage)
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length))
    .filter((form) => readDraft(draftKey(form)) !== undefined);
}
