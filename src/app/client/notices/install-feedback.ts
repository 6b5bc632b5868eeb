import { installFeedback } from '../../../kernel/client/feedback.ts';
import { logError } from '../failures/error-log.ts';
import { showNotice } from './notices.ts';
import { ask } from './questions.ts';

/** Lets the kernel's screens speak through the frame's messages and questions. */
export function connectFeedback(): void {
  installFeedback({
    say: (tone, text, seconds) => showNotice({ tone, text, duration: seconds * 1000 }),
    fault: (error) =>
      showNotice({
        tone: 'error',
        text: ['页面出错了，请刷新后重试', 'Something failed on this page, reload it and try again'],
        duration: 5000,
        traceId: logError(error, 'page'),
      }),
    ask,
  });
}
