import { testTranscripts } from '../transcripts.js'

await testTranscripts('opencode')
