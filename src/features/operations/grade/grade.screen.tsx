import { Alert, InputNumber } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots, SlotInputProps } from '../../../kernel/client/slots.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import { grade, type GradePreview } from './grade.contract.ts';

/** The threshold, with who would rise or fall by it. */
function Threshold({ id, value, onChange, rows, disabled }: SlotInputProps) {
  const row = rows[0];
  const entered = value === null || value === undefined || value === '' ? undefined : Number(value);
  return (
    <>
      <InputNumber
        {...(id !== undefined && { id })}
        min={0}
        max={100_000_000}
        precision={0}
        disabled={disabled}
        style={{ inlineSize: '100%' }}
        {...(entered !== undefined && { value: entered })}
        onChange={(next) => onChange?.(next)}
      />
      {row && entered !== undefined && entered !== Number(row.threshold) && (
        <Preview id={row.id} threshold={entered} />
      )}
    </>
  );
}

function Preview({ id, threshold }: { readonly id: string; readonly threshold: number }) {
  const text = useText();
  const { data } = useQuery({
    queryKey: ['grade', 'preview', id, threshold],
    queryFn: () => call<GradePreview>('GET', `${rootOf(grade)}/preview?id=${id}&threshold=${threshold}`),
  });
  if (!data) return null;
  return (
    <Alert
      style={{ marginBlockStart: 8 }}
      type={data.rise + data.fall === 0 ? 'success' : 'warning'}
      title={text([
        `保存后 ${data.rise} 人升级、${data.fall} 人降级`,
        `${data.rise} members rise and ${data.fall} fall when this is saved`,
      ])}
      description={
        data.members.length > 0 && (
          <ul style={{ margin: 0, paddingInlineStart: 18, maxBlockSize: 140, overflow: 'auto' }}>
            {data.members.map((one, index) => (
              <li key={index}>{`${one.name}: ${one.from} → ${one.to}`}</li>
            ))}
          </ul>
        )
      }
    />
  );
}

const slots: ScreenSlots = { inputs: { threshold: (props) => <Threshold {...props} /> } };

function GradeScreen() {
  return <ScreenOf contract={grade} slots={slots} />;
}

/** 用户等级. */
export const screen = { contract: grade, component: GradeScreen };
