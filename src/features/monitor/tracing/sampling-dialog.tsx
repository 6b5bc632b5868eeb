import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { InputNumber } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { message } from '../../../kernel/client/feedback.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { words } from '../../../kernel/client/texts.ts';
import type { Held } from './tracing.contract.ts';

/** How much is kept: share beyond the fixed rate, what counts as slow, days. */
export function SamplingDialog({ held, onClose }: { readonly held: Held; readonly onClose: () => void }) {
  const text = useText();
  const client = useQueryClient();
  const [values, setValues] = useState({ sampleRate: held.sampleRate, slowMs: held.slowMs, days: held.days });
  const [saving, setSaving] = useState(false);
  const save = async () => {
    setSaving(true);
    try {
      await call('PUT', '/api/admin/trace/setting', { body: values });
      message.success(text(words.saved), 2);
      await client.invalidateQueries({ queryKey: ['trace', 'held'] });
      onClose();
    } catch {
      // Shown by the frame already.
    } finally {
      setSaving(false);
    }
  };
  const field = (
    name: keyof typeof values,
    label: readonly [string, string],
    range: { readonly min: number; readonly max: number; readonly step: number },
  ) => (
    <label className="trace-field">
      <span>{text(label)}</span>
      <InputNumber
        {...range}
        value={values[name]}
        onChange={(value) => value !== null && setValues({ ...values, [name]: value })}
      />
    </label>
  );
  return (
    <AppModal
      open
      title={text(['采样设置', 'Sampling'])}
      onCancel={onClose}
      onOk={() => void save()}
      okText={text(words.save)}
      confirmLoading={saving}
    >
      {field('sampleRate', ['超出200条/秒后的采样比例', 'Share kept beyond 200 a second'], {
        min: 0,
        max: 1,
        step: 0.01,
      })}
      {field('slowMs', ['慢链路阈值（毫秒）', 'Slow from (ms)'], { min: 1, max: 600_000, step: 100 })}
      {field('days', ['保留天数', 'Days kept'], { min: 1, max: 90, step: 1 })}
    </AppModal>
  );
}
