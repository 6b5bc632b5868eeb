import type { Label } from './label.ts';

/** Fewest characters of a password. Source: specification section 9. */
export const PASSWORD_MIN_LENGTH = 12;

/** Most characters of a password; 64 of any script nearly fill what one RSA block of 2048 bits carries. */
export const PASSWORD_MAX_LENGTH = 64;

/** Most bytes of a password: a block of 256 less the padding of OAEP with SHA-256. */
const MOST_BYTES = 190;

/** Parts no password may contain, compared without case. Source: specification section 5. */
export const forbiddenPasswordParts: readonly string[] = [
  'sino',
  'zhonghua',
  'jmwy',
  'jinmao',
  'cmkj',
  'chuangmao',
  '111111',
  '123456',
  'admin',
  'pass',
  'p@ssw0rd',
  'qwert',
  'qazwsx',
  '1qaz@wsx',
  '1q2w3e4r',
];

/** Days a one-time password can be used in. See docs/decisions/0008. */
export const ONE_TIME_DAYS = 7;

/** Messages of the password form. Source: specification section 5, 00-frame. */
export const passwordTexts = {
  empty: ['请输入密码', 'please enter the password'],
  rule: [
    '密码至少12位，包括数字、大小写字母、特殊字符，且不能包含用户名、sino等',
    'password at least 12 characters, including digits, upper and lower case letters, special characters, and must not contain the username, sino, etc.',
  ],
  long: ['密码最多64位', 'password at most 64 characters'],
  short: ['密码至少12位', 'password at least 12 characters'],
  sameAsOld: ['新密码不能与旧密码相同', 'new password cannot be the same as the old one'],
  confirmEmpty: ['请再次输入密码', 'please enter the password again'],
  confirmDiffers: ['两次输入密码不一致', 'the two passwords entered do not match'],
  wrongOld: ['旧密码错误', 'Old password is wrong'],
  wrongOneTime: ['一次性密码错误', 'One-time password is wrong'],
  reused: ['不能使用最近5次的密码', 'Cannot reuse the last 5 passwords'],
} as const satisfies Record<string, Label>;

/** What a password is judged against. */
export interface PasswordContext {
  /** Empty when unknown (forgotten password): the check is left to the server. */
  readonly username: string;
  readonly oldPassword?: string;
}

/** One line of the check list beside the password field. */
export interface PasswordCheck {
  readonly name: 'length' | 'lower' | 'upper' | 'digit' | 'special' | 'forbidden';
  readonly label: Label;
  readonly met: boolean;
}

const SPECIAL = /[!@#$%^&*()\-_=+{}[\];:",./?<>`~']/;

/** The single conditions of the password rule, each with whether it is met. */
export function passwordChecks(password: string, context: PasswordContext): readonly PasswordCheck[] {
  return [
    {
      name: 'length',
      label: ['至少12位', 'At least 12 characters'],
      met: password.length >= PASSWORD_MIN_LENGTH,
    },
    { name: 'lower', label: ['小写字母', 'A lower case letter'], met: /[a-z]/.test(password) },
    { name: 'upper', label: ['大写字母', 'An upper case letter'], met: /[A-Z]/.test(password) },
    { name: 'digit', label: ['数字', 'A digit'], met: /[0-9]/.test(password) },
    { name: 'special', label: ['特殊字符', 'A special character'], met: SPECIAL.test(password) },
    {
      name: 'forbidden',
      label: ['不含用户名和常见词', 'No username and no common word'],
      met: password !== '' && forbiddenPartOf(password, context.username) === undefined,
    },
  ];
}

/** True for what no password can be: it is refused with a text before anything is encrypted or hashed. */
export function isPasswordTooLong(password: string): boolean {
  if (password.length > PASSWORD_MAX_LENGTH) return true;
  let bytes = 0;
  for (const character of password) {
    const code = character.codePointAt(0)!;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes > MOST_BYTES;
}

/** What is wrong with a new password, most important first; empty when it may be used. */
export function passwordProblems(password: string, context: PasswordContext): Label[] {
  if (password === '') return [passwordTexts.empty];
  if (isPasswordTooLong(password)) return [passwordTexts.long];
  const problems: Label[] = [];
  const broken = passwordChecks(password, context).filter((check) => !check.met);
  if (broken.some((check) => check.name === 'length')) problems.push(passwordTexts.short);
  if (broken.some((check) => check.name !== 'length')) problems.push(passwordTexts.rule);
  if (context.oldPassword !== undefined && password === context.oldPassword)
    problems.push(passwordTexts.sameAsOld);
  return problems;
}

/** Strength from 0 to 4: met conditions and length beyond the minimum; for the bar, never a rule. */
export function passwordStrength(password: string, context: PasswordContext): number {
  if (password === '') return 0;
  const checks = passwordChecks(password, context);
  const met = checks.filter((check) => check.met).length;
  if (met < 4) return 1;
  if (met < checks.length) return 2;
  const different = new Set(password).size;
  return password.length >= 16 && different >= 12 ? 4 : 3;
}

function forbiddenPartOf(password: string, username: string): string | undefined {
  const lower = password.toLowerCase();
  const parts =
    username === '' ? forbiddenPasswordParts : [username.toLowerCase(), ...forbiddenPasswordParts];
  return parts.find((part) => lower.includes(part));
}
