import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatBytes } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { attempt } from '../../ui/toast.tsx';
import type { ModelOverview, ModelPull, ModelSet } from '../../data/types.ts';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { Failure, Page, Progress } from '../../ui/elements.tsx';
import {
  cancelPull,
  chooseModel,
  confirmModel,
  formatModelName,
  getPullShare,
  isUnderWay,
  modelsQuery,
  startPull,
} from '../../data/admin/models-data.ts';
import styles from '../../parts/admin/admin.module.css';

/** The models that recognise what photos show: which can be downloaded, and which one the search uses. */
export function ModelsPage() {
  const { data, error, refetch } = useQuery(modelsQuery());
  return (
    <Page title={t('Models')}>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {data && (
        <>
          <SearchModels overview={data} />
          {data.pull && <Pull pull={data.pull} />}
          {data.sets.map((set) => (
            <SetCard key={set.name} set={set} pull={data.pull} />
          ))}
        </>
      )}
    </Page>
  );
}

function SearchModels({ overview: { searchModels, choice } }: { overview: ModelOverview }) {
  const [isAsked, setAsked] = useState(false);
  const chosen = searchModels.find(({ isChosen }) => isChosen);
  const others = searchModels.filter(({ isChosen }) => !isChosen);
  const most = Math.max(0, ...others.map(({ photos }) => photos));
  const isBehind = chosen !== undefined && chosen.photos < most;
  const canConfirm = chosen && !chosen.isConfirmed && others.some(({ photos }) => photos > 0);
  return (
    <section className={`card ${styles.integrity}`} aria-labelledby="search-models">
      <h2 id="search-models">{t('Model of the search')}</h2>
      <p className="muted">
        {t(
          'The previous model stays in use until the chosen one has analyzed all photos. Its results are kept for 30 days, so that you can switch back quickly.',
        )}
      </p>
      <ul className={styles.models}>
        {searchModels.map(({ name, isChosen, photos }) => (
          <li key={name}>
            <div>
              <b>{formatModelName(name)}</b>
              {isChosen && <span className="tag">{t('Chosen')}</span>}
              <p className="muted">
                {t('{count, plural, one {# photo analyzed} other {# photos analyzed}}', {
                  count: photos,
                })}
              </p>
            </div>
            {!isChosen && (
              <button
                className="button"
                onClick={() => void attempt(() => chooseModel(name, choice))}
              >
                {t('Search with {name}', { name: formatModelName(name) })}
              </button>
            )}
          </li>
        ))}
      </ul>
      {isBehind && (
        <Progress value={chosen.photos / most} label={t('Analyzing photos with the new model')} />
      )}
      {canConfirm && (
        <div className={styles.integrityActions}>
          <button className="button" onClick={() => setAsked(true)}>
            {t('Keep {name} for good …', { name: formatModelName(chosen.name) })}
          </button>
        </div>
      )}
      {isAsked && chosen && (
        <Confirm
          isHarmless
          title={t('Keep {name} for good?', { name: formatModelName(chosen.name) })}
          text={t(
            'What other models have found for the search is deleted within the hour. Going back to one of them then means analyzing all photos again.',
          )}
          action={t('Keep it')}
          onConfirm={() => void attempt(confirmModel)}
          onClose={() => setAsked(false)}
        />
      )}
    </section>
  );
}

function Pull({ pull }: { pull: ModelPull }) {
  const { state, file, bytes, totalBytes, error, files } = pull;
  const name = SETS[pull.set]?.name ?? pull.set;
  return (
    <section className={`card ${styles.integrity}`} aria-label={t('Download of models')}>
      <div role="status">
        {isUnderWay(pull) && <h2>{t('Downloading “{name}”', { name })}</h2>}
        {state === 'completed' && (
          <p>
            {t(
              '{name} is installed ({count, plural, one {# file} other {# files}}). Photos are analyzed with it in the background.',
              { name, count: files },
            )}
          </p>
        )}
        {state === 'cancelled' && (
          <p>
            {t('The download of “{name}” was canceled. The next one resumes from there.', { name })}
          </p>
        )}
        {state === 'failed' && (
          <p className="form-error">
            {t('{name} could not be downloaded: {error}', { name, error: error ?? '' })}
          </p>
        )}
      </div>
      {isUnderWay(pull) && (
        <>
          <Progress value={getPullShare(pull)} label={t('Downloading “{name}”', { name })} />
          <p className="muted">
            {file === null
              ? t('{count, plural, one {# file is complete.} other {# files are complete.}}', {
                  count: files,
                })
              : t('{file}: {done} of {total}', {
                  file,
                  done: formatBytes(bytes),
                  total: totalBytes === null ? '?' : formatBytes(totalBytes),
                })}
          </p>
          <div className={styles.integrityActions}>
            <button className="button" onClick={() => void attempt(() => cancelPull(pull.id))}>
              {t('Cancel download')}
            </button>
          </div>
        </>
      )}
    </section>
  );
}

const SETS: Readonly<Record<string, { readonly name: string; readonly text: string }>> = {
  default: {
    name: t('Default set'),
    text: t(
      'Finds faces, pets and things, reads text in photos, and lets you search by what photos show.',
    ),
  },
  ocr: {
    name: t('More alphabets'),
    text: t('Reads accents and umlauts, and Cyrillic.'),
  },
  speech: { name: t('Speech'), text: t('Transcribes speech in videos.') },
  'speech-base': {
    name: t('Speech, more accurate'),
    text: t('More accurate, but takes twice as long.'),
  },
  clip: {
    name: t('Better search'),
    text: t('Finds scenes and whole sentences. It needs about 1 GB of memory more.'),
  },
};

function SetCard({ set: { name, models }, pull }: { set: ModelSet; pull: ModelPull | null }) {
  const [isAsked, setAsked] = useState(false);
  const { name: title, text } = SETS[name] ?? { name, text: '' };
  const isComplete = models.every(({ isInstalled }) => isInstalled);
  return (
    <section className={`card ${styles.integrity}`} aria-label={title}>
      <h2>{title}</h2>
      <p className="muted">{text}</p>
      <ul className={styles.models}>
        {models.map(({ id, origin, licence, bytes, isDigestKnown, isInstalled }) => (
          <li key={id}>
            <div>
              <b>{origin}</b>
              {isInstalled && <span className="tag">{t('Installed')}</span>}
              <p className="muted">
                {[
                  t('License: {licence}', { licence }),
                  bytes === null ? t('Size known when it starts') : formatBytes(bytes),
                  isDigestKnown
                    ? t('Digest known to this version')
                    : t('Digest as its hub states it, checked and kept'),
                ].join(' · ')}
              </p>
            </div>
          </li>
        ))}
      </ul>
      {!isComplete && (
        <div className={styles.integrityActions}>
          <button className="button" disabled={isUnderWay(pull)} onClick={() => setAsked(true)}>
            {t('Download “{name}” …', { name: title })}
          </button>
        </div>
      )}
      {isAsked && (
        <DownloadDialog title={title} models={models} set={name} onClose={() => setAsked(false)} />
      )}
    </section>
  );
}

type DownloadProps = {
  title: string;
  set: string;
  models: ModelSet['models'];
  onClose: () => void;
};

/** The server asks others for files: that is said before, with the licences. */
function DownloadDialog({ title, set, models, onClose }: DownloadProps) {
  const licences = [...new Set(models.map(({ licence }) => licence))].join(', ');
  return (
    <Dialog title={t('Download “{name}”?', { name: title })} onClose={onClose}>
      <p className="muted">
        {t(
          'The server fetches {count, plural, one {# model} other {# models}} from the npm registry and the hubs of the makers. No photo leaves it. Licenses: {licences}',
          { count: models.length, licences },
        )}
      </p>
      <div className="dialog-actions">
        <button className="button" onClick={onClose}>
          {t('Cancel')}
        </button>
        <button
          className="button primary"
          onClick={() => {
            onClose();
            void attempt(() => startPull(set));
          }}
        >
          {t('Download')}
        </button>
      </div>
    </Dialog>
  );
}
