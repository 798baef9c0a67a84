import type { Entry, Step } from './layers.ts';

/** The menu of a link that has expired. */
const link = (entry: string): Step[] => [['More about {title}', { title: 'Expired' }], entry];

/** Returns the dialogs and menus of an album and of links. */
export const listAlbumEntries = (album: string): Entry[] => [
  { title: 'New album', of: 'pages/albums/albums-page.tsx', at: '/albums', steps: ['New album'] },
  {
    title: 'Album actions',
    of: 'pages/albums/album-head.tsx',
    at: album,
    steps: ['Album actions'],
    layer: '[role=menu]',
  },
  {
    title: 'Add photos to “{albumName}”',
    of: 'pages/albums/add-photos-dialog.tsx',
    at: album,
    steps: ['Add photos'],
  },
  {
    title: 'Choose cover',
    of: 'pages/albums/cover-dialog.tsx',
    at: album,
    steps: ['Choose cover'],
  },
  {
    title: 'Order of the photos',
    of: 'parts/album-order/order-menu.tsx',
    at: album,
    steps: ['Order of the photos'],
    layer: '[role=menu]',
  },
  {
    title: 'Share “{albumName}”',
    of: 'parts/albums/share-dialog.tsx',
    at: album,
    steps: ['Share album'],
  },
  {
    title: 'Delete this album?',
    of: 'pages/albums/album-dialog.tsx',
    at: album,
    steps: ['Album actions', 'Delete album'],
  },
  {
    title: 'More about {title}',
    of: 'parts/links/link-row.tsx',
    at: '/links',
    steps: link('').slice(0, 1),
    layer: '[role=menu]',
  },
  { title: '', of: 'parts/links/link-row.tsx', at: '/links', steps: link('Show QR code') },
  {
    title: 'Slideshow for a television',
    of: 'parts/links/link-row.tsx',
    at: '/links',
    steps: link('Slideshow for a television'),
  },
  { title: 'Edit link', of: 'parts/links/link-dialog.tsx', at: '/links', steps: link('Edit') },
  {
    title: 'Delete this link?',
    of: 'parts/links/link-row.tsx',
    at: '/links',
    steps: link('Delete'),
  },
  {
    title: 'Pinned',
    of: 'shell/side-pins.tsx',
    isDesktop: true,
    at: album,
    steps: ['Order the pins'],
  },
];
