import type { Entry } from './layers.ts';

/** Returns all dialogs and menus of a library that `furnish` has filled; `paths` are those of its pages. */
export function listEntries(paths: readonly string[]): Entry[] {
  const find = (start: string) => paths.find((path) => path.startsWith(start) && path !== start)!;
  const album = find('/albums/');
  const photo = paths[1]!;
  return [
    { title: 'Edit album', of: 'pages/albums/edit-album.tsx', at: album, steps: ['Edit album'] },
    {
      title: 'Choose cover',
      of: 'pages/albums/cover-dialog.tsx',
      at: album,
      steps: ['Choose cover'],
    },
    {
      title: 'Share “{albumName}”',
      of: 'parts/albums/share-dialog.tsx',
      at: album,
      steps: ['Share album'],
    },
    {
      title: 'Delete this album?',
      of: 'pages/albums/album-page.tsx',
      at: album,
      steps: ['Delete album'],
    },
    {
      title: 'Share by link',
      of: 'parts/links/link-dialog.tsx',
      at: photo,
      steps: ['Share by link'],
    },
    {
      title: 'Edit date and place',
      of: 'parts/metadata-edits/dialog.tsx',
      at: photo,
      steps: ['Edit date and place'],
    },
  ];
}
