import { useQuery } from '@tanstack/react-query';
import { useId, useReducer, useState } from 'react';
import { flushSync } from 'react-dom';
import { Link, useLocation } from 'wouter';
import { showToast } from '../../ui/toast.tsx';
import type { Workflow } from '../../data/types.ts';
import { Field } from '../../ui/form.tsx';
import { Failure, Page } from '../../ui/elements.tsx';
import { useUnsavedWarning } from '../../ui/use-unsaved-warning.tsx';
import {
  type Draft,
  type DraftAction,
  type Faults,
  isSameDraft,
  mergeFaults,
  newDraft,
  NO_FAULTS,
  reduceDraft,
  toBody,
  toDraft,
  toFaults,
} from '../../data/workflows/draft.ts';
import { MethodAdder } from './method-adder.tsx';
import { PreviewPanel, usePreview } from './preview.tsx';
import {
  changeWorkflow,
  createWorkflow,
  methodsQuery,
  workflowQuery,
} from '../../data/workflows/queries.ts';
import { StepCard } from './step-card.tsx';
import { TRIGGERS } from '../../data/workflows/words.ts';
import styles from './workflows.module.css';
import { t } from '../../base/i18n.ts';

/** Writes a new workflow, from the draft that another page has begun. */
export function NewWorkflowPage() {
  return (
    <Page title={t('New workflow')}>
      <Editor initial={newDraft.get()} onSave={(draft) => createWorkflow(toBody(draft))} />
    </Page>
  );
}

export function WorkflowPage({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(workflowQuery(id));
  return (
    <Page title={t('Edit workflow')}>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {data && (
        <Editor initial={toDraft(data)} onSave={(draft) => changeWorkflow(id, toBody(draft))} />
      )}
    </Page>
  );
}

type EditorProps = { initial: Draft; onSave: (draft: Draft) => Promise<Workflow> };

function Editor({ initial, onSave }: EditorProps) {
  const [draft, change] = useReducer(reduceDraft, initial);
  const [saved, setSaved] = useState(initial);
  const [faults, setFaults] = useState<Faults>(NO_FAULTS);
  const [isBusy, setBusy] = useState(false);
  const [, navigate] = useLocation();
  const preview = usePreview(draft.steps);
  const warning = useUnsavedWarning({ isUnsaved: () => !isSameDraft(draft, saved) });

  const dispatch = (action: DraftAction) => {
    setFaults(NO_FAULTS);
    change(action);
  };
  const save = async () => {
    setBusy(true);
    setFaults(NO_FAULTS);
    try {
      await onSave(draft);
      flushSync(() => setSaved(draft));
      showToast(t('Workflow saved'), 'success');
      navigate('/workflows');
    } catch (error) {
      setFaults(toFaults(error, draft.steps));
      setBusy(false);
    }
  };
  return (
    <form
      className={`form ${styles.editor}`}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Head draft={draft} dispatch={dispatch} />
      <Steps draft={draft} faults={mergeFaults(faults, preview.faults)} dispatch={dispatch} />
      <PreviewPanel preview={preview} />
      <p className="form-error" role="alert">
        {faults.text}
      </p>
      <div className="form-actions">
        <Link className="button" href="/workflows">
          {t('Cancel')}
        </Link>
        <button className="button primary" type="submit" disabled={isBusy}>
          {isBusy ? t('One moment …') : t('Save')}
        </button>
      </div>
      {warning}
    </form>
  );
}

type PartProps = { draft: Draft; dispatch: (action: DraftAction) => void };

function Head({ draft, dispatch }: PartProps) {
  const id = useId();
  const change = (values: Partial<Draft>) => dispatch({ type: 'change', change: values });
  return (
    <section className="card">
      <Field
        label={t('Name')}
        name="name"
        maxLength={300}
        value={draft.name}
        onChange={({ target }) => change({ name: target.value })}
      />
      <Field
        label={t('Description')}
        name="description"
        maxLength={2000}
        value={draft.description}
        onChange={({ target }) => change({ description: target.value })}
      />
      <div className="field">
        <label htmlFor={id}>{t('Trigger')}</label>
        <select
          id={id}
          value={draft.trigger}
          onChange={({ target }) => change({ trigger: target.value as Draft['trigger'] })}
        >
          {Object.entries(TRIGGERS).map(([trigger, label]) => (
            <option key={trigger} value={trigger}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <label className="check">
        <input
          type="checkbox"
          role="switch"
          checked={draft.isLogging}
          onChange={({ target }) => change({ isLogging: target.checked })}
        />{' '}
        {t('Keep a log of its runs')}
      </label>
    </section>
  );
}

function Steps({ draft: { steps }, faults, dispatch }: PartProps & { faults: Faults }) {
  const { data: methods, error, refetch } = useQuery(methodsQuery());
  if (!methods) {
    return error && <Failure error={error} onRetry={() => void refetch()} />;
  }
  return (
    <section className={styles.editorSteps}>
      <h2>{t('Steps')}</h2>
      <p className="muted">
        {t(
          'Steps run in order; the first “only if” that does not match ends the run. Alt and the arrow keys move a step.',
        )}
      </p>
      <ol aria-label={t('Steps')}>
        {steps.map((step, index) => (
          <StepCard
            key={step.id}
            step={step}
            at={index + 1}
            isLast={index === steps.length - 1}
            methods={methods}
            faults={faults.steps.get(step.id) ?? []}
            dispatch={dispatch}
          />
        ))}
      </ol>
      <MethodAdder
        label={t('Add a step')}
        methods={methods}
        onAdd={(method) => dispatch({ type: 'add', method })}
      />
    </section>
  );
}
