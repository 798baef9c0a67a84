import type { Deps } from '../../../core/context.ts';
import { type Picture, PICTURE_EXTENSIONS, type RenderedImage } from '../../../media/sizes.ts';
import { writeDerivedFile } from './derived-files.ts';
import type { DerivedFile } from './processing.store.ts';

/** Writes the rendered sizes of an asset's picture. */
export async function writePictures(
  deps: Pick<Deps, 'db' | 'sql' | 'settings' | 'paths'>,
  assetId: string,
  {
    thumbnail,
    preview,
    fullsize,
  }: Pick<RenderedImage, 'thumbnail' | 'preview'> & { readonly fullsize?: Picture | undefined },
): Promise<DerivedFile[]> {
  const write = async (
    kind: 'thumbnail' | 'preview' | 'fullsize',
    { bytes, type }: Picture,
  ): Promise<DerivedFile> => {
    const owner = { id: assetId, kind, extension: PICTURE_EXTENSIONS[type] };
    return { kind, mimeType: type, ...(await writeDerivedFile(deps, owner, bytes)) };
  };
  return Promise.all([
    write('thumbnail', thumbnail),
    write('preview', preview),
    ...(fullsize ? [write('fullsize', fullsize)] : []),
  ]);
}
