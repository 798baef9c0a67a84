import { createTransport } from 'nodemailer';
import type SMTPTransport from 'nodemailer/lib/smtp-transport/index.js';
import type { Smtp, SmtpTransport } from './schemas.ts';

/** A server that says nothing is given up: other mail waits behind it. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };

/**
 * `secure` is TLS from the start; otherwise STARTTLS is used where the server offers it. Nothing in a message
 * is read from a file or an address, whatever it says.
 */
const createSmtp = (
  { host, port, secure, ignoreCert, username, password }: SmtpTransport,
  timeouts = TIMEOUTS,
) =>
  createTransport({
    host,
    port,
    secure,
    tls: { rejectUnauthorized: !ignoreCert },
    ...((username || password) && { auth: { user: username, pass: password } }),
    disableFileAccess: true,
    disableUrlAccess: true,
    ...timeouts,
  } satisfies SMTPTransport.Options);

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

/** Sends a message and returns its Message-ID. Throws the error of the connection or of the server. */
export async function sendMail(
  smtp: Smtp,
  mail: Mail,
  timeouts?: typeof TIMEOUTS,
): Promise<string> {
  const connection = createSmtp(smtp.transport, timeouts);
  const { to, subject, html, text, pictures = [], id } = mail;
  try {
    const { messageId } = await connection.sendMail({
      from: smtp.from,
      replyTo: smtp.replyTo || smtp.from,
      to,
      subject,
      html,
      text,
      messageId: `<${id}@${getDomain(smtp.from)}>`,
      attachments: pictures.map(({ cid, fileName, bytes }) => ({
        cid,
        filename: fileName,
        content: bytes,
        contentDisposition: 'inline' as const,
      })),
    });
    return messageId;
  } finally {
    connection.close();
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
