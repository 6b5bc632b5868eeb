import { useState, type FormEvent, type ReactNode } from 'react';
import { ApiError, call } from '../../../../kernel/client/api-client.ts';
import { tellFault } from '../../../../kernel/client/feedback.ts';
import { useText } from '../../../../kernel/client/language.ts';
import { useSession } from '../../../../kernel/client/session.ts';
import type { Label } from '../../../../kernel/contract/label.ts';
import {
  isPasswordTooLong,
  passwordProblems,
  passwordTexts,
} from '../../../../kernel/contract/password.rules.ts';
import { PasswordField } from '../../login/password-field.tsx';
import { PasswordMeter } from '../../login/password-meter.tsx';
import { useClickGuard } from '../../login/use-click-guard.ts';
import { showFailure } from '../../failures/install-failures.ts';
import { showNotice } from '../../notices/notices.ts';
import { showAlert } from '../../notices/questions.ts';
import { encryptPassword } from '../../session/encrypt-password.ts';
import { writeMustChange } from '../../session/stored-flags.ts';
import { writeCookie } from '../../session/token-cookie.ts';

type Name = 'old' | 'next' | 'confirm';
type Errors = Partial<Record<Name, Label | string>>;
const noValues = { old: '', next: '', confirm: '' };
const alertTitle: Label = ['提示', 'notice'];

/** Old, new and confirm with the live check list; checked on blur and on submit. */
export function ChangePasswordForm({
  onDone,
  aside,
  oneTime = false,
}: {
  readonly onDone: () => void;
  /** The present password was handed over or sent: there is no old one to remember. */
  readonly oneTime?: boolean;
  /** Left of the buttons. */
  readonly aside?: ReactNode;
}) {
  const text = useText();
  const username = useSession((state) => state.info?.username ?? '');
  const [values, setValues] = useState(noValues);
  const [errors, setErrors] = useState<Errors>({});
  const [busy, setBusy] = useState(false);
  const [guarded, guard] = useClickGuard();

  const problemOf = (name: Name): Label | undefined => {
    if (name === 'old')
      return values.old === ''
        ? passwordTexts.empty
        : isPasswordTooLong(values.old)
          ? passwordTexts.long
          : undefined;
    if (name === 'next')
      return passwordProblems(values.next, { username, ...(values.old && { oldPassword: values.old }) })[0];
    if (values.confirm === '') return passwordTexts.confirmEmpty;
    return values.confirm === values.next ? undefined : passwordTexts.confirmDiffers;
  };
  const check = (name: Name) => setErrors((all) => withProblem(all, name, problemOf(name)));
  const change = (name: Name) => (value: string) => {
    setValues({ ...values, [name]: value });
    setErrors((all) => withProblem(all, name, undefined));
  };
  const read = (name: Name) => {
    const error = errors[name];
    return error === undefined ? undefined : typeof error === 'string' ? error : text(error);
  };
  const reset = () => {
    setValues(noValues);
    setErrors({});
  };
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy || guarded) return;
    guard();
    const form = event.currentTarget;
    const names: readonly Name[] = ['old', 'next', 'confirm'];
    const found = names.filter((name) => problemOf(name) !== undefined);
    setErrors(Object.fromEntries(found.map((name) => [name, problemOf(name)!])));
    if (values.confirm !== '' && values.confirm !== values.next)
      void showAlert(passwordTexts.confirmDiffers, alertTitle);
    if (found.length > 0) return form.querySelector<HTMLInputElement>(`#password-${found[0]}`)?.focus();
    setBusy(true);
    try {
      const oldPass = await encryptPassword(values.old, 'oldPass');
      const newPass = await encryptPassword(values.next, 'newPass');
      const body = { oldPass, newPass };
      const changed = await call<unknown>('POST', '/api/admin/user/changePassword', { body, quiet: true });
      if (!changed) {
        showNotice({
          tone: 'warning',
          title: ['失败', 'failed'],
          text: ['修改失败', 'modification failed'],
          duration: 2000,
        });
        return;
      }
      writeMustChange(false);
      writeCookie('OverDay', '');
      showNotice({
        tone: 'success',
        title: ['成功', 'success'],
        text: ['修改成功', 'modification succeeded'],
        duration: 2000,
      });
      reset();
      onDone();
    } catch (error) {
      if (error instanceof ApiError) showProblem(error, setErrors);
      else tellFault(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <input
        type="text"
        className="visually-hidden"
        autoComplete="username"
        value={username}
        readOnly
        tabIndex={-1}
        aria-hidden="true"
      />
      <PasswordField
        id="password-old"
        label={text(oneTime ? ['一次性密码', 'One-time password'] : ['旧密码', 'Old password'])}
        {...(oneTime && {
          hint: text([
            '即刚才登录所用、由管理员告知或短信发送的密码',
            'The one you just signed in with, handed over or texted',
          ]),
        })}
        value={values.old}
        error={read('old')}
        autoComplete="current-password"
        onChange={change('old')}
        onBlur={() => check('old')}
      />
      <PasswordField
        id="password-next"
        label={text(['新密码', 'New password'])}
        value={values.next}
        error={read('next')}
        autoComplete="new-password"
        onChange={change('next')}
        onBlur={() => check('next')}
      />
      <PasswordMeter password={values.next} username={username} />
      <PasswordField
        id="password-confirm"
        label={text(['确认密码', 'Confirm password'])}
        value={values.confirm}
        error={read('confirm')}
        autoComplete="new-password"
        onChange={change('confirm')}
        onBlur={() => check('confirm')}
      />
      <div className="question-buttons">
        {aside && <span className="question-aside">{aside}</span>}
        <button type="button" className="plain-button" onClick={reset}>
          {text(['重置', 'Reset'])}
        </button>
        <button type="submit" className="plain-button primary" disabled={busy || guarded}>
          {text(['提交', 'Submit'])}
        </button>
      </div>
    </form>
  );
}

function withProblem(errors: Errors, name: Name, problem: Label | undefined): Errors {
  const { [name]: _before, ...rest } = errors;
  return problem ? { ...rest, [name]: problem } : rest;
}

function showProblem(error: ApiError, setErrors: (errors: Errors) => void): void {
  const { oldPass, newPass } = error.fields;
  if (oldPass || newPass)
    return setErrors({ ...(oldPass && { old: oldPass }), ...(newPass && { next: newPass }) });
  // Everything without a field of its own is shown as the catalogue says.
  showFailure(error);
}
