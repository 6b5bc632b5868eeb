import { installFeedback } from '../../../kernel/client/feedback.ts';
import { showNotice } from './notices.ts';
import { ask } from './questions.ts';

/** Lets the kernel's screens speak through the frame's messages and questions. */
export function connectFeedback(): void {
  installFeedback({
    say: (tone, text, seconds) => showNotice({ tone, text, duration: seconds * 1000 }),
    ask,
  });
}
