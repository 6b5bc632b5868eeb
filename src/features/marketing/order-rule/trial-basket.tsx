import { Button, Input, Segmented } from 'antd';
import { DeleteOutlined, PlusOutlined } from '@ant-design/icons';
import { useText } from '../../../kernel/client/language.ts';
import { NumberText } from '../../../kernel/client/parts/number-text.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { words } from '../../../kernel/client/texts.ts';
import './order-rule.css';

/** What a simulation is asked with: a paid order, or goods in a project. */
export interface Basket {
  readonly by: 'order' | 'basket';
  readonly order: string;
  readonly project: readonly string[];
  readonly lines: readonly { readonly product: readonly string[]; readonly paid: string }[];
}

/** A basket nothing is in yet. */
export const EMPTY_BASKET: Basket = {
  by: 'order',
  order: '',
  project: [],
  lines: [{ product: [], paid: '' }],
};

/** Whether it can be sent. */
export const isComplete = (basket: Basket): boolean =>
  basket.by === 'order'
    ? basket.order.trim() !== ''
    : basket.project.length > 0 &&
      basket.lines.length > 0 &&
      basket.lines.every((line) => line.product.length > 0 && /^\d{1,8}(\.\d{1,2})?$/.test(line.paid));

/** As the server takes it. */
export const bodyOf = (basket: Basket) =>
  basket.by === 'order'
    ? { order: basket.order.trim() }
    : {
        project: basket.project[0],
        lines: basket.lines.map((line) => ({ product: line.product[0], paid: line.paid })),
      };

/** Asks for an order number or for goods with what is paid for them. */
export function TrialBasket(props: {
  readonly value: Basket;
  readonly onChange: (value: Basket) => void;
  /** What the amounts of lines are. */
  readonly amount: readonly [string, string];
}) {
  const { value } = props;
  const text = useText();
  const set = (more: Partial<Basket>) => props.onChange({ ...value, ...more });
  const setLine = (at: number, more: Partial<Basket['lines'][number]>) =>
    set({ lines: value.lines.map((line, index) => (index === at ? { ...line, ...more } : line)) });
  return (
    <>
      <div className="or-row">
        <Segmented<Basket['by']>
          value={value.by}
          onChange={(by) => set({ by })}
          options={[
            { value: 'order', label: text(['按订单号', 'By order']) },
            { value: 'basket', label: text(['按商品', 'By goods']) },
          ]}
        />
        {value.by === 'order' ? (
          <Input
            style={{ width: 260 }}
            value={value.order}
            maxLength={64}
            placeholder={text(['已支付的订单号', 'Number of a paid order'])}
            aria-label={text(['订单号', 'Order number'])}
            onChange={(event) => set({ order: event.target.value })}
          />
        ) : (
          <div className="or-field">
            <RemoteSelect
              target="project"
              label={text(['项目', 'Project'])}
              placeholder={text(['项目', 'Project'])}
              value={value.project}
              known={{}}
              onChange={(ids) => set({ project: ids.slice(-1) })}
            />
          </div>
        )}
      </div>
      {value.by === 'basket' &&
        value.lines.map((line, index) => (
          <div className="or-row" key={index}>
            <div className="or-field">
              <RemoteSelect
                target="product"
                label={text([`商品 ${index + 1}`, `Product ${index + 1}`])}
                placeholder={text(['商品', 'Product'])}
                value={line.product}
                known={{}}
                onChange={(ids) => setLine(index, { product: ids.slice(-1) })}
              />
            </div>
            <label className="or-amount">
              <span className="k-hint">{text(props.amount)}</span>
              <NumberText
                value={line.paid}
                unit={text(['元', 'CNY'])}
                pad
                label={text(props.amount)}
                onChange={(paid) => setLine(index, { paid })}
              />
            </label>
            <Button
              type="text"
              icon={<DeleteOutlined />}
              aria-label={text(words.remove)}
              disabled={value.lines.length === 1}
              onClick={() => set({ lines: value.lines.filter((_, at) => at !== index) })}
            />
            {index === value.lines.length - 1 && (
              <Button
                icon={<PlusOutlined />}
                disabled={value.lines.length >= 50}
                onClick={() => set({ lines: [...value.lines, { product: [], paid: '' }] })}
              >
                {text(['添加商品', 'Add goods'])}
              </Button>
            )}
          </div>
        ))}
    </>
  );
}
