import { useEffect, useRef, useState, type FormEvent } from 'react';
import { ApiError, call } from '../../../kernel/client/api-client.ts';
import { tellFault } from '../../../kernel/client/feedback.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useEscape } from '../../../kernel/client/parts/use-escape.ts';
import { fill, type Label } from '../../../kernel/contract/label.ts';
import { passwordProblems, passwordTexts } from '../../../kernel/contract/password.rules.ts';
import { showNotice } from '../notices/notices.ts';
import { encryptPassword } from '../session/encrypt-password.ts';
import { PasswordField } from './password-field.tsx';
import { PasswordMeter } from './password-meter.tsx';
import { useClickGuard } from './use-click-guard.ts';
import { useVerification } from './verification.ts';
import { VerificationField } from './verification-field.tsx';

type Step = 'phone' | 'sms' | 'password';
type Errors = Partial<Record<'phone' | 'image' | 'sms' | 'password' | 'confirm', Label | string>>;

const RESEND_SECONDS = 60;
const steps: readonly { readonly key: Step; readonly label: Label }[] = [
  { key: 'phone', label: ['手机号', 'Phone'] },
  { key: 'sms', label: ['短信验证码', 'SMS code'] },
  { key: 'password', label: ['新密码', 'New password'] },
];
const sentText: Label = ['如该手机号已登记，验证码已发送', 'If this number is registered, a code was sent'];

/** Dialog 找回密码 in three steps. The answer never tells whether the phone belongs to a staff. */
export function ForgottenPassword({ onClose }: { readonly onClose: () => void }) {
  const text = useText();
  const dialog = useRef<HTMLDialogElement>(null);
  const [step, setStep] = useState<Step>('phone');
  const [phone, setPhone] = useState('');
  const [image, setImage] = useState('');
  const [sms, setSms] = useState('');
  const [password, setPassword] = useState('');
  const [confirm, setConfirm] = useState('');
  const [errors, setErrors] = useState<Errors>({});
  const [busy, setBusy] = useState(false);
  const [guarded, guard] = useClickGuard();
  const [wait, setWait] = useState(0);
  const verification = useVerification(step === 'phone');
  useEffect(() => dialog.current?.showModal(), []);
  useEscape(true, onClose);
  useEffect(() => {
    if (wait === 0) return;
    const timer = setTimeout(() => setWait(wait - 1), 1000);
    return () => clearTimeout(timer);
  }, [wait]);
  useEffect(() => {
    dialog.current?.querySelector<HTMLInputElement>('form input')?.focus();
  }, [step]);

  const read = (error: Label | string | undefined) =>
    error === undefined ? undefined : typeof error === 'string' ? error : text(error);
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    try {
      await work();
    } finally {
      setBusy(false);
    }
  };

  const sendCode = async () => {
    try {
      await call('GET', '/api/auth/authLogin/getPhoneVerification', {
        query: { phoneNum: phone, code: image },
      });
      setWait(RESEND_SECONDS);
      setStep('sms');
    } catch (error) {
      tellFault(error);
      const fields = error instanceof ApiError ? error.fields : {};
      setErrors({
        ...(fields.phoneNum && { phone: fields.phoneNum }),
        ...(fields.code && { image: fields.code }),
      });
      setImage('');
      verification.refresh();
    }
  };
  const savePassword = async () => {
    try {
      const newPass = await encryptPassword(password, 'newPass');
      await call('POST', '/api/auth/authLogin/changePassword', {
        body: { phoneNum: phone, code: sms, newPass },
      });
      showNotice({
        tone: 'success',
        title: ['成功', 'success'],
        text: ['修改成功', 'modification succeeded'],
        duration: 2000,
      });
      onClose();
    } catch (error) {
      if (!(error instanceof ApiError)) return tellFault(error);
      const { newPass, code } = error.fields;
      if (newPass) return setErrors({ password: newPass });
      setErrors({
        sms:
          code ??
          (error.http === 400 && error.message ? error.message : ['短信验证码错误', 'The SMS code is wrong']),
      });
      setSms('');
      setStep('sms');
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (busy || guarded) return;
    guard();
    if (step === 'phone') {
      const found: Errors = {
        ...(!/^1\d{10}$/.test(phone) && { phone: ['请输入11位手机号', 'Enter an 11-digit phone number'] }),
        ...(verification.required &&
          image === '' && { image: ['请输入验证码', 'Please enter the verification code'] as Label }),
      };
      setErrors(found);
      if (Object.keys(found).length === 0) void run(sendCode);
    } else if (step === 'sms') {
      const isComplete = /^\d{6}$/.test(sms);
      setErrors(isComplete ? {} : { sms: ['请输入6位短信验证码', 'Enter the 6-digit SMS code'] });
      if (isComplete) setStep('password');
    } else {
      const problem = passwordProblems(password, { username: '' })[0];
      const differs =
        confirm === ''
          ? passwordTexts.confirmEmpty
          : confirm !== password
            ? passwordTexts.confirmDiffers
            : undefined;
      setErrors({ ...(problem && { password: problem }), ...(differs && { confirm: differs }) });
      if (!problem && !differs) void run(savePassword);
    }
  };
  const resend = () => {
    setImage('');
    setErrors({});
    setStep('phone');
  };

  return (
    <dialog
      ref={dialog}
      className="question forgotten"
      aria-labelledby="forgotten-title"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id="forgotten-title">{text(['找回密码', 'Reset password'])}</h2>
      <ol className="steps">
        {steps.map(({ key, label }, index) => (
          <li key={key} aria-current={key === step ? 'step' : undefined}>
            <span>{index + 1}</span> {text(label)}
          </li>
        ))}
      </ol>
      <form onSubmit={submit} noValidate>
        {step === 'phone' && (
          <>
            <PlainField
              id="forgotten-phone"
              label={text(['手机号', 'Phone'])}
              value={phone}
              error={read(errors.phone)}
              inputMode="tel"
              onChange={(value) => setPhone(value.replace(/\D/g, '').slice(0, 11))}
            />
            <VerificationField
              id="forgotten-code"
              verification={verification}
              value={image}
              error={read(errors.image)}
              onChange={(value) => {
                setImage(value);
                setErrors({});
              }}
            />
          </>
        )}
        {step === 'sms' && (
          <>
            <p className="info-line" role="status">
              {text(sentText)}
            </p>
            <PlainField
              id="forgotten-sms"
              label={text(['短信验证码', 'SMS code'])}
              value={sms}
              error={read(errors.sms)}
              inputMode="numeric"
              autoComplete="one-time-code"
              onChange={(value) => setSms(value.replace(/\D/g, '').slice(0, 6))}
            />
            <button type="button" className="link-button" disabled={wait > 0} onClick={resend}>
              {wait > 0
                ? text(fill(['重新获取({n}s)', 'Resend ({n}s)'], { n: wait }))
                : text(['重新获取', 'Resend'])}
            </button>
          </>
        )}
        {step === 'password' && (
          <>
            <PasswordField
              id="forgotten-password"
              label={text(['新密码', 'New password'])}
              value={password}
              error={read(errors.password)}
              autoComplete="new-password"
              onChange={setPassword}
            />
            <PasswordMeter password={password} username="" />
            <PasswordField
              id="forgotten-confirm"
              label={text(['确认密码', 'Confirm password'])}
              value={confirm}
              error={read(errors.confirm)}
              autoComplete="new-password"
              onChange={setConfirm}
            />
          </>
        )}
        <div className="question-buttons">
          <button type="button" className="plain-button" onClick={onClose}>
            {text(['取消', 'Cancel'])}
          </button>
          <button type="submit" className="plain-button primary" disabled={busy || guarded}>
            {step === 'password' ? text(['提交', 'Submit']) : text(['下一步', 'Next'])}
          </button>
        </div>
      </form>
    </dialog>
  );
}

function PlainField(props: {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly inputMode: 'tel' | 'numeric';
  readonly autoComplete?: string;
  readonly onChange: (value: string) => void;
}) {
  const { id, label, value, error, inputMode, autoComplete = 'off', onChange } = props;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className={error ? 'input-box bad' : 'input-box'}>
        <input
          id={id}
          value={value}
          inputMode={inputMode}
          autoComplete={autoComplete}
          aria-invalid={error !== undefined}
          aria-describedby={`${id}-message`}
          onChange={(event) => onChange(event.target.value)}
        />
      </div>
      <p className="field-message" id={`${id}-message`} role={error ? 'alert' : undefined}>
        {error}
      </p>
    </div>
  );
}
