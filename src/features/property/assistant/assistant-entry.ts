import type { ActionSpec } from '../../../kernel/contract/resource.ts';

/** States of what the assistant shows. */
export const ENTRY_STATES = {
  draft: { label: ['草稿', 'Draft'], tone: 'default', code: 1 },
  published: { label: ['已发布', 'Published'], tone: 'success', code: 2 },
  withdrawn: { label: ['已撤回', 'Withdrawn'], tone: 'paused', code: 3 },
} as const;

/** Most entries of a kind at the bottom of the app's page. */
export const MOST_PINNED = 4;

/** What can be done with an entry; `title` is the field its questions name it by. */
export function entryActions(title: string) {
  return {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary', to: 'draft' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit', from: ['draft', 'withdrawn'] },
    publish: {
      on: 'rowAndBulk',
      label: ['发布', 'Publish'],
      element: 'btn_publish',
      from: ['draft', 'withdrawn'],
      to: 'published',
      tone: 'primary',
      confirm: [`发布「{${title}}」？App 立即可见。`, `Publish “{${title}}”? The app shows it at once`],
    },
    withdraw: {
      on: 'rowAndBulk',
      label: ['撤回', 'Withdraw'],
      element: 'btn_withdraw',
      from: ['published'],
      to: 'withdrawn',
      confirm: [
        `撤回「{${title}}」？App 立即不再展示，底部置顶同时取消。`,
        `Withdraw “{${title}}”? The app stops showing it at once, at the bottom too`,
      ],
    },
    pin: {
      on: 'row',
      label: ['置顶到底部', 'Pin at the bottom'],
      element: 'btn_pin',
      from: ['published'],
      event: ['置顶到底部', 'Pinned at the bottom'],
    },
    unpin: {
      on: 'row',
      label: ['取消置顶', 'Unpin'],
      element: 'btn_unpin',
      from: ['published'],
      event: ['取消置顶', 'Unpinned'],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      from: ['draft', 'withdrawn'],
      tone: 'danger',
      confirm: [`删除「{${title}}」？`, `Delete “{${title}}”?`],
    },
  } as const satisfies Readonly<Record<string, ActionSpec>>;
}
