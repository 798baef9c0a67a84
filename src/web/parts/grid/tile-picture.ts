/** The picture of a photo in the grid, once it has come. */
export const findTilePicture = (id: string): HTMLImageElement | undefined =>
  [
    ...document.querySelectorAll<HTMLImageElement>(
      `[data-part=tile-link][data-id="${CSS.escape(id)}"] img[data-loaded]`,
    ),
  ].find(({ naturalWidth }) => naturalWidth > 0);
