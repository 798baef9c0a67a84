import { Dialog } from '../ui/dialog.tsx';
import { Field, Form, useForm } from '../ui/form.tsx';

type Props = {
  title: string;
  name: string;
  onSave: (name: string | null) => Promise<void>;
  onClose: () => void;
};

export function MomentDialog({ title, name, onSave, onClose }: Props) {
  const form = useForm(({ title: text = '' }) => onSave(text.trim() || null));
  return (
    <Dialog title={title} onClose={onClose}>
      <Form state={form} action="Save">
        <Field
          label="What happens here"
          name="title"
          defaultValue={name}
          maxLength={255}
          autoFocus
        />
      </Form>
    </Dialog>
  );
}
