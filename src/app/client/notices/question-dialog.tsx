import { useEffect, useRef } from 'react';
import { textOf } from '../../../kernel/contract/label.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { useEscape } from '../../../kernel/client/parts/use-escape.ts';
import type { NoticeText } from './notices.ts';
import { useQuestions } from './questions.ts';

/** The first open question in a native dialog: above everything, focus kept inside, Esc cancels. */
export function QuestionDialog() {
  const question = useQuestions((state) => state.asked[0]);
  const language = useLanguageStore((state) => state.language);
  const text = useText();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = question?.id;
  useEscape(question !== undefined, () => question?.answer(false));
  useEffect(() => {
    const element = dialog.current;
    if (id === undefined || !element) return;
    // After the event that led here: the Esc that asks whether to leave would take the question away again.
    const timer = setTimeout(() => {
      if (!element.open) element.showModal();
    });
    return () => {
      clearTimeout(timer);
      element.close();
    };
  }, [id]);
  if (!question) return null;
  const read = (value: NoticeText) => (typeof value === 'string' ? value : textOf(value, language));
  // What cannot be undone must not happen by a hasty Enter.
  const careful = question.danger === true && question.cancel !== undefined;
  return (
    <dialog
      ref={dialog}
      className="question"
      role="alertdialog"
      aria-labelledby="question-title"
      {...(question.text ? { 'aria-describedby': 'question-text' } : {})}
      onCancel={(event) => {
        event.preventDefault();
        question.answer(false);
      }}
    >
      <h2 id="question-title">{read(question.title)}</h2>
      {question.text && <p id="question-text">{read(question.text)}</p>}
      <div className="question-buttons">
        {question.cancel && (
          <button
            type="button"
            className="plain-button"
            autoFocus={careful}
            onClick={() => question.answer(false)}
          >
            {text(question.cancel)}
          </button>
        )}
        <button
          type="button"
          className={question.danger ? 'plain-button danger' : 'plain-button primary'}
          autoFocus={!careful}
          onClick={() => question.answer(true)}
        >
          {text(question.confirm)}
        </button>
      </div>
    </dialog>
  );
}
