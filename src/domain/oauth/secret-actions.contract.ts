import { choice, instant, text } from '../../kernel/contract/fields.ts';
import type { ActionSpec } from '../../kernel/contract/resource.ts';

const secret = text(['密钥', 'Secret'], { required: true, max: 20 });

/** Adding, removing and ending secrets of a program, under the elements of its screen. */
export function secretActions(elements: { readonly add: string; readonly end: string }) {
  return {
    addSecret: {
      on: 'row',
      label: ['新增密钥', 'Add a secret'],
      element: elements.add,
      input: {
        oldEnds: choice(
          ['旧密钥', 'The older secret'],
          {
            overlap: { label: ['保留一段时间', 'Works for some days'] },
            now: { label: ['立即失效', 'Ends at once'] },
          },
          { required: true, initial: 'overlap' },
        ),
        expiresAt: instant(['新密钥到期', 'The new one ends'], {}),
      },
    },
    removeSecret: {
      on: 'row',
      label: ['删除密钥', 'Remove a secret'],
      element: elements.end,
      tone: 'danger',
      opens: 'screen',
      input: { secret },
    },
    endSecret: {
      on: 'row',
      label: ['设置密钥到期', 'Set the end of a secret'],
      element: elements.end,
      opens: 'screen',
      input: { secret, expiresAt: instant(['到期时间', 'Ends'], { required: true }) },
    },
  } as const satisfies Readonly<Record<string, ActionSpec>>;
}
