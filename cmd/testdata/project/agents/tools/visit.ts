import { defineTool } from '@standardagents/spec'

export default defineTool({
  description: 'Visits a page that counts its visitors',
  variables: [{ name: 'VISIT_URL', type: 'text', required: true, description: 'Where to go' }],
  execute: async (state) => {
    const response = await fetch(await state.env('VISIT_URL'))
    return { status: 'success', result: await response.text() }
  },
})
