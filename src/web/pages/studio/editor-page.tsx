import { useQuery } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import { attempt } from '../../ui/toast.tsx';
import type { Me, StudioProject } from '../../data/types.ts';
import { NameField } from '../../ui/name-field.tsx';
import { Failure, Page } from '../../ui/elements.tsx';
import { ExportButton } from './export-dialog.tsx';
import { MediaBin } from './media-bin.tsx';
import { PreviewCanvas } from './preview-canvas.tsx';
import { Properties } from './properties.tsx';
import { createProject, projectQuery } from '../../data/studio/queries.ts';
import { Timeline } from './timeline.tsx';
import { toDocument } from './film.ts';
import { Toolbar } from './toolbar.tsx';
import { type Editor, openNewer, useEditor } from './use-editor.ts';
import { useEditorKeys } from './use-editor-keys.ts';
import { STATUS } from './words.ts';
import styles from './editor.module.css';
import { t } from '../../base/i18n.ts';
import type { ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { useUnsavedWarning } from '../../ui/use-unsaved-warning.tsx';
import type { Saver } from './saver.ts';

/** Saves the last edits before the editor is left, and asks where that fails. Returns the question. */
const useSaveBeforeLeaving = ({ state, flush }: Saver): ReactNode =>
  useUnsavedWarning({
    isUnsaved() {
      commitTyped();
      const { status } = state.get();
      return status === 'unsaved' || status === 'failed';
    },
    async save() {
      await flush();
      return state.get().status === 'saved';
    },
  });

/** A typed value is an edit once its field is left. */
function commitTyped(): void {
  const { activeElement } = document;
  if (activeElement instanceof HTMLInputElement) flushSync(() => activeElement.blur());
}

/** Cuts a film from the library. */
export function StudioEditorPage({ id, me }: { id: string; me: Me }) {
  const { data, error, refetch } = useQuery(projectQuery(id));
  if (data) return <EditorView key={data.revision} project={data} me={me} />;
  return (
    <Page title={t('Studio')}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
    </Page>
  );
}

function EditorView({ project, me }: { project: StudioProject; me: Me }) {
  const editor = useEditor(project);
  useEditorKeys(editor);
  const warning = useSaveBeforeLeaving(editor.saver);
  return (
    <div className={styles.editor} data-scheme="dark">
      <Head editor={editor} />
      {editor.saved.status === 'conflict' && <Conflict editor={editor} />}
      <div className={styles.stage}>
        <PreviewCanvas editor={editor} />
      </div>
      {project.canEdit && <MediaBin editor={editor} />}
      {project.canEdit && <Properties editor={editor} isOwner={project.ownerId === me.id} />}
      <Toolbar editor={editor} />
      <Timeline editor={editor} />
      {warning}
    </div>
  );
}

function Head({ editor }: { editor: Editor }) {
  const { project, saved, saver } = editor;
  const rename = async (name: string) => void (await attempt(() => saver.change({ name })));
  return (
    <header className={styles.head}>
      <h1 className="hidden-title">{project.name}</h1>
      <Link href="/studio" className={`button small ${styles.back}`} aria-label={t('Studio')}>
        <ArrowLeft size={16} aria-hidden /> <span>{t('Studio')}</span>
      </Link>
      {project.canEdit ? (
        <NameField name={project.name} placeholder={t('Name')} onSave={rename} />
      ) : (
        <strong>{project.name}</strong>
      )}
      <p className="muted" role="status">
        {project.canEdit ? STATUS[saved.status] : t('You can only watch this project')}
      </p>
      {saved.status === 'failed' && <p role="alert">{saved.error}</p>}
      <ExportButton editor={editor} />
    </header>
  );
}

/** Says that another window or person has stored another revision, and leaves nothing behind. */
function Conflict({ editor: { project, film, saver } }: { editor: Editor }) {
  const [, navigate] = useLocation();
  const keep = () =>
    attempt(async () => {
      const name = t('{name} (copy)', { name: project.name });
      const copy = await createProject({ name, document: toDocument(film) });
      navigate(`/studio/${copy.id}`);
    });
  return (
    <div className={styles.conflict} role="alert">
      <p>
        {t(
          'This project was changed in another window or by somebody else. Your latest changes are not in it.',
        )}
      </p>
      <button className="button small" onClick={() => void keep()}>
        {t('Keep mine as a copy')}
      </button>
      <button
        className="button small"
        onClick={() => void attempt(() => openNewer(project.id, saver))}
      >
        {t('Open the other version')}
      </button>
    </div>
  );
}
