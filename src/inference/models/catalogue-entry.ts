export type Source =
  /** A file of an npm package, which CI and most networks can reach. */
  { readonly npm: string; readonly path: string } | { readonly url: string };

export type CatalogueFile = {
  /** Below the folder of the model. */
  readonly path: string;
  /** Undefined for files that their publisher may replace: the first digest is pinned. */
  readonly sha256: string | undefined;
  /** SHA-1 of the file as a blob of git, where its hub states no other digest. */
  readonly gitOid?: string | undefined;
  readonly bytes: number | undefined;
  /** Conversion of the published file, if any. */
  readonly convert?: {
    readonly from: 'tflite';
    /** Digest of the original. */
    readonly sha256: string;
    readonly extraOutputs?: readonly string[];
  };
  readonly sources: readonly Source[];
};

export type SetName = 'default' | 'ocr' | 'speech' | 'speech-base' | 'clip';

export type CatalogueModel = {
  /** `<task>/<name>`: also its folder. */
  readonly id: string;
  readonly set: SetName;
  readonly use: string;
  /** Licence of the weights. */
  readonly licence: string;
  readonly origin: string;
  /** A model of a hub must have these, and may have more. */
  readonly files: readonly CatalogueFile[];
  /** A model of which the hub states files and digests. */
  readonly hub?: {
    readonly repository: string;
    /** Branch or commit; what a branch is at installation is kept in model.json. */
    readonly revision: string;
    /** Paths of the files that are installed. */
    readonly isWanted: RegExp;
  };
  /** Installed where no source of this model can be reached; it goes when this model comes. */
  readonly fallback?: CatalogueModel;
  /** Extra members of model.json. */
  readonly notes?: Readonly<Record<string, number | string>>;
};

/** Returns the source of a file in a package: `name@version`. */
export const npm = (name: string, path: string): Source => ({ npm: name, path: `package/${path}` });
