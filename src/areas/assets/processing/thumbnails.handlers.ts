import { derivedName } from '../../../core/paths.ts';
import type { Effect, HandlerOf, JobCtx } from '../../../jobs/define.ts';
import { analyzeAsset } from '../../../inference/jobs.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { isPermanent, MediaError } from '../../../media/errors.ts';
import { isRaw } from '../../../media/formats.ts';
import { renderImage as renderPicture } from '../../../media/images.ts';
import { findOriginal } from '../../../media/originals.ts';
import type { RenderedImage } from '../../../media/sizes.ts';
import { needsTranscode, probe, renderPoster, transcode } from '../../../media/video.ts';
import { findCoverTime, pickFrames } from '../../enrichment/index.ts';
import { renderEdits, renderImage, renderVideo, transcodeVideo } from '../jobs.ts';
import {
  type DerivedFile,
  findForRender,
  lockAsset,
  type Rendered,
  type RenderSubject,
  saveBroken,
  saveFiles,
  saveRendered,
  touchAsset,
} from './processing.store.ts';
import {
  exifToolFor,
  forgetPictures,
  publishDerived,
  removeDerived,
  scratchFile,
  scratchFolder,
  writeDerived,
} from './tools.ts';

export const handleRenderImage: HandlerOf<typeof renderImage> = async (ctx, { assetId }) => {
  const asset = await findForRender(ctx.db, assetId);
  if (!asset) return undefined;
  const path = await pathOf(ctx, asset);
  return orBroken(ctx, asset, async () => {
    const picture = await renderPicture(path, {
      fileName: asset.fileName,
      tempDir: await scratchFolder(ctx.paths),
      exiftool: exifToolFor(ctx.paths, 1),
      metadata: {
        colorspace: asset.colorspace ?? undefined,
        orientation: Number(asset.orientation) || undefined,
      },
      signal: ctx.signal,
    });
    if (picture.damage) ctx.log.warn('part of a picture is damaged', { assetId, ...picture });
    return keep(ctx, asset, picture, { isPreviewSize: isRaw(asset.fileName) });
  });
};

export const handleRenderVideo: HandlerOf<typeof renderVideo> = async (ctx, { assetId }) => {
  const asset = await findForRender(ctx.db, assetId);
  if (!asset) return undefined;
  const path = await pathOf(ctx, asset);
  const { signal } = ctx;
  return orBroken(ctx, asset, async () => {
    const found = await probe(path, { signal });
    const tempDir = await scratchFolder(ctx.paths);
    const atMs = await findCoverTime(ctx.db, assetId);
    const poster = await renderPoster(path, { probe: found, tempDir, atMs, signal });
    const save = await keep(ctx, asset, poster, { durationMs: found.durationMs });
    const why = needsTranscode(found);
    if (why) ctx.log.debug('a video is transcoded', { assetId, why });
    return async (tx) => {
      const tidy = await save(tx);
      if (why) await enqueue(tx, transcodeVideo, { assetId });
      await enqueue(tx, pickFrames, { assetId });
      return tidy;
    };
  });
};

/** The poster shows that the file can be read: when this fails the job is parked, not the asset. */
export const handleTranscodeVideo: HandlerOf<typeof transcodeVideo> = async (ctx, { assetId }) => {
  const asset = await findForRender(ctx.db, assetId);
  if (!asset) return undefined;
  const path = await pathOf(ctx, asset);
  const { signal, paths } = ctx;
  const found = await probe(path, { signal });
  if (!needsTranscode(found)) return undefined;
  const from = await scratchFile(paths, 'mp4');
  const { encoder } = await transcode(path, from, { probe: found, signal });
  const name = derivedName(assetId, 'encoded_video', 'mp4');
  const { size, lastModified } = Bun.file(from);
  await publishDerived(paths, from, name);
  ctx.log.debug('a video was transcoded', { assetId, encoder, bytes: size });
  const tag = Bun.hash(`${size}.${lastModified}.${assetId}`).toString(36);
  return async (tx) => {
    if (!(await lockAsset(tx, assetId))) return () => removeDerived(paths, [name]);
    await saveFiles(tx, assetId, [
      { kind: 'encoded_video', name, mimeType: 'video/mp4', size, tag },
    ]);
    await touchAsset(tx, assetId, ctx.now());
    return undefined;
  };
};

/** Missing bytes say nothing about the file: a mount may be away. The job is tried again. */
async function pathOf(ctx: JobCtx, asset: RenderSubject): Promise<string> {
  const original = await findOriginal(ctx.paths, asset.sha256);
  if (!original) throw new Error(`The original of ${asset.id} is not on the disk`);
  return original.path;
}

/** A file that cannot be shown is marked, and the queue goes on. Slowness may be the machine's. */
async function orBroken(
  ctx: JobCtx,
  asset: RenderSubject,
  render: () => Promise<Effect>,
): Promise<Effect> {
  try {
    return await render();
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    if (!isPermanent(error) && !ctx.isLastAttempt) throw error;
    ctx.log.warn('a file cannot be shown', { assetId: asset.id, reason: error.message });
    const reason = `${error.kind}: ${error.message}`;
    return (tx) => saveBroken(tx, asset.id, { reason, now: ctx.now() });
  }
}

async function keep(
  ctx: JobCtx,
  { id }: RenderSubject,
  picture: RenderedImage,
  extra: Partial<Pick<Rendered, 'isPreviewSize' | 'durationMs'>>,
): Promise<Effect> {
  const { thumbnail, preview, thumbhash, width, height } = picture;
  const extension = preview.type === 'image/webp' ? 'webp' : 'jpg';
  const write = async (
    kind: 'thumbnail' | 'preview',
    name: string,
    mimeType: string,
    bytes: Uint8Array,
  ): Promise<DerivedFile> => ({
    kind,
    name,
    mimeType,
    ...(await writeDerived(ctx.paths, name, bytes)),
  });
  const files = await Promise.all([
    write('thumbnail', derivedName(id, 'thumbnail', 'webp'), 'image/webp', thumbnail.bytes),
    write('preview', derivedName(id, 'preview', extension), preview.type, preview.bytes),
  ]);
  forgetPictures();
  const rendered = { isPreviewSize: false, durationMs: undefined, ...extra };
  return async (tx) => {
    const row = { thumbhash, width, height, ...rendered, now: ctx.now() };
    const kept = await saveRendered(tx, id, row, files);
    if (kept?.isEdited) await enqueue(tx, renderEdits, { assetId: id });
    if (kept) await enqueue(tx, analyzeAsset, { assetId: id });
    // Earlier versions may have made the preview in the other format.
    const other = derivedName(id, 'preview', extension === 'jpg' ? 'webp' : 'jpg');
    const unused = kept ? [other] : files.map((file) => file.name);
    return () => removeDerived(ctx.paths, unused);
  };
}
