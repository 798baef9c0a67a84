import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { parseGuestPath, startVisit } from './guest/guest.ts';
import { watchConnection } from './connection.ts';
import { watchFailedQueries } from './failed-queries.ts';
import { queryClient } from './query-client.ts';
import { startSession } from './session/session.ts';
import { registerWorker } from './offline/register-worker.ts';
import { watchUploadOwner } from './uploads/owner.ts';
import { trackUserInput } from './user-input.ts';

trackUserInput();
watchConnection();
watchFailedQueries();
const guest = parseGuestPath(location.pathname);
if (!guest) watchUploadOwner();
void (guest ? startVisit(guest) : startSession());
if (!guest) registerWorker();
const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <QueryClientProvider client={queryClient}>
      <App guest={guest} />
    </QueryClientProvider>,
  );
}
