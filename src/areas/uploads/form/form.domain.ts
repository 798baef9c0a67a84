import type { Session } from '../../../access/session.ts';
import type { Ctx } from '../../../core/context.ts';
import { badRequest, forbidden } from '../../../core/errors.ts';
import { toHex } from '../../../core/hash.ts';
import type { Form } from './multipart.ts';
import {
  answerDuplicate,
  findDuplicate,
  isStored,
  publishAsset,
} from '../publish/publish.domain.ts';
import { receive } from './receive.ts';
import type { Uploaded } from '../schemas.ts';
import { asSpaceError, ensureSpace, quotaExceeded } from '../publish/space.ts';
import * as store from '../publish/publish.store.ts';

export type Upload = Form & {
  /** What the client says its file has: SHA-1 in hex. */
  readonly sha1: string | undefined;
  /** Of the whole body, in bytes. */
  readonly length: number | undefined;
};

/** Parts of a form that are not the file: at most the sidecar and some text. */
const FORM_SLACK_BYTES = 12 * 1024 ** 2;

/** Returns when the asset survives a power loss, or throws and has kept nothing. */
export async function uploadAsset(ctx: Ctx, upload: Upload): Promise<Uploaded> {
  const ownerId = ownerOf(ctx.session);
  const account = await store.findAccount(ctx.db, ownerId);
  if (!account) throw forbidden('Forbidden');
  // A guest who names a checksum has not shown that he has the file.
  const sha1 = ctx.session.kind === 'user' ? upload.sha1 : undefined;
  const known = sha1 && (await findDuplicate(ctx, ownerId, sha1));
  if (known && (await isStored(ctx, known))) return answerDuplicate(ctx, known);

  const length = upload.length ?? 0;
  await ensureSpace(ctx, length);
  const maxBytes =
    account.quotaBytes === null
      ? Infinity
      : account.quotaBytes - (await store.usedBytes(ctx.db, ownerId));
  if (length - FORM_SLACK_BYTES > maxBytes) throw quotaExceeded();
  try {
    return await receive(ctx, upload, maxBytes, async (received) => {
      if (upload.sha1 && upload.sha1 !== toHex(received.digests.sha1)) {
        throw badRequest('The file does not have the checksum that was given for it');
      }
      return publishAsset(ctx, ownerId, account, received);
    });
  } catch (error) {
    throw asSpaceError(error);
  }
}

const ownerOf = (session: Session): string =>
  session.kind === 'user' ? session.userId : session.ownerId;
