/** Facts that an export has about a photo or video beside its file. */
export type Facts = {
  /** Used where the file has no date of its own. */
  readonly takenAt?: Date | undefined;
  /** Degrees. Used where the file has no position. */
  readonly position?: { readonly latitude: number; readonly longitude: number } | undefined;
  /** Used where the file has no description. */
  readonly description?: string | undefined;
  readonly isFavorite?: boolean;
  /** It was in the trash of the other service. */
  readonly isTrashed?: boolean;
  readonly visibility?: 'archive' | 'locked' | undefined;
  readonly people?: readonly string[];
  /** Titles of albums that have it. */
  readonly albums?: readonly string[];
};
