import busboy from 'busboy';
import { AppError, badRequest, unsupportedMediaType } from '../../../core/errors.ts';
import { type PartSink, readParts } from './form-parts.ts';

/** Takes one file of a form as it arrives. */
export type Sink = { write(chunk: Uint8Array): Promise<void> | undefined };

export type Form = {
  readonly contentType: string | null;
  readonly body: ReadableStream<Uint8Array> | null;
};

/**
 * Asked at the head of each file: the sink for it, or undefined to skip it. `fields` holds the text
 * fields that came before.
 */
export type OnFile = (
  field: string,
  fileName: string | undefined,
  fields: ReadonlyMap<string, string>,
) => Promise<Sink | undefined>;

const LIMITS = {
  fieldNameSize: 200,
  fields: 100,
  files: 10,
  headerPairs: 50,
};
/** Also those that are neither a field nor a file. */
const MAX_PARTS = 120;
/** Names and values of all text fields together: they are held in memory. */
const MAX_TEXT_BYTES = 1024 ** 2;

/**
 * Reads a multipart form without holding a file in memory: what the sink has not taken yet is not
 * read from the connection. Answers the text fields; the last one counts if a name comes twice.
 * Throws what `onFile` or a sink throws, and a bad request when the form is broken or ends early.
 */
export async function readForm(form: Form, onFile: OnFile): Promise<ReadonlyMap<string, string>> {
  const boundary = boundaryOf(form);
  const heads = readHeads(boundary);
  const fields = new Map<string, string>();
  const textBudget = createTextBudget();
  let count = 0;

  const parts = readParts({
    boundary,
    async open(head) {
      count += 1;
      if (count > MAX_PARTS) throw tooManyParts();
      const found = await heads.read(head);
      if (!found) return SKIPPED;
      if (found.kind === 'text') {
        textBudget.take(Buffer.byteLength(found.name));
        return textSink(textBudget, (value) => fields.set(found.name, value));
      }
      const sink = await onFile(found.name, found.fileName, fields);
      return sink ? { write: (bytes) => sink.write(bytes), end() {} } : SKIPPED;
    },
    finish: heads.finish,
  });
  const reader = form.body?.getReader();
  try {
    while (reader) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw broken(error);
      });
      if (done) break;
      await parts.take(value);
    }
    await heads.end();
  } catch (error) {
    // Ends a connection whose rest nobody reads.
    void reader?.cancel().catch(() => {});
    heads.destroy();
    throw error;
  }
  return fields;
}

const SKIPPED: PartSink = { write: () => undefined, end() {} };

type TextBudget = {
  /** Throws when the text fields of the form are longer than they may be. */
  take(bytes: number): void;
};

function createTextBudget(): TextBudget {
  let left = MAX_TEXT_BYTES;
  return {
    take(bytes) {
      left -= bytes;
      if (left < 0) throw badRequest('The text fields of the form are longer than 1 MiB together');
    },
  };
}

function textSink(budget: TextBudget, keep: (value: string) => void): PartSink {
  const pieces: Buffer[] = [];
  return {
    write(bytes) {
      budget.take(bytes.length);
      pieces.push(bytes);
      return undefined;
    },
    end: () => keep(Buffer.concat(pieces).toString()),
  };
}

const tooManyParts = () => badRequest('The form has too many parts');

type Head =
  | { readonly kind: 'text'; readonly name: string }
  | { readonly kind: 'file'; readonly name: string; readonly fileName: string | undefined };

/**
 * What the heads of parts mean. The parser is given a form of which every part is empty: it tells what
 * a part is when it comes to the boundary behind it.
 */
function readHeads(boundary: string) {
  const parser = createParser(boundary);
  const closed = Promise.withResolvers<void>();
  let found: Head | undefined;
  let failure: { readonly error: unknown } | undefined;
  let isFirst = true;

  const fail = (error: unknown) => {
    failure ??= { error };
    closed.resolve();
  };
  parser.on('field', (name) => {
    found = { kind: 'text', name };
  });
  parser.on('file', (name, stream, { filename }: { filename?: string }) => {
    stream.on('error', () => {});
    stream.resume();
    found = { kind: 'file', name, fileName: filename };
  });
  for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const) {
    parser.on(limit, () => fail(tooManyParts()));
  }
  parser.on('error', (error) => fail(broken(error)));
  parser.on('close', () => closed.resolve());

  const give = (text: Uint8Array) =>
    new Promise<void>((resolve) => parser.write(text, () => resolve()));
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  return {
    /** Undefined for a part that is neither, which is passed over. */
    async read(head: Buffer): Promise<Head | undefined> {
      found = undefined;
      await give(Buffer.concat(isFirst ? [delimiter, head, delimiter] : [head, delimiter]));
      isFirst = false;
      if (failure) throw failure.error;
      return found;
    },
    finish: () => void parser.write('--\r\n'),
    /** Throws when the form was not complete. */
    async end(): Promise<void> {
      parser.end();
      await closed.promise;
      if (failure) throw failure.error;
    },
    destroy: () => void parser.destroy(),
  };
}

function createParser(boundary: string): busboy.Busboy {
  return busboy({
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    // Names of files are UTF-8 on every client there is.
    defParamCharset: 'utf8',
    limits: LIMITS,
  });
}

/** Without quotes and backslashes, which no client puts into one. */
const BOUNDARY = /;\s*boundary=(?:"([^"\\]{1,200})"|([^\s;"\\]{1,200}))\s*(?:;|$)/i;

function boundaryOf({ contentType }: Form): string {
  if (!/^multipart\/form-data\b/i.test(contentType ?? '')) {
    throw unsupportedMediaType('A form of the type multipart/form-data is required');
  }
  const found = BOUNDARY.exec(contentType!);
  const boundary = found?.[1] ?? found?.[2];
  if (!boundary || !/^[\x20-\x7e]+$/.test(boundary)) throw broken(new Error('It has no boundary'));
  return boundary;
}

const broken = (error: unknown) =>
  new AppError('badRequest', 'The form is broken or incomplete', { cause: error });
