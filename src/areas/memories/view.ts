import { getAssetId, toInstant } from '../assets/index.ts';
import type { Memory } from './schemas.ts';
import type { MemoryView } from './store.ts';
import type { Language } from '../../core/languages.ts';
import { composeTitle, type Title } from './titles/index.ts';

export type ViewOptions = { readonly language: Language; readonly now: Date };

/** A memory without its assets. */
export type MemoryHead = Omit<Memory, 'assets'>;

/** `assetCount`: how many the session sees. */
export const toHead = (row: MemoryView, assetCount: number, options: ViewOptions): MemoryHead => ({
  id: row.id,
  createdAt: toInstant(row.createdAt),
  updatedAt: toInstant(row.updatedAt),
  ...(row.deletedAt && { deletedAt: toInstant(row.deletedAt) }),
  memoryAt: toInstant(row.memoryAt),
  ...(row.seenAt && { seenAt: toInstant(row.seenAt) }),
  ...(row.showAt && { showAt: toInstant(row.showAt) }),
  ...(row.hideAt && { hideAt: toInstant(row.hideAt) }),
  ownerId: row.ownerId,
  type: row.type,
  data: row.data,
  isSaved: row.isSaved,
  isHidden: row.isHidden,
  isUpcoming: row.showAt !== null && Date.parse(toInstant(row.showAt)) > options.now.getTime(),
  name: row.name ?? getTitle(row, options)?.title ?? null,
  description: row.description,
  assetCount,
});

/**
 * Returns the generated title of a memory. Undefined while it shows nothing: then the session may not
 * know the person or the place either.
 */
export function getTitle(row: MemoryView, { language, now }: ViewOptions): Title | undefined {
  if (!row.firstAt || !row.lastAt) return undefined;
  const { type, data, subject, personName, petName } = row;
  return composeTitle(
    {
      type,
      data,
      subject,
      personName,
      petName,
      memoryAt: new Date(toInstant(row.memoryAt)),
      shownYear: (row.showAt ? new Date(toInstant(row.showAt)) : now).getUTCFullYear(),
      firstAt: toLocalDate(row.firstAt),
      lastAt: toLocalDate(row.lastAt),
    },
    language,
  );
}

/** Reads a local time as if it were UTC. */
const toLocalDate = (text: string) => new Date(`${text.replace(' ', 'T')}Z`);

/** Returns the names of the bodies of its assets. */
export const listBodyNames = ({ assets }: MemoryView): string[] => assets?.split(',') ?? [];
export const listAssetIds = (row: MemoryView): string[] => listBodyNames(row).map(getAssetId);
