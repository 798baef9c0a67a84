import { type AddressObject, type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { Smtp } from '../../src/areas/mail/schemas.ts';

export type Received = {
  readonly to: string;
  readonly parsed: ParsedMail;
};

export type TestSmtpServer = {
  readonly port: number;
  readonly received: Received[];
  /** Settings that reach this server. */
  readonly smtp: (transport?: Partial<Smtp['transport']>) => Smtp;
  readonly stop: () => Promise<void>;
};

/** Starts a real SMTP server with a certificate that nobody trusts. `LOGIN` is its only account. */
export async function startSmtpServer(options: SMTPServerOptions = {}): Promise<TestSmtpServer> {
  const received: Received[] = [];
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      username === LOGIN.username && password === LOGIN.password
        ? done(null, { user: username })
        : done(new Error('5.7.8 Wrong password')),
    onData: (stream, _session, done) =>
      simpleParser(stream, (error, parsed) => {
        if (!error) received.push({ to: (parsed.to as AddressObject).text, parsed });
        done(error as Error | null);
      }),
    ...options,
  });
  // Clients that are cut off are what some tests are about.
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as { port: number };
  return {
    port,
    received,
    smtp: (transport = {}) => ({
      enabled: true,
      from: 'Photos <photos@example.com>',
      replyTo: '',
      transport: {
        host: '127.0.0.1',
        port,
        secure: false,
        ignoreCert: true,
        username: '',
        password: '',
        ...transport,
      },
    }),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

export const LOGIN = { username: 'safelight', password: 'correct horse' };
