import { t } from '../../../base/i18n.ts';
import { readStorage, writeStorage } from '../../../base/storage.ts';
import { type Order, ORDERS } from './sequence.ts';

export const INTERVALS = [3, 5, 10, 20, 60] as const;
export const TRANSITIONS = ['fade', 'slide', 'none'] as const;
export type Transition = (typeof TRANSITIONS)[number];

/** How this device shows a slideshow. */
export type SlideshowSettings = {
  /** For so long a photo is shown; a video is shown to its end. */
  seconds: number;
  order: Order;
  transition: Transition;
  /** Whether photos slowly grow while they are shown (the Ken Burns effect). */
  hasMotion: boolean;
  repeats: boolean;
  isFullscreen: boolean;
};

const DEFAULTS: SlideshowSettings = {
  seconds: 5,
  order: 'forward',
  transition: 'fade',
  hasMotion: true,
  repeats: true,
  isFullscreen: true,
};

export const ORDER_NAMES: Record<Order, string> = {
  forward: t('Newest first'),
  backward: t('Oldest first'),
  random: t('Random'),
};
export const TRANSITION_NAMES: Record<Transition, string> = {
  fade: t('Fade'),
  slide: t('Slide'),
  none: t('None'),
};

const KEY = 'safelight.slideshow';

/** Returns the saved settings; what is missing or no longer possible is as by default. */
export function readSettings(): SlideshowSettings {
  const saved = parse(readStorage(KEY));
  const pick = <T>(possible: readonly T[], value: unknown, fallback: T): T =>
    possible.find((one) => one === value) ?? fallback;
  return {
    seconds: pick<number>(INTERVALS, saved['seconds'], DEFAULTS.seconds),
    order: pick(ORDERS, saved['order'], DEFAULTS.order),
    transition: pick(TRANSITIONS, saved['transition'], DEFAULTS.transition),
    hasMotion: pick([true, false], saved['hasMotion'], DEFAULTS.hasMotion),
    repeats: pick([true, false], saved['repeats'], DEFAULTS.repeats),
    isFullscreen: pick([true, false], saved['isFullscreen'], DEFAULTS.isFullscreen),
  };
}

export const saveSettings = (settings: SlideshowSettings): void =>
  writeStorage(KEY, JSON.stringify(settings));

function parse(text: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
