import type { Deps } from '../../../core/context.ts';
import { badRequest, invalidField } from '../../../core/errors.ts';
import { isSidecar, type MediaType, getMediaType } from '../../../media/formats.ts';
import { type Digests, type Incoming, openIncoming } from '../../../storage/index.ts';
import { MAX_SIDECAR_BYTES } from '../../../media/xmp.ts';
import { getFileName, parseUploadFields, type UploadFields } from './fields.ts';
import { type Form, readForm, type FileSink } from '../../../multipart/multipart.ts';
import { toSafeFileName } from './file-names.ts';
import { requireSpace, quotaExceeded } from '../../../staging/space.ts';

/** A received form whose files are on disk, not synced, and not yet assets. */
export type ReceivedForm = {
  readonly file: Incoming;
  readonly sidecar: { readonly file: Incoming; readonly digests: Digests } | undefined;
  readonly digests: Digests;
  readonly fields: UploadFields;
  readonly fileName: string;
  readonly type: MediaType;
};

const SPACE_CHECK_BYTES = 64 * 1024 ** 2;

/**
 * Receives the form and passes it to `use`. Deletes the files that `use` has not published. `maxBytes`
 * is the rest of the quota for the file. Throws 400 for missing, repeated or unsupported parts.
 */
export async function receiveForm<T>(
  deps: Deps,
  form: Form,
  maxBytes: number,
  use: (received: ReceivedForm) => Promise<T>,
): Promise<T> {
  // Promises, because the next part may begin before the file of this one is open.
  const files = new Map<string, Promise<Incoming>>();
  let partName: string | undefined;
  const openFile = (field: string): Promise<Incoming> => {
    if (files.has(field)) throw invalidField(field, `${field} must come once`);
    const file = openIncoming(deps.paths);
    files.set(field, file);
    return file;
  };
  try {
    const texts = await readForm(form, async (field, name, fields) => {
      if (field === 'assetData') {
        partName = name;
        requireSupportedType(getFileName(fields), name);
        return createAssetSink(deps, await openFile(field), maxBytes);
      }
      if (field !== 'sidecarData') return undefined;
      if (!isSidecar(name ?? '')) throw unsupportedFileType(name ?? 'without a name');
      return createSidecarSink(await openFile(field));
    });
    const file = await files.get('assetData');
    if (!file) throw invalidField('assetData', 'assetData is required');
    const fields = parseUploadFields(texts);
    const nameAndType = getNameAndType(fields.fileName, partName);
    if (file.size === 0) throw invalidField('assetData', 'The file is empty');

    const digests = await file.finish();
    const sidecarFile = await files.get('sidecarData');
    const sidecar = sidecarFile && { file: sidecarFile, digests: await sidecarFile.finish() };
    return await use({ file, sidecar, digests, fields, ...nameAndType });
  } finally {
    for (const file of files.values()) {
      await file.then(
        (open) => open.discard(),
        () => {},
      );
    }
  }
}

function createAssetSink(deps: Deps, file: Incoming, maxBytes: number): FileSink {
  let unchecked = 0;
  return {
    write(chunk) {
      if (file.size + chunk.length > maxBytes) throw quotaExceeded();
      const written = file.write(chunk);
      unchecked += chunk.length;
      if (unchecked < SPACE_CHECK_BYTES) return written;
      unchecked = 0;
      return Promise.all([written, requireSpace(deps, 0)]).then(() => {});
    },
  };
}

const createSidecarSink = (file: Incoming): FileSink => ({
  write(chunk) {
    if (file.size + chunk.length > MAX_SIDECAR_BYTES) {
      throw badRequest('The sidecar is longer than 10 MiB');
    }
    return file.write(chunk);
  },
});

const unsupportedFileType = (name: string) => badRequest(`Unsupported file type ${name}`);

/**
 * Throws before bytes are received. A part without an extension ('blob') may get its name from a later
 * field.
 */
function requireSupportedType(given: string | undefined, part: string | undefined): void {
  const isOpen = given === undefined && !part?.includes('.');
  if (!isOpen) getNameAndType(given, part);
}

/** The `filename` field wins over the part's file name if it has a supported extension. Throws 400. */
function getNameAndType(given: string | undefined, part: string | undefined) {
  for (const candidate of [given, part]) {
    const fileName = candidate && toSafeFileName(candidate);
    const type = fileName && getMediaType(fileName);
    if (type) return { fileName, type };
  }
  throw unsupportedFileType(toSafeFileName(given ?? part ?? ''));
}
