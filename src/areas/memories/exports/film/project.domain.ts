import { requireUser } from '../../../../access/scope.ts';
import type { Ctx } from '../../../../core/context.ts';
import { badRequest, noAccess } from '../../../../core/errors.ts';
import type { Language } from '../../../../core/languages.ts';
import { createProject, type StudioProject } from '../../../studio/index.ts';
import { findOwnMemory } from '../../visible.domain.ts';
import type { FilmOptions } from '../options.ts';
import { toDocument } from './document.ts';
import {
  findStill,
  NOTHING_TO_SHOW,
  planItems,
  type SizedItem,
  writeTexts,
} from './items.domain.ts';

const MAX_NAME = 255;

/**
 * Creates a project of the studio with the film of a memory, for its owner to change. Throws 400 for a memory that
 * is not the caller's, or of which a film can show nothing, and what creating a project throws.
 */
export async function openInStudio(
  ctx: Ctx,
  memoryId: string,
  options: FilmOptions,
  language: Language,
): Promise<StudioProject> {
  const memory = await findOwnMemory(ctx, memoryId, language);
  if (!memory) throw noAccess('memory.read');
  const shown: SizedItem[] = [];
  for (const item of await planItems(ctx.db, requireUser(ctx.session), memory.assetIds)) {
    const still = await findStill(ctx, item);
    // Whether a video can be decoded is told by the studio.
    if (still) shown.push({ ...still, item });
  }
  if (!shown.some(({ item }) => item.kind !== 'title'))
    throw badRequest(NOTHING_TO_SHOW, { code: 'invalid_state' });
  const { format } = options;
  const texts = await writeTexts(shown, memory, { language, format });
  const document = toDocument(texts, options);
  return createProject(ctx, { name: memory.title.slice(0, MAX_NAME), document });
}
