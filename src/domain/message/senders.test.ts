import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import forge from 'node-forge';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, describe, expect, it } from 'vitest';
import { EffectRefused } from '../../kernel/server/tasks/outbox.ts';
import { SendFailure, SendRefused, toldCode } from './send-failure.server.ts';
import { sendByAliyun, signAcs } from './sms-aliyun.server.ts';
import { sendByHttp, type HttpSms } from './sms-http.server.ts';
import { templateOf, type SmsToSend } from './sms-message.server.ts';
import { sendByTencent, signTc3 } from './sms-tencent.server.ts';
import { sendBySmtp, type Smtp } from './smtp.server.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** What was thrown, as class and words. */
async function told(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'sent';
  } catch (error) {
    const kind =
      error instanceof SendRefused ? 'refused' : error instanceof SendFailure ? 'failed' : 'unforeseen';
    return `${kind}: ${(error as Error).message}`;
  }
}

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A provider of the test: keeps what it was asked and answers as told; undefined: never. */
async function provider(
  answer: (asked: Asked) => { http?: number; text: string; location?: string } | undefined,
): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server: Server = createServer((request, reply) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const one = {
        method: request.method!,
        url: request.url!,
        headers: request.headers,
        body: Buffer.concat(parts).toString('utf8'),
      };
      asked.push(one);
      const said = answer(one);
      if (!said) return;
      reply.writeHead(said.http ?? 200, said.location ? { location: said.location } : {});
      reply.end(said.text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const sms = (more: Partial<SmsToSend> = {}): SmsToSend => ({
  number: 'sms-7-abc',
  phone: '13812345678',
  purpose: 'password',
  text: '您的验证码 123456，5分钟内有效。',
  params: { code: '123456' },
  template: { code: 'SMS_100', names: ['code'], values: ['123456'] },
  ...more,
});

describe('Alibaba Cloud', () => {
  it('signs the example of the document to its published signature', () => {
    const { query, headers } = signAcs({
      method: 'POST',
      host: 'ecs.cn-shanghai.aliyuncs.com',
      action: 'RunInstances',
      version: '2014-05-26',
      query: {
        RegionId: 'cn-shanghai',
        ImageId: 'win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd',
      },
      accessKeyId: 'YourAccessKeyId',
      accessKeySecret: 'YourAccessKeySecret',
      at: new Date('2023-10-26T10:22:32Z'),
      nonce: '3156853299f313e23d1673dc12e1703d',
    });
    expect(query).toBe('ImageId=win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd&RegionId=cn-shanghai');
    expect(headers.authorization).toBe(
      'ACS3-HMAC-SHA256 Credential=YourAccessKeyId,SignedHeaders=host;x-acs-action;x-acs-content-sha256;x-acs-date;x-acs-signature-nonce;x-acs-version,Signature=06563a9e1b43f5dfe96b81484da74bceab24a1d853912eee15083a6f0f3283c0',
    );
  });

  const account = (endpoint: string, timeoutMs = 2_000) => ({
    endpoint,
    accessKeyId: 'LTAI-test',
    accessKeySecret: 'aliyun-secret',
    signName: '社区 零售(测试)*',
    timeoutMs,
  });

  /** Checks the signature from what came over the wire alone. */
  const isSigned = (asked: Asked): boolean => {
    const { headers } = asked;
    const [, names, signature] =
      /^ACS3-HMAC-SHA256 Credential=LTAI-test,SignedHeaders=([^,]+),Signature=([0-9a-f]{64})$/.exec(
        headers.authorization!,
      )!;
    const [path, query] = asked.url.split('?') as [string, string];
    const lines = names!.split(';').map((name) => `${name}:${String(headers[name])}\n`);
    const canonical = `${asked.method}\n${path}\n${query}\n${lines.join('')}\n${names}\n${createHash('sha256').update(asked.body).digest('hex')}`;
    const hashed = createHash('sha256').update(canonical).digest('hex');
    return (
      signature === createHmac('sha256', 'aliyun-secret').update(`ACS3-HMAC-SHA256\n${hashed}`).digest('hex')
    );
  };

  it('sends what the template needs, signed, in sorted and escaped form', async () => {
    const { url, asked } = await provider(() => ({ text: '{"Code":"OK","Message":"OK","BizId":"1"}' }));
    expect(await told(sendByAliyun(account(url), sms({ phone: '+8613812345678' })))).toBe('sent');
    expect(asked).toHaveLength(1);
    expect(isSigned(asked[0]!)).toBe(true);
    const query = asked[0]!.url.split('?')[1]!;
    expect(query).not.toMatch(/[+*()']/);
    expect(query.split('&').map((pair) => pair.split('=')[0])).toEqual([
      'OutId',
      'PhoneNumbers',
      'SignName',
      'TemplateCode',
      'TemplateParam',
    ]);
    expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
      OutId: 'sms-7-abc',
      PhoneNumbers: '13812345678',
      SignName: '社区 零售(测试)*',
      TemplateCode: 'SMS_100',
      TemplateParam: '{"code":"123456"}',
    });
    expect(asked[0]!.headers).toMatchObject({ 'x-acs-action': 'SendSms', 'x-acs-version': '2017-05-25' });
    const bent = { ...asked[0]!, url: asked[0]!.url.replace('13812345678', '13812345679') };
    expect(isSigned(bent)).toBe(false);
  });

  it.each([
    [
      '{"Code":"isv.MOBILE_NUMBER_ILLEGAL","Message":"13812345678 invalid"}',
      200,
      'refused: aliyun: isv.MOBILE_NUMBER_ILLEGAL',
    ],
    [
      '{"Code":"isv.BUSINESS_LIMIT_CONTROL","Message":"13812345678"}',
      200,
      'failed: aliyun: isv.BUSINESS_LIMIT_CONTROL',
    ],
    ['{"Code":"SignatureDoesNotMatch","Message":"x"}', 400, 'failed: aliyun: SignatureDoesNotMatch'],
    ['{"Code":"OK"}', 500, 'failed: aliyun: OK'],
    ['{"Code":"13812345678 123456"}', 200, 'failed: aliyun: unknown answer'],
    ['<html>busy</html>', 503, 'failed: aliyun: unknown answer'],
    ['null', 200, 'failed: aliyun: unknown answer'],
  ])('understands the answer %s', async (text, http, wanted) => {
    const { url } = await provider(() => ({ text, http }));
    expect(await told(sendByAliyun(account(url), sms()))).toBe(wanted);
  });

  it('waits no longer than it may and says why nothing is sent without a template', async () => {
    const { url } = await provider(() => undefined);
    expect(await told(sendByAliyun(account(url, 150), sms()))).toBe('failed: aliyun: no answer in time');
    expect(await told(sendByAliyun(account(url), sms({ template: undefined })))).toBe(
      'failed: aliyun: no template for password',
    );
    expect(await told(sendByAliyun(account('http://127.0.0.1:1'), sms()))).toMatch(/^failed: aliyun: /);
  });
});

describe('Tencent Cloud', () => {
  it('signs the example of the document to its published signature', () => {
    const headers = signTc3({
      service: 'cvm',
      host: 'cvm.tencentcloudapi.com',
      action: 'DescribeInstances',
      version: '2017-03-12',
      region: 'ap-guangzhou',
      secretId: 'AKID********************************',
      secretKey: '********************************',
      body: '{"Limit": 1, "Filters": [{"Values": ["\\u672a\\u547d\\u540d"], "Name": "instance-name"}]}',
      at: new Date(1_551_113_065_000),
    });
    expect(headers.authorization).toBe(
      'TC3-HMAC-SHA256 Credential=AKID********************************/2019-02-25/cvm/tc3_request, SignedHeaders=content-type;host;x-tc-action, Signature=10b1a37a7301a02ca19a647ad722d5e43b4b3cff309d421d85b46093f6ab6c4f',
    );
  });

  const account = (endpoint: string, timeoutMs = 2_000) => ({
    endpoint,
    region: 'ap-guangzhou',
    secretId: 'AKID-test',
    secretKey: 'tencent-secret',
    appId: '1400006666',
    signName: '社区零售',
    timeoutMs,
  });

  const isSigned = (asked: Asked): boolean => {
    const { headers } = asked;
    const [, day, names, signature] =
      /^TC3-HMAC-SHA256 Credential=AKID-test\/([\d-]{10})\/sms\/tc3_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
        headers.authorization!,
      )!;
    const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
    const hash = (text: string) => createHash('sha256').update(text).digest('hex');
    const lines = names!
      .split(';')
      .map(
        (name) =>
          `${name}:${name === 'x-tc-action' ? String(headers[name]).toLowerCase() : String(headers[name])}\n`,
      );
    const canonical = `${asked.method}\n${asked.url}\n\n${lines.join('')}\n${names}\n${hash(asked.body)}`;
    const at = String(headers['x-tc-timestamp']);
    const text = `TC3-HMAC-SHA256\n${at}\n${day}/sms/tc3_request\n${hash(canonical)}`;
    const key = mac(mac(mac('TC3tencent-secret', day!), 'sms'), 'tc3_request');
    return (
      signature === mac(key, text).toString('hex') &&
      day === new Date(Number(at) * 1000).toISOString().slice(0, 10)
    );
  };

  it('sends the values in the order of the template, signed', async () => {
    const { url, asked } = await provider(() => ({
      text: '{"Response":{"SendStatusSet":[{"Code":"Ok","Message":"send success"}],"RequestId":"1"}}',
    }));
    expect(await told(sendByTencent(account(url), sms()))).toBe('sent');
    expect(isSigned(asked[0]!)).toBe(true);
    expect(isSigned({ ...asked[0]!, body: asked[0]!.body.replace('123456', '123457') })).toBe(false);
    expect(JSON.parse(asked[0]!.body)).toEqual({
      PhoneNumberSet: ['+8613812345678'],
      SmsSdkAppId: '1400006666',
      SignName: '社区零售',
      TemplateId: 'SMS_100',
      TemplateParamSet: ['123456'],
      SessionContext: 'sms-7-abc',
    });
    expect(asked[0]!.headers).toMatchObject({ 'x-tc-action': 'SendSms', 'x-tc-version': '2021-01-11' });
  });

  const status = (code: string) =>
    `{"Response":{"SendStatusSet":[{"Code":"${code}","Message":"13812345678"}]}}`;
  it.each([
    [
      status('InvalidParameterValue.IncorrectPhoneNumber'),
      'refused: tencent: InvalidParameterValue.IncorrectPhoneNumber',
    ],
    [
      status('FailedOperation.TemplateIncorrectOrUnapproved'),
      'refused: tencent: FailedOperation.TemplateIncorrectOrUnapproved',
    ],
    [
      status('FailedOperation.InsufficientBalanceInSmsPackage'),
      'failed: tencent: FailedOperation.InsufficientBalanceInSmsPackage',
    ],
    [status('LimitExceeded.PhoneNumberDailyLimit'), 'failed: tencent: LimitExceeded.PhoneNumberDailyLimit'],
    [
      '{"Response":{"Error":{"Code":"AuthFailure.SignatureFailure","Message":"x"}}}',
      'failed: tencent: AuthFailure.SignatureFailure',
    ],
    ['{}', 'failed: tencent: unknown answer'],
    ['nothing', 'failed: tencent: unknown answer'],
  ])('understands the answer %s', async (text, wanted) => {
    const { url } = await provider(() => ({ text }));
    expect(await told(sendByTencent(account(url), sms()))).toBe(wanted);
  });
});

describe('a gateway by HTTP', () => {
  const gateway = (url: string, more: Partial<HttpSms> = {}): HttpSms => ({
    method: 'POST',
    url: `${url}/send?to={phone}&k={unknown}`,
    headers: ['Authorization: Bearer {secret}', 'X-Name: {sign}'],
    body: '{"mobile":"{phone}","content":"{sign}{text}","code":"{code}","id":"{id}"}',
    success: '"ok":true',
    secret: 'gate "key"',
    signName: '【社区】',
    timeoutMs: 2_000,
    ...more,
  });

  it('fills address, headers and body, each escaped for its place', async () => {
    const { url, asked } = await provider(() => ({ text: '{"ok":true}' }));
    const text = '引号" 换行\n{secret} & <b>';
    expect(await told(sendByHttp(gateway(url), sms({ text })))).toBe('sent');
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: '/send?to=13812345678&k={unknown}',
      headers: {
        authorization: 'Bearer gate "key"',
        'x-name': '%E3%80%90%E7%A4%BE%E5%8C%BA%E3%80%91',
        'content-type': 'application/json',
        'idempotency-key': 'sms-7-abc',
      },
    });
    // A value that looks like a place stays what it is: the key is not given away.
    expect(JSON.parse(asked[0]!.body)).toEqual({
      mobile: '13812345678',
      content: `【社区】${text}`,
      code: '123456',
      id: 'sms-7-abc',
    });
    const form = { headers: ['Content-Type: application/x-www-form-urlencoded'], body: 'p={phone}&m={text}' };
    expect(await told(sendByHttp(gateway(url, form), sms({ text })))).toBe('sent');
    expect(Object.fromEntries(new URLSearchParams(asked[1]!.body))).toEqual({ p: '13812345678', m: text });
    const xml = { headers: ['Content-Type: text/xml'], body: '<m>{text}</m>' };
    expect(await told(sendByHttp(gateway(url, xml), sms({ text: '<a&b>' })))).toBe('sent');
    expect(asked[2]!.body).toBe('<m>&#60;a&#38;b&#62;</m>');
    const get = { method: 'GET' as const, url: `${url}/?m={text}` };
    expect(await told(sendByHttp(gateway(url, get), sms({ text: '好 的' })))).toBe('sent');
    expect(asked[3]).toMatchObject({ method: 'GET', url: '/?m=%E5%A5%BD%20%E7%9A%84', body: '' });
  });

  it.each([
    [{ text: '{"ok":false}' }, 'refused: http: the answer does not accept'],
    [{ text: 'no such number 13812345678', http: 400 }, 'refused: http: 400'],
    [{ text: '', http: 401 }, 'failed: http: 401'],
    [{ text: '', http: 429 }, 'failed: http: 429'],
    [{ text: '{"ok":true}', http: 502 }, 'failed: http: 502'],
    [{ text: '{"ok":true}', http: 302, location: 'http://127.0.0.1:1/' }, 'failed: http: 302'],
    [undefined, 'failed: http: no answer in time'],
  ])('understands %o', async (answer, wanted) => {
    const { url } = await provider(() => answer);
    expect(await told(sendByHttp(gateway(url, { timeoutMs: 300 }), sms()))).toBe(wanted);
  });
});

describe('templates', () => {
  it('are those of the purpose, or of every purpose, with the values in their order', () => {
    const entries = ['password=SMS_1:code', '*=SMS_2:text+title', 'plain=SMS_3'];
    const values = { code: '1', text: 'a', title: 'b' };
    expect(templateOf(entries, 'password', values)).toEqual({
      code: 'SMS_1',
      names: ['code'],
      values: ['1'],
    });
    expect(templateOf(entries, 'other', values)).toEqual({
      code: 'SMS_2',
      names: ['text', 'title'],
      values: ['a', 'b'],
    });
    expect(templateOf(entries, 'plain', values)).toEqual({ code: 'SMS_3', names: [], values: [] });
    expect(templateOf(entries.slice(0, 1), 'other', values)).toBeUndefined();
    expect(templateOf(entries.slice(0, 1), 'test', {})).toEqual({
      code: 'SMS_1',
      names: ['code'],
      values: [''],
    });
  });

  it('a code that is no code is not told', () => {
    expect(toldCode('isv.AMOUNT_NOT_ENOUGH')).toBe('isv.AMOUNT_NOT_ENOUGH');
    for (const one of ['13812345678', 'to 138', 'x'.repeat(81), 5, undefined])
      expect(toldCode(one)).toBe('unknown answer');
    expect(new SendRefused('x')).toBeInstanceOf(EffectRefused);
  });
});

describe('a mail server', () => {
  const mail = {
    number: 'email-9-abc',
    to: 'reader@example.com',
    subject: '退款待审核',
    text: '3笔\n.\n请处理',
  };
  const server = (port: number, more: Partial<Smtp> = {}): Smtp => ({
    host: '127.0.0.1',
    port,
    security: 'none',
    user: '',
    password: '',
    from: 'noreply@community.example',
    fromName: '社区零售系统',
    timeoutMs: 2_000,
    ...more,
  });

  interface Got {
    readonly from: string;
    readonly to: string[];
    readonly user: string | undefined;
    readonly secure: boolean;
    readonly source: string;
  }

  async function mailServer(options: SMTPServerOptions): Promise<{ port: number; got: Got[] }> {
    const got: Got[] = [];
    const smtp = new SMTPServer({
      logger: false,
      onData: (stream, session, done) => {
        const parts: Buffer[] = [];
        stream.on('data', (part: Buffer) => parts.push(part));
        stream.on('end', () => {
          got.push({
            from: session.envelope.mailFrom ? session.envelope.mailFrom.address : '',
            to: session.envelope.rcptTo.map((one) => one.address),
            user: session.user as string | undefined,
            secure: session.secure,
            source: Buffer.concat(parts).toString('utf8'),
          });
          done();
        });
      },
      ...options,
    });
    smtp.on('error', () => {});
    await new Promise<void>((resolve) => void smtp.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise<void>((resolve) => void smtp.close(resolve)));
    return { port: (smtp.server.address() as AddressInfo).port, got };
  }

  const { cert, key } = certificate();
  const open: SMTPServerOptions = { authOptional: true, disabledCommands: ['AUTH', 'STARTTLS'] };

  it('gets envelope, headers and text as they were written', async () => {
    const { port, got } = await mailServer(open);
    expect(await told(sendBySmtp(server(port), mail))).toBe('sent');
    expect(got).toMatchObject([
      { from: 'noreply@community.example', to: ['reader@example.com'], secure: false },
    ]);
    const { source } = got[0]!;
    expect(source).toContain('Message-ID: <email-9-abc@community.example>');
    expect(source).toContain('Auto-Submitted: auto-generated');
    const subject = /^Subject: =\?UTF-8\?B\?([^?]+)\?=/m.exec(source)![1]!;
    expect(Buffer.from(subject, 'base64').toString('utf8')).toBe('退款待审核');
    const body = source.slice(source.indexOf('\r\n\r\n') + 4).replace(/\s/g, '');
    expect(Buffer.from(body, 'base64').toString('utf8').replaceAll('\r\n', '\n').trimEnd()).toBe(mail.text);
  });

  it('is signed in to over TLS only, and believed by its certificate only', async () => {
    const signIn: SMTPServerOptions = {
      key,
      cert,
      onAuth: (auth, _session, done) =>
        auth.username === 'mailer' && auth.password === 'right'
          ? done(null, { user: 'mailer' })
          : done(new Error('Invalid reader@example.com')),
    };
    const account = { user: 'mailer', password: 'right', ca: cert };
    const implicit = await mailServer({ ...signIn, secure: true });
    expect(await told(sendBySmtp(server(implicit.port, { ...account, security: 'tls' }), mail))).toBe('sent');
    const upgraded = await mailServer(signIn);
    expect(await told(sendBySmtp(server(upgraded.port, { ...account, security: 'starttls' }), mail))).toBe(
      'sent',
    );
    expect([implicit.got[0], upgraded.got[0]]).toMatchObject([
      { user: 'mailer', secure: true },
      { user: 'mailer', secure: true },
    ]);
    // The wrong password may be put right: it is tried again.
    expect(
      await told(sendBySmtp(server(implicit.port, { ...account, password: 'wrong', security: 'tls' }), mail)),
    ).toBe('failed: smtp: 535 EAUTH');
    // A certificate nobody vouches for, and a server that offers no encryption, get neither password nor message.
    const { ca: _ca, ...stranger } = account;
    expect(await told(sendBySmtp(server(implicit.port, { ...stranger, security: 'tls' }), mail))).toMatch(
      /^failed: smtp: /,
    );
    const bare = await mailServer(open);
    expect(await told(sendBySmtp(server(bare.port, { ...account, security: 'starttls' }), mail))).toMatch(
      /^failed: smtp: /,
    );
    expect([implicit.got.length, bare.got.length]).toEqual([1, 0]);
  });

  it.each([
    [550, 'refused: smtp: 550 EENVELOPE'],
    [451, 'failed: smtp: 451 EENVELOPE'],
  ])('refuses a receiver with %d', async (responseCode, wanted) => {
    const { port } = await mailServer({
      ...open,
      onRcptTo: (address, _session, done) =>
        done(Object.assign(new Error(`no mailbox ${address.address}`), { responseCode })),
    });
    expect(await told(sendBySmtp(server(port), mail))).toBe(wanted);
  });

  it.each([
    [552, 'refused: smtp: 552 EMESSAGE'],
    [452, 'failed: smtp: 452 EMESSAGE'],
  ])('refuses a text with %d', async (responseCode, wanted) => {
    const { port } = await mailServer({
      ...open,
      onData: (stream, _session, done) => {
        stream.resume();
        stream.on('end', () => done(Object.assign(new Error('spam: 3笔'), { responseCode })));
      },
    });
    expect(await told(sendBySmtp(server(port), mail))).toBe(wanted);
  });

  it('that is silent, drips or is gone is left after the time given', async () => {
    const connections = new Set<net.Socket>();
    const start = async (speak: (socket: net.Socket) => void): Promise<number> => {
      const silent = net.createServer((socket) => {
        connections.add(socket);
        socket.on('error', () => {});
        speak(socket);
      });
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      closing.push(() => {
        for (const socket of connections) socket.destroy();
        return new Promise((resolve) => silent.close(resolve));
      });
      return (silent.address() as AddressInfo).port;
    };
    const quiet = await start(() => {});
    expect(await told(sendBySmtp(server(quiet, { timeoutMs: 200 }), mail))).toBe('failed: smtp: ETIMEDOUT');
    const drips = await start((socket) => {
      socket.write('220-hello\r\n');
      const timer = setInterval(() => socket.write('220-still here\r\n'), 50);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await told(sendBySmtp(server(drips, { timeoutMs: 200 }), mail))).toMatch(
      /^failed: smtp: (no answer in time|ETIMEDOUT)$/,
    );
    expect(await told(sendBySmtp(server(1, { timeoutMs: 500 }), mail))).toMatch(/^failed: smtp: E[A-Z]+$/);
  });
});

/** A certificate for 127.0.0.1 that vouches for itself. */
function certificate(): { cert: string; key: string } {
  const keys = forge.pki.rsa.generateKeyPair(2048);
  const cert = forge.pki.createCertificate();
  cert.publicKey = keys.publicKey;
  cert.serialNumber = '01';
  cert.validity.notBefore = new Date(Date.now() - 86_400_000);
  cert.validity.notAfter = new Date(Date.now() + 86_400_000);
  const name = [{ name: 'commonName', value: '127.0.0.1' }];
  cert.setSubject(name);
  cert.setIssuer(name);
  cert.setExtensions([
    { name: 'basicConstraints', cA: true },
    { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
  ]);
  cert.sign(keys.privateKey, forge.md.sha256.create());
  return { cert: forge.pki.certificateToPem(cert), key: forge.pki.privateKeyToPem(keys.privateKey) };
}
