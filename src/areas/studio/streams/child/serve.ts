import { existsSync } from 'node:fs';
import { toRational } from '../../../../core/rational.ts';
import { VideoSender } from '../../../../webrtc/video-sender.ts';
import type { Film, FromChild, ToChild } from '../messages.ts';
import { Player } from './player.ts';

/** Body of the child of one stream: it plays a film to one browser until it is ended. */
export function serveStream(): Promise<number> {
  const send = (message: FromChild) => void process.send?.(message);
  const { promise, resolve } = Promise.withResolvers<number>();
  let stream: ReturnType<typeof startStream> | undefined;
  process.on('disconnect', () => resolve(0));
  process.on('message', (message: ToChild) => {
    if (message.type === 'start') stream = startStream(message, send);
    else if (message.type === 'indexed') stream?.begin();
    else if (message.type === 'answer') void stream?.accept(message.sdp);
    else if (message.type === 'position') void stream?.move(message);
    else void stream?.offer(message.negotiation);
  });
  send({ type: 'ready' });
  // The library keeps threads that would keep the process.
  return promise.finally(() => process.exit(0));
}

type Start = Extract<ToChild, { type: 'start' }>;

function startStream({ film, maxBitrateKbps, ports }: Start, send: (message: FromChild) => void) {
  let negotiation = 0;
  const player = new Player(film, (frame) => sender.send(film.size, frame));
  const sender = new VideoSender({
    maxBitrateKbps,
    ports,
    onState(state) {
      player.setWatched(state === 'connected');
      send({ type: 'peer', negotiation, state });
    },
  });
  const fail = (reason: Extract<FromChild, { type: 'failed' }>['reason'], error: unknown) =>
    send({
      type: 'failed',
      reason,
      message: error instanceof Error ? error.message : String(error),
    });
  const offer = async (number: number) => {
    negotiation = number;
    player.setWatched(false);
    try {
      send({ type: 'offer', negotiation, sdp: await sender.offer() });
    } catch (error) {
      fail('error', error);
    }
  };
  const accept = (sdp: string) =>
    sender.accept(sdp).catch((error: unknown) => fail('negotiation-failed', error));
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const play = (start: Parameters<Player['play']>[0]) =>
    begun
      .then(() => player.play(start))
      .catch((error: unknown) => fail(isSourceGone(film) ? 'source-unavailable' : 'error', error));
  const move = ({ number, time, isPlaying }: Extract<ToChild, { type: 'position' }>) =>
    play({
      time: toRational(time),
      isPlaying,
      onShown: () => send({ type: 'shown', number }),
    });
  void offer(1);
  void play({ time: toRational(film.time), isPlaying: true });
  return { begin, offer, accept, move };
}

const isSourceGone = ({ sources }: Film): boolean =>
  [...sources.values()].some(({ path }) => !existsSync(path));
