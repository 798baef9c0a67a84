import type { Album } from '../types.ts';

export const ALBUM_ORDERS = ['newest', 'oldest', 'title', 'changed', 'largest'] as const;
export type AlbumOrder = (typeof ALBUM_ORDERS)[number];

const compareText = (a: string, b: string): number =>
  a.localeCompare(b, undefined, { numeric: true });

const getEnd = (album: Album): string => album.endDate ?? album.createdAt;
const getStart = (album: Album): string => album.startDate ?? album.createdAt;

const COMPARE: Readonly<Record<AlbumOrder, (a: Album, b: Album) => number>> = {
  newest: (a, b) => getEnd(b).localeCompare(getEnd(a)),
  oldest: (a, b) => getStart(a).localeCompare(getStart(b)),
  title: (a, b) => compareText(a.albumName, b.albumName),
  changed: (a, b) => b.updatedAt.localeCompare(a.updatedAt),
  largest: (a, b) => b.assetCount - a.assetCount,
};

export const sortAlbums = (albums: readonly Album[], order: AlbumOrder): Album[] =>
  albums.toSorted((a, b) => COMPARE[order](a, b) || compareText(a.albumName, b.albumName));

/** The albums of one level: albums, and the groups of those whose names begin with "Group/". */
export type AlbumLevel = {
  readonly groups: readonly AlbumGroup[];
  readonly albums: readonly Album[];
};
export type AlbumGroup = {
  /** The last part of the path. */
  readonly name: string;
  /** Parts joined by "/". */
  readonly path: string;
  /** All below it, in the order of the whole. */
  readonly albums: readonly Album[];
};

/** Returns the parts of an album's name: "Trips/Norway" is "Norway" in the group "Trips". */
export const splitAlbumName = (name: string): string[] =>
  name
    .split('/')
    .map((part) => part.trim())
    .filter(Boolean);

/**
 * Returns the groups and albums directly below `path` ('' for all), in the order of `albums`. A group has at
 * least two albums, counting the one of its own name; a lone "A/B" stays an album.
 */
export function getAlbumLevel(albums: readonly Album[], path: string): AlbumLevel {
  const prefix = splitAlbumName(path);
  const below = albums.flatMap((album) => {
    const parts = splitAlbumName(album.albumName);
    const isBelow = prefix.every((part, index) => parts[index] === part);
    return isBelow && (prefix.length === 0 || parts.length >= prefix.length)
      ? [{ album, next: parts[prefix.length], isDeeper: parts.length > prefix.length + 1 }]
      : [];
  });
  const byNext = Map.groupBy(below, ({ next }) => next);
  const isGroup = (next: string | undefined): next is string => {
    const members = next === undefined ? [] : (byNext.get(next) ?? []);
    return members.length > 1 && members.some(({ isDeeper }) => isDeeper);
  };
  const groups = [...byNext].flatMap(([next, members]) =>
    isGroup(next)
      ? [
          {
            name: next,
            path: [...prefix, next].join('/'),
            albums: members.map(({ album }) => album),
          },
        ]
      : [],
  );
  return { groups, albums: below.filter(({ next }) => !isGroup(next)).map(({ album }) => album) };
}

/** Returns the name to show below a path: without the path itself. */
export function getNameBelow(albumName: string, path: string): string {
  const [parts, prefix] = [splitAlbumName(albumName), splitAlbumName(path)];
  const isBelow = parts.length > prefix.length && prefix.every((part, at) => parts[at] === part);
  return isBelow && prefix.length > 0 ? parts.slice(prefix.length).join('/') : albumName;
}
