export { default as noteCall } from './note_call';
