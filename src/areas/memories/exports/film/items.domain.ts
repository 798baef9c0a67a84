import type { UserSession } from '../../../../access/session.ts';
import type { Db } from '../../../../db/client.ts';
import type { Language } from '../../../../core/languages.ts';
import { readPictureHeader } from '../../../../media/picture-header.ts';
import type { Size } from '../../../../media/sizes.ts';
import type { OwnMemory } from '../../visible.domain.ts';
import type { FilmFormat } from '../kind.ts';
import { CANVASES } from '../options.ts';
import type { PlannedItem } from './document.ts';
import { findFilmAssets } from './film.store.ts';
import { chooseAssets, type FilmItem, planFilm } from './plan.ts';
import { composeCaptions, layOutCaption, layOutTitle } from './texts.ts';
import * as storage from '../../../../storage/index.ts';

export const NOTHING_TO_SHOW = 'None of the items can be shown in a film';

/** Returns what a film of these assets shows, in order, after its title; empty if it can show none of them. */
export async function planItems(
  db: Db,
  session: UserSession,
  assetIds: readonly string[],
): Promise<FilmItem[]> {
  const found = await findFilmAssets(db, session, assetIds);
  return planFilm(chooseAssets(assetIds.flatMap((id) => found.get(id) ?? [])));
}

/** An item with the size of its picture as displayed. */
export type SizedItem = { readonly item: FilmItem; readonly picture: Size };

/** Returns the item as it is shown by its picture. Undefined: there is none. */
export async function findStill(
  deps: storage.StorageDeps,
  item: FilmItem,
): Promise<SizedItem | undefined> {
  const path = await locatePicture(deps, item);
  if (!(await Bun.file(path).exists())) return undefined;
  const header = await readPictureHeader(path);
  if (!header) return undefined;
  const { width, height } = header;
  const kind = item.kind === 'title' ? 'title' : 'still';
  return { item: { ...item, kind }, picture: { width, height } };
}

export const locatePicture = (deps: storage.StorageDeps, { asset }: FilmItem): Promise<string> =>
  storage.locate(deps, storage.derivedFile(deps.paths, asset.picture));

/** Lays out the texts of the items. A caption is not repeated by the next item. */
export async function writeTexts(
  items: readonly SizedItem[],
  memory: OwnMemory,
  { language, format }: { readonly language: Language; readonly format: FilmFormat },
): Promise<PlannedItem[]> {
  const canvas = CANVASES[format];
  let before = '';
  const layOut = ({ kind, asset }: FilmItem) => {
    if (kind === 'title') return layOutTitle(memory, canvas);
    const captions = composeCaptions(asset, language);
    const isRepeated = captions[0] === before;
    before = captions[0] ?? '';
    return isRepeated ? [] : layOutCaption(captions, canvas);
  };
  const planned: PlannedItem[] = [];
  for (const sized of items) planned.push({ ...sized, lines: await layOut(sized.item) });
  return planned;
}
