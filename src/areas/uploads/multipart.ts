import busboy from 'busboy';
import { AppError, badRequest, unsupportedMediaType } from '../../core/errors.ts';

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
  fieldSize: 1024 ** 2,
  fields: 200,
  files: 10,
  headerPairs: 50,
};

/**
 * Reads a multipart form without holding a file in memory: what the sink has not taken yet is not
 * read from the connection. Answers the text fields; the last one counts if a name comes twice.
 * Throws what `onFile` or a sink throws, and a bad request when the form is broken or ends early.
 */
export async function readForm(form: Form, onFile: OnFile): Promise<ReadonlyMap<string, string>> {
  const parser = createParser(form);
  const reader = form.body?.getReader();
  const fields = new Map<string, string>();
  const pumps: Promise<void>[] = [];
  const finished = Promise.withResolvers<void>();
  let failure: { readonly error: unknown } | undefined;
  let goOn = () => {};

  const fail = (error: unknown) => {
    failure ??= { error };
    goOn();
    finished.resolve();
    // Ends a read that waits for the client.
    void reader?.cancel().catch(() => {});
  };
  parser.on('field', (name, value, { valueTruncated }) => {
    if (valueTruncated) fail(badRequest(`Field ${name} is too long`));
    fields.set(name, value);
  });
  parser.on('file', (field, stream, { filename }: { filename?: string }) => {
    const pump = async () => {
      const sink = await onFile(field, filename, fields);
      for await (const chunk of stream) await sink?.write(chunk as Uint8Array);
    };
    // The loop sees it too, unless the stream breaks before the loop has begun.
    stream.on('error', () => {});
    pumps.push(pump().catch(fail));
  });
  for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const) {
    parser.on(limit, () => fail(badRequest('The form has too many parts')));
  }
  parser.on('error', (error) => fail(broken(error)));
  parser.on('drain', () => goOn());
  parser.on('close', () => finished.resolve());

  const feed = async () => {
    while (!failure && reader) {
      const { done, value } = await reader.read();
      if (done || failure) break;
      if (!parser.write(value)) await new Promise<void>((resolve) => (goOn = resolve));
    }
    if (!failure) parser.end();
  };
  await feed().catch((error: unknown) => fail(broken(error)));
  await finished.promise;
  if (failure) parser.destroy();
  // Nobody writes to a sink any more when this returns.
  await Promise.all(pumps);
  if (failure) throw failure.error;
  return fields;
}

function createParser({ contentType }: Form): busboy.Busboy {
  if (!/^multipart\/form-data\b/i.test(contentType ?? '')) {
    throw unsupportedMediaType('A form of the type multipart/form-data is required');
  }
  try {
    return busboy({
      headers: { 'content-type': contentType! },
      // Names of files are UTF-8 on every client there is.
      defParamCharset: 'utf8',
      fileHwm: 256 * 1024,
      limits: LIMITS,
    });
  } catch (error) {
    throw broken(error);
  }
}

const broken = (error: unknown) =>
  new AppError('badRequest', 'The form is broken or incomplete', { cause: error });
