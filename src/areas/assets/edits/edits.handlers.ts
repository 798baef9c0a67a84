import { derivedName } from '../../../core/paths.ts';
import type { Effect, JobHandler, JobCtx } from '../../../jobs/define.ts';
import { renderEdited } from '../../../media/edited-image.ts';
import { computeEditedSize } from '../../../media/edits.ts';
import { type Picture, PICTURE_EXTENSIONS } from '../../../media/sizes.ts';
import { withPrivateFile } from '../../../media/private-file.ts';
import { findOriginal } from '../originals/originals.domain.ts';
import { readImageOutputs } from '../processing/image-outputs.ts';
import { reanalyzeAsset } from './edits.domain.ts';
import { findEdits, saveEditedPicture } from './edits.store.ts';
import type { renderEdits } from '../jobs.ts';
import { type DerivedFile, findForRender, lockAsset } from '../processing/processing.store.ts';
import {
  deleteDerivedFiles,
  ensureScratchFolder,
  writeDerivedFile,
} from '../processing/derived-files.ts';
import { hintGarbageCollection } from '../processing/media-tools.ts';
import { createRenderOptions } from '../processing/render-options.ts';

/** When a picture cannot be edited the job fails and the unedited picture stays. */
export const handleRenderEdits: JobHandler<typeof renderEdits> = async (ctx, { assetId }) => {
  const asset = await findForRender(ctx.db, assetId);
  const requested = asset && (await findEdits(ctx.db, assetId));
  if (!requested) return undefined;
  const original = await findOriginal(ctx, asset.sha256);
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
  hintGarbageCollection();
  return createSaveEffect(ctx, assetId, requested, { files, thumbhash: picture.thumbhash });
};

/** Writes to a unique name: the files of earlier edits are served until these replace them. */
async function writeEditedFile(
  { paths }: JobCtx,
  assetId: string,
  kind: 'thumbnail' | 'preview' | 'fullsize',
  { bytes, type: mimeType }: Picture,
): Promise<DerivedFile> {
  const name = derivedName(
    assetId,
    `edited-${kind}-${crypto.randomUUID()}`,
    PICTURE_EXTENSIONS[mimeType],
  );
  return {
    kind: `edited_${kind}`,
    name,
    mimeType,
    ...(await writeDerivedFile(paths, name, bytes)),
  };
}

type RequestedEdits = NonNullable<Awaited<ReturnType<typeof findEdits>>>;

function createSaveEffect(
  ctx: JobCtx,
  assetId: string,
  { edits, source }: RequestedEdits,
  { files, thumbhash }: { readonly files: readonly DerivedFile[]; readonly thumbhash: Uint8Array },
): Effect {
  return async (tx) => {
    const current = (await lockAsset(tx, assetId)) ? await findEdits(tx, assetId) : undefined;
    const isCurrent = JSON.stringify(current?.edits) === JSON.stringify(edits);
    const size = computeEditedSize(source, edits);
    // Edits that changed meanwhile have their own job.
    const unused = isCurrent
      ? await saveEditedPicture(tx, assetId, { ...size, thumbhash, now: ctx.now() }, files)
      : files.map((file) => file.name);
    if (isCurrent) await reanalyzeAsset(tx, assetId);
    return () => deleteDerivedFiles(ctx.paths, unused);
  };
}
