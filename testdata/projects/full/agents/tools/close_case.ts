import { defineTool } from '@standardagents/builder';

export default defineTool('Closes the case.', async () => 'closed');
