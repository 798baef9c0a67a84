import { open } from 'node:fs/promises';
import type { Ctx } from '../../../core/context.ts';
import { unauthorized } from '../../../core/errors.ts';
import type { MediaType } from '../../../media/formats.ts';
import { openIncoming } from '../../../media/originals.ts';
import type { UploadOutcome } from '../schemas.ts';
import { type OutcomeWriter, publishAsset } from './publish.domain.ts';
import * as store from './publish.store.ts';
import { requireSpace, toSpaceError } from './space.ts';

const CHUNK_BYTES = 1024 ** 2;

/** A file that the server made for an account. */
export type LocalFile = {
  readonly path: string;
  readonly fileName: string;
  readonly type: MediaType;
  readonly createdAt: Date;
};

/** Publishes a copy of the file as an asset of the account, as if it had been uploaded. */
export async function publishLocalFile(
  ctx: Ctx,
  ownerId: string,
  { path, fileName, type, createdAt }: LocalFile,
  writeOutcome: OutcomeWriter,
): Promise<UploadOutcome> {
  const account = await store.findAccount(ctx.db, ownerId);
  if (!account) throw unauthorized();
  const source = await open(path, 'r');
  try {
    await requireSpace(ctx, (await source.stat()).size);
    const file = await openIncoming(ctx.paths);
    try {
      for (;;) {
        const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
        const { bytesRead } = await source.read(buffer, 0, CHUNK_BYTES);
        if (bytesRead === 0) break;
        await file.write(buffer.subarray(0, bytesRead));
      }
      const digests = await file.finish();
      const fields = {
        fileCreatedAt: createdAt,
        fileModifiedAt: createdAt,
        fileName,
        isFavorite: false,
        visibility: 'timeline',
        liveVideoId: undefined,
        metadata: [],
        durationMs: undefined,
      } as const;
      const candidate = { file, digests, fields, fileName, type };
      return await publishAsset(ctx, ownerId, account, candidate, writeOutcome);
    } finally {
      await file.discard();
    }
  } catch (error) {
    throw toSpaceError(error);
  } finally {
    await source.close();
  }
}
