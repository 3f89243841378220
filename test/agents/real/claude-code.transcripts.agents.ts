import { testTranscripts } from '../transcripts.js'

await testTranscripts('claude-code')
