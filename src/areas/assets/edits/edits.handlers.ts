import { derivedName } from '../../../core/paths.ts';
import type { Effect, HandlerOf, JobCtx } from '../../../jobs/define.ts';
import { renderEdited } from '../../../media/edited-image.ts';
import { computeEditedSize } from '../../../media/edits.ts';
import { findOriginal } from '../../../media/originals.ts';
import { lookAgain } from './edits.domain.ts';
import { findEdits, saveEdited } from './edits.store.ts';
import type { renderEdits } from '../jobs.ts';
import { type DerivedFile, findForRender, lockAsset } from '../processing/processing.store.ts';
import {
  exifToolFor,
  forgetPictures,
  removeDerived,
  scratchFolder,
  writeDerived,
} from '../processing/tools.ts';

/** A picture that cannot be edited stays as it was taken: the job is parked, not the asset. */
export const handleRenderEdits: HandlerOf<typeof renderEdits> = async (ctx, { assetId }) => {
  const asset = await findForRender(ctx.db, assetId);
  const wanted = asset && (await findEdits(ctx.db, assetId));
  if (!wanted) return undefined;
  const original = await findOriginal(ctx.paths, asset.sha256);
  if (!original) throw new Error(`The original of ${assetId} is not on the disk`);
  const picture = await renderEdited(original.path, {
    ...wanted,
    fileName: asset.fileName,
    tempDir: await scratchFolder(ctx.paths),
    exiftool: exifToolFor(ctx.paths, 1),
    metadata: {
      colorspace: asset.colorspace ?? undefined,
      orientation: Number(asset.orientation) || undefined,
    },
    signal: ctx.signal,
  });
  const files = await Promise.all(
    (['thumbnail', 'preview', 'fullsize'] as const).map((kind) =>
      write(ctx, assetId, kind, {
        bytes: picture[kind].bytes,
        mimeType: kind === 'thumbnail' ? 'image/webp' : picture[kind].type,
      }),
    ),
  );
  forgetPictures();
  return saving(ctx, assetId, wanted, { files, thumbhash: picture.thumbhash });
};

/** Under a name of its own: the pictures of other edits are shown until these take their place. */
async function write(
  { paths }: JobCtx,
  assetId: string,
  kind: 'thumbnail' | 'preview' | 'fullsize',
  { bytes, mimeType }: { readonly bytes: Uint8Array; readonly mimeType: string },
): Promise<DerivedFile> {
  const extension = mimeType === 'image/webp' ? 'webp' : 'jpg';
  const name = derivedName(assetId, `edited-${kind}-${crypto.randomUUID()}`, extension);
  return { kind: `edited_${kind}`, name, mimeType, ...(await writeDerived(paths, name, bytes)) };
}

type Wanted = NonNullable<Awaited<ReturnType<typeof findEdits>>>;

function saving(
  ctx: JobCtx,
  assetId: string,
  { edits, source }: Wanted,
  { files, thumbhash }: { readonly files: readonly DerivedFile[]; readonly thumbhash: Uint8Array },
): Effect {
  return async (tx) => {
    const current = (await lockAsset(tx, assetId)) ? await findEdits(tx, assetId) : undefined;
    const isMeant = JSON.stringify(current?.edits) === JSON.stringify(edits);
    const size = computeEditedSize(source, edits);
    // Other edits have a job of their own.
    const unused = isMeant
      ? await saveEdited(tx, assetId, { ...size, thumbhash, now: ctx.now() }, files)
      : files.map((file) => file.name);
    if (isMeant) await lookAgain(tx, assetId);
    return () => removeDerived(ctx.paths, unused);
  };
}
