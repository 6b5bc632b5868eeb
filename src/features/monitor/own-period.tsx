import { useState } from 'react';
import { Button, Input } from 'antd';
import { useText } from '../../kernel/client/language.ts';

const SHANGHAI_MS = 8 * 3_600_000;

/** An instant as the input of the browser holds it, in Shanghai time. */
const localOf = (at: string): string => {
  const time = Date.parse(at);
  return Number.isNaN(time) ? '' : new Date(time + SHANGHAI_MS).toISOString().slice(0, 16);
};
const instantOf = (local: string): string => new Date(`${local}:00+08:00`).toISOString();

/** A period of one's own; what is chosen counts once both ends are there in their order. */
export function OwnPeriod(props: {
  readonly from: string;
  readonly to: string;
  readonly onChange: (from: string, to: string) => void;
}) {
  const text = useText();
  const [ends, setEnds] = useState([localOf(props.from), localOf(props.to)] as const);
  const [from, to] = ends;
  const isWhole = from !== '' && to !== '' && from < to;
  return (
    <>
      {([0, 1] as const).map((end) => (
        <Input
          key={end}
          type="datetime-local"
          style={{ width: 190 }}
          aria-label={text(end === 0 ? ['开始时间', 'From'] : ['结束时间', 'To'])}
          value={ends[end]}
          onChange={(event) => setEnds(end === 0 ? [event.target.value, to] : [from, event.target.value])}
        />
      ))}
      <Button disabled={!isWhole} onClick={() => props.onChange(instantOf(from), instantOf(to))}>
        {text(['应用', 'Apply'])}
      </Button>
    </>
  );
}
