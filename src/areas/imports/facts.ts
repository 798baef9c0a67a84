/** An album of another program, or of a folder. */
export type ImportedAlbum = {
  readonly title: string;
  readonly description?: string | undefined;
  /** It has comments or places, which are not taken. */
  readonly hasMore?: boolean;
  /** The program, and its album: another one of this title is another album. Without, the title alone counts. */
  readonly origin?: { readonly source: string; readonly key: string };
};

/** Albums with the same one are one album. */
export const toAlbumKey = ({ title, origin }: ImportedAlbum): string =>
  origin ? `${origin.source}:${origin.key}` : title;

/** Facts that an export has about a photo or video beside its file. */
export type Facts = {
  /** The name under which it was uploaded. */
  readonly title?: string | undefined;
  /** Used where the file has no date of its own. */
  readonly takenAt?: Date | undefined;
  /** The date counts more than that of the file. */
  readonly trustsDate?: boolean;
  /** Degrees. Used where the file has no position. */
  readonly position?: { readonly latitude: number; readonly longitude: number } | undefined;
  /** Used where the file has no description. */
  readonly description?: string | undefined;
  readonly isFavorite?: boolean;
  /** It was in the trash of the other service. */
  readonly isTrashed?: boolean;
  readonly visibility?: 'archive' | 'locked' | undefined;
  readonly people?: readonly string[];
  /** Albums that have it. */
  readonly albums?: readonly ImportedAlbum[];
  /** The service shows the file as an item by itself: only equal identifiers make it a half of a live photo. */
  readonly isItem?: boolean;
  /** A date or a position is given that is none. */
  readonly isOdd?: boolean;
  /** They are not of the file itself: of the photo of its name, of its folder, or there are none. */
  readonly basis?: 'photo' | 'folder' | 'none';
};

export const isLocked = ({ visibility }: Facts): boolean => visibility === 'locked';

/** Whether one of them must be hidden where the other is shown. */
export const hasOtherPrivacy = (one: Facts, other: Facts): boolean =>
  Boolean(one.isTrashed) !== Boolean(other.isTrashed) || isLocked(one) !== isLocked(other);

/** Returns the facts of a file about which there are two: what one of them hides is locked. */
export function mergeFacts(one: Facts, other: Facts): Facts {
  const isHidden = [one, other].some((facts) => facts.isTrashed || isLocked(facts));
  if (!hasOtherPrivacy(one, other)) return other;
  return { ...other, isTrashed: false, visibility: isHidden ? 'locked' : other.visibility };
}
