import type { WireRational } from '../../../core/rational.ts';
import type { Settings } from '../../../core/settings.ts';
import type { StudioDocument } from '../../../db/tables/studio.ts';
import type { Size } from '../../../media/sizes.ts';
import type { PeerState } from '../../../webrtc/video-sender.ts';
import type { Source } from '../render/layer-inputs.ts';

/** A film as it is streamed. */
export type Film = {
  readonly document: StudioDocument;
  /** Files by asset. */
  readonly sources: ReadonlyMap<string, Source>;
  readonly size: Size;
  /** Where the film begins. */
  readonly time: WireRational;
  /** Of the studio: what is remembered of videos. */
  readonly studio: string;
  /** Of this stream only; there when the child starts, and removed after it. */
  readonly folder: string;
};

export type ToChild =
  | {
      readonly type: 'start';
      readonly film: Film;
      readonly maxBitrateKbps: number;
      readonly settings: Pick<Settings, 'studioPorts' | 'mediaSocket' | 'groupAccess'>;
    }
  | { readonly type: 'answer'; readonly sdp: string }
  | { readonly type: 'reconnect'; readonly negotiation: number };

export type FromChild =
  | { readonly type: 'ready' }
  | { readonly type: 'offer'; readonly negotiation: number; readonly sdp: string }
  | { readonly type: 'peer'; readonly negotiation: number; readonly state: PeerState }
  | {
      readonly type: 'failed';
      readonly reason: 'error' | 'source-unavailable' | 'negotiation-failed';
      readonly message: string;
    };
