import { defineModel } from '@standardagents/spec';
import house from '../providers/house';

export default defineModel({ name: 'backup', provider: house, model: 'small' });
