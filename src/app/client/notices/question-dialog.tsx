import { useEffect, useRef } from 'react';
import { textOf } from '../../../kernel/contract/label.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { useQuestions } from './questions.ts';

/** The first open question in a native dialog: above everything, focus kept inside, Esc cancels. */
export function QuestionDialog() {
  const question = useQuestions((state) => state.asked[0]);
  const language = useLanguageStore((state) => state.language);
  const text = useText();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = question?.id;
  useEffect(() => {
    const element = dialog.current;
    if (id === undefined || !element) return;
    if (!element.open) element.showModal();
    return () => element.close();
  }, [id]);
  if (!question) return null;
  return (
    <dialog
      ref={dialog}
      className="question"
      role="alertdialog"
      aria-labelledby="question-title"
      aria-describedby="question-text"
      // Only the top layer closes: a drawer below would take the same key for itself.
      onKeyDown={(event) => event.key === 'Escape' && event.stopPropagation()}
      onCancel={(event) => {
        event.preventDefault();
        question.answer(false);
      }}
    >
      <h2 id="question-title">{text(question.title)}</h2>
      <p id="question-text">
        {typeof question.text === 'string' ? question.text : textOf(question.text, language)}
      </p>
      <div className="question-buttons">
        {question.cancel && (
          <button type="button" className="plain-button" onClick={() => question.answer(false)}>
            {text(question.cancel)}
          </button>
        )}
        <button
          type="button"
          className={question.danger ? 'plain-button danger' : 'plain-button primary'}
          autoFocus
          onClick={() => question.answer(true)}
        >
          {text(question.confirm)}
        </button>
      </div>
    </dialog>
  );
}
