import { AppModal } from '../../../../kernel/client/parts/app-modal.tsx';
import { useText } from '../../../../kernel/client/language.ts';
import { closeLayer } from '../layers.ts';
import { ChangePasswordForm } from './change-password-form.tsx';

/** Dialog 修改密码: 30 % wide, at least 420 px. */
export default function ChangePasswordDialog() {
  const text = useText();
  return (
    <AppModal
      open
      title={text(['修改密码', 'Change password'])}
      width="max(30%, min(420px, 94vw))"
      footer={null}
      onCancel={closeLayer}
    >
      <ChangePasswordForm onDone={closeLayer} />
    </AppModal>
  );
}
