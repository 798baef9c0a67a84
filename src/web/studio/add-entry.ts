import { showToast } from '../toast.tsx';
import { insert } from './edits.ts';
import { type Entry, findEntry } from './film.ts';
import type { Editor } from './use-editor.ts';
import { SPLIT_REFUSALS } from './words.ts';

/** Puts an entry into the film and selects it; says so if there is no room. */
export function addEntry({ film, edit, select }: Editor, entry: Entry): void {
  if (!findEntry(insert(film, entry), entry.id)) return showToast(SPLIT_REFUSALS.full);
  edit((film) => insert(film, entry));
  select(entry.id);
}
