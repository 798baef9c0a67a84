import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { WorkflowMethod } from '../../data/types.ts';
import { findMethod, getMethodName, isFilter } from '../../data/workflows/words.ts';
import styles from './workflows.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  label: string;
  methods: readonly WorkflowMethod[];
  onAdd: (method: WorkflowMethod) => void;
};

/** Filters and actions to choose from, and the button that adds the chosen one. */
export function MethodAdder({ label, methods, onAdd }: Props) {
  const [chosen, setChosen] = useState<string>();
  const method = findMethod(methods, chosen ?? '') ?? methods[0];
  const groups = [
    { title: t('Only if'), list: methods.filter(isFilter) },
    { title: t('Then'), list: methods.filter((one) => !isFilter(one)) },
  ];
  return (
    <div className={styles.adder}>
      <select
        aria-label={label}
        value={method?.key}
        onChange={({ target }) => setChosen(target.value)}
      >
        {groups.map(
          ({ title, list }) =>
            list.length > 0 && (
              <optgroup key={title} label={title}>
                {list.map(({ key }) => (
                  <option key={key} value={key}>
                    {getMethodName(key, methods)}
                  </option>
                ))}
              </optgroup>
            ),
        )}
      </select>
      <button
        type="button"
        className="button"
        disabled={!method}
        onClick={() => method && onAdd(method)}
      >
        <Plus size={18} aria-hidden /> {label}
      </button>
    </div>
  );
}
