import { defineThreadEndpoint } from '@standardagents/builder';

export default defineThreadEndpoint(async (req, state, params) => new Response(params.id));
