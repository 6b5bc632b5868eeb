import type { Ref } from 'react';
import { useText } from '../../../kernel/client/language.ts';
import { imageAddress, type Verification } from './verification.ts';

/** Input of the verification code with its image; a click on the image fetches another one. */
export function VerificationField(props: {
  readonly id: string;
  readonly verification: Verification;
  readonly value: string;
  readonly error: string | undefined;
  readonly inputRef?: Ref<HTMLInputElement>;
  readonly onChange: (value: string) => void;
}) {
  const text = useText();
  const { id, verification, value, error } = props;
  const change = (typed: string) => {
    const code = typed.replace(/\s/g, '').slice(0, 4);
    props.onChange(code);
    if (code.length === 4) verification.judge(code);
    else verification.forget();
  };
  const wrong = verification.right === false;
  const message =
    error ??
    (verification.expired && wrong
      ? text(['验证码已失效，请刷新', 'Verification code has expired, please refresh'])
      : wrong
        ? text(['验证码错误', 'Verification code is wrong'])
        : undefined);
  const another = text(['换一张', 'Another image']);
  return (
    <div className="field">
      <label htmlFor={id}>{text(['验证码', 'Verification code'])}</label>
      <div className="code-row">
        <div className={message ? 'input-box bad' : 'input-box'}>
          <input
            id={id}
            ref={props.inputRef}
            name="code"
            value={value}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            placeholder={text(['请输入验证码', 'Please enter the verification code'])}
            aria-invalid={message !== undefined}
            aria-describedby={`${id}-message`}
            onChange={(event) => change(event.target.value)}
          />
          {verification.right && (
            <span className="code-right" role="img" aria-label={text(['验证码正确', 'Code is right'])} />
          )}
        </div>
        <button
          type="button"
          className="code-image"
          title={another}
          aria-label={another}
          onClick={() => {
            props.onChange('');
            verification.refresh();
          }}
        >
          {verification.failed ? (
            <span>{text(['加载失败，点击重试', 'Failed, click to retry'])}</span>
          ) : verification.image ? (
            <img
              src={imageAddress(verification.image)}
              width={120}
              height={40}
              alt={text(['验证码图片', 'Verification image'])}
            />
          ) : (
            <i className="bone" />
          )}
          {verification.expired && !verification.failed && (
            <span className="code-expired">{text(['已过期，点击刷新', 'Expired, click to refresh'])}</span>
          )}
        </button>
      </div>
      <p className="field-message" id={`${id}-message`} role={message ? 'alert' : undefined}>
        {message}
      </p>
    </div>
  );
}
