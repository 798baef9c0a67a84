import { expect, test } from 'bun:test';
import { seekTo, setVolume, takeSound, togglePlaying, toggleSound } from './actions.ts';
import { findValue } from './slider.tsx';
import { findAction } from './use-player-keys.ts';

const pressed = (key: string, held: Partial<KeyboardEvent> = {}) =>
  findAction({ key, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, ...held });

/** As much of a video as the actions use. */
function createMedia(changed: Partial<HTMLMediaElement> = {}): HTMLMediaElement {
  const media = { paused: true, ended: false, currentTime: 50, duration: 100, ...changed };
  return Object.assign(media as HTMLMediaElement, {
    volume: 1,
    muted: false,
    play: async () => void Object.assign(media, { paused: false }),
    pause: () => void Object.assign(media, { paused: true }),
  });
}

test('keys play, mute and jump; those of the viewer stay its own', () => {
  expect(pressed(' ')).toBe(togglePlaying);
  expect(pressed('k')).toBe(togglePlaying);
  expect(pressed('M')).toBe(toggleSound);
  for (const key of ['f', 'l', 'j', 'ArrowLeft', 'ArrowRight', 'i', 'c']) {
    expect(pressed(key)).toBeUndefined();
  }
  expect(pressed('F', { shiftKey: true })).toBeUndefined();
  expect(pressed('k', { ctrlKey: true })).toBeUndefined();
  expect(pressed(' ', { shiftKey: true })).toBeUndefined();
});

test('a jump is ten seconds, and stays within the video', () => {
  const media = createMedia();
  pressed('ArrowRight', { shiftKey: true })?.(media);
  expect(media.currentTime).toBe(60);
  pressed('ArrowLeft', { shiftKey: true })?.(media);
  expect(media.currentTime).toBe(50);
  seekTo(media, 98);
  pressed('ArrowRight', { shiftKey: true })?.(media);
  expect(media.currentTime).toBe(100);
  seekTo(media, -3);
  expect(media.currentTime).toBe(0);
});

test('a video is played, paused, and played again after its end', () => {
  const media = createMedia();
  togglePlaying(media);
  expect(media.paused).toBe(false);
  togglePlaying(media);
  expect(media.paused).toBe(true);
  const ended = createMedia({ paused: true, ended: true });
  togglePlaying(ended);
  expect(ended.paused).toBe(false);
});

test('the next video is as loud as the one before it', () => {
  const [first, second] = [createMedia(), createMedia()];
  setVolume(first, 0.4);
  toggleSound(first);
  takeSound(second);
  expect([second.volume, second.muted]).toEqual([0.4, true]);
  toggleSound(second);
  expect([second.volume, second.muted]).toEqual([0.4, false]);
  // Nothing is heard at no volume: the sound comes back as a whole.
  setVolume(second, 0);
  expect(second.muted).toBe(true);
  toggleSound(second);
  expect([second.volume, second.muted]).toEqual([1, false]);
});

test('keys move a slider by a step, a page and to its ends', () => {
  const range = { value: 50, max: 60, step: 5 };
  const found = ['ArrowLeft', 'ArrowDown', 'ArrowRight', 'ArrowUp', 'PageDown', 'PageUp'].map(
    (key) => findValue(key, range),
  );
  expect(found).toEqual([45, 45, 55, 55, 20, 60]);
  expect([findValue('Home', range), findValue('End', range)]).toEqual([0, 60]);
  expect(findValue('k', range)).toBeUndefined();
  expect(findValue('ArrowLeft', { ...range, value: 2 })).toBe(0);
});
