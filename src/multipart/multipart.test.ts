import { describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { BOUNDARY, FORM_TYPE, createForm, type FormPart } from '../../test/support/forms.ts';
import { AppError } from '../core/errors.ts';
import { readForm } from './multipart.ts';

type Seen = { field: string; name: string | undefined; bytes: Buffer; before: string[] };

/** Reads a form that arrives in these chunks. */
async function read(pieces: Iterable<Uint8Array>, contentType = FORM_TYPE) {
  const files: Seen[] = [];
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  const fields = await readForm({ contentType, body }, async (field, name, texts) => {
    if (field === 'skipped') return undefined;
    const seen: Seen = { field, name, bytes: Buffer.alloc(0), before: [...texts.keys()] };
    files.push(seen);
    return {
      async write(chunk) {
        seen.bytes = Buffer.concat([seen.bytes, chunk]);
      },
    };
  });
  return { files, fields: Object.fromEntries(fields) };
}

/** Each piece has memory of its own, as pieces from a connection have. */
function* cut(bytes: Uint8Array, length: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length)
    yield new Uint8Array(bytes.subarray(at, at + length));
}

const DELIMITER = `\r\n--${BOUNDARY}`;

/** Bytes that resemble a closing boundary without being one. */
const TRICKY = Buffer.concat([
  Buffer.from(`\r\n\r\n--\r\n--${BOUNDARY.slice(0, -1)}\r\r\n-\r\n--`),
  randomBytes(50),
  Buffer.from(`--${BOUNDARY}\r\n\r\r\n\r\n${DELIMITER.slice(0, -1)}`),
]);

const PARTS: readonly FormPart[] = [
  { name: 'filename', value: 'Tōkyō 🗾.jpg' },
  { name: 'empty', value: '' },
  { name: 'lines', value: 'one\r\n\r\ntwo\r\n--three' },
  { name: 'skipped', fileName: 'b.bin', bytes: randomBytes(300) },
  { name: 'assetData', fileName: 'Urlaub/äö.jpg', bytes: TRICKY },
  { name: 'nothing', fileName: 'c.jpg', bytes: new Uint8Array() },
  { name: 'last', value: 'x' },
];

describe('parses a form that arrives in chunks', () => {
  const form = createForm(PARTS);
  for (const length of [1, 2, 3, 5, 7, 11, 31, 64, 101, 1024]) {
    test(`of ${length} bytes each`, async () => {
      const { files, fields } = await read(cut(form, length));
      expect(fields).toEqual({
        filename: 'Tōkyō 🗾.jpg',
        empty: '',
        lines: 'one\r\n\r\ntwo\r\n--three',
        last: 'x',
      });
      expect(files.map(({ field, name }) => [field, name])).toEqual([
        ['assetData', 'äö.jpg'],
        ['nothing', 'c.jpg'],
      ]);
      expect(files[0]!.bytes.equals(TRICKY)).toBe(true);
      expect(files[1]!.bytes.length).toBe(0);
      expect(files[0]!.before).toEqual(['filename', 'empty', 'lines']);
    });
  }

  test('split in two at any byte', async () => {
    const small = createForm([PARTS[0]!, { name: 'assetData', fileName: 'a.jpg', bytes: TRICKY }]);
    for (let at = 0; at <= small.length; at++) {
      const { files } = await read([small.subarray(0, at), small.subarray(at)]);
      expect(files[0]!.bytes.equals(TRICKY)).toBe(true);
    }
  });
});

test('frees each piece as soon as fields and files have taken it', async () => {
  const pieces = [...cut(createForm(PARTS), 31)];
  const { files } = await read(pieces);
  expect(files[0]!.bytes.equals(TRICKY)).toBe(true);
  expect(pieces.filter(({ buffer }) => buffer.byteLength > 0)).toEqual([]);
});

test('ignores bytes before the first boundary and after the last one', async () => {
  const form = [Buffer.from('Hello\r\n'), createForm(PARTS), Buffer.from(`${DELIMITER}\r\nrest`)];
  expect((await read(form)).files.length).toBe(2);
});

test('accepts a quoted boundary', async () => {
  const type = `multipart/form-data; charset=utf-8; boundary="${BOUNDARY}"`;
  expect((await read([createForm(PARTS)], type)).files.length).toBe(2);
});

const refused = async (form: Uint8Array, type = FORM_TYPE) => {
  const error = await read([form], type).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AppError)) throw new Error(`It was not refused: ${String(error)}`);
  return error.message;
};
const INCOMPLETE = 'The form is broken or incomplete';

test('refuses a truncated form, wherever it ends', async () => {
  const form = createForm(PARTS);
  for (let end = 0; end < form.length - 4; end += 13)
    expect(await refused(form.subarray(0, end))).toBe(INCOMPLETE);
});

test('refuses malformed and too long part headers', async () => {
  expect(await refused(part('no head at all'))).toBe(INCOMPLETE);
  expect(await refused(part(`A: ${'b'.repeat(20_000)}`))).toBe('A part has too long a head');
  const { files, fields } = await read([part('Content-Type: text/plain')]);
  expect({ files, fields }).toEqual({ files: [], fields: {} });
});

const part = (head: string, body = 'x') =>
  Buffer.from(`--${BOUNDARY}\r\n${head}\r\n\r\n${body}${DELIMITER}--\r\n`);

test('reads quoted, escaped and RFC 5987 file names', async () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['filename=a.jpg', 'a.jpg'],
    ['filename="a;b.jpg"', 'a;b.jpg'],
    ['filename="Tōkyō 🗾.jpg"', 'Tōkyō 🗾.jpg'],
    ['filename="a\\"b.jpg"', 'a"b.jpg'],
    ['filename="C:\\\\photos\\\\a.jpg"', 'a.jpg'],
    // Browsers escape quotes so, and it may be the name itself.
    ['filename="a%22b.jpg"', 'a%22b.jpg'],
    [`filename="x.jpg"; filename*=UTF-8'en'%e2%82%ac%20a.jpg`, '€ a.jpg'],
    [`filename*=ISO-8859-1''%a3.jpg`, '£.jpg'],
    ['\r\n filename="folded.jpg"', 'folded.jpg'],
  ];
  for (const [parameter, name] of cases) {
    const head = `Content-Disposition: form-data; name="f"; ${parameter}`;
    expect((await read([part(head)])).files.map((file) => file.name)).toEqual([name]);
  }
  const unnamed =
    'Content-Disposition: form-data; name="f"\r\nContent-Type: application/octet-stream';
  expect((await read([part(unnamed)])).files.map((file) => file.name)).toEqual([undefined]);
});

test('takes fields after files and content with a transfer encoding as it is', async () => {
  const form = createForm([
    { name: 'a', fileName: 'a.jpg', bytes: Buffer.from('x') },
    { name: 'a', value: 'later' },
  ]);
  expect((await read([form])).fields).toEqual({ a: 'later' });
  const head = 'Content-Disposition: form-data; name="f"\r\nContent-Transfer-Encoding: base64';
  expect((await read([part(head, 'eHg=')])).fields).toEqual({ f: 'eHg=' });
});

test('ignores parts that are no form data, and refuses a part without a name', async () => {
  const ignored = ['Content-Type: text/plain', 'Content-Disposition: attachment; name="f"'];
  for (const head of [...ignored, `Content-Disposition: form-data; filename*=UTF-8''%zz`]) {
    expect(await read([part(head)])).toEqual({ files: [], fields: {} });
  }
  expect(await refused(part('Content-Disposition: form-data'))).toBe(INCOMPLETE);
  const file = 'Content-Disposition: form-data; filename="a.jpg"';
  expect(await refused(part(file))).toBe(INCOMPLETE);
});

test('refuses hostile forms before it holds them in memory', async () => {
  const LONG_HEAD = 'A part has too long a head';
  expect(await refused(part(`A: ${'b'.repeat(1024 ** 2)}`))).toBe(LONG_HEAD);
  expect(await refused(part('A: b\r\n'.repeat(5000)))).toBe(LONG_HEAD);
  const texts = Array.from({ length: 5000 }, () => ({ name: 'f', value: '' }));
  expect(await refused(createForm(texts))).toBe('The form has too many parts');
  // The boundary that the parser of heads is given makes no part of its own.
  const inner = '\r\n--part-head\r\nContent-Disposition: form-data; name="g"';
  const { files, fields } = await read([
    part(`Content-Disposition: form-data; name="f"${inner}; filename="a.jpg"`),
  ]);
  expect({ files, fields }).toEqual({ files: [], fields: { f: 'x' } });
});

test('refuses a file that contains the boundary, and a form that ends in the closing one', async () => {
  const inFile = Buffer.from(`x${DELIMITER}y`);
  expect(await refused(createForm([{ name: 'f', fileName: 'a.jpg', bytes: inFile }]))).toBe(
    'A boundary of the form is not followed by a line break',
  );
  const form = createForm([{ name: 'f', value: 'x' }]);
  expect(await refused(form.subarray(0, form.length - 3))).toBe(INCOMPLETE);
  expect(await read([Buffer.from(`--${BOUNDARY}--`)])).toEqual({ files: [], fields: {} });
});

test('refuses text, parts, fields or files beyond the limits', async () => {
  const TOO_LONG = 'The text fields of the form are longer than 1 MiB together';
  const texts = (count: number, value: string) =>
    Array.from({ length: count }, (_, at) => ({ name: `f${at}`, value }));
  expect(await refused(createForm(texts(1, 'x'.repeat(1024 ** 2))))).toBe(TOO_LONG);
  expect(await refused(createForm(texts(99, 'x'.repeat(1024 ** 2 / 99))))).toBe(TOO_LONG);
  // The same field again and again takes memory too.
  const same = texts(20, 'x'.repeat(60_000)).map((text) => ({ ...text, name: 'f' }));
  expect(await refused(createForm(same))).toBe(TOO_LONG);
  expect((await read([createForm(texts(1, 'x'.repeat(1024 ** 2 - 2)))])).fields['f0']).toHaveLength(
    1024 ** 2 - 2,
  );
  expect(await refused(createForm(texts(101, '')))).toBe('The form has too many parts');
  const nothing = `--${BOUNDARY}\r\nContent-Type: text/plain\r\n\r\n\r\n`.repeat(121);
  expect(await refused(Buffer.from(`${nothing}--${BOUNDARY}--\r\n`))).toBe(
    'The form has too many parts',
  );
  const bytes = randomBytes(3);
  const files = Array.from({ length: 11 }, () => ({ name: 'a', fileName: 'a.jpg', bytes }));
  expect(await refused(createForm(files))).toBe('The form has too many parts');
});

test('refuses a form without a boundary and other content types', async () => {
  expect(await refused(createForm(PARTS), 'multipart/form-data')).toBe(INCOMPLETE);
  expect(await refused(createForm(PARTS), 'application/json')).toContain('multipart/form-data');
});
