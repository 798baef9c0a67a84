import type { RankLimits } from './ranking.ts';
import type { Hit } from './types.ts';

export type RankCall = {
  readonly kind: 'rank';
  readonly modelId: string;
  readonly queries: readonly Float32Array[];
  /** Packed as PostgreSQL packs them; undefined: all. */
  readonly slots: Uint8Array | undefined;
  readonly k: number;
};
export type RefreshCall = { readonly kind: 'refresh'; readonly modelId: string };
export type VectorCall = RankCall | RefreshCall;

export type ToVectors =
  | {
      readonly type: 'start';
      /** The database. */
      readonly address: string;
      readonly folder: string;
      readonly freshMs: number;
      readonly limits: RankLimits;
    }
  | { readonly type: 'stop' }
  | { readonly type: 'call'; readonly id: number; readonly call: VectorCall };

export type FromVectors =
  | { readonly type: 'built'; readonly vectors: number; readonly ms: number }
  | { readonly type: 'buildFailure'; readonly message: string }
  | { readonly type: 'stopped' }
  | { readonly type: 'answer'; readonly id: number; readonly hits: readonly (readonly Hit[])[] }
  | {
      readonly type: 'failure';
      readonly id: number;
      readonly message: string;
      /** The database could not be reached: the next call may succeed. */
      readonly isServerFault: boolean;
    };
