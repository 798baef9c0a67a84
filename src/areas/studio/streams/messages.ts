import type { WireRational } from '../../../core/rational.ts';
import type { PortRange } from '../../../core/setting-parsers.ts';
import type { PeerState } from '../../../webrtc/video-sender.ts';
import type { PlayedFilm } from '../render/segment-graph.ts';

/** A film as it is streamed. */
export type Film = PlayedFilm & {
  /** Where the film begins. */
  readonly time: WireRational;
  /** The folder of this stream only; there when the child starts, and removed after it. */
  readonly folder: string;
};

/** A moment of the film, and whether it goes on from there or stands still. */
export type Position = { readonly time: WireRational; readonly isPlaying: boolean };

export type ToChild =
  | {
      readonly type: 'start';
      readonly film: Film;
      readonly maxBitrateKbps: number;
      /** Ports of UDP; undefined: those that the system chooses. */
      readonly ports: PortRange | undefined;
    }
  /** The indexes of all videos are remembered that can be. */
  | { readonly type: 'indexed' }
  | { readonly type: 'answer'; readonly sdp: string }
  | { readonly type: 'reconnect'; readonly negotiation: number }
  | ({ readonly type: 'position'; readonly number: number } & Position);

export type FromChild =
  | { readonly type: 'ready' }
  | { readonly type: 'offer'; readonly negotiation: number; readonly sdp: string }
  | { readonly type: 'peer'; readonly negotiation: number; readonly state: PeerState }
  /** The first picture of a position is sent. */
  | { readonly type: 'shown'; readonly number: number }
  | {
      readonly type: 'failed';
      readonly reason: 'error' | 'source-unavailable' | 'negotiation-failed';
      readonly message: string;
    };
