import { Form } from 'antd';
import { call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { message, tellFault } from '../../../kernel/client/feedback.ts';
import { FieldForm } from '../../../kernel/client/form/field-form.tsx';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import { integer, ref, text as textField } from '../../../kernel/contract/fields.ts';
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
