import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react';
import { type KeyboardEvent, useRef } from 'react';
import { flushSync } from 'react-dom';
import type { WorkflowMethod } from '../../data/types.ts';
import { IconButton } from '../../ui/elements.tsx';
import type { DraftAction, DraftStep } from '../../data/workflows/draft.ts';
import { ConfigFields } from './fields.tsx';
import type { SchemaNode } from '../../data/workflows/schema.ts';
import { findMethod, getMethodName, isFilter } from '../../data/workflows/words.ts';
import styles from './workflows.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  step: DraftStep;
  /** Position from 1. */
  at: number;
  isLast: boolean;
  methods: readonly WorkflowMethod[];
  /** Messages of the server about this step. */
  faults: readonly string[];
  dispatch: (action: DraftAction) => void;
};

export function StepCard({ step, at, isLast, methods, faults, dispatch }: Props) {
  const { id, isEnabled } = step;
  const card = useRef<HTMLLIElement>(null);
  const method = findMethod(methods, step.method);
  const name = getMethodName(step.method, methods);

  /** The focus stays on the step: moving its element would lose it. */
  const move = (by: -1 | 1) => {
    const focused = document.activeElement;
    flushSync(() => dispatch({ type: 'move', id, by }));
    const isUsable = focused instanceof HTMLElement && !focused.matches(':disabled');
    (isUsable ? focused : card.current)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    move(event.key === 'ArrowUp' ? -1 : 1);
  };

  return (
    <li
      ref={card}
      className="card"
      tabIndex={-1}
      aria-label={t('Step {at}: {name}', { at, name })}
      onKeyDown={onKeyDown}
    >
      <div className="card-head">
        <div className={styles.stepTitle}>
          <span className="tag">{isFilter(method) ? t('Only if') : t('Then')}</span>
          <h3>{t('{at}. {name}', { at, name })}</h3>
        </div>
        <div className={styles.stepActions}>
          <IconButton
            icon={ArrowUp}
            label={t('Move step {at} up', { at })}
            disabled={at === 1}
            onClick={() => move(-1)}
          />
          <IconButton
            icon={ArrowDown}
            label={t('Move step {at} down', { at })}
            disabled={isLast}
            onClick={() => move(1)}
          />
          <IconButton
            icon={Trash2}
            label={t('Remove step {at}', { at })}
            onClick={() => dispatch({ type: 'remove', id })}
          />
        </div>
      </div>
      {faults.length > 0 && (
        <div className={styles.faults} role="alert">
          {faults.map((text) => (
            <p key={text}>{text}</p>
          ))}
        </div>
      )}
      {!method && <p className="muted">{t('This server does not know this step.')}</p>}
      <ConfigFields
        method={step.method}
        schema={(method?.schema ?? {}) as SchemaNode}
        config={step.config}
        onChange={(config) => dispatch({ type: 'change-step', id, change: { config } })}
      />
      <label className="check">
        <input
          type="checkbox"
          role="switch"
          checked={isEnabled}
          onChange={({ target }) =>
            dispatch({ type: 'change-step', id, change: { isEnabled: target.checked } })
          }
        />{' '}
        {t('Step is switched on')}
      </label>
    </li>
  );
}
