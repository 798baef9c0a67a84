import type { JobHandler } from '../../../jobs/define.ts';
import type { deliverWebhook } from '../jobs.ts';
import { reportFailure, sendWebhook } from './deliver.domain.ts';

export const handleDeliverWebhook: JobHandler<typeof deliverWebhook> = async (ctx, delivery) => {
  ctx.onFailed((db, error) => reportFailure(db, delivery, { error, now: ctx.now() }));
  await sendWebhook(ctx, delivery, ctx.signal);
};
