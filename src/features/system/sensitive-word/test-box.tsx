import { useState } from 'react';
import { Alert, Input } from 'antd';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { rootOf } from '../../../kernel/client/wire.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { CATEGORIES, LEVEL_CHOICES, sensitiveWord } from './sensitive-word.contract.ts';
import { TEST_MAX } from './sensitive-word.rules.ts';
import { marked } from './marked.rules.ts';
import './test-box.css';

interface Verdict {
  readonly level: keyof typeof LEVEL_CHOICES | null;
  /** Null where the text is refused. */
  readonly shown: string | null;
  readonly hits: readonly {
    readonly wordId: string;
    readonly word: string;
    readonly category: keyof typeof CATEGORIES;
    readonly level: keyof typeof LEVEL_CHOICES;
    readonly start: number;
    readonly end: number;
  }[];
}

/** A text in, its hits marked, what would become of it and how it would be shown. */
export function TestBox({ onClose }: { readonly onClose: () => void }) {
  const text = useText();
  const [typed, setTyped] = useState('');
  const test = useMutation({
    mutationFn: async (tested: string) => ({
      tested,
      ...(await call<Verdict>('POST', `${rootOf(sensitiveWord)}/test`, { body: { text: tested } })),
    }),
  });
  const verdict = test.data;
  const words = [...new Map(verdict?.hits.map((hit) => [hit.wordId, hit]) ?? []).values()];
  return (
    <AppModal
      open
      width={720}
      title={text(['检测文本', 'Test a text'])}
      okText={text(['检测', 'Test'])}
      cancelText={text(['关闭', 'Close'])}
      okButtonProps={{ disabled: typed.trim() === '' }}
      confirmLoading={test.isPending}
      onOk={() => test.mutate(typed)}
      onCancel={onClose}
    >
      <Input.TextArea
        rows={5}
        maxLength={TEST_MAX}
        showCount
        value={typed}
        aria-label={text(['要检测的文本', 'Text to test'])}
        placeholder={text(['粘贴帖子或评论的内容', 'Paste a post or a comment'])}
        onChange={(event) => setTyped(event.target.value)}
      />
      <div aria-live="polite" className="sw-result">
        {verdict && (
          <>
            {verdict.level === null ? (
              <Alert
                type="success"
                showIcon
                title={text(['没有命中敏感词', 'No sensitive word was found'])}
              />
            ) : (
              <>
                <p>
                  <StatusTag choice={LEVEL_CHOICES[verdict.level]} />{' '}
                  {text(
                    fill(
                      [
                        '命中 {words} 个词，共 {places} 处',
                        '{words} {words|word|words} in {places} {places|place|places}',
                      ],
                      { words: words.length, places: verdict.hits.length },
                    ),
                  )}
                </p>
                <h3>{text(['命中位置', 'Hits'])}</h3>
                <div className="sw-text">
                  {marked(verdict.tested, verdict.hits).map((part) =>
                    part.level ? (
                      <mark key={part.start} className={`sw-${part.level}`}>
                        {part.text}
                      </mark>
                    ) : (
                      part.text
                    ),
                  )}
                </div>
                <ul className="sw-words">
                  {words.map((hit) => (
                    <li key={hit.wordId}>
                      <strong>{hit.word}</strong> {text(CATEGORIES[hit.category].label)}{' '}
                      <StatusTag choice={LEVEL_CHOICES[hit.level]} />
                    </li>
                  ))}
                </ul>
                <h3>{text(['结果', 'Result'])}</h3>
                <div className="sw-text">
                  {verdict.shown ?? text(['内容不能发布', 'The text is refused'])}
                </div>
              </>
            )}
          </>
        )}
      </div>
    </AppModal>
  );
}
