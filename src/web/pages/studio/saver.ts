import { hashKey } from '@tanstack/react-query';
import { ApiError, getMessage } from '../../base/api.ts';
import { createStore, type ReadableStore } from '../../base/store.ts';
import type { StudioDocument, StudioProject, StudioProjectWrite } from '../../data/types.ts';
import { type Film, toDocument } from './film.ts';
import { fetchProject, saving, storeProject } from '../../data/studio/queries.ts';

export type SaveState = {
  /** The film as the server has it, and its revision. */
  readonly film: Film;
  readonly revision: number;
  /** 'conflict': somebody else has stored another revision; nothing is saved any more. */
  readonly status: 'saved' | 'unsaved' | 'failed' | 'conflict';
  readonly error?: string;
};

export type Saver = {
  readonly state: ReadableStore<SaveState>;
  /** Saves the film in a moment, together with what is edited until then. */
  readonly edit: (film: Film) => void;
  /** Saves at once what is not saved yet. */
  readonly flush: () => Promise<void>;
  /** Changes the project besides its film. */
  readonly change: (values: Pick<StudioProjectWrite, 'name' | 'albumId'>) => Promise<void>;
};

const DELAY_MS = 400;
const RETRY_MS = 5000;

/** Stores a film as revisions of its project, one after the other. */
export function createSaver(project: StudioProject, film: Film): Saver {
  const state = createStore<SaveState>({ film, revision: project.revision, status: 'saved' });
  let latest = film;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | undefined;

  const isDone = () => latest === state.get().film || state.get().status === 'conflict';

  async function save(): Promise<void> {
    const sent = latest;
    const document = toDocument(sent);
    try {
      const revision = await storeRevision(project.id, state.get().revision, document);
      state.set({ film: sent, revision, status: sent === latest ? 'saved' : 'unsaved' });
    } catch (error) {
      const status = isStale(error) ? 'conflict' : 'failed';
      state.set((old) => ({ ...old, status, error: getMessage(error) }));
      if (isPassing(error)) timer = setTimeout(() => void flush(), RETRY_MS);
    }
  }
  async function saveAll(): Promise<void> {
    for (;;) {
      const { revision } = state.get();
      await save();
      // Nothing was stored: another attempt comes later.
      if (isDone() || state.get().revision === revision) return;
    }
  }
  function flush(): Promise<void> {
    clearTimeout(timer);
    if (isDone()) return running ?? Promise.resolve();
    running ??= saveAll().finally(() => {
      running = undefined;
      saving.delete(project.id);
    });
    saving.set(project.id, running);
    return running;
  }
  return {
    state,
    edit(film) {
      latest = film;
      clearTimeout(timer);
      if (isDone()) {
        // It is as it was stored again, before anything else was.
        if (!running && state.get().status === 'unsaved')
          state.set((old) => ({ ...old, status: 'saved' }));
        return;
      }
      state.set((old) => ({ ...old, status: 'unsaved' }));
      timer = setTimeout(() => void flush(), DELAY_MS);
    },
    flush,
    async change(values) {
      do await flush();
      while (running);
      const { film, revision: expectedRevision } = state.get();
      const document = toDocument(film);
      const stored = storeProject(project.id, { expectedRevision, document, ...values });
      // Edits made meanwhile are saved after it.
      running = stored
        .then(({ revision }) => state.set((old) => ({ ...old, revision })))
        .catch(() => undefined)
        .finally(() => {
          running = undefined;
          void flush();
        });
      await stored;
    },
  };
}

const isStale = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'stale_revision';

/** The server was not reached, or had a problem. */
const isPassing = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status >= 500);

/** Stores a document after a revision; returns its own. */
async function storeRevision(
  id: string,
  expectedRevision: number,
  document: StudioDocument,
): Promise<number> {
  try {
    return (await storeProject(id, { expectedRevision, document })).revision;
  } catch (error) {
    if (!isStale(error)) throw error;
    // It may be stored although its answer never came.
    const current = await fetchProject(id);
    if (hashKey([current.document]) !== hashKey([document])) throw error;
    return current.revision;
  }
}
