import { testTranscripts } from '../transcripts.js'

await testTranscripts('qwen-code')
