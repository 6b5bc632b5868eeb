import './assistant.css';
import { useState } from 'react';
import { Button } from 'antd';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { assistantQuestion } from './assistant-question.contract.ts';
import { assistantUnanswered } from './assistant-unanswered.contract.ts';
import { DictionaryCell } from './dictionary-cell.tsx';

const TryBox = lazyPart(() => import('./try-box.tsx').then((module) => module.TryBox));

const slots: ScreenSlots = {
  above: <Parts />,
  toolbar: <Tools />,
  cells: {
    class: (row) => (
      <DictionaryCell place={{ from: 'dict', code: 'question_class' }} value={row.class as RefValue | null} />
    ),
    functionPoint: (row) => (
      <DictionaryCell
        place={{ from: 'dict', code: 'function_point' }}
        value={row.functionPoint as RefValue | null}
      />
    ),
  },
};
const unanswered: ScreenSlots = { above: <Parts />, toolbar: <Tools /> };

/** Questions of the assistant, and as a second tab what nobody has answered yet. */
function AssistantQuestionScreen() {
  const view = useView();
  if (view.query.get('part') === 'unanswered')
    return <ScreenOf contract={assistantUnanswered} slots={unanswered} />;
  return <ScreenOf contract={assistantQuestion} slots={slots} />;
}

/** Questions of the assistant. */
export const screen = { contract: assistantQuestion, component: AssistantQuestionScreen };

function Parts() {
  const text = useText();
  const view = useView();
  return (
    <TabList
      label={text(assistantQuestion.title)}
      className="as-parts"
      tabs={[
        { key: 'question', label: text(['问题', 'Questions']) },
        { key: 'unanswered', label: text(assistantUnanswered.title) },
      ]}
      active={view.query.get('part') === 'unanswered' ? 'unanswered' : 'question'}
      onChange={(key) => view.setQuery(new URLSearchParams(key === 'unanswered' ? { part: key } : {}))}
    />
  );
}

function Tools() {
  const text = useText();
  const held = useHeld(assistantQuestion);
  const [open, setOpen] = useState(false);
  if (!held('btn_try')) return null;
  return (
    <>
      <Button type="text" onClick={() => setOpen(true)}>
        {text(['试问', 'Try'])}
      </Button>
      {open && <TryBox onClose={() => setOpen(false)} />}
    </>
  );
}
