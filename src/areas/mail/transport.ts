import { createTransport, type SendMailOptions } from 'nodemailer';
import type SMTPPool from 'nodemailer/lib/smtp-pool/index.js';
import type { Smtp, SmtpTransport } from './schemas.ts';

/** A server that says nothing is given up: other mail waits behind it. */
const TIMEOUTS = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
};
/** The time for one message, also with a server that answers each command at the last moment. */
export const SEND_TIMEOUT_MS = 4 * 60_000;
/** Connections to the server at once: providers refuse many. */
export const MAX_CONNECTIONS = 3;

/**
 * `secure` is TLS from the start; otherwise STARTTLS is used where the server offers it. Nothing in a message
 * is read from a file or an address, whatever it says.
 */
const createSmtp = (
  { host, port, secure, ignoreCert, username, password }: SmtpTransport,
  timeouts: Partial<typeof TIMEOUTS> = {},
) =>
  createTransport({
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    // A message is queued again that a connection has not begun to send when the server closes it.
    maxRequeues: 1,
    host,
    port,
    secure,
    tls: { rejectUnauthorized: !ignoreCert },
    ...((username || password) && { auth: { user: username, pass: password } }),
    disableFileAccess: true,
    disableUrlAccess: true,
    ...TIMEOUTS,
    ...timeouts,
  } satisfies SMTPPool.Options & { readonly maxRequeues: number });

/** Connects and logs in. Throws the error of the connection or of the server. */
export async function verifySmtp(transport: SmtpTransport): Promise<void> {
  const smtp = createSmtp(transport);
  try {
    await smtp.verify();
  } finally {
    smtp.close();
  }
}

export type Picture = {
  /** Named in the HTML as `cid:…`. */
  readonly cid: string;
  readonly fileName: string;
  readonly bytes: Buffer;
};

export type Mail = {
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly pictures?: readonly Picture[];
  /** Left part of the Message-ID: a message that is sent again after a lost answer is recognised by it. */
  readonly id: string;
};

export type SmtpClient = {
  /** Sends a message and returns its Message-ID. Throws the error of the connection or of the server. */
  readonly send: (mail: Mail) => Promise<string>;
  readonly close: () => void;
};

/** Opens connections when there is something to send, and keeps them for what follows. */
export function openSmtp(
  { from, replyTo, transport }: Smtp,
  timeouts?: Partial<typeof TIMEOUTS>,
): SmtpClient {
  const pool = createSmtp(transport, timeouts);
  return {
    async send({ to, subject, html, text, pictures = [], id }) {
      const { messageId } = await pool.sendMail({
        from,
        replyTo: replyTo || from,
        // As an object it is one address, also if it has a comma.
        to: { name: '', address: to },
        subject,
        html,
        text,
        messageId: `<${id}@${getDomain(from)}>`,
        attachments: pictures.map(({ cid, fileName, bytes }) => ({
          cid,
          filename: fileName,
          content: bytes,
          contentDisposition: 'inline' as const,
        })),
        signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
      } as SendMailOptions);
      return messageId;
    },
    close: () => pool.close(),
  };
}

/** Sends one message, as `SmtpClient.send`. */
export async function sendMail(
  smtp: Smtp,
  mail: Mail,
  timeouts?: Partial<typeof TIMEOUTS>,
): Promise<string> {
  const client = openSmtp(smtp, timeouts);
  try {
    return await client.send(mail);
  } finally {
    client.close();
  }
}

/** Domain of a mail address, also of one with a name: `Photos <photos@example.com>`. */
const getDomain = (address: string): string =>
  /@([^\s>]+)>?\s*$/.exec(address)?.[1] ?? 'safelight.local';

/** The server's own words, or those of the connection, on one line. */
export function describeSmtpError(error: unknown): string {
  const { response, message } = error as { response?: string; message?: string };
  return (response ?? message ?? String(error)).replaceAll(/\s+/g, ' ').slice(0, 1000);
}

/** Whether the server has answered a message with this error, rather than a connection, a login or nothing. */
export function isAnswered(error: unknown): boolean {
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode !== undefined;
}

/**
 * Returns what a failed attempt means (RFC 5321 §4.2.1): the server has 'refused' the message for good or
 * 'deferred' it, or it is 'unreachable' for any message: gone, closing, or refusing the login or the sender.
 */
export function classifySmtpError(error: unknown): 'refused' | 'deferred' | 'unreachable' {
  const { code, command, responseCode } = error as {
    code?: string;
    command?: string;
    responseCode?: number;
  };
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE') return 'unreachable';
  // Without an answer of the server: it is no address, or larger than the server takes.
  if (responseCode === undefined) return 'refused';
  if (responseCode === 421 || command === 'MAIL FROM') return 'unreachable';
  return responseCode >= 500 ? 'refused' : 'deferred';
}
