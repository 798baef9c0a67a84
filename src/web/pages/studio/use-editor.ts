import { useEffect, useReducer, useState } from 'react';
import { type Rational, ZERO } from '../../../core/rational.ts';
import { queryClient } from '../../base/query-client.ts';
import { readStorage, writeStorage } from '../../base/storage.ts';
import { useStore } from '../../base/store.ts';
import type { StudioProject } from '../../data/types.ts';
import {
  type Entry,
  type Film,
  findEntry,
  fromFrameNumber,
  getFilmLength,
  max,
  min,
  toFilm,
  toFrameNumber,
} from './film.ts';
import { type History, reduceHistory, toHistory } from './history.ts';
import { fetchProject, projectQuery } from '../../data/studio/queries.ts';
import { createSaver, type Saver, type SaveState } from './saver.ts';
import { type Playback, usePlayback } from './use-playback.ts';

export type Editor = {
  readonly project: StudioProject;
  readonly film: Film;
  /** The length of the film in time. */
  readonly length: Rational;
  readonly saved: SaveState;
  readonly playhead: Rational;
  readonly selected: Entry | undefined;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Edits of the same gesture are undone together. */
  readonly edit: (edit: (film: Film) => Film, gesture?: string) => void;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly select: (id: string | undefined) => void;
  /** Puts the playhead on the frame that shows at a time. */
  readonly seek: (time: Rational) => void;
  readonly step: (frames: number) => void;
  readonly playback: Playback;
  readonly saver: Saver;
  /** The items that could not be shown, by their ids. */
  readonly unavailable: ReadonlySet<string>;
  readonly markUnavailable: (assetId: string, isUnavailable: boolean) => void;
};

/** Edits a project; every edit is stored as a revision soon. */
export function useEditor(project: StudioProject): Editor {
  const [history, dispatch] = useReducer(
    reduceHistory,
    project,
    (project) => readHistory(project) ?? toHistory(toFilm(project.document)),
  );
  const { film, past, future } = history;
  const [saver] = useState(() => createSaver(project, film));
  const saved = useStore(saver.state);
  const [time, setTime] = useState<Rational>(ZERO);
  const [selectedId, select] = useState<string>();
  const [unavailable, setUnavailable] = useState<ReadonlySet<string>>(new Set());

  useEffect(() => saver.edit(film), [saver, film]);
  useEffect(() => () => void saver.flush(), [saver]);
  useFollowing(project.id, saver);
  useEffect(() => {
    if (saved.status === 'saved') writeHistory(project.id, saved.revision, history);
  }, [project.id, saved, history]);

  const length = getFilmLength(film);
  const lastFrame = Math.max(0, toFrameNumber(film, length) - 1);
  const playhead = min(time, fromFrameNumber(film, lastFrame));
  const moveTo = (to: Rational) => {
    const frame = toFrameNumber(film, max(ZERO, to));
    setTime(fromFrameNumber(film, Math.min(lastFrame, frame)));
  };
  const playback = usePlayback({ projectId: project.id, film, length, playhead, saver, moveTo });
  const seek = (to: Rational) => {
    playback.pause();
    moveTo(to);
  };
  return {
    project,
    film,
    length,
    saved,
    playhead,
    selected: findEntry(film, selectedId),
    canUndo: past.length > 0,
    canRedo: future.length > 0,
    edit: (edit, gesture) =>
      dispatch({ type: 'edit', edit, ...(gesture !== undefined && { gesture }) }),
    undo: () => dispatch({ type: 'undo' }),
    redo: () => dispatch({ type: 'redo' }),
    select,
    seek,
    step: (frames) => seek(fromFrameNumber(film, toFrameNumber(film, playhead) + frames)),
    playback,
    saver,
    unavailable,
    markUnavailable: (assetId, isUnavailable) =>
      setUnavailable((old) => withMember(old, assetId, isUnavailable)),
  };
}

/** Returns the same set where nothing changes. */
function withMember(old: ReadonlySet<string>, id: string, isMember: boolean): ReadonlySet<string> {
  if (old.has(id) === isMember) return old;
  return isMember ? new Set([...old, id]) : new Set([...old].filter((other) => other !== id));
}

/** Saves at once when the window is not looked at any more, and opens what another has stored when it is again. */
function useFollowing(id: string, saver: Saver): void {
  useEffect(() => {
    const follow = () => {
      if (document.visibilityState === 'hidden') void saver.flush();
      else if (saver.state.get().status === 'saved') void openNewer(id, saver);
    };
    document.addEventListener('visibilitychange', follow);
    return () => document.removeEventListener('visibilitychange', follow);
  }, [id, saver]);
}

/** Opens the newest revision unless it is this one, or this one is edited meanwhile. */
export async function openNewer(id: string, { state }: Saver): Promise<void> {
  const before = state.get();
  // Without an answer the editor goes on with what it has.
  const project = await fetchProject(id).catch(() => undefined);
  if (project && project.revision !== before.revision && state.get() === before)
    queryClient.setQueryData(projectQuery(id).queryKey, project);
}

/** The project that this tab edited last. Other tabs edit other projects. */
const STORAGE_KEY = 'safelight.studio-history';

type StoredHistory = Omit<History, 'gesture'> & { readonly id: string; readonly revision: number };

function readHistory({ id, revision }: StudioProject): History | undefined {
  try {
    const stored = JSON.parse(
      readStorage(STORAGE_KEY, 'sessionStorage') ?? 'null',
    ) as StoredHistory | null;
    if (stored?.id !== id || stored.revision !== revision) return undefined;
    const { past, film, future } = stored;
    return { past, film, future };
  } catch {
    return undefined;
  }
}

function writeHistory(id: string, revision: number, { past, film, future }: History): void {
  const stored: StoredHistory = { id, revision, past, film, future };
  writeStorage(STORAGE_KEY, JSON.stringify(stored), 'sessionStorage');
}
