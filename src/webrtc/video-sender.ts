import wrtc from '@roamhq/wrtc';
import { requireValue } from '../core/required.ts';
import type { PortRange } from '../core/setting-parsers.ts';
import type { Size } from '../media/sizes.ts';
import { withReachableCandidates } from './sdp.ts';

// In child processes only: the library ends the process when its thread ends.

/** 'interrupted' may come back by itself, 'failed' does not. */
export type PeerState = 'connected' | 'interrupted' | 'failed';

const PEER_STATES: Readonly<Record<string, PeerState>> = {
  connected: 'connected',
  disconnected: 'interrupted',
  failed: 'failed',
};

/** So long a browser has after its answer. */
const CONNECT_MS = 60_000;
const GATHER_MS = 10_000;

export type VideoSenderOptions = {
  readonly maxBitrateKbps: number;
  readonly ports: PortRange | undefined;
  readonly onState: (state: PeerState) => void;
};

/** One video track, and the peer connection that carries it at present. */
export class VideoSender {
  readonly #options: VideoSenderOptions;
  readonly #source = new wrtc.nonstandard.RTCVideoSource();
  readonly #track = this.#source.createTrack();
  #connection: RTCPeerConnection | undefined;
  #connecting: Timer | undefined;

  constructor(options: VideoSenderOptions) {
    this.#options = options;
  }

  /** Sends a frame in I420. */
  send({ width, height }: Size, data: Uint8Array): void {
    this.#source.onFrame({ width, height, data });
  }

  /** Ends the connection that there is, and returns a complete offer of the next one. */
  async offer(): Promise<string> {
    const { maxBitrateKbps, ports } = this.#options;
    this.#close();
    const connection = new wrtc.RTCPeerConnection({
      iceServers: [],
      ...(ports && { portRange: ports }),
    });
    this.#connection = connection;
    connection.addTransceiver(this.#track, {
      direction: 'sendonly',
      sendEncodings: [{ maxBitrate: maxBitrateKbps * 1000 }],
    });
    connection.addEventListener('connectionstatechange', () => {
      if (connection === this.#connection) this.#report(connection.connectionState);
    });
    await connection.setLocalDescription(await connection.createOffer());
    await isGathered(connection);
    const { sdp } = requireValue(connection.localDescription, 'offer of the connection');
    return withReachableCandidates(sdp);
  }

  /** Throws if the answer cannot be used. */
  async accept(sdp: string): Promise<void> {
    const connection = requireValue(this.#connection, 'connection to answer');
    await connection.setRemoteDescription({ type: 'answer', sdp });
    this.#connecting = setTimeout(() => this.#report('failed'), CONNECT_MS);
  }

  #report(connectionState: string): void {
    const state = PEER_STATES[connectionState];
    if (!state) return;
    clearTimeout(this.#connecting);
    this.#options.onState(state);
  }

  #close(): void {
    clearTimeout(this.#connecting);
    this.#connection?.close();
    this.#connection = undefined;
  }
}

function isGathered(connection: RTCPeerConnection): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const check = () => {
    if (connection.iceGatheringState === 'complete') resolve();
  };
  connection.addEventListener('icegatheringstatechange', check);
  check();
  setTimeout(resolve, GATHER_MS).unref();
  return promise;
}
