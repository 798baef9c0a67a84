import type { Effect, JobHandler, JobCtx } from '../../../jobs/define.ts';
import { renderEdited } from '../../../media/edited-image.ts';
import { computePictureSize } from '../../../media/picture-edits.ts';
import { type Picture, PICTURE_EXTENSIONS } from '../../../media/sizes.ts';
import { withPrivateFile } from '../../../media/private-file.ts';
import { findOriginal } from '../originals/originals.domain.ts';
import { readImageOutputs } from '../processing/image-outputs.ts';
import { enqueueForNewPicture } from './change.domain.ts';
import {
  findRequestedEdits,
  type RequestedEdits,
  saveEditedPicture,
  saveRenderedRevision,
} from './edits.store.ts';
import type { renderEdits } from '../jobs.ts';
import { type DerivedFile, findForRender, lockAsset } from '../processing/processing.store.ts';
import { ensureScratchFolder, writeDerivedFile } from '../processing/derived-files.ts';
import { createRenderOptions } from '../processing/render-options.ts';
import * as storage from '../../../storage/index.ts';

/** When a picture cannot be edited the job fails and the unedited picture stays. */
export const handleRenderEdits: JobHandler<typeof renderEdits> = async (ctx, { assetId }) => {
  const asset = await findForRender(ctx.db, assetId);
  const requested = asset && (await findRequestedEdits(ctx.db, assetId));
  if (!requested) return undefined;
  await using original = await findOriginal(ctx, asset.sha256);
  if (!original) throw new Error(`The original of ${assetId} is not on the disk`);
  const { outputs } = await readImageOutputs(ctx.db);
  const tempDir = await ensureScratchFolder(ctx.paths);
  const options = { ...requested, ...createRenderOptions(ctx, asset, { outputs, tempDir }) };
  const picture = await withPrivateFile(original.path, tempDir, (path) =>
    renderEdited(path, options),
  );
  const files = await Promise.all(
    (['thumbnail', 'preview', 'fullsize'] as const).map((kind) =>
      writeEditedFile(ctx, assetId, kind, picture[kind]),
    ),
  );
  return createSaveEffect(ctx, assetId, requested, { files, thumbhash: picture.thumbhash });
};

/** Writes to a unique name: the files of earlier edits are served until these replace them. */
async function writeEditedFile(
  ctx: JobCtx,
  assetId: string,
  kind: 'thumbnail' | 'preview' | 'fullsize',
  { bytes, type: mimeType }: Picture,
): Promise<DerivedFile> {
  const owner = {
    id: assetId,
    kind: `edited-${kind}-${crypto.randomUUID()}`,
    extension: PICTURE_EXTENSIONS[mimeType],
  };
  return { kind: `edited_${kind}`, mimeType, ...(await writeDerivedFile(ctx, owner, bytes)) };
}

function createSaveEffect(
  ctx: JobCtx,
  assetId: string,
  requested: RequestedEdits,
  { files, thumbhash }: { readonly files: readonly DerivedFile[]; readonly thumbhash: Uint8Array },
): Effect {
  return async (tx) => {
    const current = (await lockAsset(tx, assetId))
      ? await findRequestedEdits(tx, assetId)
      : undefined;
    const isCurrent = JSON.stringify(current) === JSON.stringify(requested);
    // Edits that changed meanwhile have their own job.
    if (!isCurrent)
      return () =>
        storage.remove(
          storage.derivedFiles(
            ctx.paths,
            files.map((file) => file.name),
          ),
        );
    const { isMoved, isSame } = await saveRenderedRevision(tx, assetId);
    const size = computePictureSize(requested.source, requested);
    const picture = { ...size, thumbhash, isSame, now: ctx.now() };
    const unused = await saveEditedPicture(tx, assetId, picture, files);
    await enqueueForNewPicture(tx, assetId, { isMoved });
    return () => storage.remove(storage.derivedFiles(ctx.paths, unused));
  };
}
