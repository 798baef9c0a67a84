import { type ReactNode, useId, useState } from 'react';
import { ConditionsField } from './conditions-field.tsx';
import { IdsField } from './ids-field.tsx';
import {
  type Config,
  createConfig,
  getFieldKind,
  getIdHint,
  isRequired,
  listProperties,
  type SchemaNode,
  withValue,
} from '../../data/workflows/schema.ts';
import { getFieldHint, getFieldName, getValueName } from '../../data/workflows/words.ts';
import styles from './workflows.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  /** Key of the method that the schema belongs to. */
  method: string;
  schema: SchemaNode;
  config: Config;
  onChange: (config: Config) => void;
};

/** The form of a configuration, made from its schema. */
export function ConfigFields({ method, schema, config, onChange }: Props) {
  return listProperties(schema).map(([name, node]) => (
    <ConfigField
      key={name}
      name={name}
      label={getFieldName(method, name, node)}
      hint={getFieldHint(method, name, node)}
      method={method}
      node={node}
      isNeeded={isRequired(schema, name)}
      value={config[name]}
      onChange={(value) => onChange(withValue(config, name, value))}
    />
  ));
}

type FieldProps = {
  name: string;
  label: string;
  hint: string | undefined;
  method: string;
  node: SchemaNode;
  isNeeded: boolean;
  value: unknown;
  /** Undefined removes the value. */
  onChange: (value: unknown) => void;
};

const toList = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map(String) : [];

function ConfigField(props: FieldProps) {
  const { label, node, value, onChange } = props;
  const idHint = getIdHint(node);
  switch (getFieldKind(node)) {
    case 'flag':
      return <Check label={label} isOn={value === true} onChange={onChange} />;
    case 'choice':
      return <ChoiceField {...props} />;
    case 'choices':
      return <ChoicesField {...props} />;
    case 'ids':
      return (
        idHint && <IdsField label={label} hint={idHint} ids={toList(value)} onChange={onChange} />
      );
    case 'texts':
      return <TextsField {...props} />;
    case 'group':
      return <GroupField {...props} />;
    case 'conditions':
      return (
        <ConditionsField
          label={label}
          value={value}
          onChange={onChange}
          renderFields={(form) => <ConfigFields {...form} />}
        />
      );
    case 'number':
      return <NumberField {...props} />;
    case 'text':
      return <TextField {...props} />;
  }
}

type CheckProps = { label: string; isOn: boolean; onChange: (isOn: boolean) => void };

const Check = ({ label, isOn, onChange }: CheckProps) => (
  <label className="check">
    <input type="checkbox" checked={isOn} onChange={({ target }) => onChange(target.checked)} />{' '}
    {label}
  </label>
);

type LabelledProps = {
  label: string;
  hint: string | undefined;
  /** Returns the input of this id. */
  children: (id: string) => ReactNode;
};

function Labelled({ label, hint, children }: LabelledProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(id)}
      {hint && <p className="field-note">{hint}</p>}
    </div>
  );
}

const TextField = ({ label, hint, node, isNeeded, value, onChange }: FieldProps) => (
  <Labelled label={label} hint={hint}>
    {(id) => (
      <input
        id={id}
        maxLength={node.maxLength}
        value={typeof value === 'string' ? value : ''}
        onChange={({ target }) => onChange(target.value || (isNeeded ? '' : undefined))}
      />
    )}
  </Labelled>
);

const NumberField = ({ label, hint, node, value, onChange }: FieldProps) => (
  <Labelled label={label} hint={hint}>
    {(id) => (
      <input
        id={id}
        type="number"
        step={node.type === 'integer' ? 1 : 'any'}
        min={node.minimum}
        max={node.maximum}
        value={typeof value === 'number' ? value : ''}
        onChange={({ target }) =>
          onChange(Number.isNaN(target.valueAsNumber) ? undefined : target.valueAsNumber)
        }
      />
    )}
  </Labelled>
);

/** Keeps what is typed: a comma at the end is not yet another text. */
function TextsField({ label, hint, value, onChange }: FieldProps) {
  const [text, setText] = useState(() => toList(value).join(', '));
  return (
    <Labelled label={t('{label}, separated by commas', { label })} hint={hint}>
      {(id) => (
        <input
          id={id}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            onChange(
              target.value
                .split(',')
                .map((part) => part.trim())
                .filter(Boolean),
            );
          }}
        />
      )}
    </Labelled>
  );
}

const ChoiceField = ({ name, label, hint, node, isNeeded, value, onChange }: FieldProps) => (
  <Labelled label={label} hint={hint}>
    {(id) => (
      <select
        id={id}
        value={typeof value === 'string' ? value : ''}
        onChange={({ target }) => onChange(target.value || undefined)}
      >
        {(!isNeeded || value === undefined) && node.default === undefined && <option value="" />}
        {node.enum?.map((word) => (
          <option key={word} value={word}>
            {getValueName(name, word)}
          </option>
        ))}
      </select>
    )}
  </Labelled>
);

function ChoicesField({ name, label, node, value, onChange }: FieldProps) {
  const chosen = toList(value);
  const words = node.enum ?? [];
  return (
    <fieldset className={styles.group}>
      <legend>{label}</legend>
      {words.map((word) => (
        <Check
          key={word}
          label={getValueName(name, word)}
          isOn={chosen.includes(word)}
          onChange={(isOn) =>
            onChange(words.filter((one) => (one === word ? isOn : chosen.includes(one))))
          }
        />
      ))}
    </fieldset>
  );
}

/** A group that may be missing has a check mark before its fields. */
function GroupField({ label, method, node, isNeeded, value, onChange }: FieldProps) {
  const config = value as Config | undefined;
  return (
    <fieldset className={styles.group}>
      <legend>{label}</legend>
      {!isNeeded && (
        <Check
          label={t('Use “{label}”', { label })}
          isOn={config !== undefined}
          onChange={(isOn) => onChange(isOn ? createConfig(node) : undefined)}
        />
      )}
      {(isNeeded || config) && (
        <ConfigFields method={method} schema={node} config={config ?? {}} onChange={onChange} />
      )}
    </fieldset>
  );
}
