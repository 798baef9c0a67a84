import { type DataPaths, derivedName } from '../../../core/paths.ts';
import { type Picture, PICTURE_EXTENSIONS, type RenderedImage } from '../../../media/sizes.ts';
import { writeDerivedFile } from './derived-files.ts';
import type { DerivedFile } from './processing.store.ts';

/** Writes the rendered sizes of an asset's picture. */
export async function writePictures(
  paths: DataPaths,
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
    const name = derivedName(assetId, kind, PICTURE_EXTENSIONS[type]);
    return { kind, name, mimeType: type, ...(await writeDerivedFile(paths, name, bytes)) };
  };
  return Promise.all([
    write('thumbnail', thumbnail),
    write('preview', preview),
    ...(fullsize ? [write('fullsize', fullsize)] : []),
  ]);
}
