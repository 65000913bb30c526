import { defineTool } from '@standardagents/spec'
import { z } from 'zod'

// Counts its own calls, so that a second run of one call would show.
export default defineTool({
  description: 'Keeps a note',
  args: z.object({ text: z.string() }),
  execute: async (state, { text }) => {
    const notes = (await state.getValue('notes')) ?? []
    notes.push(text)
    await state.setValue('notes', notes)
    return { status: 'success', result: `${notes.length}: ${text}` }
  },
})
