import { useState } from 'react';
import { Alert, Input } from 'antd';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { SafeHtml } from '../../../kernel/client/parts/safe-html.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { rootOf } from '../../../kernel/client/wire.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { assistantQuestion, type FoundAnswer } from './assistant-question.contract.ts';

interface Found {
  readonly answers: readonly FoundAnswer[];
  /** From this score on a member is given the answer. */
  readonly enough: number;
}

/** A sentence in, the three published answers that fit it best out. */
export function TryBox({ onClose }: { readonly onClose: () => void }) {
  const text = useText();
  const [typed, setTyped] = useState('');
  const ask = useMutation({
    mutationFn: (sentence: string) =>
      call<Found>('POST', `${rootOf(assistantQuestion)}/try`, { body: { text: sentence } }),
  });
  const found = ask.data;
  const submit = () => {
    if (typed.trim() !== '' && !ask.isPending) ask.mutate(typed.trim());
  };
  const best = found?.answers[0];
  return (
    <AppModal
      open
      width={680}
      title={text(['试问', 'Try a sentence'])}
      okText={text(['提问', 'Ask'])}
      cancelText={text(['关闭', 'Close'])}
      okButtonProps={{ disabled: typed.trim() === '' }}
      confirmLoading={ask.isPending}
      onOk={submit}
      onCancel={onClose}
    >
      <Input
        value={typed}
        maxLength={200}
        aria-label={text(['业主的提问', 'What a member asks'])}
        placeholder={text(['像业主那样提问，如：水管漏水找谁', 'Ask as a member would'])}
        onChange={(event) => setTyped(event.target.value)}
        onPressEnter={submit}
      />
      <div aria-live="polite" className="as-found">
        {found && (!best || best.score < found.enough) && (
          <Alert
            type="warning"
            showIcon
            title={text(
              fill(
                [
                  '没有达到 {n} 分的答案，业主提问时会记入未命中',
                  'No answer reaches {n}: asked by a member it would count as unanswered',
                ],
                { n: found.enough },
              ),
            )}
          />
        )}
        {found && found.answers.length > 0 && (
          <ol>
            {found.answers.map((one) => (
              <li key={one.id}>
                <p>
                  <strong>{one.title}</strong>{' '}
                  <StatusTag
                    choice={{
                      label: [`${one.score} 分`, `Score ${one.score}`],
                      tone: one.score >= found.enough ? 'success' : 'default',
                    }}
                  />
                </p>
                {one.wording !== one.title && (
                  <p className="k-quiet">{text([`匹配问法：${one.wording}`, `Matched: ${one.wording}`])}</p>
                )}
                <div className="as-answer" role="region" tabIndex={0} aria-label={one.title}>
                  <SafeHtml html={one.answer} />
                </div>
              </li>
            ))}
          </ol>
        )}
      </div>
    </AppModal>
  );
}
