import forge from 'node-forge/lib/forge.js';
import 'node-forge/lib/pem.js';
import 'node-forge/lib/rsa.js';
import 'node-forge/lib/sha256.js';

/** RSA-OAEP-SHA256 of UTF-8 text under a PEM public key (SubjectPublicKeyInfo), as base64. Needs no secure context. */
export function encryptOaep(text: string, pem: string): string {
  const message = forge.pem.decode(pem)[0];
  if (!message) throw new Error('The server sent no public key');
  const key = forge.pki.publicKeyFromAsn1(forge.asn1.fromDer(message.body)) as forge.pki.rsa.PublicKey;
  const cipher = key.encrypt(forge.util.encodeUtf8(text), 'RSA-OAEP', {
    md: forge.md.sha256.create(),
    mgf1: { md: forge.md.sha256.create() },
  });
  return forge.util.encode64(cipher);
}
