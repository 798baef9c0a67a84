/** Facts beside the row and the metadata of an asset, each read by a query of its own. */
const FACT_GROUPS = ['tags', 'albums', 'people', 'pets'] as const;
export type FactGroup = (typeof FACT_GROUPS)[number];

/** How well a sentence fits a picture: a cosine, -1 for an asset without an embedding. */
export type Similarity = { readonly cosine: number; readonly typical: number };

/** An asset as filters and actions see it. Members of groups are empty unless they were asked for. */
export type Facts = {
  readonly id: string;
  readonly type: 'IMAGE' | 'VIDEO' | 'AUDIO' | 'OTHER';
  readonly fileName: string;
  /** bytes */
  readonly fileSize: number;
  readonly visibility: 'timeline' | 'archive' | 'hidden';
  readonly isFavorite: boolean;
  /** Local capture time, as 'YYYY-MM-DDTHH:MM:SS'. */
  readonly localTakenAt: string;
  readonly takenAt: Date;
  /** pixels */
  readonly width: number | null;
  readonly height: number | null;
  readonly durationMs: number | null;
  readonly make: string | null;
  readonly model: string | null;
  readonly lensModel: string | null;
  readonly timeZone: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly country: string | null;
  readonly description: string;
  /** Device that uploaded it, or the name of the API key; empty: unknown. */
  readonly uploadedFrom: string;
  /** 1 to 5 */
  readonly rating: number | null;
  /** Ids; also of the tags above. */
  readonly tags: ReadonlySet<string>;
  readonly albums: ReadonlySet<string>;
  readonly people: ReadonlySet<string>;
  readonly pets: ReadonlySet<string>;
  /** By the sentences that were encoded. */
  readonly similarities: ReadonlyMap<string, Similarity>;
  /** Recognised text, in lower case without diacritics; empty: none. */
  readonly text: string;
};
