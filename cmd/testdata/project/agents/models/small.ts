import { defineModel } from '@standardagents/spec'
import { openai } from '@standardagents/openai'

export default defineModel({
  name: 'small',
  model: 'gpt-test',
  provider: openai,
  inputPrice: 1,
  outputPrice: 2,
})
