import { useState } from 'react';
import { Alert, Form } from 'antd';
import dayjs from 'dayjs';
import { inputsWhen } from '../../../domain/content/inputs-when.tsx';
import { call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { message, tellFault } from '../../../kernel/client/feedback.ts';
import { FieldForm } from '../../../kernel/client/form/field-form.tsx';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import {
  choice,
  date,
  instant,
  integer,
  longText,
  ref,
  text as textField,
} from '../../../kernel/contract/fields.ts';
import { useEventTypes } from './member-calls.ts';
import { pointsMember } from './points-member.contract.ts';

const ROOT = rootOf(pointsMember);

/** A coupon for the chosen members: a task of targeted coupons is drafted, which is looked at and sent there. */
export function CouponDialog({ rows, close, done }: ActionScreenProps) {
  const text = useText();
  const [form] = Form.useForm();
  const guard = useSubmitGuard();
  const fields = {
    coupon: ref('pushCoupon', ['优惠券', 'Coupon'], { required: true }),
    perPerson: integer(['每人张数', 'Each gets'], { required: true, min: 1, max: 5, initial: 1 }),
    reason: textField(['原因', 'Reason'], { required: true, min: 2, max: 200 }),
  };
  const send = async () => {
    const values = (await form.validateFields()) as {
      coupon: { id: string } | string;
      perPerson: number;
      reason: string;
    };
    const made = await call<{ code: string }>('POST', `${ROOT}/giveCoupon`, {
      body: {
        ids: rows.map((row) => row.id),
        coupon: typeof values.coupon === 'string' ? values.coupon : values.coupon.id,
        perPerson: Number(values.perPerson),
        reason: values.reason,
      },
      idempotencyKey: newIdempotencyKey(),
    });
    message.success(
      text([
        `已生成定向发券草稿 ${made.code}，请在「定向发券」核对后发送`,
        `Draft ${made.code} is made: look at it and send it under targeted coupons`,
      ]),
      6,
    );
    done();
  };
  return (
    <AppModal
      open
      title={text([`给 ${rows.length} 位会员发券`, `A coupon for ${rows.length} members`])}
      onCancel={close}
      onOk={() => void guard.run(() => send().catch(tellFault))}
      confirmLoading={guard.busy}
    >
      <FieldForm
        form={form}
        name="member-coupon"
        fields={fields}
        sections={[{ fields: ['coupon', 'perPerson', 'reason'] }]}
        initial={{ perPerson: 1 }}
      />
    </AppModal>
  );
}

/** Something a member did that did not reach the product, recorded with a reason. */
export function EventDialog({ row, close, done }: ActionScreenProps) {
  const text = useText();
  const [form] = Form.useForm();
  const guard = useSubmitGuard();
  const types = useEventTypes();
  const [problem, setProblem] = useState<string>();
  if (!types.data || !row) return null;
  const fields = {
    type: choice(
      ['事件', 'Event'],
      Object.fromEntries(
        types.data.map(({ type, title }) => [type, { label: [title[0], title[1]] as const }]),
      ),
      { required: true },
    ),
    occurredAt: instant(['发生时间', 'Happened at'], {
      required: true,
      help: ['最早为24小时前', 'At most 24 hours ago'],
    }),
    day: date(['补签日期', 'Repaired day'], { help: ['仅使用补签卡时填写', 'For make-up cards only'] }),
    payload: longText(['事件内容（JSON）', 'Payload (JSON)'], {
      max: 2_000,
      help: ['按接口文档填写，没有内容可留空', 'As the interface says; empty where there is none'],
    }),
    reason: textField(['补录原因', 'Reason'], { required: true, min: 2, max: 200 }),
  };
  const send = async () => {
    const values = (await form.validateFields()) as {
      type: string;
      occurredAt: string;
      day?: string | null;
      payload?: string | null;
      reason: string;
    };
    let payload: unknown = {};
    if (values.payload?.trim())
      try {
        payload = JSON.parse(values.payload);
      } catch {
        setProblem(text(['事件内容不是有效的 JSON', 'The payload is no valid JSON']));
        return;
      }
    if (values.day) payload = { ...(payload as object), day: values.day };
    await call('POST', `${ROOT}/${row.id}/recordEvent`, {
      body: { type: values.type, occurredAt: values.occurredAt, payload, reason: values.reason },
      idempotencyKey: newIdempotencyKey(),
    });
    message.success(text(['已补录', 'Recorded']), 3);
    done([row.id]);
  };
  return (
    <AppModal
      open
      title={text(['补录事件', 'Record an event'])}
      onCancel={close}
      onOk={() => void guard.run(() => send().catch(tellFault))}
      confirmLoading={guard.busy}
    >
      {problem && <Alert type="error" title={problem} style={{ marginBlockEnd: 12 }} />}
      <FieldForm
        form={form}
        name="member-event"
        fields={fields}
        sections={[{ fields: ['type', 'occurredAt', 'day', 'payload', 'reason'] }]}
        inputs={inputsWhen(fields, { day: (values) => values.type === 'card_use' }, true)}
        initial={{ occurredAt: dayjs().format() }}
      />
    </AppModal>
  );
}
