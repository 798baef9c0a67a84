import { callImageChild } from './image-children.ts';
import { unsupported } from './errors.ts';
import { type RenderOptions, withReadable } from './images.ts';
import type { PictureEdits } from './picture-edits.ts';
import { DEFAULT_OUTPUTS, type Picture, type RenderedImage, type Size } from './sizes.ts';

export type EditedImage = Pick<RenderedImage, 'thumbnail' | 'preview' | 'thumbhash'> & {
  /** As large as the file and the memory for it allow. */
  readonly fullsize: Picture;
};

/** Memory of the whole picture, twice for a moment. */
const EDIT_BYTES = 320 * 1024 ** 2;
const TIMEOUT_MS = 300_000;

/**
 * Renders an edited picture without metadata, in sRGB. `source` is the size that the edits refer
 * to. Throws MediaError.
 */
export const renderEdited = (
  path: string,
  options: RenderOptions & PictureEdits & { readonly source: Size },
): Promise<EditedImage> =>
  withReadable(path, { ...options, leastBytes: EDIT_BYTES }, async (file) => {
    if (file.isDrawing) throw unsupported('SVG drawings are not edited');
    const { edits, adjustments, source, outputs = DEFAULT_OUTPUTS, signal } = options;
    return callImageChild(
      { op: 'edit', file, edits, adjustments, source, outputs },
      { signal, timeoutMs: TIMEOUT_MS },
    );
  });
