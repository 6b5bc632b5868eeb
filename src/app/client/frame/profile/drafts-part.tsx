import { useState } from 'react';
import { timeAgo } from '../../../../kernel/client/format.rules.ts';
import { draftKey, dropDraft, readDraft } from '../../../../kernel/client/form/draft.ts';
import { useText } from '../../../../kernel/client/language.ts';
import { go } from '../../location/location.ts';
import { closeLayer } from '../layers.ts';

/** Unsubmitted forms this browser keeps for seven days; offered again when the form is opened. */
export function DraftsPart() {
  const text = useText();
  const [forms, setForms] = useState(draftForms);
  if (forms.length === 0)
    return (
      <p className="quiet">
        {text([
          '没有草稿。表单里填了还没提交的内容会在本机保留 7 天，并列在这里。',
          'No drafts. What you type into a form and do not submit is kept on this computer for 7 days and listed here.',
        ])}
      </p>
    );
  return (
    <>
      <p className="quiet">
        {text(['再次打开对应表单时会提示恢复。', 'Open the form again and the draft is offered to you.'])}
      </p>
      <ul className="profile-list">
        {forms.map((form) => {
          const draft = readDraft(draftKey(form));
          const place = draft?.place;
          // Drafts of earlier releases say no more than this.
          const title = place ? text(place.title) : form.split(':')[0];
          const id = form.split(':')[1]!;
          const row = place?.row
            ? text(place.row)
            : id === 'new'
              ? text(['新增', 'New'])
              : id === 'bulk'
                ? text(['批量', 'Bulk'])
                : `#${id}`;
          return (
            <li key={form}>
              <div>
                <strong>
                  {title} · {row}
                </strong>
                <p className="quiet">{text(timeAgo(draft?.at ?? Date.now()))}</p>
              </div>
              {place && (
                <button
                  type="button"
                  className="link-button"
                  onClick={() => {
                    closeLayer();
                    go(place.path);
                  }}
                >
                  {text(['打开', 'Open'])}
                </button>
              )}
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
