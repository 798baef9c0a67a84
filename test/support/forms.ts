import { createHash, randomBytes } from 'node:crypto';
import { type Caller, call, type Reply } from './harness.ts';
import type { App } from '../../src/app.ts';

/** A text field, or a file when it has bytes. */
export type FormPart = {
  readonly name: string;
  readonly value?: string;
  readonly fileName?: string;
  readonly type?: string;
  readonly bytes?: Uint8Array;
};

export const BOUNDARY = '----safelight-test-boundary';
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** Formats a form byte by byte, which form libraries do not allow. */
export function createForm(parts: readonly FormPart[]): Uint8Array {
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

export const DATES: readonly FormPart[] = [
  { name: 'fileCreatedAt', value: '2024-05-06T07:08:09.123Z' },
  { name: 'fileModifiedAt', value: '2024-05-06T08:00:00.000Z' },
];

/** Random bytes. */
export const randomFileBytes = (length = 1000): Uint8Array => randomBytes(length);
export const toSha1Hex = (bytes: Uint8Array): string =>
  createHash('sha1').update(bytes).digest('hex');
export const toSha256 = (bytes: Uint8Array): Uint8Array =>
  createHash('sha256').update(bytes).digest();

export const filePart = (bytes: Uint8Array, fileName = 'a.jpg'): FormPart => ({
  name: 'assetData',
  fileName,
  bytes,
});

/** A minimal upload with additional parts. */
export const photoForm = (bytes: Uint8Array, more: readonly FormPart[] = [], fileName?: string) =>
  createForm([...DATES, ...more, filePart(bytes, fileName)]);

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
