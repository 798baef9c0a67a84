import { useQuery } from '@tanstack/react-query';
import { Clapperboard, Plus, Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { toSeconds } from '../../../core/rational.ts';
import { requireValue } from '../../../core/required.ts';
import { formatDuration, formatInstant } from '../../base/format.ts';
import { getPictureUrl } from '../../base/pictures.ts';
import { attempt } from '../../ui/toast.tsx';
import type { Me, StudioProject } from '../../data/types.ts';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { Field, Form, useForm } from '../../ui/form.tsx';
import { Empty, Failure, IconButton, Page } from '../../ui/elements.tsx';
import { EMPTY_DOCUMENT, getFilmLength } from './film.ts';
import { createProject, deleteProject, projectsQuery } from '../../data/studio/queries.ts';
import styles from './editor.module.css';
import { t } from '../../base/i18n.ts';

/** The films of the account, and those that others let it watch or edit. */
export function StudioPage({ me }: { me: Me }) {
  const { data, error, refetch } = useQuery(projectsQuery());
  const [isCreating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<StudioProject>();
  return (
    <Page
      title={t('Studio')}
      actions={
        <button className="button primary" onClick={() => setCreating(true)}>
          <Plus size={18} aria-hidden /> {t('New film')}
        </button>
      }
    >
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && (
        <Empty
          icon={Clapperboard}
          title={t('No films yet')}
          text={t('Cut a film from your photos and videos. The originals stay as they are.')}
        />
      )}
      <ul className="cards" aria-label={t('Films')}>
        {data?.map((project) => (
          <li key={project.id}>
            <ProjectCard me={me} project={project} onDelete={() => setDeleting(project)} />
          </li>
        ))}
      </ul>
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
      {deleting && (
        <Confirm
          title={t('Delete “{name}”?', { name: deleting.name })}
          text={t('All its revisions are deleted. Your photos and videos stay as they are.')}
          action={t('Delete film')}
          onClose={() => setDeleting(undefined)}
          onConfirm={() => void attempt(() => deleteProject(deleting.id), t('Film deleted'))}
        />
      )}
    </Page>
  );
}

type CardProps = { me: Me; project: StudioProject; onDelete: () => void };

function ProjectCard({ me, project, onDelete }: CardProps) {
  const { id, ownerId, name, document, updatedAt, canEdit } = project;
  const first = document.clips[0];
  const length = formatDuration(toSeconds(getFilmLength(document)) * 1000);
  return (
    <article className="card" aria-label={name}>
      <Link href={`/studio/${id}`} className={styles.cover}>
        {first && <img src={getPictureUrl(first.assetId, 'thumbnail')} alt="" loading="lazy" />}
        <h2>{name}</h2>
      </Link>
      <p className="muted">
        {t('{length}, changed {when}', { length, when: formatInstant(updatedAt) })}
      </p>
      <div className="card-actions">
        {!canEdit && <span className="tag">{t('Watch only')}</span>}
        {ownerId === me.id && (
          <IconButton
            icon={Trash2}
            label={t('Delete {name}', { name })}
            className="small"
            onClick={onDelete}
          />
        )}
      </div>
    </article>
  );
}

const SHAPES = [
  { width: 1920, height: 1080, label: t('Landscape (16:9)') },
  { width: 1080, height: 1920, label: t('Portrait (9:16)') },
  { width: 1080, height: 1080, label: t('Square') },
];
const RATES = [24, 25, 30, 50, 60];

function CreateDialog({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation();
  const shapeId = useId();
  const rateId = useId();
  const form = useForm(async ({ name, shape, rate }) => {
    const { width, height } = requireValue(SHAPES[Number(shape)], 'shape of the film');
    const frameRate = { numerator: Number(rate), denominator: 1 };
    const document = { ...EMPTY_DOCUMENT, width, height, frameRate };
    const project = await createProject({ name: name?.trim() || t('New film'), document });
    navigate(`/studio/${project.id}`);
  });
  return (
    <Dialog title={t('New film')} onClose={onClose}>
      <Form state={form} action={t('Create')}>
        <Field label={t('Name')} name="name" maxLength={255} autoFocus />
        <div className="field">
          <label htmlFor={shapeId}>{t('Format')}</label>
          <select id={shapeId} name="shape">
            {SHAPES.map(({ label }, at) => (
              <option key={label} value={at}>
                {label}
              </option>
            ))}
          </select>
        </div>
        <div className="field">
          <label htmlFor={rateId}>{t('Frame rate')}</label>
          <select id={rateId} name="rate" defaultValue={30}>
            {RATES.map((rate) => (
              <option key={rate}>{rate}</option>
            ))}
          </select>
        </div>
      </Form>
    </Dialog>
  );
}
