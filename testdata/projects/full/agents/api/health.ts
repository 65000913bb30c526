import { defineController } from '@standardagents/builder';

export default defineController(async () => new Response('ok'));
