import { derivedName } from '../../../core/paths.ts';
import {
  type AfterCommit,
  DEFAULT_TIME_LIMIT_MS,
  type Effect,
  type JobHandler,
  type JobCtx,
  JobTimeoutError,
} from '../../../jobs/define.ts';
import { isVerdict } from '../../../jobs/machine-faults.ts';
import type { Db } from '../../../db/client.ts';
import { enqueueAnalysis } from '../../../inference/enqueue.ts';
import { FinalFailure } from '../../../jobs/postpone.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { MediaError } from '../../../media/errors.ts';
import { findContentType } from '../../../media/content-type.ts';
import { renderEdited } from '../../../media/edited-image.ts';
import { getContentType, isDisplayedByBrowsers, isRaw } from '../../../media/formats.ts';
import { renderImage as renderPicture, type RenderOptions } from '../../../media/images.ts';
import { UNEDITED } from '../../../media/picture-edits.ts';
import { withPrivateFile } from '../../../media/private-file.ts';
import { findOriginal } from '../originals/originals.domain.ts';
import type { Picture, RenderedImage } from '../../../media/sizes.ts';
import { findTruncation } from '../../../media/truncation.ts';
import { needsTranscode } from '../../../media/playable.ts';
import { renderPoster } from '../../../media/poster.ts';
import { getTranscodeTimeout, transcode } from '../../../media/transcode.ts';
import { findCoverTime, pickFrames } from '../../enrichment-queue/index.ts';
import { fitEdits } from '../edits/edits.store.ts';
import { renderEdits, renderImage, renderVideo, transcodeVideo } from '../jobs.ts';
import {
  deleteFile,
  findForRender,
  lockAsset,
  type Rendered,
  type AssetForRender,
  saveBroken,
  saveFiles,
  saveRendered,
  touchAsset,
} from './processing.store.ts';
import { createScratchPath, ensureScratchFolder } from './derived-files.ts';
import { readImageOutputs } from './image-outputs.ts';
import { readVideoSettings } from './video-settings.ts';
import { writePictures } from './pictures.ts';
import { isSound, probeAsset, renderSound } from './sound.handlers.ts';
import { createRenderOptions } from './render-options.ts';
import * as storage from '../../../storage/index.ts';

export const handleRenderImage: JobHandler<typeof renderImage> = async (ctx, { assetId }) => {
  const asset = await findForRender(ctx.db, assetId);
  if (!asset) return undefined;
  await using original = await requireOriginal(ctx, asset);
  const tempDir = await ensureScratchFolder(ctx.paths);
  return await renderOrMarkBroken(ctx, asset, original, () =>
    withPrivateFile(original.path, tempDir, (path) => renderFile(ctx, asset, { path, tempDir })),
  );
};

async function renderFile(
  ctx: JobCtx,
  asset: AssetForRender,
  { path, tempDir }: { readonly path: string; readonly tempDir: string },
): Promise<Effect> {
  const { outputs, hasFullsize } = await readImageOutputs(ctx.db);
  const options = createRenderOptions(ctx, asset, { outputs, tempDir });
  const picture = await renderPicture(path, options);
  const { damage, width, height } = picture;
  if (damage) {
    ctx.log.warn('picture partially damaged', { assetId: asset.id, damage, width, height });
  }
  const { fileName } = asset;
  const contentType = (await findContentType(path, fileName)) ?? null;
  const isDisplayed = isDisplayedByBrowsers(getContentType({ fileName, contentType }));
  const fullsize =
    hasFullsize && !isDisplayed ? await renderFullsize(ctx, path, options) : undefined;
  const extra = { isPreviewSize: isRaw(asset.fileName) };
  return storeRendered(ctx, asset, { ...picture, fullsize }, extra);
}

/** Returns undefined when there is not enough memory for the whole picture. */
async function renderFullsize(
  ctx: JobCtx,
  path: string,
  options: RenderOptions,
): Promise<Picture | undefined> {
  try {
    return (await renderEdited(path, { ...options, ...UNEDITED, source: NO_SIZE })).fullsize;
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    ctx.log.warn('rendering a picture in full size failed', { reason: error.message });
    return undefined;
  }
}

/** That edits refer to: there are none. */
const NO_SIZE = { width: 1, height: 1 };

export const handleRenderVideo: JobHandler<typeof renderVideo> = async (ctx, { assetId }) => {
  const asset = await findForRender(ctx.db, assetId);
  if (!asset) return undefined;
  await using original = await requireOriginal(ctx, asset);
  const { path } = original;
  const { signal } = ctx;
  return await renderOrMarkBroken(ctx, asset, original, async () => {
    const probed = await probeAsset(asset, path, signal);
    if (isSound(probed)) return renderSound(ctx, asset, { path, probed });
    const tempDir = await ensureScratchFolder(ctx.paths);
    const atMs = await findCoverTime(ctx.db, assetId);
    const { outputs } = await readImageOutputs(ctx.db);
    const poster = await renderPoster(path, { tempDir, atMs, outputs, signal });
    const damage = await findTruncation(path);
    const { durationMs } = probed;
    const save = await storeRendered(
      ctx,
      asset,
      { ...poster, damage },
      { type: 'VIDEO', durationMs },
    );
    const reason = needsTranscode(probed, await readVideoSettings(ctx.db));
    if (reason) ctx.log.debug('transcode enqueued', { assetId, reason });
    return async (tx) => {
      const tidy = await save(tx);
      if (reason) await enqueue(tx, transcodeVideo, { assetId });
      await enqueue(tx, pickFrames, { assetId });
      return tidy;
    };
  });
};

/**
 * A failure fails the job and does not mark the asset broken: its poster could be rendered. What becomes
 * of a sound file is sound.
 */
export const handleTranscodeVideo: JobHandler<typeof transcodeVideo> = async (ctx, { assetId }) => {
  const asset = await findForRender(ctx.db, assetId);
  if (!asset) return undefined;
  await using original = await requireOriginal(ctx, asset);
  const { path } = original;
  const { signal, paths } = ctx;
  const probed = await probeAsset(asset, path, signal);
  const settings = await readVideoSettings(ctx.db);
  if (!needsTranscode(probed, settings)) return (tx) => removeTranscode(ctx, tx, assetId);
  ctx.restartTimeLimit(DEFAULT_TIME_LIMIT_MS + getTranscodeTimeout(probed.durationMs));
  const from = await createScratchPath(paths, 'mp4');
  const { encoder } = await transcode(path, from, { probe: probed, settings, signal }).catch(
    (error: unknown) => {
      // A film that takes longer than it may would take all of a small machine, every day.
      const isTooSlow = error instanceof MediaError && error.kind === 'timeout';
      throw isTooSlow && ctx.isLastAttempt ? new FinalFailure(error.message) : error;
    },
  );
  const { codec, acceleration } = settings;
  if (encoder === 'libx264' && (codec !== 'h264' || acceleration !== 'auto')) {
    ctx.log.warn('the configured encoder failed, encoded by libx264', { codec, acceleration });
  }
  const { size, lastModified } = Bun.file(from);
  const owner = { id: assetId, kind: 'encoded_video', extension: 'mp4' };
  const name = await storage.putDerived(ctx, from, owner);
  await storage.place(ctx, from, storage.derivedFile(ctx.paths, name));
  ctx.log.debug('video transcoded', { assetId, encoder, bytes: size });
  const tag = Bun.hash(`${size}.${lastModified}.${assetId}`).toString(36);
  const mimeType = probed.video ? 'video/mp4' : 'audio/mp4';
  return async (tx) => {
    if (!(await lockAsset(tx, assetId)))
      return () => storage.remove(storage.derivedFiles(paths, [name]));
    await saveFiles(tx, assetId, [{ kind: 'encoded_video', name, mimeType, size, tag }]);
    await touchAsset(tx, assetId, ctx.now());
    return undefined;
  };
};

/** A video that is played as it is needs no transcode of an earlier configuration. */
async function removeTranscode(
  ctx: JobCtx,
  tx: Db,
  assetId: string,
): Promise<AfterCommit | undefined> {
  if (!(await lockAsset(tx, assetId))) return undefined;
  const name = await deleteFile(tx, assetId, 'encoded_video');
  if (name === undefined) return undefined;
  await touchAsset(tx, assetId, ctx.now());
  return () => storage.remove(storage.derivedFiles(ctx.paths, [name]));
}

/** A missing file does not make the asset broken: a mount may be offline. The job is retried. */
async function requireOriginal(ctx: JobCtx, asset: AssetForRender): Promise<storage.LeasedFile> {
  const original = await findOriginal(ctx, asset.sha256);
  if (!original) throw new Error(`The original of ${asset.id} is not on the disk`);
  return original;
}

/**
 * Marks an asset whose file cannot be decoded as broken; also one whose job is given up because of time or crashes,
 * until it succeeds later.
 */
async function renderOrMarkBroken(
  ctx: JobCtx,
  asset: AssetForRender,
  { path }: storage.LocalFile,
  render: () => Promise<Effect>,
): Promise<Effect> {
  const markBroken = (tx: Db, reason: string) =>
    saveBroken(tx, asset.id, { reason, now: ctx.now() });
  ctx.onFailed(async (tx, error) => {
    if (error instanceof JobTimeoutError) await markBroken(tx, `timeout: ${error.message}`);
    if (error instanceof MediaError) await markBroken(tx, `${error.kind}: ${error.message}`);
  });
  try {
    return await render();
  } catch (error) {
    if (!(error instanceof MediaError) || !(await isVerdict(ctx, error, path))) throw error;
    ctx.log.warn('rendering failed, asset marked as broken', {
      assetId: asset.id,
      reason: error.message,
    });
    return (tx) => markBroken(tx, `${error.kind}: ${error.message}`);
  }
}

async function storeRendered(
  ctx: JobCtx,
  { id, type }: AssetForRender,
  picture: RenderedImage & { readonly fullsize?: Picture | undefined },
  extra: Partial<Pick<Rendered, 'type' | 'isPreviewSize' | 'durationMs'>>,
): Promise<Effect> {
  const { thumbhash, width, height, damage } = picture;
  const files = await writePictures(ctx, id, picture);
  const rendered = { type, isPreviewSize: false, durationMs: undefined, ...extra };
  return async (tx) => {
    const row = { thumbhash, width, height, damage, ...rendered, now: ctx.now() };
    const saved = await saveRendered(tx, id, row, files);
    if (saved?.isEdited) {
      if (!rendered.isPreviewSize) await fitEdits(tx, id, { width, height });
      await enqueue(tx, renderEdits, { assetId: id });
    }
    if (saved) await enqueueAnalysis(tx, ctx.settings, id);
    const unused = files.map(({ kind, name, mimeType }) =>
      // A former configuration may have written the other format.
      saved ? derivedName(id, kind, mimeType === 'image/webp' ? 'jpg' : 'webp') : name,
    );
    return () => storage.remove(storage.derivedFiles(ctx.paths, unused));
  };
}
