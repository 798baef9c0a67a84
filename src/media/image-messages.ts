import type { FaceBox } from './face-crop.ts';
import type { EditedImage } from './edited-image.ts';
import type { PictureLooks } from './outline.ts';
import type { PictureEdits } from './picture-edits.ts';
import type { PictureQuality } from './quality.ts';
import type { ImageOutputs, RenderedImage, Size } from './sizes.ts';

// Between the server and the child processes that decode pictures. Plain JSON and bytes: what a
// decoder that was taken over sends is parsed by nothing that could be taken over in turn.

/** A file to decode, of a format that libvips reads. */
export type ImageFile = {
  readonly path: string;
  readonly isJpeg: boolean;
  /** An SVG, which is rendered and neither edited nor digested. */
  readonly isDrawing?: boolean | undefined;
  /** EXIF number of the turn to make; undefined: as the file says. */
  readonly orientation?: number | undefined;
  /** As the metadata names it; some cameras write it nowhere else. */
  readonly colorspace?: string | undefined;
};

/** The picture in a Photoshop file, in a format that libvips reads; `width` and `height` are the document's. */
export type PhotoshopPicture = Size & {
  readonly bytes: Uint8Array;
  /** A JPEG; else a TIFF. */
  readonly isJpeg: boolean;
  /** See RenderedImage. */
  readonly damage: string | undefined;
};

export type ImageRequest =
  | { readonly op: 'render'; readonly file: ImageFile; readonly outputs: ImageOutputs }
  | (PictureEdits & {
      readonly op: 'edit';
      readonly file: ImageFile;
      readonly source: Size;
      readonly outputs: ImageOutputs;
    })
  | { readonly op: 'cropFace'; readonly path: string; readonly box: FaceBox }
  | { readonly op: 'digestPixels'; readonly file: ImageFile }
  | { readonly op: 'photoshop'; readonly path: string }
  | { readonly op: 'looks'; readonly path: string }
  | { readonly op: 'quality'; readonly path: string };

export type ImageResults = {
  readonly render: RenderedImage;
  readonly edit: EditedImage;
  readonly cropFace: { readonly bytes: Uint8Array };
  readonly digestPixels: { readonly bytes: Uint8Array };
  readonly photoshop: PhotoshopPicture;
  readonly looks: PictureLooks;
  readonly quality: PictureQuality;
};

/** The first line of an answer; then come the bytes of its parts. */
export type ImageReply = { readonly parts: readonly number[]; readonly memory: number } & (
  | { readonly result: unknown }
  | { readonly error: { readonly kind?: string | undefined; readonly message: string } }
);

/** Takes the bytes out of a value: `{ $part: 0 }` stands for the first of the parts. */
export function detachBytes(value: unknown, parts: Uint8Array[]): unknown {
  if (value instanceof Uint8Array) return { $part: parts.push(value) - 1 };
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, detachBytes(inner, parts)]),
  );
}

/** The reverse of `detachBytes`. */
export function attachBytes(value: unknown, parts: readonly Uint8Array[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('$part' in value) return parts[Number(value.$part)];
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, attachBytes(inner, parts)]),
  );
}
