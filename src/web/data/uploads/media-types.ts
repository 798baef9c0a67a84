import { memoizeSuccess } from '../../../core/memoize.ts';
import { ApiError, get } from '../../base/api.ts';
import type { MediaTypes } from '../types.ts';
import { t } from '../../base/i18n.ts';

/** '.heic' to 'image', of everything that the server takes. */
const knownKinds = memoizeSuccess(async (): Promise<ReadonlyMap<string, string>> => {
  const types = await get<MediaTypes>('/server/media-types');
  const pairs = Object.entries(types).flatMap(([kind, endings]) =>
    endings.map((ending) => [ending, kind] as const),
  );
  return new Map(pairs);
});

const EMPTY = t('The file is empty.');
export const UNSUPPORTED = t('This kind of file is not supported.');

const getExtension = (name: string): string | undefined => /\.\w+$/.exec(name)?.[0].toLowerCase();

/**
 * The media type of a file, also of one that the browser has no name for. Throws for what the server
 * does not take, and for an empty file, so that nothing is read and sent in vain; a name without ending
 * may pass.
 */
export async function getMediaType({
  name,
  type,
  size,
}: Pick<File, 'name' | 'type' | 'size'>): Promise<string> {
  const ending = getExtension(name);
  const kind = ending && (await knownKinds()).get(ending);
  if (ending && !kind) throw new ApiError(400, UNSUPPORTED);
  if (size === 0) throw new ApiError(400, EMPTY);
  return guessMediaType({ name, type }, kind);
}

/** Returns the media type without asking the server. */
export function guessMediaType({ name, type }: Pick<File, 'name' | 'type'>, kind?: string): string {
  if (/^(audio|image|video)\/[\w.+-]{1,100}$/.test(type)) return type;
  const ending = getExtension(name);
  return `${kind === 'video' ? 'video' : 'image'}/${ending ? `x-${ending.slice(1)}` : 'x-unknown'}`;
}
