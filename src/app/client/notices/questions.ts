import { create } from 'zustand';
import type { Label } from '../../../kernel/contract/label.ts';
import type { NoticeText } from './notices.ts';

/** A question or an alert of the frame. Without `cancel` it is an alert with one button. */
export interface Question {
  readonly title: NoticeText;
  readonly text?: NoticeText;
  readonly confirm: Label;
  readonly cancel?: Label;
  readonly danger?: boolean;
  /** Takes the question away unanswered, which counts as no. */
  readonly signal?: AbortSignal;
}

interface Asked extends Question {
  readonly id: number;
  readonly answer: (yes: boolean) => void;
}

interface QuestionState {
  readonly asked: readonly Asked[];
}

/** Open questions; the first one is shown. */
export const useQuestions = create<QuestionState>(() => ({ asked: [] }));

let nextId = 1;

/** Asks and resolves with true when confirmed, false when cancelled or closed. */
export function ask(question: Question): Promise<boolean> {
  return new Promise((resolve) => {
    const id = nextId++;
    const answer = (yes: boolean) => {
      useQuestions.setState((state) => ({ asked: state.asked.filter((one) => one.id !== id) }));
      resolve(yes);
    };
    useQuestions.setState((state) => ({ asked: [...state.asked, { ...question, id, answer }] }));
    question.signal?.addEventListener('abort', () => answer(false), { once: true });
  });
}

/** Shows an alert titled 提示 with the button 确定. The same text is not shown twice at a time. */
export function showAlert(text: NoticeText, title: Label = ['提示', 'notice']): Promise<unknown> {
  if (useQuestions.getState().asked.some((one) => String(one.text) === String(text)))
    return Promise.resolve();
  return ask({ title, text, confirm: ['确定', 'OK'] });
}
