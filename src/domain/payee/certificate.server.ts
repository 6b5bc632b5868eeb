import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Label } from '../../kernel/contract/label.ts';

/** What is read out of a merchant certificate. */
export interface ReadCertificate {
  readonly serial: string;
  readonly expiresAt: Date;
}

export const NOT_FITTING: Label = ['证书与私钥不匹配', 'Certificate does not match the key'];
const UNREADABLE: Label = ['无法识别的证书', 'This is not a certificate'];
const OVER: Label = ['证书已过期', 'The certificate has expired'];
const NO_KEY: Label = ['无法识别的私钥', 'This is not a private key'];

/** Reads a PEM certificate and looks whether the key belongs to it and it is still valid at `now`; a label says why not. */
export function readCertificate(
  pem: string,
  privateKey: string,
  now: Date,
): ReadCertificate | { readonly field: 'certificate' | 'privateKey'; readonly problem: Label } {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(pem);
  } catch {
    return { field: 'certificate', problem: UNREADABLE };
  }
  let key;
  try {
    key = createPrivateKey(privateKey);
  } catch {
    return { field: 'privateKey', problem: NO_KEY };
  }
  if (!certificate.checkPrivateKey(key)) return { field: 'certificate', problem: NOT_FITTING };
  const expiresAt = new Date(certificate.validTo);
  if (expiresAt.getTime() <= now.getTime()) return { field: 'certificate', problem: OVER };
  return { serial: certificate.serialNumber, expiresAt };
}

/** True for a private key as Alipay and WeChat give them: PEM, or the bare base64 between its lines. */
export function isPrivateKey(text: string): boolean {
  for (const pem of [text, wrapped(text, 'PRIVATE KEY'), wrapped(text, 'RSA PRIVATE KEY')])
    try {
      createPrivateKey(pem);
      return true;
    } catch {
      // Another form may fit.
    }
  return false;
}

function wrapped(text: string, kind: string): string {
  return `-----BEGIN ${kind}-----\n${text.replace(/\s/g, '')}\n-----END ${kind}-----`;
}
