import busboy from 'busboy';
import { AppError, badRequest, unsupportedMediaType } from '../../../core/errors.ts';
import { type PartSink, createPartSplitter } from './form-parts.ts';

/** Receives one file of a form as it arrives. */
export type FileSink = { write(chunk: Uint8Array): Promise<void> | undefined };

export type Form = {
  readonly contentType: string | null;
  readonly body: ReadableStream<Uint8Array> | null;
};

/**
 * Called at the start of each file; returns its sink, or undefined to skip it. `fields` holds the text
 * fields received so far.
 */
export type OnFile = (
  field: string,
  fileName: string | undefined,
  fields: ReadonlyMap<string, string>,
) => Promise<FileSink | undefined>;

const LIMITS = {
  fieldNameSize: 200,
  fields: 100,
  files: 10,
  headerPairs: 50,
};
/** Includes parts that are neither a field nor a file. */
const MAX_PARTS = 120;
/** Bytes of the names and values of all text fields, which are held in memory. */
const MAX_TEXT_BYTES = 1024 ** 2;

/**
 * Reads a multipart form as a stream with backpressure from the sinks. Returns the text fields; of two
 * with one name the last counts. Throws errors of `onFile` and the sinks, and 400 when the form is
 * malformed or incomplete.
 */
export async function readForm(form: Form, onFile: OnFile): Promise<ReadonlyMap<string, string>> {
  const boundary = parseBoundary(form);
  const headParser = createHeadParser(boundary);
  const fields = new Map<string, string>();
  const textBudget = createTextBudget();
  let count = 0;

  const parts = createPartSplitter({
    boundary,
    async onPart(head) {
      count += 1;
      if (count > MAX_PARTS) throw tooManyParts();
      const partHead = await headParser.read(head);
      if (!partHead) return DISCARD_SINK;
      if (partHead.kind === 'text') {
        textBudget.take(Buffer.byteLength(partHead.name));
        return createTextSink(textBudget, (value) => fields.set(partHead.name, value));
      }
      const sink = await onFile(partHead.name, partHead.fileName, fields);
      return sink ? { write: (bytes) => sink.write(bytes), end() {} } : DISCARD_SINK;
    },
    onEnd: headParser.finish,
  });
  const reader = form.body?.getReader();
  try {
    while (reader) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw brokenForm(error);
      });
      if (done) break;
      await parts.push(value);
    }
    await headParser.end();
  } catch (error) {
    // Closes the connection: the rest of the body is not read.
    void reader?.cancel().catch(() => {});
    headParser.destroy();
    throw error;
  }
  return fields;
}

const DISCARD_SINK: PartSink = { write: () => undefined, end() {} };

type TextBudget = {
  /** Throws 400 when the text fields exceed the limit. */
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

function createTextSink(budget: TextBudget, keep: (value: string) => void): PartSink {
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

type PartHead =
  | { readonly kind: 'text'; readonly name: string }
  | { readonly kind: 'file'; readonly name: string; readonly fileName: string | undefined };

/**
 * Parses the headers of parts with busboy. It is fed the same form with empty parts, so that file bytes
 * bypass it, and reports each part at the boundary after it.
 */
function createHeadParser(boundary: string) {
  const parser = createBusboy(boundary);
  const closed = Promise.withResolvers<void>();
  let found: PartHead | undefined;
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
  parser.on('error', (error) => fail(brokenForm(error)));
  parser.on('close', () => closed.resolve());

  const give = (text: Uint8Array) =>
    new Promise<void>((resolve) => parser.write(text, () => resolve()));
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  return {
    /** Returns undefined for a part that is neither a field nor a file. */
    async read(head: Buffer): Promise<PartHead | undefined> {
      found = undefined;
      await give(Buffer.concat(isFirst ? [delimiter, head, delimiter] : [head, delimiter]));
      isFirst = false;
      if (failure) throw failure.error;
      return found;
    },
    finish: () => void parser.write('--\r\n'),
    /** Throws 400 when the form is incomplete. */
    async end(): Promise<void> {
      parser.end();
      await closed.promise;
      if (failure) throw failure.error;
    },
    destroy: () => void parser.destroy(),
  };
}

function createBusboy(boundary: string): busboy.Busboy {
  return busboy({
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    // Clients send file names in UTF-8.
    defParamCharset: 'utf8',
    limits: LIMITS,
  });
}

/** A boundary without quotes and backslashes, which no client uses. */
const BOUNDARY = /;\s*boundary=(?:"([^"\\]{1,200})"|([^\s;"\\]{1,200}))\s*(?:;|$)/i;

function parseBoundary({ contentType }: Form): string {
  if (!/^multipart\/form-data\b/i.test(contentType ?? '')) {
    throw unsupportedMediaType('A form of the type multipart/form-data is required');
  }
  const found = BOUNDARY.exec(contentType!);
  const boundary = found?.[1] ?? found?.[2];
  if (!boundary || !/^[\x20-\x7e]+$/.test(boundary))
    throw brokenForm(new Error('It has no boundary'));
  return boundary;
}

const brokenForm = (error: unknown) =>
  new AppError('badRequest', 'The form is broken or incomplete', { cause: error });
