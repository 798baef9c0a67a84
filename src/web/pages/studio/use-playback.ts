import { useEffect, useRef, useState } from 'react';
import { add, compare, type Rational, toSeconds, toWire, ZERO } from '../../../core/rational.ts';
import { useStore } from '../../base/store.ts';
import { type Film, getFrameLength, toNearestFrame } from './film.ts';
import { createPlayer, type PlayerState } from './player.ts';
import type { Saver } from './saver.ts';
import { createSoundPlayer } from './sound-player.ts';

export type Playback = {
  readonly state: PlayerState;
  /** Or about to. */
  readonly isPlaying: boolean;
  /** Plays from the playhead, from the start if that is at the end; pauses what plays. */
  readonly toggle: () => void;
  readonly pause: () => void;
  /** Moves the playhead with what plays. */
  readonly follow: (secondsPlayed: number) => void;
};

/** The server fits the film into it. */
const VIEWPORT = { width: 960, height: 960 };

type PlaybackOptions = {
  readonly projectId: string;
  readonly film: Film;
  readonly length: Rational;
  readonly playhead: Rational;
  readonly saver: Saver;
  readonly moveTo: (time: Rational) => void;
};

/** Plays the film as it is stored. An edit stops it. */
export function usePlayback(options: PlaybackOptions): Playback {
  const { projectId, film, length, playhead, saver, moveTo } = options;
  const [player] = useState(createPlayer);
  const state = useStore(player.state);
  const startedAt = useRef<Rational>(ZERO);
  const [sound] = useState(createSoundPlayer);
  const isPlaying = state.status === 'starting' || state.status === 'playing';
  useEffect(() => () => player.stop(), [player, film]);
  useEffect(() => (isPlaying ? () => sound.stop() : undefined), [sound, isPlaying]);

  const play = async () => {
    const isAtEnd = compare(add(playhead, getFrameLength(film)), length) >= 0;
    const time = isAtEnd ? ZERO : playhead;
    await saver.flush();
    const { status, revision } = saver.state.get();
    if (status !== 'saved') return;
    startedAt.current = time;
    moveTo(time);
    const stored = { projectId, revision, quality: 'standard', viewport: VIEWPORT } as const;
    sound.load(stored, toWire(time));
    player.play(stored, toWire(time));
  };
  const pause = (at = playhead) => {
    if (isPlaying) player.pause(toWire(at));
  };
  return {
    state,
    isPlaying,
    pause: () => pause(),
    toggle: () => {
      if (isPlaying) pause();
      else if (compare(length, ZERO) > 0) void play();
    },
    follow(seconds) {
      sound.follow(seconds);
      const time = toNearestFrame(film, toSeconds(startedAt.current) + seconds);
      moveTo(time);
      if (compare(time, length) >= 0) pause(time);
    },
  };
}
