import { testTranscripts } from '../transcripts.js'

await testTranscripts('pi')
