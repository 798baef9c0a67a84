import { Clapperboard, Download, Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import { Link } from 'wouter';
import { toEven } from '../../../media/sizes.ts';
import { toUrl } from '../../base/api.ts';
import { describeRefusal } from '../../data/memories/export-data.ts';
import { attempt } from '../../ui/toast.tsx';
import type { StudioExport } from '../../data/types.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Form, useForm } from '../../ui/form.tsx';
import { Failure, IconButton, Progress } from '../../ui/elements.tsx';
import {
  createExport,
  deleteExport,
  describeExport,
  isActive,
  useExports,
} from '../../data/studio/export-data.ts';
import { getUnavailableId, UnavailableItem } from './unavailable.tsx';
import type { Editor } from './use-editor.ts';
import { describeEmptiness } from './words.ts';
import styles from '../../parts/memories/exports.module.css';
import editorStyles from './editor.module.css';
import { t } from '../../base/i18n.ts';

/** Opens the exports of a film that is stored. */
export function ExportButton({ editor }: { editor: Editor }) {
  const [isOpen, setOpen] = useState(false);
  const emptiness = describeEmptiness(editor.film);
  const isReady = editor.saved.status === 'saved' && !emptiness;
  return (
    <>
      <button
        className={`button primary ${editorStyles.export}`}
        disabled={!isReady}
        title={emptiness}
        onClick={() => setOpen(true)}
      >
        {t('Export')}
      </button>
      {isOpen && <ExportDialog editor={editor} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Makes a video of the film, and shows what became of others. They go on when it is closed. */
function ExportDialog({ editor, onClose }: { editor: Editor; onClose: () => void }) {
  const { project, saved, film } = editor;
  const { data, error, refetch } = useExports(project.id);
  const destinationId = useId();
  const sizeId = useId();
  const [unavailableId, setUnavailableId] = useState<string>();
  const form = useForm(async ({ destination, height }) => {
    setUnavailableId(undefined);
    const order = { revision: saved.revision, height: Number(height) };
    await createExport(project.id, {
      ...order,
      destination: destination === 'library' ? 'library' : 'download',
    }).catch((reason: unknown) => {
      const assetId = getUnavailableId(reason);
      if (assetId !== undefined) return setUnavailableId(assetId);
      throw new Error(describeRefusal(reason));
    });
  });
  return (
    <Dialog title={t('Export film')} onClose={onClose}>
      <Form state={form} action={t('Export')}>
        <div className="field">
          <label htmlFor={destinationId}>{t('Save to')}</label>
          <select id={destinationId} name="destination">
            <option value="library">{t('Your library')}</option>
            <option value="download">{t('File to download')}</option>
          </select>
        </div>
        <div className="field">
          <label htmlFor={sizeId}>{t('Size')}</label>
          <select id={sizeId} name="height">
            {listSizes(film).map(({ width, height }) => (
              <option key={height} value={height}>
                {width} × {height}
              </option>
            ))}
          </select>
        </div>
      </Form>
      {unavailableId && <UnavailableItem editor={editor} assetId={unavailableId} />}
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      <ul className={styles.runs} aria-label={t('Exports')}>
        {data?.map((run) => (
          <ExportRow key={run.id} run={run} editor={editor} />
        ))}
      </ul>
    </Dialog>
  );
}

const PARTS = [1, 2 / 3, 1 / 2, 1 / 3];

/** Returns the sizes in which a film can be made, that of its canvas first. */
const listSizes = ({ width, height }: { width: number; height: number }) =>
  PARTS.map((part) => ({ width: toEven(width * part), height: toEven(height * part) })).filter(
    (size) => size.height >= 16,
  );

function ExportRow({ run, editor }: { run: StudioExport; editor: Editor }) {
  const { id, state, width, height, destination, assetId, progress } = run;
  const text = describeExport(run);
  return (
    <li>
      <Clapperboard size={22} aria-hidden />
      <div className={styles.words}>
        <strong>
          {width} × {height}
        </strong>
        <small>{text}</small>
        {state === 'failed' && <FailureReason run={run} editor={editor} />}
      </div>
      {isActive(run) ? (
        <button className="button small" onClick={() => void attempt(() => deleteExport(id))}>
          {t('Cancel')}
        </button>
      ) : (
        <IconButton
          icon={Trash2}
          label={t('Delete this export')}
          className="small"
          onClick={() => void attempt(() => deleteExport(id))}
        />
      )}
      {isActive(run) && <Progress value={state === 'queued' ? undefined : progress} label={text} />}
      {state === 'ready' && (
        <div className={styles.actions}>
          {destination === 'download' && (
            <a className="button small primary" href={toUrl(`/studio/exports/${id}/file`)} download>
              <Download size={16} aria-hidden /> {t('Download')}
            </a>
          )}
          {assetId && (
            <Link className="button small" href={`/photos/${assetId}`}>
              {t('Show in library')}
            </Link>
          )}
        </div>
      )}
    </li>
  );
}

/** Names the item without which a film of this revision could not be made. */
function FailureReason({ run, editor }: { run: StudioExport; editor: Editor }) {
  const { error, revision, unavailableAssetId } = run;
  const isCurrent = revision === editor.saved.revision;
  return isCurrent && unavailableAssetId !== null ? (
    <UnavailableItem editor={editor} assetId={unavailableAssetId} />
  ) : (
    <small>{error}</small>
  );
}
