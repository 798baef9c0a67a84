export type MetadataSupplement = {
  readonly takenAt?: Date | undefined;
  /** It counts more than the date of the file, where that is another day. */
  readonly trustsDate?: boolean | undefined;
  readonly description?: string | undefined;
  /** Degrees. */
  readonly position?: { readonly latitude: number; readonly longitude: number } | undefined;
};

export type MetadataOptions = {
  readonly fileName: string;
  /** Taken time when the file does not say: what the client sent, else the file's own time. */
  readonly fallbackTime: Date;
  readonly ownerZone: string;
  /** Values for what neither the file nor the sidecar tells. */
  readonly supplement?: MetadataSupplement | undefined;
  /** An XMP file: its values win where it has any. */
  readonly sidecarPath?: string | undefined;
};
