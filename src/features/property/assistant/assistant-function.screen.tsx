import type { RefValue } from '../../../kernel/contract/fields.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { assistantFunction } from './assistant-function.contract.ts';
import { DictionaryCell } from './dictionary-cell.tsx';

const slots: ScreenSlots = {
  cells: {
    functionPoint: (row) => (
      <DictionaryCell
        place={{ from: 'dict', code: 'function_point' }}
        value={row.functionPoint as RefValue | null}
      />
    ),
  },
};

/** Functions of the assistant. */
function AssistantFunctionScreen() {
  return <ScreenOf contract={assistantFunction} slots={slots} />;
}

/** Functions of the assistant. */
export const screen = { contract: assistantFunction, component: AssistantFunctionScreen };
