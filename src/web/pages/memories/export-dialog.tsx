import { Clapperboard, FolderArchive, type LucideIcon, Pencil } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Memory } from '../../data/types.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/elements.tsx';
import {
  createExport,
  describeExport,
  describeRefusal,
  type ExportKind,
  isActive,
  openInStudio,
  suggestOptions,
  useExports,
} from '../../data/memories/export-data.ts';
import { ExportList } from '../../parts/memories/export-list.tsx';
import { FilmFields } from './film-fields.tsx';
import styles from '../../parts/memories/exports.module.css';
import { t } from '../../base/i18n.ts';

type Props = { memory: Memory; onClose: () => void };

/** Exports a memory, and shows what became of its exports. They go on when it is closed. */
export function ExportDialog({ memory, onClose }: Props) {
  const { data, error, refetch } = useExports(memory.id);
  const [refusal, setRefusal] = useState<string>();
  const [options, setOptions] = useState(() => suggestOptions(memory));
  const [isOpening, setOpening] = useState(false);
  const [, navigate] = useLocation();
  const refuse = (reason: unknown) => setRefusal(describeRefusal(reason));
  const start = async (kind: ExportKind) => {
    setRefusal(undefined);
    const order = kind === 'archive' ? { kind } : { kind, ...options };
    await createExport(memory.id, order).catch(refuse);
  };
  const open = async () => {
    setRefusal(undefined);
    setOpening(true);
    await openInStudio(memory.id, options).then(({ id }) => navigate(`/studio/${id}`), refuse);
    setOpening(false);
  };
  const choose = (kind: ExportKind) => ({
    isOff: !data || data.some((run) => run.kind === kind && isActive(run)),
    onChoose: () => void start(kind),
  });
  const count = memory.assets.length;
  return (
    <Dialog title={t('Export memory')} onClose={onClose}>
      <FilmFields memory={memory} options={options} onChange={setOptions} />
      <div className={styles.choices}>
        <Choice
          icon={Clapperboard}
          name={t('Film')}
          text={t('A video of the best pictures, with titles')}
          {...choose('highlight-video')}
        />
        <Choice
          icon={Pencil}
          name={t('Preview in the studio')}
          text={t('Watch the film before it is made, change it, and add your own sounds')}
          isOff={isOpening}
          onChoose={() => void open()}
        />
        <Choice
          icon={FolderArchive}
          name={t('ZIP file')}
          text={t('{count, plural, one {The original} other {All # originals}}', {
            count,
          })}
          {...choose('archive')}
        />
      </div>
      <p className="form-error" role="alert">
        {refusal}
      </p>
      <p className="hidden-title" role="status">
        {data?.[0] && !isActive(data[0]) && describeExport(data[0])}
      </p>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      <ExportList runs={data ?? []} />
    </Dialog>
  );
}

type ChoiceProps = {
  icon: LucideIcon;
  name: string;
  text: string;
  isOff: boolean;
  onChoose: () => void;
};

function Choice({ icon: Icon, name, text, isOff, onChoose }: ChoiceProps) {
  return (
    <button className={styles.choice} disabled={isOff} onClick={onChoose}>
      <Icon size={22} aria-hidden />
      <span>
        <strong>{name}</strong>
        <small>{text}</small>
      </span>
    </button>
  );
}
