import { useText } from '../../../kernel/client/language.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { passwordChecks, passwordStrength } from '../../../kernel/contract/password.rules.ts';

const grades: readonly Label[] = [
  ['未输入', 'Empty'],
  ['弱', 'Weak'],
  ['中', 'Fair'],
  ['强', 'Strong'],
  ['很强', 'Very strong'],
];

/** Live check list of the password rule with a strength bar. */
export function PasswordMeter({
  password,
  username,
}: {
  readonly password: string;
  readonly username: string;
}) {
  const text = useText();
  const strength = passwordStrength(password, { username });
  const met = text(['已满足', 'met']);
  const notMet = text(['未满足', 'not met']);
  return (
    <div className="password-meter">
      <div className="strength" data-strength={strength}>
        <span className="strength-bar" aria-hidden="true">
          {[1, 2, 3, 4].map((level) => (
            <i key={level} className={level <= strength ? 'on' : undefined} />
          ))}
        </span>
        <span>
          {text(['强度', 'Strength'])}: {text(grades[strength]!)}
        </span>
      </div>
      <ul className="password-checks">
        {passwordChecks(password, { username }).map((check) => (
          <li key={check.name} className={check.met ? 'met' : undefined}>
            {text(check.label)}
            <span className="visually-hidden"> ({check.met ? met : notMet})</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
