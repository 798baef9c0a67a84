import type { Session, SharedLinkSession } from '../../../access/session.ts';
import type { Ctx, Deps } from '../../../core/context.ts';
import { badRequest, forbidden, invalidField } from '../../../core/errors.ts';
import { reach } from '../../../core/fault-points.ts';
import { toHex } from '../../../core/hash.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { type Form, readForm, type FileSink } from '../../../multipart/multipart.ts';
import {
  resolveDuplicate,
  findDuplicate,
  isStored,
  publishAsset,
} from '../publish/publish.domain.ts';
import {
  type Candidate,
  insertAssets,
  lockOriginals,
  publishFiles,
  publishOriginals,
  storeFiles,
  toNewAsset,
} from '../publish/new-asset.domain.ts';
import type { UploadOutcome } from '../schemas.ts';
import { recordAddition } from '../../albums/index.ts';
import { toSpaceError, requireSpace, quotaExceeded } from '../../../staging/errors.ts';
import * as store from '../publish/publish.store.ts';
import { isSidecar, type MediaType, getMediaType, toSafeFileName } from '../../../media/formats.ts';
import { type Digests, type Incoming, openIncoming } from '../../../storage/index.ts';
import { MAX_SIDECAR_BYTES } from '../../../media/xmp.ts';
import { getFileName, parseUploadFields, type UploadFields } from './fields.ts';

export type FormUpload = Form & {
  /** The SHA-1 that the client has sent, in hex. */
  readonly sha1: string | undefined;
  /** Bytes of the whole body. */
  readonly contentLength: number | undefined;
};

/** Bytes of the form besides the file: at most a sidecar and text fields. */
const FORM_SLACK_BYTES = 12 * 1024 ** 2;

/**
 * Stores the file of a form as an asset. Returns when the asset survives a power failure; throws
 * without storing anything.
 */
export async function uploadAsset(ctx: Ctx, upload: FormUpload): Promise<UploadOutcome> {
  const ownerId = getOwnerId(ctx.session);
  const account = await store.findAccount(ctx.db, ownerId);
  if (!account) throw forbidden('Forbidden');
  // A checksum from a guest does not prove that the guest has the file.
  const sha1 = ctx.session.kind === 'user' ? upload.sha1 : undefined;
  const existing = sha1 && (await findDuplicate(ctx, ownerId, sha1));
  if (existing && (await isStored(ctx, existing))) return resolveDuplicate(ctx, existing);

  const length = upload.contentLength ?? 0;
  await requireSpace(ctx, length);
  const maxBytes =
    account.quotaBytes === null
      ? Infinity
      : account.quotaBytes - (await store.sumUsedBytes(ctx.db, ownerId));
  if (length - FORM_SLACK_BYTES > maxBytes) throw quotaExceeded();
  try {
    return await receiveForm(ctx, upload, maxBytes, async (received) => {
      if (upload.sha1 && upload.sha1 !== toHex(received.digests.sha1)) {
        throw badRequest('The file does not have the checksum that was given for it');
      }
      const { session } = ctx;
      return session.kind === 'sharedLink'
        ? publishForGuest(ctx, session, account, received)
        : publishAsset(ctx, ownerId, account, received);
    });
  } catch (error) {
    throw toSpaceError(error);
  }
}

/**
 * Creates a copy of bytes that the owner has elsewhere: response and timing reveal nothing. Only assets that the link
 * shows are duplicates.
 */
async function publishForGuest(
  ctx: Ctx,
  link: SharedLinkSession,
  account: store.UploadAccount,
  candidate: Candidate,
): Promise<UploadOutcome> {
  const stored = await storeFiles(ctx, candidate);
  const asset = toNewAsset(ctx, link.ownerId, account, stored);
  const uploaded = await inTransaction(ctx, async (ctx): Promise<UploadOutcome> => {
    const { digests } = stored;
    const locked = await lockOriginals(ctx.db, [digests]);
    const visibleId = await store.findVisibleToLink(ctx.db, link, digests.sha256);
    if (visibleId) {
      await publishOriginals(ctx, [stored], locked);
      return { id: visibleId, status: 'duplicate' };
    }
    const items = [{ asset, candidate: stored }];
    await insertAssets(ctx, account, items);
    const isAdded = await store.addToLink(ctx.db, link, asset.id);
    if (isAdded && link.albumId) await recordAddition(ctx.db, link.albumId, null);
    await publishFiles(ctx, items, locked);
    return { id: asset.id, status: 'created' };
  });
  reach('asset.committed');
  return uploaded;
}

const getOwnerId = (session: Session): string =>
  session.kind === 'user' ? session.userId : session.ownerId;

/** A received form whose files are on disk, not synced, and not yet assets. */
type ReceivedForm = {
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
async function receiveForm<T>(
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
