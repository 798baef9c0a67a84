import type { Session } from '../../../access/session.ts';
import type { Ctx } from '../../../core/context.ts';
import { badRequest, forbidden } from '../../../core/errors.ts';
import { toHex } from '../../../core/hash.ts';
import type { Form } from '../../../multipart/multipart.ts';
import {
  resolveDuplicate,
  findDuplicate,
  isStored,
  publishAsset,
} from '../publish/publish.domain.ts';
import { receiveForm } from './received-form.ts';
import type { UploadOutcome } from '../schemas.ts';
import { toSpaceError, requireSpace, quotaExceeded } from '../../../staging/space.ts';
import * as store from '../publish/publish.store.ts';

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
      return publishAsset(ctx, ownerId, account, received);
    });
  } catch (error) {
    throw toSpaceError(error);
  }
}

const getOwnerId = (session: Session): string =>
  session.kind === 'user' ? session.userId : session.ownerId;
