import { type Capabilities, getCapabilities, type TaskName } from '../../../inference/index.ts';
import type { Settings } from '../../../core/settings.ts';

/** Tasks that run on each frame. */
export const FRAME_TASKS = ['embedding', 'labels', 'objects'] as const satisfies TaskName[];

/** Returns the installed models for frames, sorted; empty when frames cannot be described. */
export function listFrameModels(settings: Settings): readonly string[] {
  const capabilities: Capabilities = getCapabilities(settings);
  const ids = FRAME_TASKS.flatMap((task) => capabilities[task]?.modelId ?? []);
  return [...new Set(ids)].sort();
}

/** Stored form of a list of models. */
export const joinModels = (models: readonly string[]): string => models.join(' ');
export const splitModels = (text: string): string[] => text.split(' ').filter((id) => id !== '');
