import { useQuery } from '@tanstack/react-query';
import { Download, Pencil, ScrollText, Trash2, Workflow as WorkflowIcon } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { toUrl } from '../../base/api.ts';
import { attempt } from '../../ui/toast.tsx';
import type { Workflow, WorkflowMethod } from '../../data/types.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { Empty, Failure, IconButton, Page } from '../../ui/elements.tsx';
import { BackfillButton, LatestBackfill } from './backfill.tsx';
import { NewWorkflow } from './new-workflow.tsx';
import {
  deleteWorkflow,
  enableWorkflow,
  methodsQuery,
  workflowsQuery,
} from '../../data/workflows/queries.ts';
import { useNames } from './use-names.ts';
import {
  findMethod,
  getMethodName,
  getWorkflowName,
  isFilter,
  type Names,
  summarizeConfig,
  TRIGGERS,
} from '../../data/workflows/words.ts';
import styles from './workflows.module.css';
import { t } from '../../base/i18n.ts';

/** The workflows of the account: work that the server does by itself for new or tagged items. */
export function WorkflowsPage() {
  const { data, error, refetch } = useQuery(workflowsQuery());
  const { data: methods } = useQuery(methodsQuery());
  const names = useNames(data ?? [], methods);
  const [deleting, setDeleting] = useState<Workflow>();
  return (
    <Page title={t('Workflows')}>
      <NewWorkflow />
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && (
        <Empty
          icon={WorkflowIcon}
          title={t('No workflows yet')}
          text={t('A workflow archives, tags or sorts your photos automatically as they arrive.')}
        />
      )}
      <ul className="cards" aria-label={t('Workflows')}>
        {data?.map((workflow) => (
          <li key={workflow.id}>
            <WorkflowCard
              workflow={workflow}
              methods={methods}
              names={names}
              onDelete={() => setDeleting(workflow)}
            />
          </li>
        ))}
      </ul>
      {deleting && (
        <Confirm
          title={t('Delete “{name}”?', { name: getWorkflowName(deleting) })}
          text={t('Its log is deleted, too. Your photos stay as they are.')}
          action={t('Delete workflow')}
          onClose={() => setDeleting(undefined)}
          onConfirm={() => void attempt(() => deleteWorkflow(deleting.id), t('Workflow deleted'))}
        />
      )}
    </Page>
  );
}

type Methods = readonly WorkflowMethod[] | undefined;
type StepsProps = { workflow: Workflow; methods: Methods; names: Names };
type CardProps = StepsProps & { onDelete: () => void };

function WorkflowCard({ workflow, methods, names, onDelete }: CardProps) {
  const { id, trigger, description, enabled } = workflow;
  const name = getWorkflowName(workflow);
  return (
    <article className="card" aria-label={name}>
      <header className="card-head">
        <div>
          <h2>{name}</h2>
          <p className="muted">{TRIGGERS[trigger]}</p>
        </div>
        <label className="check">
          <input
            type="checkbox"
            role="switch"
            checked={enabled}
            aria-label={t('Run “{name}”', { name })}
            onChange={({ target }) => void attempt(() => enableWorkflow(id, target.checked))}
          />
          {enabled ? t('on') : t('off')}
        </label>
      </header>
      {description && <p>{description}</p>}
      <StepList workflow={workflow} methods={methods} names={names} />
      <LatestBackfill workflow={workflow} />
      <div className="card-actions">
        <Link className="button small" href={`/workflows/${id}`}>
          <Pencil size={15} aria-hidden /> {t('Edit')}
        </Link>
        <Link className="button small" href={`/workflows/${id}/log`}>
          <ScrollText size={15} aria-hidden /> {t('Log')}
        </Link>
        <BackfillButton workflow={workflow} />
        <a
          className="button small"
          href={toUrl(`/workflows/${id}/share`)}
          download={`${name.replaceAll(/[\\/:*?"<>|]/g, '_')}.json`}
        >
          <Download size={15} aria-hidden /> {t('Export')}
        </a>
        <IconButton
          icon={Trash2}
          label={t('Delete {name}', { name })}
          className="small"
          onClick={onDelete}
        />
      </div>
    </article>
  );
}

function StepList({ workflow: { steps }, methods, names }: StepsProps) {
  if (steps.length === 0) return <p className="muted">{t('No steps yet')}</p>;
  return (
    <ol className={styles.steps}>
      {steps.map((step, at) => {
        const method = findMethod(methods, step.method);
        return (
          <li key={at} className={step.enabled === false ? 'muted' : ''}>
            <span className="tag">{isFilter(method) ? t('Only if') : t('Then')}</span>
            <span className={styles.words}>
              {getMethodName(step.method, methods)}
              <small>{summarizeConfig(methods, step.method, step.config, names)}</small>
              {step.enabled === false && <small>{t('Switched off')}</small>}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
