import { type Capabilities, getCapabilities, type TaskName } from '../../inference/index.ts';
import type { Settings } from '../../core/settings.ts';

/** What is asked about every frame. */
export const FRAME_TASKS = ['embedding', 'labels', 'objects'] as const satisfies TaskName[];

/** The installed models by their names, in one order; none: frames cannot be described now. */
export function listFrameModels(settings: Settings): readonly string[] {
  const capabilities: Capabilities = getCapabilities(settings);
  const ids = FRAME_TASKS.flatMap((task) => capabilities[task]?.modelId ?? []);
  return [...new Set(ids)].sort();
}

/** As they are stored with what they made. */
export const joinModels = (models: readonly string[]): string => models.join(' ');
export const splitModels = (text: string): string[] => text.split(' ').filter((id) => id !== '');
