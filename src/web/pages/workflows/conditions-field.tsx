import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../../ui/elements.tsx';
import { MethodAdder } from './method-adder.tsx';
import { methodsQuery } from '../../data/workflows/queries.ts';
import { type Config, createConfig, type SchemaNode } from '../../data/workflows/schema.ts';
import { findMethod, getMethodName, isFilter } from '../../data/workflows/words.ts';
import styles from './workflows.module.css';
import { t } from '../../base/i18n.ts';

type Condition = { readonly method: string; readonly config?: Config };
type Props = {
  label: string;
  value: unknown;
  onChange: (value: readonly Condition[]) => void;
  /** Returns the form of a filter. */
  renderFields: (form: {
    method: string;
    schema: SchemaNode;
    config: Config;
    onChange: (config: Config) => void;
  }) => ReactNode;
};

/** Filters within a filter, each with its own form. */
export function ConditionsField({ label, value, onChange, renderFields }: Props) {
  const { data: methods } = useQuery(methodsQuery());
  const conditions = Array.isArray(value) ? (value as readonly Condition[]) : [];
  return (
    <fieldset className={styles.group}>
      <legend>{label}</legend>
      {conditions.map(({ method, config = {} }, at) => (
        <div key={`${at} ${method}`} className={styles.condition}>
          <div className="card-head">
            <strong>{getMethodName(method, methods)}</strong>
            <IconButton
              icon={X}
              className="small"
              label={t('Remove {label}', { label: getMethodName(method, methods) })}
              onClick={() => onChange(conditions.toSpliced(at, 1))}
            />
          </div>
          {renderFields({
            method,
            schema: (findMethod(methods, method)?.schema ?? {}) as SchemaNode,
            config,
            onChange: (changed) => onChange(conditions.with(at, { method, config: changed })),
          })}
        </div>
      ))}
      <MethodAdder
        label={t('Add a filter')}
        methods={methods?.filter(isFilter) ?? []}
        onAdd={({ key, schema }) =>
          onChange([
            ...conditions,
            { method: key, config: createConfig((schema ?? {}) as SchemaNode) },
          ])
        }
      />
    </fieldset>
  );
}
