import './house.css';
import { Button } from 'antd';
import { useAction } from '../../../kernel/client/action/use-action.tsx';
import { DetailActions, DetailBody, DetailTitle } from '../../../kernel/client/detail/detail-body.tsx';
import { useRow } from '../../../kernel/client/detail/use-row.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { Icon } from '../../../kernel/client/parts/icon.tsx';
import { houseCard } from './house.contract.ts';
import { houseSlots } from './house-slots.tsx';

/** Window from which the history stands beside the facts: the tree takes its part. */
const WIDE_WINDOW = 1500;

/** The card of a house beside the tree: what it owes, its people, bills, orders and records. */
export function HouseCardView({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const text = useText();
  const { data: row, isError, error, refetch } = useRow(houseCard, id);
  const action = useAction(houseCard, {
    slots: houseSlots,
    onDone: (name) => name === 'remove' && onClose(),
  });
  return (
    <div className="k-screen house-card">
      <header className="k-title">
        <Button
          type="text"
          icon={<Icon name="close" />}
          aria-label={text(['返回列表', 'Back to the list'])}
          title={text(['返回列表', 'Back to the list'])}
          onClick={onClose}
        />
        <h1>{row ? <DetailTitle resource={houseCard} row={row} /> : text(houseCard.noun!)}</h1>
        <div className="k-title-actions">
          {row && <DetailActions resource={houseCard} row={row} action={action} />}
        </div>
      </header>
      {isError ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : (
        <DetailBody
          resource={houseCard}
          row={row}
          slots={houseSlots}
          wide={window.innerWidth >= WIDE_WINDOW}
        />
      )}
      {action.element}
    </div>
  );
}
