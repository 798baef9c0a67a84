import { createHash, randomBytes } from 'node:crypto';
import { type Caller, call, type Reply } from './harness.ts';
import type { App } from '../../src/app.ts';

/** A text field, or a file when it has bytes. */
export type Part = {
  readonly name: string;
  readonly value?: string;
  readonly fileName?: string;
  readonly type?: string;
  readonly bytes?: Uint8Array;
};

export const BOUNDARY = '----safelight-test-boundary';
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** A form byte by byte, as no form library of the test would write it for us. */
export function formOf(parts: readonly Part[]): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (const { name, value, fileName, type, bytes } of parts) {
    const file = fileName === undefined ? '' : `; filename="${fileName}"`;
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n`;
    const kind = bytes ? `Content-Type: ${type ?? 'application/octet-stream'}\r\n` : '';
    pieces.push(Buffer.from(`${head}${kind}\r\n`), bytes ?? Buffer.from(value ?? ''));
    pieces.push(Buffer.from('\r\n'));
  }
  return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

export const DATES: readonly Part[] = [
  { name: 'fileCreatedAt', value: '2024-05-06T07:08:09.123Z' },
  { name: 'fileModifiedAt', value: '2024-05-06T08:00:00.000Z' },
];

/** Bytes that no other test has. */
export const someBytes = (length = 1000): Uint8Array => randomBytes(length);
export const sha1Of = (bytes: Uint8Array): string => createHash('sha1').update(bytes).digest('hex');
export const sha256Of = (bytes: Uint8Array): Uint8Array =>
  createHash('sha256').update(bytes).digest();

export const filePart = (bytes: Uint8Array, fileName = 'a.jpg'): Part => ({
  name: 'assetData',
  fileName,
  bytes,
});

/** The smallest upload there is, and what a test is about besides. */
export const photoForm = (bytes: Uint8Array, more: readonly Part[] = [], fileName?: string) =>
  formOf([...DATES, ...more, filePart(bytes, fileName)]);

export const upload = (
  app: App,
  form: Uint8Array,
  { query = '', ...caller }: Caller & { readonly query?: string } = {},
): Promise<Reply> =>
  call(app, `POST /assets${query}`, {
    ...caller,
    headers: { 'content-type': FORM_TYPE, ...caller.headers },
    body: form,
  });
