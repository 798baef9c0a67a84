import { MANIFESTS } from './service-worker-names.ts';
import { readStorage, writeStorage } from './storage.ts';
import { createStore } from './store.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'safelight.theme';
export const theme = createStore<Theme>(readStoredTheme());

function readStoredTheme(): Theme {
  const value = readStorage(KEY);
  return THEMES.find((name) => name === value) ?? 'system';
}

export function chooseTheme(next: Theme): void {
  theme.set(next);
  applyTheme();
  writeStorage(KEY, next);
}

export function applyTheme(): void {
  const { dataset } = document.documentElement;
  if (theme.get() === 'system') delete dataset['theme'];
  else dataset['theme'] = theme.get();
  const manifest = MANIFESTS[isDark() ? 'dark' : 'light'];
  document.querySelector('link[rel=manifest]')?.setAttribute('href', manifest);
}

export const isDark = (): boolean =>
  theme.get() === 'dark' ||
  (theme.get() === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
