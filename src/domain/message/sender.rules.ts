import type { Label } from '../../kernel/contract/label.ts';

/** Whose secret: the password of the mail server, the key of an SMS gateway; with what each is called. */
export const SENDER_SECRET_NAMES = {
  smtp: ['邮件服务器密码', 'Password of the mail server'],
  http: ['短信接口密钥', 'Key of the SMS gateway'],
  aliyun: ['阿里云 AccessKey Secret', 'AccessKey Secret of Alibaba Cloud'],
  tencent: ['腾讯云 SecretKey', 'SecretKey of Tencent Cloud'],
} as const satisfies Readonly<Record<string, Label>>;
export type SenderSecret = keyof typeof SENDER_SECRET_NAMES;
