import type { Deps } from '../../../core/context.ts';
import { badRequest, invalidField } from '../../../core/errors.ts';
import { isSidecar, type MediaType, getMediaType } from '../../../media/formats.ts';
import { type Digests, type Incoming, openIncoming } from '../../../media/originals.ts';
import { fileNameField, readFields, type UploadFields } from './fields.ts';
import { type Form, readForm, type Sink } from './multipart.ts';
import { cleanFileName } from './names.ts';
import { ensureSpace, quotaExceeded } from '../publish/space.ts';

/** Everything a client sent, on disk but not yet durable, and not yet an asset. */
export type Received = {
  readonly file: Incoming;
  readonly sidecar: { readonly file: Incoming; readonly digests: Digests } | undefined;
  readonly digests: Digests;
  readonly fields: UploadFields;
  readonly fileName: string;
  readonly type: MediaType;
};

const MAX_SIDECAR_BYTES = 10 * 1024 ** 2;
const SPACE_CHECK_BYTES = 64 * 1024 ** 2;

/**
 * Takes the form in and hands it to `use`. Whatever happens, files that `use` has not published are
 * gone when this returns. `maxBytes`: what the quota has left for the file.
 */
export async function receive<T>(
  deps: Deps,
  form: Form,
  maxBytes: number,
  use: (received: Received) => Promise<T>,
): Promise<T> {
  // Promises: the head of the next part may be read before the file of this one is open.
  const opened = new Map<string, Promise<Incoming>>();
  let partName: string | undefined;
  const openFor = (field: string): Promise<Incoming> => {
    if (opened.has(field)) throw invalidField(field, `${field} must come once`);
    const file = openIncoming(deps.paths);
    opened.set(field, file);
    return file;
  };
  try {
    const texts = await readForm(form, async (field, name, fields) => {
      if (field === 'assetData') {
        partName = name;
        refuseUnsupported(fileNameField(fields), name);
        return assetSink(deps, await openFor(field), maxBytes);
      }
      if (field !== 'sidecarData') return undefined;
      if (!isSidecar(name ?? '')) throw unsupported(name ?? 'without a name');
      return sidecarSink(await openFor(field));
    });
    const file = await opened.get('assetData');
    if (!file) throw invalidField('assetData', 'assetData is required');
    const fields = readFields(texts);
    const named = nameAndType(fields.fileName, partName);
    if (file.size === 0) throw invalidField('assetData', 'The file is empty');

    const digests = await file.finish();
    const extra = await opened.get('sidecarData');
    const sidecar = extra && { file: extra, digests: await extra.finish() };
    return await use({ file, sidecar, digests, fields, ...named });
  } finally {
    for (const file of opened.values()) {
      await file.then(
        (open) => open.discard(),
        () => {},
      );
    }
  }
}

function assetSink(deps: Deps, file: Incoming, maxBytes: number): Sink {
  let unchecked = 0;
  return {
    write(chunk) {
      if (file.size + chunk.length > maxBytes) throw quotaExceeded();
      const written = file.write(chunk);
      unchecked += chunk.length;
      if (unchecked < SPACE_CHECK_BYTES) return written;
      unchecked = 0;
      return Promise.all([written, ensureSpace(deps, 0)]).then(() => {});
    },
  };
}

const sidecarSink = (file: Incoming): Sink => ({
  write(chunk) {
    if (file.size + chunk.length > MAX_SIDECAR_BYTES) {
      throw badRequest('The sidecar is longer than 10 MiB');
    }
    return file.write(chunk);
  },
});

const unsupported = (name: string) => badRequest(`Unsupported file type ${name}`);

/**
 * Before the bytes are taken. A part that tells nothing by its name ('blob') may still be named by
 * a field that follows.
 */
function refuseUnsupported(given: string | undefined, part: string | undefined): void {
  const isOpen = given === undefined && !part?.includes('.');
  if (!isOpen) nameAndType(given, part);
}

/** The field counts; the name of the part stands in when the field has no known extension. */
function nameAndType(given: string | undefined, part: string | undefined) {
  for (const candidate of [given, part]) {
    const fileName = candidate && cleanFileName(candidate);
    const type = fileName && getMediaType(fileName);
    if (type) return { fileName, type };
  }
  throw unsupported(cleanFileName(given ?? part ?? ''));
}
