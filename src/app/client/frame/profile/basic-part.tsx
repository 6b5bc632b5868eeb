import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { ApiError, call } from '../../../../kernel/client/api-client.ts';
import { tellFault } from '../../../../kernel/client/feedback.ts';
import { useText } from '../../../../kernel/client/language.ts';
import { useSession } from '../../../../kernel/client/session.ts';
import type { FileValue } from '../../../../kernel/contract/fields.ts';
import { fill } from '../../../../kernel/contract/label.ts';
import { PasswordField } from '../../login/password-field.tsx';
import { useClickGuard } from '../../login/use-click-guard.ts';
import { showNotice } from '../../notices/notices.ts';
import { encryptPassword } from '../../session/encrypt-password.ts';
import { ProfileQuery } from './profile-query.tsx';
import { SingleSignOnPart, type SingleSignOn } from './single-sign-on-part.tsx';

interface ProfileBasics extends SingleSignOn {
  readonly name: string;
  readonly username: string;
  readonly staffNo: string | null;
  readonly tenantName: string;
  readonly departName: string | null;
  readonly photo: { readonly id: string; readonly url: string } | null;
  /** 0 female, 1 male, 2 unknown. */
  readonly sex: number;
  /** Masked. */
  readonly mobilePhone: string | null;
  readonly email: string | null;
  readonly description: string;
}

const key = ['profile', 'basic'] as const;
const RESEND_SECONDS = 60;

/** The staff's own data: name is read-only, a new phone needs its SMS code and the current password; single sign-on can be ended. */
export function BasicPart() {
  return (
    <ProfileQuery<ProfileBasics> queryKey={key} path="/api/admin/profile">
      {(basics) => {
        const { sex, mobilePhone, email, description, photo } = basics;
        return (
          <>
            <BasicForm key={JSON.stringify([sex, mobilePhone, email, description, photo])} basics={basics} />
            <SingleSignOnPart linked={basics} />
          </>
        );
      }}
    </ProfileQuery>
  );
}

function BasicForm({ basics }: { readonly basics: ProfileBasics }) {
  const text = useText();
  const client = useQueryClient();
  const [sex, setSex] = useState(basics.sex);
  const [phone, setPhone] = useState(basics.mobilePhone ?? '');
  const [smsCode, setSmsCode] = useState('');
  const [password, setPassword] = useState('');
  const [email, setEmail] = useState(basics.email ?? '');
  const [description, setDescription] = useState(basics.description);
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [guarded, guard] = useClickGuard();
  const hasNewPhone = phone !== (basics.mobilePhone ?? '');

  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (guarded) return;
    const found = {
      ...(hasNewPhone &&
        !/^1\d{10}$/.test(phone) && { phone: text(['请输入11位手机号', 'Enter an 11-digit phone number']) }),
      ...(hasNewPhone &&
        !/^\d{6}$/.test(smsCode) && {
          phoneCode: text(['请输入6位短信验证码', 'Enter the 6-digit SMS code']),
        }),
      ...(hasNewPhone &&
        password === '' && {
          currentPassword: text(['请输入当前密码', 'Enter your current password']),
        }),
      ...(email !== '' &&
        email !== basics.email &&
        !/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email) && {
          email: text(['邮箱格式不正确', 'Not an e-mail address']),
        }),
    };
    setErrors(found);
    guard();
    if (Object.keys(found).length > 0) return;
    try {
      // Unchanged values are left out: phone and e-mail may have come masked.
      const body = {
        sex,
        description,
        ...(email !== (basics.email ?? '') && { email: email === '' ? null : email }),
        ...(hasNewPhone && {
          mobilePhone: phone,
          phoneCode: smsCode,
          currentPassword: await encryptPassword(password, 'currentPassword'),
        }),
      };
      await call('POST', '/api/admin/user/updateUserInfo', { body });
      showNotice({ tone: 'success', text: ['已保存', 'Saved'], duration: 2000 });
      await client.invalidateQueries({ queryKey: key });
    } catch (error) {
      tellFault(error);
      if (error instanceof ApiError) setErrors(error.fields);
    }
  };
  return (
    <form className="profile-form" onSubmit={(event) => void save(event)} noValidate>
      <Photo basics={basics} />
      <fieldset>
        <legend>{text(['性别', 'Sex'])}</legend>
        {(
          [
            [1, ['男', 'Male']],
            [0, ['女', 'Female']],
          ] as const
        ).map(([value, label]) => (
          <label key={value} className="radio-line">
            <input type="radio" name="sex" checked={sex === value} onChange={() => setSex(value)} />{' '}
            {text(label)}
          </label>
        ))}
        <p className="field-message" />
      </fieldset>
      <Line
        id="profile-phone"
        label={text(['手机号', 'Phone'])}
        value={phone}
        error={errors.phone ?? errors.mobilePhone}
        onChange={(value) => setPhone(value.trim())}
      />
      {hasNewPhone && (
        <>
          <SmsCode phone={phone} value={smsCode} error={errors.phoneCode} onChange={setSmsCode} />
          <PasswordField
            id="profile-password"
            label={text(['当前密码', 'Current password'])}
            value={password}
            error={errors.currentPassword}
            autoComplete="current-password"
            onChange={setPassword}
          />
        </>
      )}
      <Line
        id="profile-email"
        label={text(['邮箱', 'E-mail'])}
        value={email}
        error={errors.email}
        onChange={setEmail}
      />
      <Line
        id="profile-description"
        label={text(['备注', 'Description'])}
        value={description}
        error={errors.description}
        onChange={setDescription}
      />
      <button type="submit" className="plain-button primary" disabled={guarded}>
        {text(['保存', 'Save'])}
      </button>
    </form>
  );
}

function Line(props: {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}) {
  return (
    <div className="field">
      <label htmlFor={props.id}>{props.label}</label>
      <div className={props.error ? 'input-box bad' : 'input-box'}>
        <input
          id={props.id}
          value={props.value}
          maxLength={200}
          aria-invalid={props.error !== undefined}
          aria-describedby={`${props.id}-message`}
          onChange={(event) => props.onChange(event.target.value)}
        />
      </div>
      <p className="field-message" id={`${props.id}-message`} role={props.error ? 'alert' : undefined}>
        {props.error}
      </p>
    </div>
  );
}

function SmsCode(props: {
  readonly phone: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}) {
  const text = useText();
  const [wait, setWait] = useState(0);
  useEffect(() => {
    if (wait === 0) return;
    const timer = setTimeout(() => setWait(wait - 1), 1000);
    return () => clearTimeout(timer);
  }, [wait]);
  const send = async () => {
    try {
      await call('POST', '/api/admin/profile/phoneCode', { body: { phone: props.phone } });
      setWait(RESEND_SECONDS);
    } catch (error) {
      tellFault(error);
    }
  };
  return (
    <>
      <Line
        id="profile-code"
        label={text(['短信验证码', 'SMS code'])}
        value={props.value}
        error={props.error}
        onChange={(value) => props.onChange(value.replace(/\D/g, '').slice(0, 6))}
      />
      <button
        type="button"
        className="link-button"
        disabled={wait > 0 || !/^1\d{10}$/.test(props.phone)}
        onClick={() => void send()}
      >
        {wait > 0
          ? text(fill(['重新获取({n}s)', 'Resend ({n}s)'], { n: wait }))
          : text(['获取验证码', 'Send a code'])}
      </button>
    </>
  );
}

function Photo({ basics }: { readonly basics: ProfileBasics }) {
  const text = useText();
  const client = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const upload = async (file: File | undefined) => {
    if (!file) return;
    const multipart = new FormData();
    multipart.append('file', file);
    try {
      const stored = await call<FileValue>('POST', '/api/jinmao/web/file', { multipart });
      await call('POST', '/api/admin/user/updateUserInfo', { body: { photo: stored.id } });
      const { info } = useSession.getState();
      if (info) useSession.setState({ info: { ...info, avatar: stored.url } });
      await client.invalidateQueries({ queryKey: key });
    } catch (error) {
      tellFault(error);
    }
  };
  return (
    <div className="profile-head">
      {basics.photo ? (
        <img src={basics.photo.url} alt="" className="profile-photo" />
      ) : (
        <span className="profile-photo" aria-hidden="true">
          {Array.from(basics.name)[0]}
        </span>
      )}
      <div>
        <strong>{basics.name}</strong>
        <p className="quiet">
          {[basics.username, basics.staffNo, basics.departName, basics.tenantName]
            .filter(Boolean)
            .join(' · ')}
        </p>
        <button type="button" className="link-button" onClick={() => input.current?.click()}>
          {text(['更换照片', 'Change photo'])}
        </button>
        <input
          ref={input}
          type="file"
          hidden
          accept="image/png,image/jpeg,image/webp"
          aria-label={text(['更换照片', 'Change photo'])}
          onChange={(event) => void upload(event.target.files?.[0])}
        />
      </div>
    </div>
  );
}
