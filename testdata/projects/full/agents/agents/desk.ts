import { defineAgent } from '@standardagents/builder';
import limits from '../../src/limits.json';

export default defineAgent({
  name: 'desk',
  title: 'Help desk',
  type: 'ai_human',
  tenvs: { REGION: 'eu', SHARDS: 3 },
  hooks: ['note_call'],
  sideA: { prompt: 'desk', label: 'Desk', maxSteps: limits.steps, endSessionTool: 'close_case' },
});
