import { useQuery } from '@tanstack/react-query';
import { FileUp, LayoutTemplate, Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { attempt } from '../../ui/toast.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import {
  type Draft,
  EMPTY_DRAFT,
  newDraft,
  parseShare,
  toDraft,
} from '../../data/workflows/draft.ts';
import { templatesQuery } from '../../data/workflows/queries.ts';
import { describeTemplate } from '../../data/workflows/words.ts';
import styles from './workflows.module.css';
import { t } from '../../base/i18n.ts';

/** The ways to begin a workflow: nothing, a template, a file that was exported. */
export function NewWorkflow() {
  const [, navigate] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const begin = (draft: Draft) => {
    newDraft.set(draft);
    navigate('/workflows/new');
  };
  const read = (file: File) => attempt(async () => begin(parseShare(await file.text())));
  return (
    <div className={styles.begin}>
      <button className="button primary" onClick={() => begin(EMPTY_DRAFT)}>
        <Plus size={18} aria-hidden /> {t('New workflow')}
      </button>
      <button className="button" onClick={() => setOpen(true)}>
        <LayoutTemplate size={18} aria-hidden /> {t('New from template')}
      </button>
      <button className="button" onClick={() => input.current?.click()}>
        <FileUp size={18} aria-hidden /> {t('Import')}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        accept="application/json,.json"
        aria-label={t('Workflow to import')}
        onChange={({ target }) => {
          const file = target.files?.[0];
          target.value = '';
          if (file) void read(file);
        }}
      />
      {isOpen && <TemplateDialog onChoose={begin} onClose={() => setOpen(false)} />}
    </div>
  );
}

type DialogProps = { onChoose: (draft: Draft) => void; onClose: () => void };

function TemplateDialog({ onChoose, onClose }: DialogProps) {
  const { data, error } = useQuery(templatesQuery());
  return (
    <Dialog title={t('New from template')} onClose={onClose} isWide>
      {error && <p role="alert">{error.message}</p>}
      <ul className={styles.templates} aria-label={t('Templates')}>
        {data?.map((template) => {
          const { title, text } = describeTemplate(template);
          const { trigger, steps } = template;
          return (
            <li key={template.key}>
              <button
                className={styles.template}
                onClick={() =>
                  onChoose(toDraft({ name: title, description: text, trigger, steps }))
                }
              >
                <strong>{title}</strong>
                <small>{text}</small>
              </button>
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}
