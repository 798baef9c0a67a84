import { afterEach, describe, expect, test } from 'bun:test';
import { createServer } from 'node:net';
import { LOGIN, startSmtpServer, type TestSmtpServer } from '../../../test/support/smtp-server.ts';
import { classifySmtpError, describeSmtpError, sendMail, verifySmtp } from './transport.ts';

const SHORT = { connectionTimeout: 300, greetingTimeout: 300, socketTimeout: 300 };
/** The times of a busy machine. */
const PATIENT = { connectionTimeout: 60_000, greetingTimeout: 60_000, socketTimeout: 60_000 };
const MAIL = { to: 'jane@example.com', subject: 'Grüße', html: '<p>ä</p>', text: 'ä', id: 'one' };

const running: { readonly stop: () => Promise<unknown> }[] = [];
afterEach(() => Promise.all(running.splice(0).map((server) => server.stop())));

async function start(options?: Parameters<typeof startSmtpServer>[0]): Promise<TestSmtpServer> {
  const server = await startSmtpServer(options);
  running.push(server);
  return server;
}

/** Accepts connections and answers by `talk`. Returns its port. */
async function startBroken(talk: (line: string) => string | null): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    const say = (line: string) => {
      const answer = talk(line);
      if (answer === null) socket.destroy();
      else if (answer) socket.write(`${answer}\r\n`);
    };
    say('');
    socket.on('data', (data) => say(data.toString()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  running.push({ stop: () => new Promise((resolve) => server.close(resolve)) });
  return (server.address() as { port: number }).port;
}

describe('a message', () => {
  test('arrives with both parts, its pictures, and an id of its own', async () => {
    const server = await start();
    const bytes = Buffer.from([0xff, 0xd8, 0xff, 0xe0]);
    const pictures = [{ cid: 'cover', fileName: 'cover.jpg', bytes }];
    expect(await sendMail(server.smtp(), { ...MAIL, pictures })).toBe('<one@example.com>');
    const [{ parsed }] = server.received as [TestSmtpServer['received'][number]];
    expect(parsed).toMatchObject({
      subject: 'Grüße',
      html: '<p>ä</p>',
      messageId: '<one@example.com>',
      from: { text: '"Photos" <photos@example.com>' },
      to: { text: 'jane@example.com' },
      replyTo: { text: '"Photos" <photos@example.com>' },
    });
    expect(parsed.text?.trim()).toBe('ä');
    expect(parsed.attachments).toMatchObject([{ cid: 'cover', contentType: 'image/jpeg' }]);
    expect(parsed.attachments[0]!.content.equals(bytes)).toBe(true);
  });

  test('answers go to the address for replies', async () => {
    const server = await start();
    await sendMail({ ...server.smtp(), replyTo: 'admin@example.com' }, MAIL);
    expect(server.received[0]!.parsed.replyTo?.text).toBe('admin@example.com');
  });

  test('a name with line breaks adds no header', async () => {
    const server = await start();
    const subject = 'Hello\r\nBcc: spy@example.com';
    await sendMail(server.smtp(), { ...MAIL, subject });
    const { parsed } = server.received[0]!;
    expect(parsed.bcc).toBeUndefined();
    expect(parsed.headers.has('bcc')).toBe(false);
  });

  test('an account’s address is one recipient, whatever it looks like', async () => {
    const recipients: string[] = [];
    const server = await start({
      onRcptTo: ({ address }, _session, done) => {
        recipients.push(address);
        done();
      },
    });
    const odd = [
      'a,spy@example.com',
      'a;b:c@example.com',
      "o'hara(x)@example.com",
      'jürgen@example.com',
    ];
    for (const to of odd) await sendMail(server.smtp(), { ...MAIL, to });
    // RFC 5321 §4.1.2: such local parts are quoted.
    expect(recipients.map((address) => address.replaceAll('"', ''))).toEqual(odd);
  });

  test('an address with a line break is refused before it is sent', async () => {
    const server = await start();
    const to = 'jane@example.com>\r\nRCPT TO:<spy@example.com';
    const error: unknown = await sendMail(server.smtp(), { ...MAIL, to }).catch((e: unknown) => e);
    expect(classifySmtpError(error)).toBe('refused');
    expect(server.received).toEqual([]);
  });

  test('a path or an address in it is not read', async () => {
    const server = await start();
    await sendMail(server.smtp(), { ...MAIL, html: '<img src="file:///etc/passwd">' });
    expect(server.received[0]!.parsed.attachments).toEqual([]);
  });
});

describe('the connection', () => {
  test('is encrypted by STARTTLS, and a certificate that nobody trusts is refused', async () => {
    const secured: boolean[] = [];
    const server = await start({
      onMailFrom: (_address, session, done) => {
        secured.push(session.secure);
        done();
      },
    });
    await sendMail(server.smtp(), MAIL);
    expect(secured).toEqual([true]);
    await expect(sendMail(server.smtp({ ignoreCert: false }), MAIL)).rejects.toThrow();
    expect(server.received).toHaveLength(1);
  });

  test('is encrypted from the start where the settings say so', async () => {
    const server = await start({ secure: true });
    await verifySmtp(server.smtp({ secure: true }).transport);
    await sendMail(server.smtp({ secure: true }), MAIL);
    expect(server.received).toHaveLength(1);
  });

  test('logs in', async () => {
    const server = await start({ authOptional: false });
    await verifySmtp(server.smtp(LOGIN).transport);
    await sendMail(server.smtp(LOGIN), MAIL);
    expect(server.received).toHaveLength(1);
    const wrong = server.smtp({ ...LOGIN, password: 'wrong' });
    const error: unknown = await verifySmtp(wrong.transport).catch((reason: unknown) => reason);
    expect(describeSmtpError(error)).toBe('535 5.7.8 Wrong password');
  });

  test('a server that refuses is reported in its own words', async () => {
    const server = await start({
      onRcptTo: (_address, _session, done) => done(new Error('5.1.1 Nobody of that name')),
    });
    const error: unknown = await sendMail(server.smtp(), MAIL).catch((reason: unknown) => reason);
    expect(describeSmtpError(error)).toContain('5.1.1 Nobody of that name');
    expect(server.received).toEqual([]);
  });

  test('a server that says nothing is given up', async () => {
    const port = await startBroken(() => '');
    const smtp = (await start()).smtp({ port });
    const patient = { ...SHORT, connectionTimeout: 10_000, socketTimeout: 10_000 };
    await expect(sendMail(smtp, MAIL, patient)).rejects.toThrow(/[Gg]reeting/);
  });

  test('a server that hangs or hangs up in the middle is given up', async () => {
    const healthy = (await start()).smtp();
    /** Talks as a server does until `verb`; the content of a message is sent after DATA. */
    const until = (verb: string, end: string | null) => {
      let isContent = false;
      return (line: string) => {
        if (line === '') return '220 test';
        if (isContent || line.startsWith(verb)) return end;
        isContent = line.startsWith('DATA');
        return isContent ? '354 go' : '250 ok';
      };
    };
    for (const verb of ['RCPT', 'DATA', 'content']) {
      for (const end of ['', null]) {
        const port = await startBroken(until(verb, end));
        const smtp = { ...healthy, transport: { ...healthy.transport, port } };
        const error: unknown = await sendMail(smtp, MAIL, SHORT).catch((reason: unknown) => reason);
        expect([verb, end, error]).toEqual([verb, end, expect.any(Error)]);
      }
    }
  });

  test('a host without an address is unreachable', async () => {
    const smtp = (await start()).smtp({ host: 'mail.invalid' });
    const error: unknown = await sendMail(smtp, MAIL).catch((reason: unknown) => reason);
    expect(classifySmtpError(error)).toBe('unreachable');
    expect(describeSmtpError(error)).toContain('mail.invalid');
  });

  test('what is wrong with the server is told apart from what is wrong with a message', async () => {
    const answer = (at: 'onMailFrom' | 'onRcptTo' | 'onData' | 'onConnect', responseCode: number) =>
      start({
        [at]: (...args: unknown[]) => {
          if (at === 'onData') (args[0] as NodeJS.ReadableStream).resume();
          const done = args.at(-1) as (error: Error) => void;
          done(Object.assign(new Error('no'), { responseCode }));
        },
      });
    const cases = [
      ['onConnect', 554, 'unreachable'],
      ['onMailFrom', 553, 'unreachable'],
      ['onRcptTo', 550, 'refused'],
      ['onRcptTo', 450, 'deferred'],
      ['onRcptTo', 421, 'unreachable'],
      ['onData', 554, 'refused'],
      ['onData', 451, 'deferred'],
    ] as const;
    for (const [at, code, kind] of cases) {
      const smtp = (await answer(at, code)).smtp();
      const error: unknown = await sendMail(smtp, MAIL, PATIENT).catch((reason: unknown) => reason);
      expect([at, code, classifySmtpError(error)]).toEqual([at, code, kind]);
    }
  });

  test('a server that is not there is reported', async () => {
    const smtp = (await start()).smtp({ port: 1 });
    const error: unknown = await verifySmtp(smtp.transport).catch((reason: unknown) => reason);
    expect(describeSmtpError(error)).toContain('ECONNREFUSED');
  });
});
